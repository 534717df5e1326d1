//! The program `loto`: runs, hands out, watches and reports sweeps.

use std::path::Path;
use std::process::ExitCode;

use loto_coordinator::commands;
use loto_worker::isolation::child;
use loto_worker::program;

/// The name under which this program is the worker: the wheel for Python holds it once.
const WORKER: &str = "loto-worker";

fn main() -> ExitCode {
    let name = std::env::args_os().next();
    let name = name.as_deref().and_then(|path| Path::new(path).file_name());
    if name.is_some_and(|name| name == WORKER) {
        return program::main(child::methods);
    }
    // `loto run` starts this program again for its jobs.
    child::enter(child::methods).unwrap_or_else(commands::main)
}
