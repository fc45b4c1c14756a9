//! The operator: watches, controllers, apply, status and the command line.
//!
//! Every controller is a folder with the same files, in the order in which data flows:
//! `dereference → validate → render → extend → apply → status`. Only the first and the last two hold a client.

pub mod active;
pub mod apply;
pub mod args;
pub mod charts;
pub mod cli;
pub mod client;
pub mod cluster_domain;
pub mod context;
pub mod controllers;
pub mod crds;
pub mod env;
pub mod leader;
pub mod meter;
pub mod metrics;
pub mod plugins;
pub mod probes;
pub mod reader;
pub mod run;
pub mod server;
pub mod shutdown;
pub mod status;
pub mod telemetry;
pub mod vitals;
pub mod watch;
