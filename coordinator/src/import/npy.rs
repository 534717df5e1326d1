//! Reads an array of NumPy (format `.npy`) number by number.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use loto_proto::limits::MAX_IMPORTED_BYTES;

use super::error::{ContentProblem, ImportError};

/// Longest header that is read.
const MOST_HEADER_BYTES: usize = 1 << 16;

/// An array whose numbers are read one after the other, the last dimension fastest.
pub(super) struct Array<'a> {
    path: &'a Path,
    /// Its dimensions.
    pub(super) shape: Vec<u64>,
    wide: bool,
    numbers: BufReader<std::io::Take<File>>,
}

impl<'a> Array<'a> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`ImportError::Unreadable`], [`ImportError::LargeFile`], [`ContentProblem::Array`].
    pub(super) fn open(path: &'a Path) -> Result<Self, ImportError> {
        let unreadable = |source| ImportError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let damaged =
            |what| ImportError::content(path, "header".to_owned(), ContentProblem::Array(what));
        let file = File::open(path).map_err(unreadable)?;
        let size = file.metadata().map_err(unreadable)?.len();
        if size > MAX_IMPORTED_BYTES {
            return Err(ImportError::LargeFile(path.to_owned()));
        }
        let mut numbers = BufReader::with_capacity(1 << 20, file.take(MAX_IMPORTED_BYTES));
        let mut start = [0; 10];
        let read = numbers.read_exact(&mut start);
        read.map_err(|_| damaged("it is too short"))?;
        if !start.starts_with(b"\x93NUMPY") {
            return Err(damaged("it does not begin as one"));
        }
        let (version, mut length) = (
            start[6],
            usize::from(u16::from_le_bytes([start[8], start[9]])),
        );
        let mut header_begin = 10;
        if version > 1 {
            let mut high = [0; 2];
            let read = numbers.read_exact(&mut high);
            read.map_err(|_| damaged("its header is cut"))?;
            length += usize::from(u16::from_le_bytes(high)) << 16;
            header_begin = 12;
        }
        if length > MOST_HEADER_BYTES {
            return Err(damaged("its header is too long"));
        }
        let mut header = vec![0; length];
        let read = numbers.read_exact(&mut header);
        read.map_err(|_| damaged("its header is cut"))?;
        let header = String::from_utf8_lossy(&header).into_owned();
        let wide = match after(&header, "'descr':") {
            Some(kind) if kind.starts_with("'<f4'") => false,
            Some(kind) if kind.starts_with("'<f8'") => true,
            _ => return Err(damaged("its numbers have another type")),
        };
        if !after(&header, "'fortran_order':").is_some_and(|order| order.starts_with("False")) {
            return Err(damaged("its numbers are in another order"));
        }
        let shape = shape(&header).ok_or_else(|| damaged("its shape is missing"))?;
        let width = if wide { 8 } else { 4 };
        let count = shape
            .iter()
            .try_fold(width, |all: u64, size| all.checked_mul(*size));
        if count.and_then(|bytes| bytes.checked_add(header_begin + length as u64)) != Some(size) {
            return Err(damaged("it is longer or shorter than its shape"));
        }
        Ok(Self {
            path,
            shape,
            wide,
            numbers,
        })
    }

    /// The next number.
    ///
    /// # Errors
    /// [`ImportError::Unreadable`].
    pub(super) fn next(&mut self) -> Result<f64, ImportError> {
        let unreadable = |source| ImportError::Unreadable {
            path: self.path.to_owned(),
            source,
        };
        if self.wide {
            let mut bytes = [0; 8];
            self.numbers.read_exact(&mut bytes).map_err(unreadable)?;
            return Ok(f64::from_le_bytes(bytes));
        }
        let mut bytes = [0; 4];
        self.numbers.read_exact(&mut bytes).map_err(unreadable)?;
        Ok(f32::from_le_bytes(bytes).into())
    }
}

/// What follows a key of the header.
fn after<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    header.split_once(key).map(|(_, rest)| rest.trim_start())
}

fn shape(header: &str) -> Option<Vec<u64>> {
    let rest = after(header, "'shape':")?.strip_prefix('(')?;
    let (sizes, _) = rest.split_once(')')?;
    let sizes = sizes.split(',').map(str::trim);
    let sizes = sizes.filter(|size| !size.is_empty());
    sizes.map(|size| size.parse().ok()).collect()
}
