//! The sweep that is compiled into the binary, so that `loto run` works anywhere.

use std::borrow::Cow;
use std::path::Path;

use loto_proto::sweep_file::{BlackboxEntry, SweepFile, SweepFileError};

use super::tables::TableFile;

const SWEEP: &str = include_str!("../../sweeps/demo.toml");
const TABLE: &[u8] = include_bytes!("../../sweeps/svm-sklearn.csv.zip");

/// The built-in sweep file, with the path to call it by.
pub(super) fn sweep_file() -> Result<(SweepFile, &'static Path), SweepFileError> {
    let path = Path::new("demo.toml (built in)");
    Ok((SweepFile::parse(SWEEP, path)?, path))
}

/// The built-in table.
pub(super) fn table_file(entry: &BlackboxEntry) -> TableFile {
    TableFile {
        path: format!("{} (built in)", entry.table).into(),
        bytes: Cow::Borrowed(TABLE),
        initial: None,
    }
}
