//! A sweep file, and its plan over a table that is there.

#![no_main]

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loto_coordinator::plan::Plan;
use loto_fuzz::{TABLE, check_error, folder};
use loto_proto::sweep_file::SweepFile;

static PLACE: LazyLock<std::path::PathBuf> = LazyLock::new(|| {
    fs::write(folder().join("table.csv"), TABLE).unwrap();
    folder().join("sweep.toml")
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let path: &Path = &PLACE;
    let file = match SweepFile::parse(text, path) {
        Ok(file) => file,
        Err(error) => return check_error(error),
    };
    for parameter in file
        .method
        .iter()
        .flat_map(|entry| entry.parameters.values())
    {
        assert!(!parameter.canonical().is_empty());
    }
    // Only the table that is there: any other path is the file system's affair.
    if file
        .blackboxes
        .iter()
        .any(|blackbox| blackbox.table != "table.csv")
    {
        return;
    }
    match Plan::from_file(&file, path, None) {
        Ok(plan) => {
            plan.sweep.check().unwrap();
            assert!(plan.sweep.job_count() > 0);
        }
        Err(error) => check_error(error),
    }
});
