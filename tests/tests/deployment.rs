//! The files under deploy/: the checks of tests/python/deployment, each a test here.

use std::path::{Path, PathBuf};
use std::process::Command;

use loto_tests::{programs, python, skipped};

/// The folder with kustomize and docker-compose (the variable `LOTO_TEST_DEPLOYMENT_TOOLS`, set by
/// `make test`); without it the test is skipped and named.
fn tools_or_skip(test: &str) -> Option<PathBuf> {
    let variable = "LOTO_TEST_DEPLOYMENT_TOOLS";
    let Some(folder) = std::env::var_os(variable).filter(|folder| !folder.is_empty()) else {
        skipped::note(test, "LOTO_TEST_DEPLOYMENT_TOOLS is not set");
        return None;
    };
    let folder = PathBuf::from(folder);
    assert!(folder.is_dir(), "{variable}: {}", folder.display());
    Some(folder)
}

/// Runs a module of Python's unittest.
fn run_checks(module: &str) {
    let (Some(python), Some(tools)) = (python::interpreter_or_skip(module), tools_or_skip(module))
    else {
        return;
    };
    let checks = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/deployment");
    let binary = programs::binary("loto");
    let output = Command::new(&python)
        .args(["-m", "unittest", "--verbose", module])
        .current_dir(checks)
        .env("LOTO_TEST_PYTHON", &python)
        .env("LOTO_TEST_DEPLOYMENT_TOOLS", tools)
        .env(
            "LOTO_TEST_BINARIES",
            binary.parent().expect("it is in a folder"),
        )
        // Leave no compiled files in the repository.
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("Python runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(!errors.contains("Ran 0 tests"), "{errors}");
}

#[test]
fn every_overlay_renders_and_every_object_is_valid() {
    run_checks("test_schemas");
}

#[test]
fn the_overlays_agree_with_the_binaries_and_with_themselves() {
    run_checks("test_agreement");
}

#[test]
fn the_binaries_take_the_commands_of_every_process() {
    run_checks("test_commands");
}

#[test]
fn the_compose_file_is_valid_and_agrees() {
    run_checks("test_compose");
}

#[test]
fn workers_by_the_length_of_the_queue_drain_it_and_none_is_ended_at_work() {
    run_checks("test_autoscaling");
}

#[test]
fn the_simulation_of_many_workers_is_right_where_the_answer_is_known() {
    run_checks("test_efficiency");
}

#[test]
fn the_image_fits_the_binaries() {
    run_checks("test_image");
}

#[test]
fn prometheus_finds_every_pod_with_metrics() {
    run_checks("test_scraping");
}

#[test]
fn shards_are_submitted_with_their_report_or_it_is_said_how() {
    run_checks("test_slurm");
}

#[test]
fn the_commands_of_the_guide_run_or_name_what_is_there() {
    run_checks("test_guide");
}

#[test]
fn what_pods_would_run_runs() {
    run_checks("test_run");
}
