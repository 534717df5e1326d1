//! The program `loto`: runs, hands out, watches and reports sweeps.

use std::process::ExitCode;

use loto_coordinator::commands;
use loto_worker::blas;

fn main() -> ExitCode {
    if let Err(problem) = blas::pin_kernels() {
        eprintln!("error: cannot start again with OpenBLAS pinned: {problem}");
        return commands::ExitStatus::Failed.into();
    }
    commands::main()
}
