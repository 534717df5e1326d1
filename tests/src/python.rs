//! The Python environment that tests compare with, and the client in Python.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::skipped;

/// A Python interpreter with the packages of tests/python/requirements.txt (the
/// variable `LOTO_TEST_PYTHON`, set by `make test`), or `None` if it is not set; then the
/// skipped test is named.
///
/// # Panics
/// If `LOTO_TEST_PYTHON` is set to something that is no file: then nothing may be skipped.
pub fn interpreter_or_skip(test: &str) -> Option<PathBuf> {
    let Some(python) = std::env::var_os("LOTO_TEST_PYTHON").filter(|python| !python.is_empty())
    else {
        skipped::note(test, "LOTO_TEST_PYTHON is not set");
        return None;
    };
    let python = PathBuf::from(python);
    assert!(
        python.is_file(),
        "LOTO_TEST_PYTHON names no file: {}",
        python.display()
    );
    Some(python)
}

/// The root of this repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Python that finds the client of deploy/python and the code generated for it.
pub fn with_client(python: &Path, generated: &Path) -> Command {
    let mut command = Command::new(python);
    let path = [generated.to_owned(), repository().join("deploy/python")];
    let path = std::env::join_paths(path).expect("a path without a colon");
    command.env("PYTHONPATH", path);
    // Leave no compiled files in the repository.
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// Runs the command of deploy/python/loto/client.py that generates code, into another folder.
///
/// # Panics
/// If it fails.
pub fn generate_client(python: &Path, generated: &Path) {
    std::fs::create_dir(generated).expect("a folder can be made");
    let mut generate = with_client(python, generated);
    generate.args(["-m", "grpc_tools.protoc", "-I", "proto"]);
    for option in ["--python_out", "--grpc_python_out"] {
        generate.arg(option).arg(generated);
    }
    generate.args(["loto/v1/job.proto", "loto/v1/aggregator.proto"]);
    let output = generate.current_dir(repository()).output();
    let output = output.expect("Python runs");
    assert!(output.status.success(), "{output:?}");
}
