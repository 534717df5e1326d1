//! Files that are there as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use crate::error::UnwritableFile;

/// The end of temporary names.
const PARTIAL: &str = ".partial";

/// Writes a file under a temporary name in the same folder, then renames it. What a
/// process that was killed left behind of the same file is removed.
///
/// # Errors
/// [`UnwritableFile`]; what was there before is then unchanged.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), UnwritableFile> {
    remove_leftovers(path);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}{PARTIAL}", std::process::id()));
    let partial = path.with_file_name(name);
    let result = write_and_rename(&partial, path, content);
    if result.is_err() {
        // The first error is the one to report, not that of tidying up.
        let _ = fs::remove_file(&partial);
    }
    result.map_err(UnwritableFile::at(path))
}

fn write_and_rename(
    partial: &Path,
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let file = File::create(partial)?;
    // Held by a living process: see `remove_leftovers`. Not every file system has locks.
    let _unlocked = file.try_lock();
    let mut writer = BufWriter::with_capacity(1 << 16, file);
    content(&mut writer)?;
    let file = writer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    drop(file);
    fs::rename(partial, path)
}

/// Removes temporary files for `path` that no process holds; what cannot be removed does no harm.
fn remove_leftovers(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return;
    };
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let begin = format!("{}.", name.to_string_lossy());
    for entry in entries.filter_map(Result::ok) {
        let other = entry.file_name().to_string_lossy().into_owned();
        if other.starts_with(&begin)
            && other.ends_with(PARTIAL)
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_failure_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores.csv");
        write(&path, |output| output.write_all(b"old")).unwrap();
        let result = write(&path, |output| {
            output.write_all(b"half")?;
            Err(io::Error::other("disk full"))
        });
        let message = result.unwrap_err().to_string();
        assert!(
            message.contains("scores.csv") && message.contains("disk full"),
            "{message}"
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_dead_process_left_is_removed_and_what_a_living_one_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("scores.csv");
        let place = |name: &str| folder.path().join(name);
        fs::write(place("scores.csv.1.partial"), b"left").unwrap();
        fs::write(place("scores.csv.mine"), b"kept").unwrap();
        let living = File::create(place("scores.csv.2.partial")).unwrap();
        living.try_lock().unwrap();
        write(&path, |output| output.write_all(b"new")).unwrap();
        assert!(!place("scores.csv.1.partial").exists());
        assert!(place("scores.csv.2.partial").exists());
        assert!(place("scores.csv.mine").exists());
    }
}
