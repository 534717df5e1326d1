//! Unpacks a CSV file, with a bound on what it may unpack to.

use std::io::{BufRead, Error, Read, Seek};

/// Why the CSV text inside a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ContainerError {
    /// Reading failed, or the file unpacks to more than is allowed.
    #[error("it cannot be read: {0}")]
    Unreadable(#[source] Error),

    /// A zip archive has no directory that can be read.
    #[error("the zip archive is damaged or cut short: {0}")]
    DamagedArchive(#[source] zip::result::ZipError),

    /// A zip archive is empty, or its first member cannot be opened.
    #[error("the zip archive's first member is damaged: {0}")]
    DamagedMember(#[source] zip::result::ZipError),
}

/// Calls `consume` with the CSV text inside a file: plain, gzipped, or the first member of a zip
/// (by position: the public tables have misleading member names). The text is unpacked as it is
/// read; reading fails once there are more than `most` bytes of it, whatever the file says its size is.
///
/// # Errors
/// Those of `consume`, and those of [`ContainerError`] if the archive cannot be opened.
pub fn with_csv<T, E: From<ContainerError>>(
    mut file: impl BufRead + Seek,
    most: u64,
    consume: impl FnOnce(&mut dyn Read) -> Result<T, E>,
) -> Result<T, E> {
    let mut start = Vec::with_capacity(2);
    let read = file.by_ref().take(2).read_to_end(&mut start);
    read.and_then(|_| file.rewind())
        .map_err(ContainerError::Unreadable)?;
    match start.as_slice() {
        b"PK" => {
            let mut archive = zip::ZipArchive::new(file).map_err(ContainerError::DamagedArchive)?;
            let member = archive.by_index(0).map_err(ContainerError::DamagedMember)?;
            consume(&mut Bounded::new(member, most))
        }
        [0x1f, 0x8b] => {
            let unpacked = flate2::bufread::MultiGzDecoder::new(file);
            consume(&mut Bounded::new(unpacked, most))
        }
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
        let left = most;
        Self { reader, most, left }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        let left = self.left.checked_sub(count as u64);
        let too_many = || Error::other(format!("it unpacks to more than {} bytes", self.most));
        self.left = left.ok_or_else(too_many)?;
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
