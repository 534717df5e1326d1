//! The Python package: every form that a method may have.

use loto_tests::python;

#[test]
fn methods_in_python_have_several_forms() {
    let test = "methods_in_python_have_several_forms";
    let Some(interpreter) = python::interpreter_or_skip(test) else {
        return;
    };
    let nothing_generated = tempfile::tempdir().unwrap();
    let mut command = python::with_client(&interpreter, nothing_generated.path());
    command.arg(python::repository().join("tests/python/methods_in_python.py"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("every form is a method"), "{output:?}");
}
