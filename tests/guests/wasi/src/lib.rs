//! Takes what WASI gives it, as standard libraries do, and tries to get out if its component is called `outside`.

use chimera_plugin_sdk::{AnyConfig, Component, ModifyAny, Plugin, Result, register};

mod bindings {
    #![allow(missing_docs, reason = "generated")]
    wit_bindgen::generate!({
        inline: "
            package chimera:guest;
            package wasi:random@0.2.3 {
                interface random {
                    get-random-bytes: func(len: u64) -> list<u8>;
                    get-random-u64: func() -> u64;
                }
            }
            package wasi:clocks@0.2.3 {
                interface wall-clock {
                    record datetime { seconds: u64, nanoseconds: u32 }
                    now: func() -> datetime;
                }
            }
            package wasi:cli@0.2.3 {
                interface environment {
                    get-environment: func() -> list<tuple<string, string>>;
                    initial-cwd: func() -> option<string>;
                }
            }
            package wasi:sockets@0.2.3 {
                interface instance-network {
                    resource network;
                    instance-network: func() -> network;
                }
            }
            world outside {
                import wasi:random/random@0.2.3;
                import wasi:clocks/wall-clock@0.2.3;
                import wasi:cli/environment@0.2.3;
                import wasi:sockets/instance-network@0.2.3;
            }
        ",
        world: "outside",
        generate_all,
    });
}

use bindings::wasi::cli::environment;
use bindings::wasi::clocks::wall_clock;
use bindings::wasi::random::random;
use bindings::wasi::sockets::instance_network;

struct Outside;

impl Plugin for Outside {
    type Settings = ();
}

impl ModifyAny for Outside {
    fn modify(component: &mut Component, _: &AnyConfig<()>) -> Result<()> {
        if component.name() == "outside" {
            drop(instance_network::instance_network());
        }
        let seen = format!(
            "random {} {:?}, time {}, environment {}, folder {:?}",
            random::get_random_u64(),
            random::get_random_bytes(3),
            wall_clock::now().seconds,
            environment::get_environment().len(),
            environment::initial_cwd(),
        );
        component.pod_templates_mut().for_each(|mut template| template.set_annotation("seen", &seen));
        Ok(())
    }
}

register!(Outside: modify_any);
