//! Special functions that give the same bits on every host.
//!
//! They are written out here, on `libm` (a Rust crate), for two reasons. A trace has to be the same
//! wherever it is computed, and the last digits of the operating system's mathematics library, which
//! `f64::exp` and crates of statistics call, differ by version. And the two in the innermost loops,
//! exp and tanh, have no branch, so that the compiler vectorises them.

pub(crate) mod bivariate_normal;
pub(crate) mod exponential;
pub(crate) mod gauss_legendre;
pub(crate) mod hyperbolic;
pub(crate) mod logarithm;
pub(crate) mod normal;
