//! The failure of a program that chooses in the place of a method.

use std::error::Error;

/// A program failed.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct ProgramError {
    /// What went wrong; names the program.
    pub source: Box<dyn Error + Send + Sync>,
    /// Its traceback, or what it said last; empty if it said nothing.
    pub details: String,
}
