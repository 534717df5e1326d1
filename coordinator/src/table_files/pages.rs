//! Checks the pages of a Parquet file before they are unpacked.
//!
//! The library takes a page's word for the size that it unpacks to, and unpacks gzip to its end. So the headers of all pages are read
//! here first (they are structures of Thrift's compact protocol), their sizes are added up, and gzip is unpacked to nowhere, with a bound.

use std::io::{Read, copy, sink};
use std::path::Path;

use bytes::Bytes;
use flate2::bufread::MultiGzDecoder;
use loto_proto::excerpt::excerpt;
use loto_proto::limits::MAX_UNPACKED_BYTES;
use parquet::basic::Compression;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};

use super::error::{SizeProblem, TableFileError};

/// Deepest nesting of structures in a page header that is not damaged.
const MOST_NESTED: usize = 8;

/// Checks the pages of all columns.
///
/// # Errors
/// [`TableFileError::Size`].
pub(super) fn check(
    reader: &SerializedFileReader<Bytes>,
    file: &[u8],
    path: &Path,
) -> Result<(), TableFileError> {
    let mut unpacked = 0;
    let groups = reader.metadata().row_groups().iter();
    // Without rows there need be no page.
    let groups = groups.filter(|group| group.num_rows() > 0);
    for column in groups.flat_map(|group| group.columns()) {
        let checked = check_column(column, file, &mut unpacked);
        checked.map_err(|problem| TableFileError::Size {
            path: path.to_owned(),
            problem,
        })?;
    }
    Ok(())
}

fn check_column(
    column: &ColumnChunkMetaData,
    file: &[u8],
    unpacked: &mut u64,
) -> Result<(), SizeProblem> {
    let name = || excerpt(&column.column_path().parts().join("."));
    let header_is_damaged = || SizeProblem::PageHeader(name());
    let start = column.dictionary_page_offset();
    let start = start.map_or(column.data_page_offset(), |dictionary| {
        dictionary.min(column.data_page_offset())
    });
    let begin = usize::try_from(start).map_err(|_| header_is_damaged())?;
    let length = usize::try_from(column.compressed_size()).map_err(|_| header_is_damaged())?;
    let end = begin.checked_add(length);
    let pages = end.and_then(|end| file.get(begin..end));
    let mut rest = pages.ok_or_else(header_is_damaged)?;
    while !rest.is_empty() {
        let (header, content) = PageHeader::read(rest).ok_or_else(header_is_damaged)?;
        let page = content.get(..header.packed).ok_or_else(header_is_damaged)?;
        *unpacked += header.unpacked;
        if *unpacked > MAX_UNPACKED_BYTES {
            return Err(SizeProblem::Unpacked);
        }
        if matches!(column.compression(), Compression::GZIP(_)) && header.is_compressed {
            let packed = page.get(header.levels..).ok_or_else(header_is_damaged)?;
            let mut bounded = MultiGzDecoder::new(packed).take(header.unpacked + 1);
            let size = copy(&mut bounded, &mut sink()).unwrap_or_default();
            if size > header.unpacked {
                return Err(SizeProblem::Page(name()));
            }
        }
        rest = &content[header.packed..];
    }
    Ok(())
}

/// What the header of a page says of its size.
#[derive(Debug)]
struct PageHeader {
    unpacked: u64,
    packed: usize,
    /// Bytes before what is compressed.
    levels: usize,
    is_compressed: bool,
}

impl PageHeader {
    /// The header at the beginning, and what follows it.
    fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let mut fields = Thrift(bytes);
        let (mut unpacked, mut packed, mut levels) = (None, None, 0);
        let mut is_compressed = true;
        let mut id = 0;
        while let Some(kind) = fields.field(&mut id)? {
            match (id, kind) {
                (2, INTEGER) => unpacked = Some(fields.integer()?),
                (3, INTEGER) => packed = Some(fields.integer()?),
                (8, STRUCTURE) => (levels, is_compressed) = fields.second_version()?,
                _ => fields.skip(kind, 0)?,
            }
        }
        let header = Self {
            unpacked: u64::try_from(unpacked?).ok()?,
            packed: usize::try_from(packed?).ok()?,
            levels: usize::try_from(levels).ok()?,
            is_compressed,
        };
        Some((header, fields.0))
    }
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const INTEGER: u8 = 5;
const STRUCTURE: u8 = 12;

/// Values of Thrift's compact protocol; `None` where they are cut or damaged.
struct Thrift<'a>(&'a [u8]);

impl Thrift<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// The kind of the next field of a structure, whose number goes to `id`; the inner `None` at its end.
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        *id = match byte >> 4 {
            0 => self.integer()?,
            step => id.checked_add(step.into())?,
        };
        Some(Some(byte & 0x0f))
    }

    /// Of the header of a page of the second version: bytes before what is compressed, and whether it is.
    fn second_version(&mut self) -> Option<(i64, bool)> {
        let (mut levels, mut is_compressed) = (0_i64, true);
        let mut id = 0;
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                (5 | 6, INTEGER) => levels = levels.checked_add(self.integer()?)?,
                (7, TRUE | FALSE) => is_compressed = kind == TRUE,
                _ => self.skip(kind, 1)?,
            }
        }
        Some((levels, is_compressed))
    }

    fn skip_bytes(&mut self, count: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    /// Passes over a value.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > MOST_NESTED {
            return None;
        }
        match kind {
            TRUE | FALSE => Some(()),
            3 => self.byte().map(|_| ()),
            4..=6 => self.varint().map(|_| ()),
            7 => self.skip_bytes(8),
            8 => {
                let length = self.varint()?;
                self.skip_bytes(length)
            }
            9 | 10 => {
                let byte = self.byte()?;
                let count = match byte >> 4 {
                    15 => self.varint()?,
                    count => count.into(),
                };
                for _ in 0..count {
                    // A boolean in a list takes a byte.
                    match byte & 0x0f {
                        TRUE | FALSE => self.byte().map(|_| ())?,
                        kind => self.skip(kind, depth + 1)?,
                    }
                }
                Some(())
            }
            STRUCTURE => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, depth + 1)?;
                }
                Some(())
            }
            _ => None,
        }
    }
}
