//! The pure core of the operator.
