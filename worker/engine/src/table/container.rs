//! Unpacks a CSV file, with a bound on what it may unpack to.

use std::io::{BufRead, Read, Seek, SeekFrom};

/// Calls `consume` with the CSV text inside a file: plain, gzipped, or the first member of a zip
/// (by position: the public tables have misleading member names). The text is unpacked as it is
/// read; reading fails once there are more than `most` bytes of it, whatever the file says its size is.
///
/// # Errors
/// Those of `consume`; a text that says why the archive cannot be opened.
pub fn with_csv<T>(
    mut file: impl BufRead + Seek,
    most: u64,
    consume: impl FnOnce(&mut dyn Read) -> Result<T, String>,
) -> Result<T, String> {
    let unreadable = |error: std::io::Error| format!("it cannot be read: {error}");
    let mut start = Vec::with_capacity(2);
    (&mut file)
        .take(2)
        .read_to_end(&mut start)
        .map_err(unreadable)?;
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    match start.as_slice() {
        b"PK" => {
            let damaged = |error: zip::result::ZipError| {
                format!("the zip archive is damaged or cut short: {error}")
            };
            let mut archive = zip::ZipArchive::new(file).map_err(damaged)?;
            let member = archive
                .by_index(0)
                .map_err(|error| format!("the zip archive's first member is damaged: {error}"))?;
            consume(&mut Bounded::new(member, most))
        }
        [0x1f, 0x8b] => consume(&mut Bounded::new(
            flate2::bufread::MultiGzDecoder::new(file),
            most,
        )),
        _ => consume(&mut Bounded::new(file, most)),
    }
}

/// Fails, rather than ends quietly, when more than `most` bytes come.
struct Bounded<R> {
    reader: R,
    most: u64,
    left: u64,
}

impl<R: Read> Bounded<R> {
    fn new(reader: R, most: u64) -> Self {
        Self {
            reader,
            most,
            left: most,
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let problem = format!("it unpacks to more than {} bytes", self.most);
            std::io::Error::other(problem)
        })?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_bound_is_an_error() {
        let mut bounded = Bounded::new(std::io::repeat(b'x'), 10);
        let mut sink = Vec::new();
        let error = bounded.read_to_end(&mut sink).unwrap_err();
        assert!(error.to_string().contains("unpacks to more"), "{error}");
    }
}
