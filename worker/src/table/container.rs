//! Unpacks a table file, with bounds on what it may unpack to.

use std::io::{Cursor, Read};

/// Most bytes a table may unpack to.
pub(super) const MAX_UNPACKED_BYTES: u64 = 2 << 30;

/// The CSV text inside a file: plain, gzipped, or the first member of a zip
/// (by position: the public tables have misleading member names).
pub(super) fn open(file: &[u8]) -> Result<Box<dyn Read + '_>, String> {
    let reader: Box<dyn Read> = if file.starts_with(b"PK") {
        let mut archive = zip::ZipArchive::new(Cursor::new(file))
            .map_err(|error| format!("the zip archive is damaged or cut short: {error}"))?;
        let member = archive
            .by_index(0)
            .map_err(|error| format!("the zip archive's first member is damaged: {error}"))?;
        if member.size() > MAX_UNPACKED_BYTES {
            return Err(too_large());
        }
        // A zip member borrows its archive, so it is unpacked here.
        let mut text = Vec::new();
        member
            .take(MAX_UNPACKED_BYTES + 1)
            .read_to_end(&mut text)
            .map_err(|error| format!("the zip archive's first member is damaged: {error}"))?;
        Box::new(Cursor::new(text))
    } else if file.starts_with(&[0x1f, 0x8b]) {
        Box::new(flate2::read::MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    Ok(Box::new(Bounded {
        reader,
        left: MAX_UNPACKED_BYTES,
    }))
}

fn too_large() -> String {
    format!("it unpacks to more than {MAX_UNPACKED_BYTES} bytes")
}

/// Fails, rather than ends quietly, when more than `left` bytes come.
struct Bounded<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.left = self
            .left
            .checked_sub(count as u64)
            .ok_or_else(|| std::io::Error::other(too_large()))?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_bound_is_an_error() {
        let mut bounded = Bounded {
            reader: std::io::repeat(b'x'),
            left: 10,
        };
        let mut sink = Vec::new();
        let error = bounded.read_to_end(&mut sink).unwrap_err();
        assert!(error.to_string().contains("unpacks to more"), "{error}");
    }
}
