//! Writes render modifiers for the Chimera operator.
//!
//! A plugin is a type that implements [`Plugin`] and at least one of [`ModifyAny`] and [`ModifyInstallation`], and is
//! registered:
//!
//! ```
//! use chimera_plugin_sdk::{AnyConfig, Component, ModifyAny, Plugin, Result, register};
//!
//! struct Marker;
//!
//! impl Plugin for Marker {
//!     type Settings = ();
//! }
//!
//! impl ModifyAny for Marker {
//!     fn modify(component: &mut Component, _: &AnyConfig<()>) -> Result<()> {
//!         for mut template in component.pod_templates_mut() {
//!             template.set_label("example.com/marked", "true");
//!         }
//!         Ok(())
//!     }
//! }
//!
//! register!(Marker: modify_any);
//! ```
//!
//! It is a pure function: nothing that it leaves in a static is there for the next call, and it can reach neither
//! clock, network nor files. What it changes is found out by comparison and sent back; what it leaves alone stays.

extern crate self as chimera_plugin_sdk;

#[doc(hidden)]
pub mod bindings;
mod component;
mod error;
#[doc(hidden)]
pub mod exports;
pub mod log;
mod pod_template;

use std::ops::Deref;

use serde::de::DeserializeOwned;
#[doc(hidden)]
pub use wit_bindgen;

pub use bindings::describe::exports::chimera::plugin::describe::{Description, Phase, ProvidedVariant};
pub use bindings::imports::chimera::plugin::types::{ErrorKind, ObjectKey};
pub use bindings::installation::exports::chimera::plugin::modify_installation as installation;
pub use component::{Component, Object};
pub use error::{Error, Result};
pub use pod_template::PodTemplate;

/// What every plugin is.
pub trait Plugin {
    /// Its settings, as they stand in the declaration; `()` for none.
    type Settings: DeserializeOwned;

    /// What it says of itself, starting from the name and version of its crate.
    fn describe(description: Description) -> Description {
        description
    }
}

/// Changes any component.
pub trait ModifyAny: Plugin {
    /// Called for every component of every controller.
    ///
    /// # Errors
    /// If the component must not be applied; it stays as it was last applied then.
    fn modify(component: &mut Component, config: &AnyConfig<Self::Settings>) -> Result<()>;
}

/// Changes components of the Installation, knowing what the core knows.
pub trait ModifyInstallation: Plugin {
    /// Called for every component of the Installation.
    ///
    /// # Errors
    /// If the component must not be applied; it stays as it was last applied then.
    fn modify(component: &mut Component, config: &InstallationConfig<Self::Settings>) -> Result<()>;
}

/// Facts about the component at hand, with the plugin's settings.
pub struct Config<Facts, Settings> {
    facts: Facts,
    /// The plugin's settings.
    pub settings: Settings,
}

/// What [`ModifyAny`] is given.
pub type AnyConfig<Settings> = Config<bindings::any::exports::chimera::plugin::modify_any::Config, Settings>;
/// What [`ModifyInstallation`] is given.
pub type InstallationConfig<Settings> = Config<installation::Config, Settings>;

impl<Facts, Settings> Deref for Config<Facts, Settings> {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.facts
    }
}

/// Exports a plugin's functions, as in `register!(Labels: modify_any)` or
/// `register!(Product: modify_installation, modify_any)`. `describe` is always exported.
#[macro_export]
macro_rules! register {
    ($plugin:ty: $($hook:ident),+ $(,)?) => {
        const _: () = {
            struct Exported;

            impl $crate::bindings::describe::exports::chimera::plugin::describe::Guest for Exported {
                fn describe() -> $crate::Description {
                    $crate::exports::describe::<$plugin>(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
                }
            }
            $crate::bindings::describe::export_describe!(Exported with_types_in $crate::bindings::describe);

            $($crate::register!(@$hook $plugin);)+
        };
    };
    (@modify_any $plugin:ty) => {
        impl $crate::bindings::any::exports::chimera::plugin::modify_any::Guest for Exported {
            fn modify(
                config: $crate::bindings::any::exports::chimera::plugin::modify_any::Config,
                objects: Vec<$crate::bindings::imports::chimera::plugin::types::Object>,
            ) -> $crate::exports::Answer {
                $crate::exports::modify_any::<$plugin>(config, objects)
            }
        }
        $crate::bindings::any::export_modify_any!(Exported with_types_in $crate::bindings::any);
    };
    (@modify_installation $plugin:ty) => {
        impl $crate::installation::Guest for Exported {
            fn modify(
                config: $crate::installation::Config,
                objects: Vec<$crate::bindings::imports::chimera::plugin::types::Object>,
            ) -> $crate::exports::Answer {
                $crate::exports::modify_installation::<$plugin>(config, objects)
            }
        }
        $crate::bindings::installation::export_modify_installation!(
            Exported with_types_in $crate::bindings::installation
        );
    };
}
