//! What a command prints.

use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::path::Path;

use loto_proto::untrusted_text::escape_lines;
use loto_report::UnwritableFile;

use super::error::CommandError;

/// Prints a text to stdout. It consists of lines of ours; in them nothing commands the terminal.
///
/// # Errors
/// As [`print_with`].
pub(super) fn print(text: &str) -> Result<(), CommandError> {
    print_with(|output| output.write_all(escape_lines(text).as_bytes()))
}

/// Lets `write` write to stdout. It is not an error if the reader stops early (`loto report | head`).
///
/// # Errors
/// [`CommandError::UnwritableFile`] if stdout cannot be written.
pub(super) fn print_with(
    write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
) -> Result<(), CommandError> {
    let mut output = BufWriter::new(io::stdout().lock());
    match write(&mut output).and_then(|()| output.flush()) {
        Err(problem) if problem.kind() != ErrorKind::BrokenPipe => {
            Err(UnwritableFile::at(Path::new("standard output"))(problem).into())
        }
        _ => Ok(()),
    }
}
