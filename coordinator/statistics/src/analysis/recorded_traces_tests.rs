//! Recorded traces of the ICML paper's public reimplementation, against their recorded scores.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::*;
use crate::random_search::Baseline;
use crate::reference_cases::{PUBLIC_TABLES, data_folder, objectives};
use crate::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

/// Black box, task, seed and first iteration (from 0) of artefacts of failed
/// seeds of `GCP+prior (sklearn)`: values in no table.
const ARTEFACTS: [(&str, &str, u32, usize); 6] = [
    ("DeepAR", "m4-Weekly", 21, 76),
    ("DeepAR", "m4-Yearly", 8, 85),
    ("XGBoost", "australian", 20, 65),
    ("XGBoost", "german.numer", 13, 19),
    ("XGBoost", "ijcnn1", 14, 55),
    ("XGBoost", "w6a", 14, 80),
];

#[test]
fn recorded_traces_give_their_recorded_scores() {
    let Some(folder) = data_folder("recorded_traces_give_their_recorded_scores") else {
        return;
    };
    let recorded = recorded_results(&folder);
    let mut clean = recorded.clone();
    for (blackbox, task, seed, first) in ARTEFACTS {
        let mut blackboxes = clean.blackboxes.iter_mut();
        let blackbox = blackboxes.find(|entry| entry.name == blackbox).unwrap();
        let artefact_method = |method: &String| method == "GCP+prior (sklearn)";
        let method = blackbox.methods.iter().position(artefact_method).unwrap();
        let task = blackbox
            .tasks
            .iter_mut()
            .find(|entry| entry.name == task)
            .unwrap();
        let trace = task.traces[method].get_mut(&seed).unwrap();
        trace.values[first..].fill(f64::INFINITY);
    }
    let cases: [(_, _, &[&str]); 4] = [
        (
            &recorded,
            Baseline::Exact,
            &["score_vs_rs_without", "rawbest_score_vs_rs_without"],
        ),
        (
            &recorded,
            Baseline::ExactWithReplacement,
            &["score_vs_rs_with"],
        ),
        (
            &clean,
            Baseline::Exact,
            &["clean_score_vs_rs_without", "final_dtm_clean"],
        ),
        (
            &clean,
            Baseline::ExactWithReplacement,
            &["clean_score_vs_rs_with"],
        ),
    ];
    for (results, baseline, columns) in cases {
        let options = AnalysisOptions {
            baseline,
            bootstrap_resamples: 1,
            ..AnalysisOptions::default()
        };
        let analysis = analyse(results, &options).unwrap();
        let mut reader = csv::Reader::from_path(folder.join("reimplem_scores.csv")).unwrap();
        let headers = reader.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 120);
        for column in columns {
            let position = headers.iter().position(|header| header == *column).unwrap();
            for row in &rows {
                let expected: f64 = row[position].parse().unwrap();
                let found = score(&analysis, column, &row[0], &row[1], &row[2]);
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{column} of {row:?}: {found}"
                );
            }
        }
    }
}

/// The analysis' counterpart of one cell of `reimplem_scores.csv`.
fn score(analysis: &SweepAnalysis, column: &str, blackbox: &str, task: &str, method: &str) -> f64 {
    let blackbox = analysis
        .blackboxes
        .iter()
        .find(|entry| entry.name == blackbox)
        .unwrap();
    if task == "MEAN" {
        let entry = blackbox
            .methods
            .iter()
            .find(|entry| entry.method == method)
            .unwrap();
        let averages = entry.averages.as_ref().unwrap();
        return match column {
            "rawbest_score_vs_rs_without" => averages.relative_improvement.mean.unwrap(),
            "final_dtm_clean" => averages.final_adtm,
            _ => averages.improvement,
        };
    }
    let task = blackbox
        .tasks
        .iter()
        .find(|entry| entry.name == task)
        .unwrap();
    let entry = task
        .methods
        .iter()
        .find(|entry| entry.method == method)
        .unwrap();
    match column {
        "rawbest_score_vs_rs_without" => entry.relative_improvement.as_ref().unwrap().mean.unwrap(),
        "final_dtm_clean" => entry.final_dtm.unwrap(),
        _ => entry.improvement.unwrap(),
    }
}

/// The recorded traces, with the tables they are normalised by.
fn recorded_results(folder: &Path) -> SweepResults {
    let archive = File::open(folder.join("traces_reimplem.csv.zip")).unwrap();
    let mut text = String::new();
    let mut archive = zip::ZipArchive::new(archive).unwrap();
    archive
        .by_index(0)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    // seed,iteration,value,blackbox,task,optimizer, in order of iterations
    let mut traces = BTreeMap::<[String; 3], BTreeMap<u32, SeedTrace>>::new();
    for row in reader.records().map(Result::unwrap) {
        let key = [&row[3], &row[4], &row[5]].map(str::to_owned);
        let seeds = traces.entry(key).or_default();
        let trace = seeds
            .entry(row[0].parse().unwrap())
            .or_insert_with(|| SeedTrace {
                values: Vec::new(),
                ..SeedTrace::default()
            });
        assert_eq!(row[1].parse::<usize>().unwrap(), trace.values.len());
        trace.values.push(row[2].parse().unwrap());
    }
    let methods: BTreeSet<String> = traces.keys().map(|key| key[2].clone()).collect();
    let methods: Vec<String> = methods.into_iter().collect();
    let blackboxes = PUBLIC_TABLES
        .into_iter()
        .map(|(blackbox, file, objective)| {
            let tables = objectives(&folder.join(file), objective).into_iter();
            let tasks = tables.filter_map(|(task, values)| {
                let of_method = |method: &String| {
                    traces
                        .get(&[blackbox.to_owned(), task.clone(), method.clone()])
                        .cloned()
                };
                let traces: Option<Vec<_>> = methods.iter().map(of_method).collect();
                Some(TaskResults {
                    name: task.clone(),
                    objective: values.into(),
                    hypervolume: None,
                    mean_cost: None,
                    traces: traces?,
                })
            });
            BlackboxResults {
                name: blackbox.to_owned(),
                direction: Default::default(),
                iterations: if blackbox == "nas_bench102" { 70 } else { 100 },
                methods: methods.clone(),
                tasks: tasks.collect(),
                arrivals: None,
                unmarked: Default::default(),
            }
        });
    let blackboxes: Vec<BlackboxResults> = blackboxes.collect();
    assert_eq!(
        blackboxes
            .iter()
            .map(|blackbox| blackbox.tasks.len())
            .sum::<usize>(),
        26
    );
    SweepResults {
        name: "recorded".into(),
        seeds: 30,
        blackboxes,
    }
}
