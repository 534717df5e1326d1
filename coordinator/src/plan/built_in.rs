//! The sweep that is compiled into the binary, so that `loto run` works anywhere.

use std::borrow::Cow;
use std::path::Path;

use loto_proto::sweep_file::SweepFile;

use super::Plan;
use super::tables::TableFile;
use crate::CoordinatorError;

const SWEEP: &str = include_str!("../../sweeps/demo.toml");
const TABLE: &[u8] = include_bytes!("../../sweeps/svm-sklearn.csv.zip");

/// Plans the built-in sweep.
///
/// # Errors
/// As [`Plan::read`]; none, if the build is sound.
pub(super) fn plan() -> Result<Plan, CoordinatorError> {
    let path = Path::new("demo.toml (built in)");
    let file = SweepFile::parse(SWEEP, path)?;
    Plan::build(&file, path, |entry| {
        Ok(TableFile {
            path: format!("{} (built in)", entry.table).into(),
            bytes: Cow::Borrowed(TABLE),
        })
    })
}
