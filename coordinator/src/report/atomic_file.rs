//! Files that are there as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;

use crate::CoordinatorError;

/// Writes a file under a temporary name in the same folder, then renames it.
///
/// # Errors
/// [`CoordinatorError::UnwritableFile`]; what was there before is then unchanged.
pub(super) fn write(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), CoordinatorError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.partial", std::process::id()));
    let partial = path.with_file_name(name);
    let result = write_and_rename(&partial, path, content);
    if result.is_err() {
        // The first error is the one to report, not that of tidying up.
        let _ = fs::remove_file(&partial);
    }
    result.map_err(|problem| CoordinatorError::UnwritableFile {
        path: path.to_owned(),
        problem,
    })
}

fn write_and_rename(
    partial: &Path,
    path: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::with_capacity(1 << 16, File::create(partial)?);
    content(&mut writer)?;
    let file = writer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    drop(file);
    fs::rename(partial, path)
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
}
