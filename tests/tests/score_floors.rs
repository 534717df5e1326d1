//! A floor under every method's score on the public tables: no method may become noticeably worse.
//!
//! Needs the folder of the public tables in `LOTO_DATA`.

use std::collections::BTreeMap;
use std::path::Path;

use loto_engine::methods;
use loto_tests::{programs, public_tables};
use serde_json::Value;

/// Some tasks of DeepAR for most methods, some of SVM for those that need features of tasks, and those of nas_bench102 for
/// methods that search categorical spaces only and, with two objectives, for those that need two.
/// Each is one sweep, short enough for a daily test.
const SWEEPS: [(&str, &str); 4] = [
    ("DeepAR", DEEPAR),
    ("SVM", SVM),
    ("nas_bench102", NAS),
    ("nas_bench102", NAS_TWO),
];

const DEEPAR: &str = r#"
name = "floors"
methods = ["rs", "gp", "gcp", "ts", "cts", "gp-prior", "gcp-prior", "autogp", "ws-gp", "ablr", "ablr-copula", "sgpt",
    "sgpt-copula", "i-gp", "sgpt-r", "sgpt-poe", "taf-r", "taf-poe", "rgpe", "taf-rgpe", "zero-shot", "stacked-gp",
    "box-rs", "ws-gp-all", "cts-ho", "gcp-prior-ho", "pibo", "i-rf", "i-gp-init", "i-rf-init", "empirical-gp",
    "empirical-gcp", "hyperbo", "hyperbo-plus", "scaml-gp", "transbo", "fsbo"]
seeds = 3
iterations = 40

[[blackbox]]
name = "DeepAR"
table = "DeepAR.csv.zip"
objective = "metric_CRPS"
sources_only = ["wiki-rolling", "m4-Monthly", "m4-Quarterly", "m4-Weekly", "m4-Yearly", "solar"]
"#;

const SVM: &str = r#"
name = "floors"
methods = ["rs", "sgpt-m", "taf-m", "mkl-gp", "sqe-gp", "scot", "scot-mkl", "fmlp"]
seeds = 3
iterations = 40

[[blackbox]]
name = "SVM"
table = "SVM.csv.zip"
objective = "metric_error"
targets = ["A9A", "banana", "letter", "pendigits"]
features = "all"
"#;

const NAS: &str = r#"
name = "floors"
methods = ["rs", "bohb", "rea", "reinforce"]
seeds = 30
iterations = 70

[[blackbox]]
name = "nas_bench102"
table = "nas_bench102.csv.zip"
objective = "metric_error"
categorical = "all"
"#;

const NAS_TWO: &str = r#"
name = "floors"
methods = ["rs", "ehi", "sms", "sur", "emi"]
seeds = 4
iterations = 40

[[blackbox]]
name = "nas_bench102"
table = "nas_bench102.csv.zip"
objectives = ["metric_error", "metric_latency"]
categorical = "all"
"#;

/// The score of each method, measured with these sweeps (nas_bench102: with 200 seeds, or 20 for two objectives; SVM: with 6),
/// and the standard deviation of the score of one seed, at least 0.01. All that transfers standardised values fails on DeepAR: `ts`, `gp-prior`, `sgpt` and the
/// other ensembles of processes. `scot` fails on one task of SVM, banana, and is ahead of random search on the other three.
const MEASURED: [(&str, f64, f64); 50] = [
    ("gp", 0.528, 0.134),
    ("gcp", 0.531, 0.143),
    ("ts", -11.886, 4.465),
    ("cts", 0.863, 0.061),
    ("gp-prior", -13.551, 6.073),
    ("gcp-prior", 0.883, 0.045),
    ("autogp", 0.761, 0.021),
    ("ws-gp", 0.538, 0.180),
    ("ablr", 0.307, 0.230),
    ("ablr-copula", 0.542, 0.120),
    ("sgpt", -0.166, 0.067),
    ("sgpt-copula", 0.875, 0.014),
    ("i-gp", 0.480, 0.180),
    ("sgpt-r", 0.343, 0.010),
    ("sgpt-poe", 0.321, 0.010),
    ("taf-r", 0.001, 0.010),
    ("taf-poe", 0.071, 0.010),
    ("rgpe", -0.018, 0.106),
    ("taf-rgpe", -0.196, 0.069),
    ("zero-shot", 0.492, 0.010),
    ("stacked-gp", -0.613, 0.851),
    ("box-rs", 0.785, 0.026),
    ("ws-gp-all", 0.442, 0.104),
    ("cts-ho", 0.804, 0.101),
    ("gcp-prior-ho", 0.851, 0.061),
    ("pibo", 0.887, 0.059),
    ("i-rf", 0.468, 0.263),
    ("i-gp-init", 0.105, 0.010),
    ("i-rf-init", 0.366, 0.075),
    ("empirical-gp", -0.967, 0.075),
    ("empirical-gcp", 0.804, 0.020),
    ("hyperbo", 0.516, 0.234),
    ("hyperbo-plus", 0.376, 0.307),
    ("scaml-gp", -0.001, 0.010),
    ("transbo", -0.003, 0.010),
    ("fsbo", -1.496, 0.607),
    ("fmlp", 0.429, 0.085),
    ("mkl-gp", 0.418, 0.217),
    ("scot", -1.029, 0.269),
    ("scot-mkl", 0.395, 0.013),
    ("sgpt-m", -0.384, 0.010),
    ("sqe-gp", 0.135, 0.540),
    ("taf-m", 0.570, 0.010),
    ("bohb", 0.160, 0.161),
    ("rea", 0.147, 0.170),
    ("reinforce", 0.008, 0.167),
    ("ehi", 0.198, 0.111),
    ("sms", 0.169, 0.113),
    ("sur", 0.154, 0.101),
    ("emi", 0.189, 0.110),
];

/// Standard errors of the mean over the seeds that a score may be below the measured one. With 50 floors chance
/// alone takes one in 15 changes below a floor that make no method worse.
const MARGIN: f64 = 3.0;

fn seeds(sweep: &str) -> f64 {
    let line = sweep.lines().find_map(|line| line.strip_prefix("seeds = "));
    line.unwrap().parse().unwrap()
}

fn mean(curves: impl Iterator<Item = Value>) -> f64 {
    let curves: Vec<Value> = curves.collect();
    let values: Vec<f64> = curves
        .iter()
        .flat_map(|curve| curve.as_array().unwrap())
        .map(|value| value.as_f64().unwrap())
        .collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// By method 1 - (mean distance to the minimum) / (that of random search), over tasks and iterations: 0 equals random
/// search, 1 is the optimum from the first evaluation on. With two objectives hypervolume errors take the place of distances.
fn scores(data: &Path, blackbox: &str, sweep: &str) -> BTreeMap<String, f64> {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("floors.toml"), folder.path().join("out"));
    std::fs::write(&file, sweep).unwrap();
    let mut command = programs::command("loto");
    command.arg("run").arg(&file);
    command.arg("--data").arg(data).arg("--out").arg(&out);
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let text = std::fs::read_to_string(out.join("statistics.json")).unwrap();
    let statistics: Value = serde_json::from_str(&text).unwrap();
    let analysis = &statistics["blackboxes"][0];
    assert_eq!(analysis["name"], blackbox);
    let tasks = analysis["tasks"].as_array().unwrap().iter();
    let random = mean(tasks.map(|task| task["baseline"]["dtm"].clone()));
    let methods = analysis["methods"].as_array().unwrap().iter();
    methods
        .map(|method| {
            let distance = mean(std::iter::once(method["averages"]["adtm"]["mean"].clone()));
            let id = method["method"].as_str().unwrap();
            (id.to_owned(), 1.0 - distance / random)
        })
        .collect()
}

#[test]
fn no_method_scores_below_its_floor() {
    let Some(data) = public_tables::folder_or_skip("no_method_scores_below_its_floor") else {
        return;
    };
    let mut below = Vec::new();
    let mut held = Vec::new();
    for (blackbox, sweep) in SWEEPS {
        for (method, score) in scores(&data, blackbox, sweep) {
            let of_method = MEASURED.iter().find(|(id, ..)| *id == method);
            let Some(&(_, measured, deviation)) = of_method else {
                assert_eq!(method, "rs", "a method without a floor");
                continue;
            };
            held.push(method.clone());
            let floor = measured - MARGIN * deviation / seeds(sweep).sqrt();
            println!("{blackbox}, {method}: {score:.3}, floor {floor:.3}");
            if score < floor {
                below.push(format!(
                    "{blackbox}, {method}: {score:.3} is below {floor:.3}"
                ));
            }
        }
    }
    assert!(below.is_empty(), "{below:#?}");
    let all = methods::registry().iter().map(|method| method.id);
    let without: Vec<_> = all
        .filter(|id| *id != "rs" && !held.iter().any(|other| other == id))
        .collect();
    assert!(without.is_empty(), "no floor under {without:?}");
}
