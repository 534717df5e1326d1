//! The roles in which this program starts itself for external methods.

use std::process::ExitCode;

use super::{confined_start, guard};

/// If this process was started for an external method, does so to its end and returns its exit status; to be
/// called first in `main`.
pub fn enter() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let role = arguments.next()?;
    if role == guard::ARGUMENT {
        Some(guard::run(arguments))
    } else if role == confined_start::ARGUMENT {
        Some(confined_start::run(arguments))
    } else {
        None
    }
}
