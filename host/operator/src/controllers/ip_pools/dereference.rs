//! Pools follow from the Installation, so what is read is what the Installation depends on.

pub(super) use super::super::installation::dereference::run;
