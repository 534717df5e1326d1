//! Opens a file of traces: plain, gzipped or zipped, as a stream.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use loto_engine::table::container::{self, ContainerError};
use loto_proto::limits::MAX_RECORDED_BYTES;

use crate::CoordinatorError;

/// Calls `consume` with the CSV text inside the file.
pub(super) fn with_reader<T>(
    path: &Path,
    consume: impl FnOnce(&mut dyn Read) -> Result<T, String>,
) -> Result<T, CoordinatorError> {
    let file = File::open(path).map_err(|source| CoordinatorError::UnreadableFile {
        path: path.to_owned(),
        source,
    })?;
    let consumed = container::with_csv(BufReader::new(file), MAX_RECORDED_BYTES, |csv| {
        Ok::<_, ContainerError>(consume(csv))
    });
    consumed
        .map_err(|error| error.to_string())
        .flatten()
        .map_err(|problem| CoordinatorError::InvalidTraces {
            path: path.to_owned(),
            problem,
        })
}
