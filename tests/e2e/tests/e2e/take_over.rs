//! Taking over a cluster that the Go operator runs: nothing that matters changes, no pod restarts, and then silence.

mod changes;
mod clusters;
mod made_up;
mod other_namespace;
mod rotation;
