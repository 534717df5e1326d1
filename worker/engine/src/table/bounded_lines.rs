//! Bounds the length of a line, so that one without an end does not fill the memory.

use std::io::{Error, Read};

use loto_proto::limits::MAX_LINE_BYTES;

/// Fails when one record takes more than [`MAX_LINE_BYTES`], up to what the CSV reader buffers.
pub struct BoundedLines<R> {
    reader: R,
    since_record: usize,
}

impl<R> BoundedLines<R> {
    /// Bounds the lines of `reader`.
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            since_record: 0,
        }
    }

    /// To be told after each record: what comes from now on belongs to the next one.
    pub fn end_record(&mut self) {
        self.since_record = 0;
    }
}

impl<R: Read> Read for BoundedLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.since_record > MAX_LINE_BYTES {
            return Err(Error::other(format!(
                "a line has more than {MAX_LINE_BYTES} bytes, which is the most allowed; \
                 is a quotation mark missing?"
            )));
        }
        let count = self.reader.read(buffer)?;
        self.since_record += count;
        Ok(count)
    }
}
