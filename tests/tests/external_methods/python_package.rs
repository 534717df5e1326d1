//! The Python package: every form that a method may have.

use loto_tests::small_sweep::Folder;
use loto_tests::{programs, python};

/// Runs a script of `tests/python` with the package, without code that is generated; it has to print these words.
fn runs(test: &str, script: &str, words: &str) {
    let Some(interpreter) = python::interpreter_or_skip(test) else {
        return;
    };
    let nothing_generated = tempfile::tempdir().unwrap();
    let mut command = python::with_client(&interpreter, nothing_generated.path());
    command.arg(python::repository().join("tests/python").join(script));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains(words), "{output:?}");
}

#[test]
fn methods_in_python_have_several_forms() {
    let test = "methods_in_python_have_several_forms";
    runs(test, "methods_in_python.py", "every form is a method");
}

#[test]
fn failures_in_python_say_what_to_change() {
    let test = "failures_in_python_say_what_to_change";
    runs(test, "failures_in_python.py", "failures are told");
}

#[test]
fn parts_that_are_missing_are_named_with_what_installs_them() {
    let test = "parts_that_are_missing_are_named_with_what_installs_them";
    runs(test, "missing_parts.py", "missing parts are named");
}

/// Reads a report and compares its data frames with what the report says of itself.
const READER: &str = r#"
import sys
import loto

results = loto.read(sys.argv[1])
assert results.about["name"] == "001", results.about["name"]
assert list(results.traces.method.unique()) == ["rs"], results.traces
assert len(results.traces) == 2 * 2 * 3 and results.traces.value.dtype == float
files = results.about["files"]
for name in ["traces.csv.gz", "scores.csv", "scores_by_task.csv", "curves.csv", "curves_by_task.csv"]:
    frame = getattr(results, name.split(".")[0])
    assert len(frame) > 0 and set(frame.columns) <= set(files[name]["columns"]), name
    # A name that spells a number stays a text.
    assert set(frame.blackbox) == {"007"}, frame.blackbox
for name, missing in (("fronts", "no black box with two objectives"), ("curves_over_cost", "no black box with a cost")):
    try:
        getattr(results, name)
    except FileNotFoundError as error:
        assert missing in str(error), error
    else:
        raise AssertionError(f"{name} is there")
try:
    loto.read(sys.argv[1] + "/charts")
except FileNotFoundError as error:
    assert "is no folder of a report" in str(error)
    print("the results are read")
"#;

#[test]
fn results_are_read_as_data_frames() {
    let Some(interpreter) = python::interpreter_or_skip("results_are_read_as_data_frames") else {
        return;
    };
    let folder = Folder::with_sweep(
        "name = \"001\"\nmethods = [\"rs\"]\nseeds = 2\niterations = 3\n\
         [[blackbox]]\nname = \"007\"\ntable = \"table.csv\"\nobjective = \"metric_error\"\n",
    );
    let out = folder.path("out");
    let mut run = programs::command("loto");
    let run = run.arg("run").arg(folder.sweep()).arg("--out").arg(&out);
    assert!(run.output().unwrap().status.success());
    let nothing_generated = tempfile::tempdir().unwrap();
    let mut read = python::with_client(&interpreter, nothing_generated.path());
    let output = read.args(["-c", READER]).arg(&out).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("the results are read"), "{output:?}");
}
