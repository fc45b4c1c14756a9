//! Pools pass through the plugins like everything else of the Installation.

pub(super) use super::super::installation::extend::run;
