//! Traces of other programs, as `loto score` reads them, up to their statistics.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use loto_coordinator::plan::Plan;
use loto_coordinator::score::{self, ForeignValues};
use loto_fuzz::{TABLE, check_error, folder};
use loto_proto::sweep_file::SweepFile;
use loto_statistics::analysis::{AnalysisOptions, analyse};

const SWEEP: &str = "
name = 'fuzz'
methods = ['rs']
seeds = 2
iterations = 2
[[blackbox]]
name = 'B'
table = 'table.csv'
objective = 'metric_error'
";

static PLAN: LazyLock<(Plan, PathBuf)> = LazyLock::new(|| {
    let path = folder().join("sweep.toml");
    fs::write(folder().join("table.csv"), TABLE).unwrap();
    let file = SweepFile::parse(SWEEP, &path).unwrap();
    (
        Plan::from_file(&file, &path, None).unwrap(),
        folder().join("traces"),
    )
});

fuzz_target!(|bytes: &[u8]| {
    let (plan, path) = &*PLAN;
    fs::write(path, bytes).unwrap();
    let rules = [
        ForeignValues::default(),
        ForeignValues::new(Some(&[]), None).unwrap(),
        ForeignValues::new(None, Some(&[])).unwrap(),
    ];
    for rule in rules {
        match score::read(path, plan, &rule) {
            Ok(scored) => {
                let options = AnalysisOptions {
                    bootstrap_resamples: 2,
                    ..AnalysisOptions::default()
                };
                if let Err(error) = analyse(&scored.results, &options) {
                    check_error(error);
                }
            }
            Err(error) => check_error(error),
        }
    }
});
