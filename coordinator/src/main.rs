//! The program `loto`: runs, hands out, watches and reports sweeps.

use std::process::ExitCode;

use loto_coordinator::commands;
use loto_worker::isolation::child;

fn main() -> ExitCode {
    // `loto run` starts this program again for its jobs.
    child::enter(child::methods).unwrap_or_else(commands::main)
}
