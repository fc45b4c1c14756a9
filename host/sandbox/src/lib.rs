//! The sandbox that runs plugins.
