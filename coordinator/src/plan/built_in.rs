//! The sweep that is compiled into the binary, so that `loto run` works anywhere.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use loto_proto::sweep_file::{SweepFile, SweepFileError};

const SWEEP: &str = include_str!("../../sweeps/demo.toml");
const TABLE: &[u8] = include_bytes!("../../sweeps/svm-sklearn.csv.zip");
const TABLE_NAME: &str = "svm-sklearn.csv.zip";

/// The built-in sweep file, with the path to call it by.
pub(super) fn sweep_file() -> Result<(SweepFile, &'static Path), SweepFileError> {
    let path = Path::new("demo.toml (built in)");
    Ok((SweepFile::parse(SWEEP, path)?, path))
}

/// The built-in table with the path to call it by, if it has that name.
pub(super) fn table(name: &str) -> Option<(PathBuf, Cow<'static, [u8]>)> {
    let path = || format!("{name} (built in)").into();
    (name == TABLE_NAME).then(|| (path(), Cow::Borrowed(TABLE)))
}
