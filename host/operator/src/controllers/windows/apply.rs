//! Windows nodes are applied like everything else of the Installation.

pub(super) use super::super::installation::apply::run;
