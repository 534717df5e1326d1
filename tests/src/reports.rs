//! What reports of two runs have in common.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;

/// The lines of a report's `traces.csv.gz` without their last column, the
/// seconds: what is the same however a sweep was run.
///
/// # Panics
/// If there is no such file or it is damaged.
pub fn outcomes(folder: &Path) -> Vec<String> {
    let without_seconds = |line: String| {
        let (outcome, _seconds) = line.rsplit_once(',').expect("a line has columns");
        outcome.to_owned()
    };
    evaluations(folder)
        .into_iter()
        .map(without_seconds)
        .collect()
}

/// The lines of a report's `traces.csv.gz`. The seconds tell a trace that was kept from
/// one that was computed again.
///
/// # Panics
/// If there is no such file or it is damaged.
pub fn evaluations(folder: &Path) -> Vec<String> {
    let path = folder.join("traces.csv.gz");
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::new();
    let unpacked = GzDecoder::new(file).read_to_string(&mut text);
    unpacked.expect("it unpacks");
    text.lines().map(str::to_owned).collect()
}

/// Panics with the first line that differs, if any does.
///
/// # Panics
/// If the lines differ.
pub fn assert_same(left: &[String], right: &[String]) {
    for (line, (left, right)) in left.iter().zip(right).enumerate() {
        assert_eq!(left, right, "line {} differs", line + 1);
    }
    assert_eq!(left.len(), right.len(), "lines");
}
