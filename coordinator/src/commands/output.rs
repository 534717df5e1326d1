//! What a command prints.

use std::io::{self, ErrorKind, Write};

use crate::CoordinatorError;

/// Writes to stdout. A reader that has seen enough (`loto report | head`) is no error.
///
/// # Errors
/// [`CoordinatorError::UnwritableFile`] if stdout cannot be written.
pub(super) fn print(text: &str) -> Result<(), CoordinatorError> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match written {
        Err(problem) if problem.kind() != ErrorKind::BrokenPipe => {
            Err(CoordinatorError::UnwritableFile {
                path: "standard output".into(),
                problem,
            })
        }
        _ => Ok(()),
    }
}

/// Writes one error to stderr; if that fails there is nowhere left to say so.
pub(super) fn print_error(text: &str) {
    let _ = writeln!(io::stderr().lock(), "error: {text}");
}
