//! Statistics of a sweep: pure functions, one idea per file, and
//! [`analysis`], which composes them over everything that is finished.
//!
//! Iterations `t` are counted from 1; in every curve the entry at index `t - 1`
//! belongs to `t`. Objectives are minimised.

pub mod analysis;
pub mod random_search;
