//! The last step before a method runs: binds this process to its guard, keeps it from what is withheld, and becomes the
//! method.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use super::confinement::confine;

/// First argument of a program that is to become a method; then come the guard's process id, the
/// method's folder, the number of withheld paths, these paths and the command.
pub(super) const ARGUMENT: &str = "become-method";

/// The exit status of shells for a command that cannot be run.
const NOT_FOUND: u8 = 127;

pub(super) fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let guard = arguments.next();
    let guard = guard.and_then(|text| text.to_str()?.parse::<i32>().ok());
    let folder = arguments.next().map(PathBuf::from);
    let count = arguments.next();
    let count = count.and_then(|text| text.to_str()?.parse::<usize>().ok());
    let (Some(folder), Some(count)) = (folder, count) else {
        eprintln!("there is no folder, or no number of withheld paths");
        return ExitCode::FAILURE;
    };
    let withheld: Vec<PathBuf> = arguments.by_ref().take(count).map(PathBuf::from).collect();
    let Some(program) = arguments.next() else {
        eprintln!("there is no command");
        return ExitCode::from(NOT_FOUND);
    };
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        eprintln!("cannot bind the method to its guard: {error}");
        return ExitCode::FAILURE;
    }
    // The guard may have died before.
    if getppid().map(|parent| parent.as_raw_pid()) != guard {
        return ExitCode::FAILURE;
    }
    if let Err(error) = confine(&folder, &withheld) {
        eprintln!("cannot keep the method from what is not its business: {error}");
        return ExitCode::FAILURE;
    }
    let error = Command::new(&program).args(arguments).exec();
    eprintln!("cannot run `{}`: {error}", program.display());
    ExitCode::from(NOT_FOUND)
}
