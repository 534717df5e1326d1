//! The program `loto`: runs, hands out, watches and reports sweeps.

use std::process::ExitCode;

fn main() -> ExitCode {
    loto_coordinator::commands::main()
}
