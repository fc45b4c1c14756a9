//! Everything on the real control plane, in one program: linking one for each topic takes longer than some of them run.

mod admission;
mod api_server;
mod bad_input;
mod charts;
mod cluster_connection;
mod component_schemas;
mod csr;
mod default_installation;
mod flows;
mod goldens;
mod inputs;
mod ip_pools;
mod isolation;
mod kube_proxy;
mod lifecycle;
mod migrate;
mod plugins;
mod probes;
mod quiescence;
mod removal;
mod rights;
mod rules;
mod shared_resources;
mod status;
mod take_over;
mod user_input;
