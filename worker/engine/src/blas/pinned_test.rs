//! Tests that depend on the kernels of OpenBLAS run themselves anew with the kernels pinned.

use std::io::Write;
use std::process::Command;

/// The environment variables that pin the kernels and the number of threads.
const PINNED: [(&str, &str); 2] = [
    ("OPENBLAS_CORETYPE", "Haswell"),
    ("OPENBLAS_NUM_THREADS", "1"),
];

/// Whether the kernels are pinned. If they are not, the test of this full name is run anew with them, and has to pass
/// there.
pub(crate) fn is_pinned(test: &str) -> bool {
    let is_set =
        |&(name, value): &(&str, &str)| std::env::var_os(name).is_some_and(|text| text == value);
    if PINNED.iter().all(is_set) {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test]).envs(PINNED);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1 passed"), "{text}");
    let _ = std::io::stderr().write_all(&output.stderr);
    false
}
