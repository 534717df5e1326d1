//! The program `loto-worker`.

use std::process::ExitCode;

use loto_worker::isolation::child;
use loto_worker::program;

fn main() -> ExitCode {
    program::main(child::methods)
}
