//! The public tables, which are not kept in the repository.

use std::path::PathBuf;

use crate::skipped;

/// The folder with the public tables (the variable `LOTO_DATA`), or `None` if it
/// is not set; then the skipped test is named on the terminal and in the file
/// `LOTO_SKIPPED_LOG`, which `make test` sums up at its end.
///
/// ```no_run
/// # use loto_tests::public_tables;
/// let Some(folder) = public_tables::folder_or_skip("scores_of_recorded_traces") else {
///     return;
/// };
/// ```
///
/// # Panics
/// If `LOTO_DATA` is set to something that is no folder: then nothing may be skipped.
pub fn folder_or_skip(test: &str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("LOTO_DATA").filter(|folder| !folder.is_empty()) {
        let folder = PathBuf::from(folder);
        assert!(
            folder.is_dir(),
            "LOTO_DATA names no folder: {}",
            folder.display()
        );
        return Some(folder);
    }
    skipped::note(test, "LOTO_DATA is not set");
    None
}
