//! Reads CSV text record by record, each with the line on which it begins, and bounds the length of a line, so that one without an
//! end does not fill the memory.
//!
//! The lines are counted here. The positions of the `csv` crate are where its search for a record begins, which is a line too early
//! where lines end in CR LF, and above the blank lines that are skipped.

use std::io::{Error, Read};

use csv::{ByteRecord, ErrorKind, StringRecord};
use loto_proto::limits::MAX_LINE_BYTES;

/// The records of CSV text. The first one is the header.
pub struct Records<R> {
    reader: csv::Reader<Lines<R>>,
}

/// Why no record can be read. The text names the line.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A record has more or fewer fields than the header.
    #[error("{}", unequal_lengths(*line, *last_line, *fields, *expected))]
    UnequalLengths {
        /// The line on which the record begins.
        line: u64,
        /// The line on which it ends.
        last_line: u64,
        /// Number of its fields.
        fields: u64,
        /// Number of the header's fields.
        expected: u64,
    },

    /// A field is not UTF-8.
    #[error("line {line}: field {field} is not valid UTF-8")]
    NotUtf8 {
        /// The line.
        line: u64,
        /// Which field of the line, from 1.
        field: usize,
    },

    /// Reading failed, or a line is too long.
    #[error("it cannot be read: {0}")]
    Unreadable(#[source] Error),
}

impl<R: Read> Records<R> {
    /// Reads the text of `reader`.
    pub fn new(reader: R) -> Self {
        let lines = Lines {
            reader,
            since_record: 0,
            bytes: 0,
            lines_before: 0,
            newlines: Vec::new(),
            has_ended: false,
        };
        Self {
            reader: csv::Reader::from_reader(lines),
        }
    }

    /// The header's fields, as bytes.
    ///
    /// # Errors
    /// [`RecordError::Unreadable`].
    pub fn byte_header(&mut self) -> Result<ByteRecord, RecordError> {
        let header = self.reader.byte_headers().cloned();
        header.map_err(|error| self.error(error, b""))
    }

    /// The header's fields.
    ///
    /// # Errors
    /// [`RecordError::Unreadable`], [`RecordError::NotUtf8`].
    pub fn header(&mut self) -> Result<StringRecord, RecordError> {
        let header = self.reader.headers().cloned();
        header.map_err(|error| self.error(error, b""))
    }

    /// Reads the next record, as bytes, and returns the line on which it begins, from 1; nothing at the end of the text.
    ///
    /// # Errors
    /// [`RecordError::Unreadable`], [`RecordError::UnequalLengths`].
    pub fn next_bytes(&mut self, record: &mut ByteRecord) -> Result<Option<u64>, RecordError> {
        let read = self.reader.read_byte_record(record);
        self.line_of(read, record.as_slice())
    }

    /// Reads the next record and returns the line on which it begins, from 1; nothing at the end of the text.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn next_text(&mut self, record: &mut StringRecord) -> Result<Option<u64>, RecordError> {
        let read = self.reader.read_record(record);
        self.line_of(read, record.as_slice().as_bytes())
    }

    fn line_of(
        &mut self,
        read: csv::Result<bool>,
        content: &[u8],
    ) -> Result<Option<u64>, RecordError> {
        match read {
            Ok(true) => {
                let line = self.line(content);
                self.reader.get_mut().since_record = 0;
                Ok(Some(line))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(self.error(error, content)),
        }
    }

    /// The line on which the record that was read last begins: the one at its end, less the line ends in its fields.
    fn line(&self, content: &[u8]) -> u64 {
        let lines = self.reader.get_ref();
        // What ends a record is not in its fields, unless the text ends there.
        let ending = u64::from(!lines.has_ended);
        let end = self.reader.position().byte().saturating_sub(ending);
        lines.line_at(end) - memchr::memchr_iter(b'\n', content).count() as u64
    }

    /// The line on which it ends.
    fn last_line(&self) -> u64 {
        let end = self.reader.position().byte().saturating_sub(1);
        self.reader.get_ref().line_at(end)
    }

    fn error(&self, error: csv::Error, content: &[u8]) -> RecordError {
        let line = self.line(content);
        match error.kind() {
            ErrorKind::UnequalLengths {
                len, expected_len, ..
            } => RecordError::UnequalLengths {
                line,
                last_line: self.last_line(),
                fields: *len,
                expected: *expected_len,
            },
            ErrorKind::Utf8 { err, .. } => RecordError::NotUtf8 {
                line,
                field: err.field() + 1,
            },
            _ => RecordError::Unreadable(error.into()),
        }
    }
}

fn unequal_lengths(line: u64, last_line: u64, fields: u64, expected: u64) -> String {
    let fields = match fields {
        1 => "1 field".to_owned(),
        _ => format!("{fields} fields"),
    };
    match last_line > line {
        false => format!("line {line}: it has {fields}, the header has {expected}"),
        true => format!(
            "lines {line} to {last_line}: they are one row of {fields}, the header has {expected}; is a quotation mark \
             missing or too many?"
        ),
    }
}

/// Counts lines, and fails when one record takes more than [`MAX_LINE_BYTES`], up to what the CSV reader buffers.
struct Lines<R> {
    reader: R,
    /// Bytes since the last record.
    since_record: usize,
    /// Bytes so far.
    bytes: u64,
    /// Line ends before the last piece that was read.
    lines_before: u64,
    /// Where in the text the line ends of that piece are.
    newlines: Vec<u64>,
    /// Whether the end of the text was seen, which is asked for only within a record.
    has_ended: bool,
}

impl<R> Lines<R> {
    /// The line of a byte. A record ends in the last piece that was read, since the next one is read only when that is used up.
    fn line_at(&self, position: u64) -> u64 {
        let before = self.newlines.partition_point(|&newline| newline < position);
        1 + self.lines_before + before as u64
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.since_record > MAX_LINE_BYTES {
            return Err(Error::other(format!(
                "a line has more than {MAX_LINE_BYTES} bytes, which is the most allowed; \
                 is a quotation mark missing?"
            )));
        }
        let count = self.reader.read(buffer)?;
        // At the end of the text the last piece stays the last.
        self.has_ended = count == 0;
        if count > 0 {
            self.lines_before += self.newlines.len() as u64;
            self.newlines.clear();
            let newlines = memchr::memchr_iter(b'\n', &buffer[..count]);
            let start = self.bytes;
            self.newlines
                .extend(newlines.map(|offset| start + offset as u64));
            self.bytes += count as u64;
            self.since_record += count;
        }
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    fn lines(text: &str, piece: usize) -> Vec<u64> {
        let mut records = Records::new(Pieces(text.as_bytes(), piece));
        assert_eq!(&records.header().unwrap()[0], "a");
        let mut record = ByteRecord::new();
        let next = || records.next_bytes(&mut record).unwrap();
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn records_begin_where_an_editor_shows_them() {
        for (text, expected) in [
            ("a,b\n1,2\n3,4\n", vec![2, 3]),
            ("a,b\n1,2\n3,4", vec![2, 3]),
            ("a,b\r\n1,2\r\n3,4\r\n", vec![2, 3]),
            ("a,b\r\n1,2\r\n3,4", vec![2, 3]),
            ("\u{feff}a,b\n1,2\n", vec![2]),
            ("\n\na,b\n\n\n1,2\n\n3,4\n\n", vec![6, 8]),
            ("a,b\r\n\r\n1,2\r\n\r\n\r\n3,4\r\n\r\n", vec![3, 6]),
            ("a,b\n\"1\n\n\",2\n3,\"4\n\"\n5,6\n", vec![2, 5, 7]),
            ("a,b\r\n\"1\r\n\",2\r\n\r\n3,4\r\n", vec![2, 5]),
            ("a,b\n1,2\n3,\"4\n5\n", vec![2, 3]),
        ] {
            // A byte order mark is looked for in the first piece alone, with something behind it.
            let least = if text.starts_with('\u{feff}') { 4 } else { 1 };
            for piece in [least, 5, 7, 1000] {
                assert_eq!(lines(text, piece), expected, "{text:?} by {piece}");
            }
        }
    }

    /// What is wrong with the second record below the header.
    fn error_of_second(text: &[u8]) -> String {
        let mut records = Records::new(text);
        let mut record = StringRecord::new();
        assert_eq!(records.next_text(&mut record).unwrap(), Some(2));
        records.next_text(&mut record).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_the_line() {
        let cut = error_of_second(b"a,b\r\n1,2\r\n\r\n3\r\n");
        assert_eq!(cut, "line 4: it has 1 field, the header has 2");
        let encoded = error_of_second(b"a,b\r\n1,2\r\n\r\n3,\xff\r\n");
        assert_eq!(encoded, "line 4: field 2 is not valid UTF-8");
        for text in [
            "a,b\n1,2\n\"3,4\n5,6\n",
            "a,b\n1,2\n\"3,4\n5,6",
            "a,b\n1,2\n\"3,4\n5\",6,7\n",
        ] {
            let joined = error_of_second(text.as_bytes());
            assert!(joined.starts_with("lines 3 to 4: "), "{joined}");
            assert!(joined.contains("quotation mark"), "{joined}");
        }
    }
}
