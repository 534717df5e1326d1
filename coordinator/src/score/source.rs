//! Opens a file of traces: plain, gzipped or zipped, as a stream.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use loto_proto::ProtoError;

use crate::CoordinatorError;

/// Most bytes the traces may unpack to.
const MAX_UNPACKED_BYTES: u64 = 8 << 30;

/// Calls `consume` with the CSV text inside the file.
pub(super) fn with_reader<T>(
    path: &Path,
    consume: impl FnOnce(&mut dyn Read) -> Result<T, CoordinatorError>,
) -> Result<T, CoordinatorError> {
    let unreadable = |problem| ProtoError::UnreadableFile {
        path: path.to_owned(),
        problem,
    };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut start = Vec::with_capacity(2);
    (&mut file)
        .take(2)
        .read_to_end(&mut start)
        .map_err(unreadable)?;
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let file = BufReader::new(file);
    match start.as_slice() {
        b"PK" => {
            let damaged = |error: zip::result::ZipError| CoordinatorError::InvalidTraces {
                path: path.to_owned(),
                problem: format!("the zip archive is damaged or cut short: {error}"),
            };
            let mut archive = zip::ZipArchive::new(file).map_err(damaged)?;
            // By position: members of public files have misleading names.
            let member = archive.by_index(0).map_err(damaged)?;
            consume(&mut Bounded::new(member))
        }
        [0x1f, 0x8b] => consume(&mut Bounded::new(MultiGzDecoder::new(file))),
        _ => consume(&mut Bounded::new(file)),
    }
}

/// Fails, rather than ends quietly, when more bytes come than are allowed.
struct Bounded<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Bounded<R> {
    fn new(reader: R) -> Self {
        Self {
            reader,
            left: MAX_UNPACKED_BYTES,
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let problem = format!("it unpacks to more than {MAX_UNPACKED_BYTES} bytes");
            std::io::Error::other(problem)
        })?;
        Ok(count)
    }
}
