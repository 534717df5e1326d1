//! Scores the recorded results of HPO-B (Pineda Arango et al., NeurIPS 2021), which need no tables.
//!
//! `file` reads one JSON file, the results of one method; `recordings` lines several of them up; `scores` compares the
//! methods as the benchmark's paper does.

mod error;
mod file;
mod recordings;
mod scores;

pub use error::{HpobError, PlaceInFile};
pub use recordings::{HpobRecordings, read};
pub use scores::{HpobMethod, HpobScores, score};

#[cfg(test)]
mod tests;
