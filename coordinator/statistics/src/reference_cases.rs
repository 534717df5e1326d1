//! Reference values for the tests, written by `tests/python/statistics_reference.py`
//! with SciPy, scikit-posthocs and statsmodels.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use super::ranks::RankedMethods;
use super::results::BestCurves;

/// All reference values.
#[derive(Deserialize)]
pub(crate) struct Reference {
    pub(crate) chi_square_survival: Vec<ChiSquareCase>,
    pub(crate) f_survival: Vec<FCase>,
    pub(crate) studentized_range: Vec<RangeCase>,
    pub(crate) friedman: Vec<FriedmanCase>,
    pub(crate) wilcoxon: Vec<WilcoxonCase>,
    pub(crate) holm: Vec<HolmCase>,
}

/// The reference values of the Bayesian tests, written by `tests/python/bayesian_reference.py` with baycomp.
#[derive(Deserialize)]
pub(crate) struct BayesianReference {
    pub(crate) signed_rank: Vec<SignedRankCase>,
    pub(crate) hierarchical: Vec<HierarchicalCase>,
}

/// `baycomp.SignedRankTest`
#[derive(Deserialize)]
pub(crate) struct SignedRankCase {
    pub(crate) differences: Vec<f64>,
    pub(crate) rope: f64,
    pub(crate) probabilities: [f64; 3],
}

/// The Stan program of `baycomp.HierarchicalTest`
#[derive(Deserialize)]
pub(crate) struct HierarchicalCase {
    pub(crate) differences: Vec<Vec<f64>>,
    pub(crate) rope: f64,
    pub(crate) correlation: f64,
    pub(crate) probabilities: [f64; 3],
}

/// `scipy.stats.chi2.sf`
#[derive(Deserialize)]
pub(crate) struct ChiSquareCase {
    pub(crate) statistic: f64,
    pub(crate) degrees_of_freedom: usize,
    pub(crate) p_value: f64,
}

/// `scipy.stats.f.sf`
#[derive(Deserialize)]
pub(crate) struct FCase {
    pub(crate) statistic: f64,
    pub(crate) numerator: usize,
    pub(crate) denominator: usize,
    pub(crate) p_value: f64,
}

/// `scipy.stats.studentized_range.sf` with infinite degrees of freedom
#[derive(Deserialize)]
pub(crate) struct RangeCase {
    pub(crate) range: f64,
    pub(crate) variables: usize,
    pub(crate) p_value: f64,
}

/// Friedman's and Nemenyi's tests of scores (higher is better), one row per task.
#[derive(Deserialize)]
pub(crate) struct FriedmanCase {
    pub(crate) scores: Vec<Vec<f64>>,
    pub(crate) average_ranks: Vec<f64>,
    pub(crate) plain: FriedmanValues,
    pub(crate) tie_corrected: FriedmanValues,
    pub(crate) critical_difference: f64,
    pub(crate) nemenyi_p_values: Vec<Vec<f64>>,
}

/// The statistics of one form of Friedman's test.
#[derive(Deserialize)]
pub(crate) struct FriedmanValues {
    pub(crate) chi_square: f64,
    pub(crate) p_value: f64,
    pub(crate) iman_davenport: f64,
    pub(crate) iman_davenport_p_value: f64,
}

/// `scipy.stats.wilcoxon(first, second, correction=False)`
#[derive(Deserialize)]
pub(crate) struct WilcoxonCase {
    pub(crate) first: Vec<f64>,
    pub(crate) second: Vec<f64>,
    pub(crate) statistic: f64,
    pub(crate) p_value: f64,
    pub(crate) exact: bool,
}

/// `statsmodels.stats.multitest.multipletests(p_values, method="holm")`
#[derive(Deserialize)]
pub(crate) struct HolmCase {
    pub(crate) p_values: Vec<f64>,
    pub(crate) adjusted: Vec<f64>,
}

/// The committed reference values.
pub(crate) fn reference() -> &'static Reference {
    static REFERENCE: LazyLock<Reference> = LazyLock::new(|| {
        let text = include_str!("../../../tests/reference/statistics.json");
        serde_json::from_str(text).expect("the committed reference file is valid")
    });
    &REFERENCE
}

/// The committed reference values of the Bayesian tests.
pub(crate) fn bayesian_reference() -> &'static BayesianReference {
    static REFERENCE: LazyLock<BayesianReference> = LazyLock::new(|| {
        let text = include_str!("../../../tests/reference/bayesian.json");
        serde_json::from_str(text).expect("the committed reference file is valid")
    });
    &REFERENCE
}

/// Fails unless the values agree to a relative 1e-9, however small they are.
pub(crate) fn assert_close(found: f64, expected: f64, what: &str) {
    assert_within(found, expected, 1e-9 * expected.abs(), what);
}

/// As [`assert_close`], with an absolute 1e-12 besides: SciPy gives the studentized range's tail as a
/// difference to 1 of what it integrates numerically.
pub(crate) fn assert_close_to_quadrature(found: f64, expected: f64, what: &str) {
    assert_within(found, expected, 1e-9 * expected.abs() + 1e-12, what);
}

fn assert_within(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found:e}, expected {expected:e}"
    );
}

/// The ranks of Demsar 2006, Table 6: four methods on 14 tasks.
pub(crate) fn demsar_table_6() -> RankedMethods {
    let ranks: [[f64; 4]; 14] = [
        [4.0, 3.0, 2.0, 1.0],
        [1.0, 2.0, 3.0, 4.0],
        [4.0, 1.0, 2.0, 3.0],
        [4.0, 1.0, 3.0, 2.0],
        [4.0, 2.0, 3.0, 1.0],
        [1.0, 2.5, 4.0, 2.5],
        [3.0, 2.0, 4.0, 1.0],
        [2.5, 2.5, 4.0, 1.0],
        [4.0, 3.0, 2.0, 1.0],
        [2.5, 2.5, 2.5, 2.5],
        [4.0, 2.5, 1.0, 2.5],
        [3.0, 2.0, 4.0, 1.0],
        [4.0, 1.0, 2.0, 3.0],
        [3.0, 1.0, 4.0, 2.0],
    ];
    let scores = ranks.map(|row| row.map(|rank| -rank).to_vec());
    RankedMethods::by_highest_score(&scores)
}

/// The curves of these traces, with seeds from 0.
pub(crate) fn best_curves(traces: &[&[f64]]) -> BestCurves {
    let mut curves = BestCurves::default();
    for (seed, values) in (0..).zip(traces) {
        curves.insert(seed, values);
    }
    curves
}

/// The folder with the public tables, or a line that the test is skipped.
pub(crate) fn data_folder(test: &str) -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("LOTO_DATA") {
        return Some(PathBuf::from(folder));
    }
    let line = format!("skipped: {test} (LOTO_DATA is not set)");
    eprintln!("{line}");
    if let Some(log) = std::env::var_os("LOTO_SKIPPED_LOG") {
        let file = File::options().create(true).append(true).open(log);
        writeln!(file.unwrap(), "{line}").unwrap();
    }
    None
}

/// Black box, file and objective of the public tables.
pub(crate) const PUBLIC_TABLES: [(&str, &str, &str); 4] = [
    ("DeepAR", "DeepAR.csv.zip", "metric_CRPS"),
    ("FCNET", "FCNET.csv.zip", "metric_error"),
    ("XGBoost", "XGBoost.csv.zip", "metric_error"),
    ("nas_bench102", "nas_bench102.csv.zip", "metric_error"),
];

/// The objective values of a table file by task, ascending.
pub(crate) fn objectives(path: &Path, objective: &str) -> BTreeMap<String, Vec<f64>> {
    let pairs = objective_pairs(path, [objective; 2]).into_iter();
    let tasks = pairs.map(|(task, pairs)| {
        let mut values: Vec<f64> = pairs.iter().map(|pair| pair[0]).collect();
        values.sort_by(f64::total_cmp);
        (task, values)
    });
    tasks.collect()
}

/// The values of two columns of a table file by task, row by row.
pub(crate) fn objective_pairs(path: &Path, names: [&str; 2]) -> BTreeMap<String, Vec<[f64; 2]>> {
    let mut archive = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let mut text = String::new();
    archive
        .by_index(0)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let (task, columns) = (column("task"), names.map(column));
    let mut tasks = BTreeMap::<String, Vec<[f64; 2]>>::new();
    for row in reader.records() {
        let row = row.unwrap();
        let values = tasks.entry(row[task].to_owned()).or_default();
        values.push(columns.map(|column| row[column].parse().unwrap()));
    }
    tasks
}
