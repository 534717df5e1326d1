//! The reference values of the statistics are what SciPy, scikit-posthocs and
//! statsmodels give today.

use std::path::Path;
use std::process::Command;

use loto_tests::python;

#[test]
fn the_committed_values_are_those_of_the_peers() {
    let Some(python) = python::interpreter_or_skip("statistics_reference") else {
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/statistics_reference.py");
    let output = Command::new(python).arg(script).arg("--check").output();
    let output = output.expect("the interpreter starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
}
