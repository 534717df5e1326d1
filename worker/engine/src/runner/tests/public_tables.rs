//! What a sweep file declares about the public tables, seen in the rows that methods choose. The folder with these
//! tables is named by the variable `LOTO_DATA`; without it the test says that it is skipped.

use std::path::PathBuf;

use loto_proto::scale::Scale;
use loto_proto::table_spec::Direction;

use super::*;
use crate::blas::pinned_test::is_pinned;
use crate::table::container::{ContainerError, with_csv};

fn public_table(test: &str, name: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("LOTO_DATA").filter(|folder| !folder.is_empty()) else {
        eprintln!("{test} is skipped: LOTO_DATA is not set");
        return None;
    };
    let file = std::fs::read(PathBuf::from(folder).join(name)).unwrap();
    let limit = loto_proto::limits::MAX_UNPACKED_BYTES;
    let mut text = String::new();
    with_csv(std::io::Cursor::new(&file[..]), limit, |csv| {
        csv.read_to_string(&mut text)
            .map_err(ContainerError::Unreadable)
    })
    .unwrap();
    Some(text)
}

/// Each line with other fields in the columns that are wanted.
fn with_columns(
    text: &str,
    is_wanted: impl Fn(&str) -> bool,
    change: impl Fn(f64) -> f64,
) -> String {
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let mut changed = header.join(",");
    for line in text.lines().skip(1) {
        changed.push('\n');
        let fields = line
            .split(',')
            .zip(&header)
            .map(|(field, name)| match is_wanted(name) {
                true => change(field.parse().unwrap()).to_string(),
                false => field.to_owned(),
            });
        changed.push_str(&fields.collect::<Vec<_>>().join(","));
    }
    changed
}

/// The iteration at which the rows differ first, for each method and seed that they do for.
fn differences(
    one: (&TableSpec, &str),
    other: (&TableSpec, &str),
    target: &str,
    iterations: u32,
) -> Vec<(&'static str, u32, usize)> {
    let runners = [one, other].map(|(spec, text)| {
        let mut table = Table::read(text.as_bytes(), spec, "table").unwrap();
        table.fingerprint = Fingerprint([5; 16]);
        (table, TraceRunner::new(Arc::new(MemoryBlobs::default())))
    });
    let methods = methods::registry()
        .iter()
        .filter(|method| method.spaces == Spaces::All);
    let mut differences = Vec::new();
    for method in methods {
        for seed in 0..2 {
            let mut job = job(method.id, Fingerprint([5; 16]), seed);
            job.series.task = target.to_owned();
            job.series.iterations = iterations;
            let [first, second] = runners.each_ref().map(|(table, runner)| {
                let watch = CpuWatch::start();
                runner
                    .run_on(table, &job, watch, String::new())
                    .unwrap()
                    .rows
            });
            let same = first
                .iter()
                .zip(&second)
                .take_while(|(one, other)| one == other)
                .count();
            if same < first.len() {
                differences.push((method.id, seed, same + 1));
            }
        }
    }
    differences
}

#[test]
fn deepar_in_raw_units_on_a_log_scale_leads_where_its_logarithms_do() {
    const TEST: &str = "runner::tests::public_tables::deepar_in_raw_units_on_a_log_scale_leads_where_its_logarithms_do";
    if !is_pinned(TEST) {
        return;
    }
    let Some(text) = public_table("deepar_in_raw_units", "DeepAR.csv.zip") else {
        return;
    };
    let spec = TableSpec {
        objective: "metric_CRPS".into(),
        ..TableSpec::default()
    };
    let raw = with_columns(&text, |name| name.starts_with("hp_"), f64::exp);
    let columns = text
        .lines()
        .next()
        .unwrap()
        .split(',')
        .filter(|name| name.starts_with("hp_"));
    let log = TableSpec {
        scales: columns.map(|name| (name.to_owned(), Scale::Log)).collect(),
        ..spec.clone()
    };
    // The logarithms of exponentials are off by a rounding. With the kernels of some processors the fits of
    // `scaml-gp` make enough of that to choose otherwise; with the pinned ones no method does.
    let found = differences((&spec, &text), (&log, &raw), "electricity", 30);
    assert_eq!(found, []);
}

#[test]
fn accuracies_of_svm_that_are_maximised_lead_where_its_errors_do() {
    const TEST: &str = "runner::tests::public_tables::accuracies_of_svm_that_are_maximised_lead_where_its_errors_do";
    if !is_pinned(TEST) {
        return;
    }
    let Some(text) = public_table("accuracies_of_svm", "SVM.csv.zip") else {
        return;
    };
    let spec = TableSpec {
        objective: "metric_error".into(),
        ..TableSpec::default()
    };
    let accuracies = with_columns(&text, |name| name == "metric_error", |error| 1.0 - error);
    let maximised = TableSpec {
        direction: Direction::Maximise,
        ..spec.clone()
    };
    // Standardised errors and accuracies differ in their last digits. The fits of the network of `ablr` and of
    // the many hyperparameters of `scaml-gp` make enough of that to choose otherwise; quantiles, which `ablr-copula` sees, do not differ.
    let mut found = differences((&spec, &text), (&maximised, &accuracies), "australian", 30);
    found.retain(|(method, _, _)| !["ablr", "scaml-gp"].contains(method));
    assert_eq!(found, []);
}
