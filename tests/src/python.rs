//! The Python environment that tests compare with.

use std::path::PathBuf;

use crate::skipped;

/// A Python interpreter with the packages of tests/python/requirements.txt (the
/// variable `LOTO_TEST_PYTHON`, set by `make test`), or `None` if it is not set; then the
/// skipped test is named.
///
/// # Panics
/// If `LOTO_TEST_PYTHON` is set to something that is no file: then nothing may be skipped.
pub fn interpreter_or_skip(test: &str) -> Option<PathBuf> {
    let Some(python) = std::env::var_os("LOTO_TEST_PYTHON").filter(|python| !python.is_empty())
    else {
        skipped::note(test, "LOTO_TEST_PYTHON is not set");
        return None;
    };
    let python = PathBuf::from(python);
    assert!(
        python.is_file(),
        "LOTO_TEST_PYTHON names no file: {}",
        python.display()
    );
    Some(python)
}
