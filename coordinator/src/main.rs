//! The program `loto`: runs, hands out, watches and reports sweeps.

use std::process::ExitCode;

use loto_coordinator::commands;
use loto_engine::blas;
use loto_worker::isolation::child;

fn main() -> ExitCode {
    if let Err(problem) = blas::pin_kernels() {
        eprintln!("error: cannot start again with OpenBLAS pinned: {problem}");
        return commands::ExitStatus::Failed.into();
    }
    // `loto run` starts this program again for its jobs.
    child::serve_if_asked(child::methods).unwrap_or_else(commands::main)
}
