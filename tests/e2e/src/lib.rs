//! End-to-end tests on the real control plane live in `tests/`.
