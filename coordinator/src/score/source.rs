//! Opens a file of traces: plain, gzipped or zipped, as a stream.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use loto_engine::table::container;
use loto_proto::limits::MAX_RECORDED_BYTES;

use super::error::{ScoreError, TracesProblem};
use super::foreign::ForeignValues;
use super::recording::Recording;
use super::targets::Targets;

/// Reads the traces of a file.
pub(super) fn read(
    path: &Path,
    targets: &mut Targets<'_>,
    foreign_values: &ForeignValues,
) -> Result<Recording, ScoreError> {
    let file = File::open(path).map_err(|source| ScoreError::UnreadableFile {
        path: path.to_owned(),
        source,
    })?;
    let read = |csv: &mut dyn Read| Recording::read(csv, targets, foreign_values);
    container::with_csv(BufReader::new(file), MAX_RECORDED_BYTES, read)
        .map_err(|problem: TracesProblem| ScoreError::invalid(path, problem))
}
