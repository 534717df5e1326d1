//! The public recorded traces and the recorded results of HPO-B against their reference scores. Needs `LOTO_DATA`.

use std::collections::BTreeMap;
use std::path::Path;

use loto_coordinator::plan::{Plan, SweepSource};
use loto_coordinator::score::*;
use loto_statistics::analysis::{AnalysisOptions, SweepAnalysis, analyse};
use loto_statistics::random_search::Baseline;
use loto_tests::public_tables::folder_or_skip as data_folder;

const SWEEP: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../coordinator/sweeps/icml-copula.toml"
);
const TOLERANCE: f64 = 1e-9;

/// Columns of the reference by the baseline they were computed with; `clean_` before the
/// name means without foreign values.
const COLUMNS: [(&str, Baseline); 2] = [
    ("score_vs_rs_without", Baseline::Exact),
    ("score_vs_rs_with", Baseline::ExactWithReplacement),
];

/// Black box, task (or `MEAN`) and optimizer.
type Key = [String; 3];

fn plan(data: &Path) -> Plan {
    Plan::read(&SweepSource::File(SWEEP.into()), Some(data)).unwrap()
}

/// The ICML improvement of every optimizer per task, and its mean.
fn improvements(analysis: &SweepAnalysis) -> BTreeMap<Key, f64> {
    let mut scores = BTreeMap::new();
    for blackbox in &analysis.blackboxes {
        let mut add = |task: &str, method: &str, score: Option<f64>| {
            let key = [&blackbox.name, task, method].map(str::to_owned);
            scores.insert(key, score.unwrap());
        };
        for method in &blackbox.methods {
            let averages = method
                .averages
                .as_ref()
                .map(|averages| averages.improvement);
            add("MEAN", &method.method, averages);
        }
        for task in &blackbox.tasks {
            for method in &task.methods {
                add(&task.name, &method.method, method.improvement);
            }
        }
    }
    scores
}

fn reference(data: &Path) -> Vec<BTreeMap<String, String>> {
    let mut lines = csv::Reader::from_path(data.join("reimplem_scores.csv")).unwrap();
    lines.deserialize().map(Result::unwrap).collect()
}

#[test]
fn recorded_traces_give_the_reference_scores() {
    let Some(data) = data_folder("recorded_traces_give_the_reference_scores") else {
        return;
    };
    let plan = plan(&data);
    let traces = data.join("traces_reimplem.csv.zip");
    // The reference takes FCNET's values as recorded in both cases: all belong to another table.
    let as_recorded = ForeignValues::new(Some(&[]), None).unwrap();
    let clean = ForeignValues::new(Some(&["FCNET".into()]), Some(&[])).unwrap();
    let reference = reference(&data);
    assert_eq!(reference.len(), (26 + 4) * 4);
    for (prefix, rules) in [("", &as_recorded), ("clean_", &clean)] {
        let scored = read(&traces, &plan, rules).unwrap();
        for (column, baseline) in COLUMNS {
            let options = AnalysisOptions {
                baseline,
                bootstrap_resamples: 1,
                ..AnalysisOptions::default()
            };
            let scores = improvements(&analyse(&scored.results, &options).unwrap());
            assert_eq!(scores.len(), reference.len());
            let column = format!("{prefix}{column}");
            for line in &reference {
                let key = ["blackbox", "task", "optimizer"].map(|name| line[name].clone());
                let expected: f64 = line[&column].parse().unwrap();
                let found = scores[&key];
                assert!(
                    (found - expected).abs() <= TOLERANCE,
                    "{column} {key:?}: {found} instead of {expected}"
                );
            }
        }
    }
}

#[test]
fn artefacts_of_recorded_traces_are_named() {
    let Some(data) = data_folder("artefacts_of_recorded_traces_are_named") else {
        return;
    };
    let traces = data.join("traces_reimplem.csv.zip");
    let error = read(&traces, &plan(&data), &ForeignValues::default())
        .unwrap_err()
        .to_string();
    for (task, seed, count) in [
        ("DeepAR, m4-Weekly", 21, 24),
        ("DeepAR, m4-Yearly", 8, 15),
        ("XGBoost, australian", 20, 35),
        ("XGBoost, german.numer", 13, 81),
        ("XGBoost, ijcnn1", 14, 45),
        ("XGBoost, w6a", 14, 20),
    ] {
        let line = format!("{task}, GCP+prior (sklearn), seed {seed}: {count} values\n");
        let (_, after) = error.split_once(&line).expect(&line);
        let named = after.lines().next().unwrap_or_default();
        assert_eq!(named.matches("line ").count(), count, "{named}");
    }
    for task in ["naval", "parkinsons", "protein", "slice"] {
        assert!(error.contains(&format!("FCNET, {task}: ")), "{error}");
    }
    let groups = error
        .lines()
        .filter(|line| line.contains(", seed "))
        .count();
    assert_eq!(groups, 6, "{error}");
}

#[test]
fn recorded_results_of_hpob_give_the_published_ranks() {
    let Some(data) = data_folder("recorded_results_of_hpob_give_the_published_ranks") else {
        return;
    };
    let names = [
        "Random",
        "GP",
        "DNGO",
        "BOHAMIANN",
        "DGP",
        "RGPE",
        "TAF",
        "TST",
        "FSBO",
        "FSBO2",
    ];
    let path = |name: &str| data.join("hpob-results").join(format!("{name}.json"));
    let files = names.map(path);
    let scores = hpob::score(&hpob::read(&files, None).unwrap());
    assert_eq!((scores.trials, scores.tasks, scores.traces), (100, 86, 430));
    // SciPy 1.17: rankdata, trim_mean(.25) and friedmanchisquare of the regrets rounded to eight digits.
    let expected = [
        (7.659, 0.01594, 0.07918),
        (5.840, 0.00182, 0.04557),
        (5.624, 0.00164, 0.03984),
        (5.621, 0.00166, 0.03956),
        (5.520, 0.00139, 0.03913),
        (5.056, 0.00113, 0.04988),
        (5.386, 0.00199, 0.04370),
        (5.363, 0.00183, 0.04695),
        (4.536, 0.00021, 0.03092),
        (4.395, 0.00015, 0.02661),
    ];
    for (method, (rank, middle, area)) in scores.methods.iter().zip(expected) {
        let name = &method.method;
        assert!((method.mean_rank - rank).abs() <= 5.1e-4, "{name}");
        assert!(
            (method.interquartile_mean_regret - middle).abs() <= 5.1e-6,
            "{name}"
        );
        let found = method.area_under_curve.unwrap();
        assert!((found - area).abs() <= 5.1e-6, "{name}: {found}");
    }
    let friedman = scores.friedman.unwrap().tie_corrected.unwrap();
    assert!(
        (friedman.chi_square - 185.745_559_242_631).abs() < 1e-9,
        "{friedman:?}"
    );
    // Wilcoxon's probability is SciPy's, 0.0182; baycomp's probability that the two are equivalent is 0.99998.
    let two = [path("FSBO"), path("RGPE")];
    let scores = hpob::score(&hpob::read(&two, None).unwrap());
    let pair = &scores.practical_differences.unwrap().pairs[0];
    assert!((pair.p_value - 0.0182).abs() < 5e-5, "{pair:?}");
    assert!(pair.is_significant_but_small(0.05) && pair.equivalent > 0.9998);
    // One method is recorded for five trials only.
    let with_short = [path("Random"), path("RF")];
    let error = hpob::read(&with_short, None).unwrap_err().to_string();
    assert!(
        error.contains("RF.json") && error.contains("--trials 5"),
        "{error}"
    );
    assert_eq!(hpob::read(&with_short, Some(5)).unwrap().trials, 5);
}
