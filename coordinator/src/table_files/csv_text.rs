//! The CSV text that a table becomes.

use std::io::Write;
use std::path::Path;

use flate2::{Compression, GzBuilder};
use loto_proto::limits::{MAX_TABLE_FILE_BYTES, MAX_UNPACKED_BYTES};

use super::error::TableFileError;

/// A table as CSV text.
#[derive(Debug)]
pub struct CsvText(csv::Writer<Vec<u8>>);

impl CsvText {
    /// A table with these columns.
    pub(crate) fn new(header: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Self {
        let mut text = Self(csv::Writer::from_writer(Vec::new()));
        text.push(header);
        text
    }

    /// Adds a row, which has as many fields as there are columns.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = impl AsRef<[u8]>>) {
        let record: csv::ByteRecord = row.into_iter().collect();
        // Writing to memory does not fail, and rows are as long as the header.
        let _infallible = self.0.write_byte_record(&record);
    }

    /// Checks the number of bytes so far, up to what is buffered.
    pub(crate) fn check_size(&self, path: &Path) -> Result<(), TableFileError> {
        match self.0.get_ref().len() as u64 > MAX_UNPACKED_BYTES {
            true => Err(TableFileError::LargeText(path.to_owned())),
            false => Ok(()),
        }
    }

    /// The text.
    pub(crate) fn into_bytes(self, path: &Path) -> Result<Vec<u8>, TableFileError> {
        self.check_size(path)?;
        self.0
            .into_inner()
            .map_err(|error| TableFileError::Unreadable {
                path: path.to_owned(),
                source: error.into_error(),
            })
    }

    /// The bytes of a table file: the text, gzipped only if it is larger than a table file may be, so that the fingerprint of most
    /// tables does not depend on a compressor.
    ///
    /// # Errors
    /// [`TableFileError::LargeText`], [`TableFileError::LargePackedText`].
    pub(crate) fn finish(self, path: &Path) -> Result<Vec<u8>, TableFileError> {
        let text = self.into_bytes(path)?;
        if text.len() <= MAX_TABLE_FILE_BYTES {
            return Ok(text);
        }
        let unreadable = |source| TableFileError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let mut gzip = GzBuilder::new()
            .mtime(0)
            .write(Vec::new(), Compression::default());
        gzip.write_all(&text).map_err(unreadable)?;
        let packed = gzip.finish().map_err(unreadable)?;
        match packed.len() > MAX_TABLE_FILE_BYTES {
            true => Err(TableFileError::LargePackedText(path.to_owned())),
            false => Ok(packed),
        }
    }
}
