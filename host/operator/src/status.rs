//! From outcomes to `TigeraStatus`, Events and metrics.

pub mod conditions;
pub mod events;
pub mod health;
pub mod pods;
pub mod refused;
pub mod writer;
