//! Which candidate to evaluate next.

pub mod expected_improvement;
