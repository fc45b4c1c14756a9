//! The real controllers on an API server that lives in the same process, with virtual time and faults on purpose.
//!
//! [`api`] is the server, [`cluster`] stands for kube-controller-manager and the nodes, [`operator`] starts and kills the
//! operator, [`fault`] says what goes wrong, [`world`] puts one cluster together, [`oracle`] judges how it ended,
//! [`campaign`] runs many plans, and [`entries`] is where fuzzing enters.

pub mod api;
pub mod campaign;
pub mod cases;
pub mod cluster;
pub mod entries;
pub mod fault;
pub mod fields;
pub mod operator;
pub mod oracle;
pub mod world;
