//! The folder of an embedded run: its store, its lock and its report.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loto_report::UnwritableFile;
use loto_transport::store::{EmbeddedStore, Store};

use super::error::EmbeddedError;

/// Where `loto run` keeps its folders if it is not told.
const DEFAULT_PARENT: &str = "loto-results";

/// Name of the store's file in the folder.
const STORE_FILE: &str = "sweep.loto";

/// Name of the lock's file in the folder.
const LOCK_FILE: &str = ".lock";

/// An open run folder; no other process runs in it until this is dropped.
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
    pub(crate) store: Arc<dyn Store>,
    _lock: File,
}

impl RunFolder {
    /// The folder for a sweep of that name: `loto-results/NAME`.
    pub(crate) fn default_path(sweep_name: &str) -> PathBuf {
        let keep = |character: char| {
            let is_plain = character.is_alphanumeric() || "-_.".contains(character);
            if is_plain { character } else { '-' }
        };
        let name: String = sweep_name.trim().chars().map(keep).collect();
        // A name of dots alone would be the folder itself or the one above it.
        let name = if name.chars().all(|character| character == '.') {
            "sweep"
        } else {
            &name
        };
        Path::new(DEFAULT_PARENT).join(name)
    }

    /// Opens the folder, or makes it.
    ///
    /// # Errors
    /// [`EmbeddedError::FolderInUse`] if another process runs in it,
    /// [`EmbeddedError::UnwritableFile`] if it cannot be made,
    /// [`EmbeddedError::Proto`] if the store in it cannot be opened.
    pub(crate) async fn open(path: &Path) -> Result<Self, EmbeddedError> {
        fs::create_dir_all(path).map_err(UnwritableFile::at(path))?;
        let lock_path = path.join(LOCK_FILE);
        let lock = File::create(&lock_path).map_err(UnwritableFile::at(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(EmbeddedError::FolderInUse(path.to_owned()));
            }
            // Some network file systems have no locks; two runs would only do the same work twice.
            Err(TryLockError::Error(problem)) => {
                tracing::warn!("cannot lock {}: {problem}", lock_path.display());
            }
        }
        let store = EmbeddedStore::open(&path.join(STORE_FILE)).await?;
        Ok(Self {
            path: path.to_owned(),
            store: Arc::new(store),
            _lock: lock,
        })
    }

    /// The file of the store, as other commands take it.
    pub(crate) fn store_file(&self) -> PathBuf {
        self.path.join(STORE_FILE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_the_folder() {
        let path = |name| RunFolder::default_path(name).display().to_string();
        assert_eq!(path("icml-copula"), "loto-results/icml-copula");
        assert_eq!(path("../../etc"), "loto-results/..-..-etc");
        assert_eq!(path(".."), "loto-results/sweep");
    }

    #[tokio::test]
    async fn two_runs_do_not_share_a_folder() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let first = RunFolder::open(&path).await.unwrap();
        let second = RunFolder::open(&path).await;
        assert!(matches!(second, Err(EmbeddedError::FolderInUse(_))));
        drop(first);
        assert!(RunFolder::open(&path).await.is_ok());
    }
}
