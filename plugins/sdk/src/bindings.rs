//! Generated bindings: a world for each interface, so that a plugin exports only what it registers.

#![allow(missing_docs, clippy::all, reason = "generated from the interface files")]

/// What every plugin may import.
pub mod imports {
    wit_bindgen::generate!({
        path: "../../wit/since-v0.1.0",
        inline: "
            package chimera:sdk;
            world imports {
                import chimera:plugin/types@0.1.0;
                import chimera:plugin/log@0.1.0;
            }
        ",
        world: "imports",
        generate_all,
        additional_derives: [PartialEq, Eq, Clone],
        runtime_path: "::chimera_plugin_sdk::wit_bindgen::rt",
    });
}

/// `describe`.
pub mod describe {
    wit_bindgen::generate!({
        path: "../../wit/since-v0.1.0",
        inline: "
            package chimera:sdk;
            world describe { export chimera:plugin/describe@0.1.0; }
        ",
        world: "describe",
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_describe",
        default_bindings_module: "::chimera_plugin_sdk::bindings::describe",
        runtime_path: "::chimera_plugin_sdk::wit_bindgen::rt",
    });
}

/// `modify-any`.
pub mod any {
    wit_bindgen::generate!({
        path: "../../wit/since-v0.1.0",
        inline: "
            package chimera:sdk;
            world any { export chimera:plugin/modify-any@0.1.0; }
        ",
        world: "any",
        with: { "chimera:plugin/types@0.1.0": crate::bindings::imports::chimera::plugin::types },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_modify_any",
        default_bindings_module: "::chimera_plugin_sdk::bindings::any",
        runtime_path: "::chimera_plugin_sdk::wit_bindgen::rt",
    });
}

/// `modify-installation`.
pub mod installation {
    wit_bindgen::generate!({
        path: "../../wit/since-v0.1.0",
        inline: "
            package chimera:sdk;
            world installation { export chimera:plugin/modify-installation@0.1.0; }
        ",
        world: "installation",
        with: { "chimera:plugin/types@0.1.0": crate::bindings::imports::chimera::plugin::types },
        generate_all,
        pub_export_macro: true,
        export_macro_name: "export_modify_installation",
        default_bindings_module: "::chimera_plugin_sdk::bindings::installation",
        runtime_path: "::chimera_plugin_sdk::wit_bindgen::rt",
    });
}
