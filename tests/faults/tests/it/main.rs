//! The fault harness: the real controllers on an API server in this process, in virtual time.

mod api_errors;
mod bad_states;
mod crash;
mod fuzz;
mod leadership;
mod reference;
mod restore;
mod watches;
