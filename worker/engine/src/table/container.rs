//! Unpacks a CSV file, with a bound on what it may unpack to.

use std::io::{BufRead, Error, Read, Seek};

use super::foreign_format::{ForeignFormat, START_BYTES};

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

    /// The content has another format than CSV.
    #[error("{0}")]
    ForeignFormat(ForeignFormat),
}

/// Calls `consume` with the CSV text inside a file: plain, gzipped, or the first member of a zip
/// (by position: the public tables have misleading member names). The text is unpacked as it is
/// read; reading fails once there are more than `most` bytes of it, whatever the file says its size is.
///
/// # Errors
/// Those of `consume`, and those of [`ContainerError`] if the archive cannot be opened or holds something
/// else that is known by its first bytes.
pub fn with_csv<T, E: From<ContainerError>>(
    file: impl BufRead + Seek,
    most: u64,
    consume: impl FnOnce(&mut dyn Read) -> Result<T, E>,
) -> Result<T, E> {
    with_content(file, most, |content| {
        let mut start = Vec::new();
        let read = content.take(START_BYTES).read_to_end(&mut start);
        read.map_err(ContainerError::Unreadable)?;
        match ForeignFormat::of(&start) {
            Some(format) => Err(ContainerError::ForeignFormat(format).into()),
            None => consume(&mut start.as_slice().chain(content)),
        }
    })
}

/// As [`with_csv`], whatever the file holds.
///
/// # Errors
/// Those of `consume`, and those of [`ContainerError`] if the archive cannot be opened.
pub fn with_content<T, E: From<ContainerError>>(
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
    use std::io::{Cursor, Write};

    use super::*;

    fn read(file: &[u8]) -> Result<String, ContainerError> {
        with_csv(Cursor::new(file), 1000, |csv| {
            let mut text = String::new();
            let read = csv.read_to_string(&mut text);
            read.map_err(ContainerError::Unreadable)?;
            Ok(text)
        })
    }

    #[test]
    fn a_format_that_is_not_read_is_named_with_the_cure() {
        for (file, told) in [
            (b"\xfd7zXZ\0\0\x04".as_slice(), "compressed by xz"),
            (b"\x28\xb5\x2f\xfd\0", "compressed by zstd"),
            (b"{\"hp_x\": 1}\n", "read_json(FILE, lines=True)"),
            (b"[{\"hp_x\": 1}]", "it is JSON"),
            (b"PAR1\x15\x04", "it is Parquet"),
            (b"\x93NUMPY\x01\0", "loto import syne-tune"),
            (b"\xff\xfeh\0p\0", "in UTF-8"),
            (b"\xfe\xff\0h\0p", "in UTF-8"),
        ] {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), Default::default());
            gzip.write_all(file).unwrap();
            for file in [file, &gzip.finish().unwrap()] {
                let message = read(file).unwrap_err().to_string();
                assert!(message.contains(told), "{message}");
            }
        }
    }

    #[test]
    fn short_and_ordinary_texts_come_as_they_are() {
        for text in ["", "a", "a,b\n1,2\n", "[a],b\n"] {
            assert_eq!(read(text.as_bytes()).unwrap(), text);
        }
    }

    #[test]
    fn more_than_the_bound_is_an_error() {
        let mut bounded = Bounded::new(std::io::repeat(b'x'), 10);
        let mut sink = Vec::new();
        let error = bounded.read_to_end(&mut sink).unwrap_err();
        assert!(error.to_string().contains("unpacks to more"), "{error}");
    }
}
