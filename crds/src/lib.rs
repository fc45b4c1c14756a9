//! Types of `operator.tigera.io/v1` and of the projectcalico.org resources that the operator touches.
