//! The one error type of this crate.

use std::path::PathBuf;

/// Why a report cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file or folder could not be written.
    #[error("cannot write {path}: {problem}")]
    UnwritableFile {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's reason.
        problem: std::io::Error,
    },
}
