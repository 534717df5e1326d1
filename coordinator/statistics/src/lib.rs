//! Statistics of a sweep: pure functions, one idea per file, and
//! [`analysis`], which composes them over everything that is finished.
//!
//! Iterations `t` are counted from 1; in every curve the entry at index `t - 1`
//! belongs to `t`. Objectives are minimised.
//!
//! - curves: [`dtm`], [`random_search`], [`bootstrap`];
//! - scores: [`improvement`] (ICML), [`relative_improvement`] (ICLR), [`sgpt`], [`ranks`];
//! - tests: [`friedman`], [`nemenyi`], [`wilcoxon`], [`holm`], on [`tail_probability`] and
//!   [`studentized_range`].

pub mod analysis;
pub mod bootstrap;
pub mod dtm;
pub mod error;
pub mod friedman;
pub mod holm;
pub mod improvement;
pub mod nemenyi;
pub mod random_search;
pub mod ranks;
pub mod relative_improvement;
pub mod results;
pub mod sgpt;
pub mod studentized_range;
pub mod tail_probability;
pub mod wilcoxon;

pub use error::StatisticsError;

#[cfg(test)]
pub(crate) mod reference_cases;
