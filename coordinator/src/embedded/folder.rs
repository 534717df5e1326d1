//! The folder of an embedded run: its store, its lock and its report.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use loto_report::UnwritableFile;
use loto_transport::store::{EmbeddedStore, Store, embedded_files};
use rustix::fs::OFlags;

use super::error::EmbeddedError;
use crate::shard::Shard;

/// Where `loto run` keeps its folders if it is not told.
const DEFAULT_PARENT: &str = "loto-results";

/// Name of the store's file in the folder.
const STORE_FILE: &str = "sweep.loto";

/// Name of the lock's file in the folder.
const LOCK_FILE: &str = ".lock";

/// Time between two looks whether the store's file is still there.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// An open run folder; no other process runs in it until this is dropped.
pub(crate) struct RunFolder {
    pub(crate) path: PathBuf,
    store_name: String,
    pub(crate) store: Arc<dyn Store>,
    store_identity: Option<FileIdentity>,
    _lock: File,
}

/// Tells a file from another one of the same name.
type FileIdentity = (u64, u64);

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
    /// [`EmbeddedError::Transport`] if the store in it cannot be opened.
    pub(crate) async fn open(path: &Path) -> Result<Self, EmbeddedError> {
        Self::open_store(path, STORE_FILE.into()).await
    }

    /// As [`Self::open`], with a store for one shard beside those of others, which may be at work in the folder.
    ///
    /// # Errors
    /// As [`Self::open`]; [`EmbeddedError::FolderInUse`] if another process runs the same shard.
    pub(crate) async fn open_shard(path: &Path, shard: Shard) -> Result<Self, EmbeddedError> {
        Self::open_store(path, format!("{}.loto", shard.file_stem())).await
    }

    async fn open_store(path: &Path, store_name: String) -> Result<Self, EmbeddedError> {
        fs::create_dir_all(path).map_err(UnwritableFile::at(path))?;
        let store_path = path.join(&store_name);
        let lock = take_lock(&store_path)?;
        let store = EmbeddedStore::open(&store_path).await?;
        Ok(Self {
            path: path.to_owned(),
            store_name,
            store: Arc::new(store),
            store_identity: identity(&store_path),
            _lock: lock,
        })
    }

    /// The files there that hold values of tables: the store's, and the traces of a report.
    pub(crate) fn files_with_values(&self) -> impl Iterator<Item = PathBuf> {
        let traces = self.path.join(loto_report::TRACES_FILE);
        embedded_files(&self.store_file()).chain([traces])
    }

    /// Keeps runs from the folder of a store's file for as long as the lock that is returned; `None` if no run was
    /// ever there.
    ///
    /// # Errors
    /// [`EmbeddedError::FolderInUse`] if a run is there, [`EmbeddedError::UnwritableFile`].
    pub(crate) fn lock_of(store_file: &Path) -> Result<Option<File>, EmbeddedError> {
        let was_run = lock_path(store_file).exists();
        was_run.then(|| take_lock(store_file)).transpose()
    }

    /// Checks that the file of the store is the one that was opened: what is written to a file that was
    /// deleted is gone when the process ends, without an error.
    ///
    /// # Errors
    /// [`EmbeddedError::StoreLost`] if it is not.
    pub(crate) fn check_store(&self) -> Result<(), EmbeddedError> {
        let path = self.store_file();
        let now = identity(&path);
        if now.is_some() && now == self.store_identity {
            return Ok(());
        }
        Err(EmbeddedError::StoreLost(path))
    }

    /// Waits for the file of the store to go, for ever if it stays; the error says so.
    pub(crate) async fn store_lost(&self) -> EmbeddedError {
        loop {
            if let Err(lost) = self.check_store() {
                return lost;
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }

    /// The file of the store, as other commands take it.
    pub(crate) fn store_file(&self) -> PathBuf {
        self.path.join(&self.store_name)
    }
}

/// Whether a store's file is that of a whole run, which has its folder for itself.
fn is_whole(store_file: &Path) -> bool {
    store_file
        .file_name()
        .is_some_and(|name| name == STORE_FILE)
}

/// What another run must stay away from: the folder of a store's file, or the file alone.
fn place(store_file: &Path) -> &Path {
    match store_file.parent() {
        Some(folder) if is_whole(store_file) => folder,
        _ => store_file,
    }
}

fn lock_path(store_file: &Path) -> PathBuf {
    let lock = match store_file.file_stem() {
        Some(stem) if !is_whole(store_file) => format!(".{}{LOCK_FILE}", stem.display()),
        _ => LOCK_FILE.to_owned(),
    };
    store_file.with_file_name(lock)
}

/// Takes the lock that goes with a store's file, until it is dropped: that of the whole folder of a run, or of the file alone.
///
/// # Errors
/// [`EmbeddedError::FolderInUse`], [`EmbeddedError::UnwritableFile`].
pub(crate) fn take_lock(store_file: &Path) -> Result<File, EmbeddedError> {
    let (path, place) = (&lock_path(store_file), place(store_file));
    let lock = open_lock(path).map_err(UnwritableFile::at(path))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(EmbeddedError::FolderInUse(place.to_owned())),
        // Some network file systems have no locks; two runs would only do the same work twice.
        Err(TryLockError::Error(problem)) => {
            tracing::warn!("cannot lock {}: {problem}", path.display());
        }
    }
    Ok(lock)
}

fn identity(path: &Path) -> Option<FileIdentity> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Opens the lock's file or makes it. What another user put there must do no harm: a link is not
/// followed, a file keeps its content, and anything but a file is refused.
fn open_lock(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(flags.bits().cast_signed())
        .open(path);
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other(
            "it is no plain file but a link or something else, which is left alone: remove it",
        ));
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lock_that_is_a_link_is_refused_and_its_target_keeps_its_content() {
        let parent = tempfile::tempdir().unwrap();
        let (path, target) = (parent.path().join("run"), parent.path().join("precious"));
        fs::create_dir(&path).unwrap();
        for content in ["not to be lost", ""] {
            fs::write(&target, content).unwrap();
            let lock = path.join(LOCK_FILE);
            std::os::unix::fs::symlink(&target, &lock).unwrap();
            let error = RunFolder::open(&path).await.err().unwrap().to_string();
            assert!(
                error.contains(".lock") && error.contains("remove it"),
                "{error}"
            );
            assert_eq!(fs::read_to_string(&target).unwrap(), content);
            // A link to nothing makes nothing.
            fs::remove_file(&target).unwrap();
            assert!(RunFolder::open(&path).await.is_err());
            assert!(!target.exists());
            fs::remove_file(&lock).unwrap();
        }
        fs::write(path.join(LOCK_FILE), "a note").unwrap();
        RunFolder::open(&path).await.unwrap();
        assert_eq!(fs::read(path.join(LOCK_FILE)).unwrap(), b"a note");
    }

    #[tokio::test]
    async fn a_store_that_is_deleted_or_replaced_is_noticed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(parent.path()).await.unwrap();
        folder.check_store().unwrap();
        let store = folder.store_file();
        let away = parent.path().join("away");
        fs::rename(&store, &away).unwrap();
        let lost = |error| matches!(error, EmbeddedError::StoreLost(path) if path == store);
        assert!(lost(folder.check_store().unwrap_err()));
        fs::copy(&away, &store).unwrap();
        assert!(lost(folder.store_lost().await));
        fs::rename(&away, &store).unwrap();
        folder.check_store().unwrap();
    }

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
