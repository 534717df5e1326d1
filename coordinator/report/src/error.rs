//! Why a report cannot be written.

use std::io;
use std::path::{Path, PathBuf};

/// A file or folder could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}")]
pub struct UnwritableFile {
    /// The file or folder.
    pub path: PathBuf,
    /// The operating system's reason.
    pub source: io::Error,
}

impl UnwritableFile {
    /// The error of one path, for `map_err`.
    pub fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { path, source }
    }
}
