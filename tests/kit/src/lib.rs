//! Starts and stops a whole control plane with simulated nodes.
