//! Random search on the public tables, against its exact expectation.
//!
//! Needs the folder of the public tables in `LOTO_DATA`.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use loto_engine::table::Table;
use loto_proto::sweep_file::SweepFile;
use loto_tests::{programs, public_tables};

const SEEDS: usize = 30;

fn sweep_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../coordinator/sweeps/icml-copula.toml")
}

/// `loto run` of the ICML sweep with random search alone; the folder it wrote.
fn run_random_search(data: &Path, folder: &Path) -> PathBuf {
    let text = std::fs::read_to_string(sweep_file()).unwrap();
    let lines = text.lines().map(|line| match line.starts_with("methods") {
        true => "methods = [\"rs\"]",
        false => line,
    });
    let sweep = folder.join("random.toml");
    std::fs::write(&sweep, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let out = folder.join("out");
    let mut command = programs::command("loto");
    command.arg("run").arg(&sweep);
    command.arg("--data").arg(data).arg("--out").arg(&out);
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    out
}

/// Best value so far of each seed, by task and iteration.
fn bests(out: &Path) -> BTreeMap<(String, usize), Vec<f64>> {
    let file = GzDecoder::new(File::open(out.join("traces.csv.gz")).unwrap());
    let mut bests = BTreeMap::<_, Vec<f64>>::new();
    for record in csv::Reader::from_reader(file).into_records() {
        let record = record.unwrap();
        let key = (record[1].to_owned(), record[4].parse().unwrap());
        bests
            .entry(key)
            .or_default()
            .push(record[7].parse().unwrap());
    }
    bests
}

/// Published figures have a difference where the table is the paper's, and nowhere else.
fn check_published(out: &Path) {
    let mut differences = BTreeMap::new();
    for record in csv::Reader::from_path(out.join("published.csv"))
        .unwrap()
        .into_records()
    {
        let record = record.unwrap();
        differences.insert(record[0].to_owned(), !record[4].is_empty());
        assert_eq!(record[11].contains("another table"), &record[0] == "FCNET");
    }
    let expected = [
        ("DeepAR", true),
        ("FCNET", false),
        ("XGBoost", true),
        ("nas_bench102", true),
    ];
    assert_eq!(
        differences,
        expected.map(|(name, has)| (name.to_owned(), has)).into()
    );
}

/// `dtm_without_replacement` by task and iteration.
fn expectations(data: &Path) -> HashMap<(String, usize), f64> {
    let file = GzDecoder::new(File::open(data.join("rs_expected_dtm.csv.gz")).unwrap());
    let records = csv::Reader::from_reader(file).into_records();
    let entry = |record: csv::StringRecord| {
        let key = (record[1].to_owned(), record[2].parse().unwrap());
        (key, record[3].parse().unwrap())
    };
    records.map(|record| entry(record.unwrap())).collect()
}

/// Each target's objective values, ascending.
fn objectives(data: &Path) -> HashMap<String, Vec<f64>> {
    let mut objectives = HashMap::new();
    for blackbox in SweepFile::read(&sweep_file()).unwrap().blackboxes {
        let file = std::fs::read(data.join(&blackbox.table)).unwrap();
        let spec = blackbox.table_spec(&[]).unwrap();
        let table = Table::read(&file, &spec, &blackbox.table).unwrap();
        for mut task in table.tasks {
            task.objective.sort_by(f64::total_cmp);
            objectives.insert(task.name, task.objective);
        }
    }
    objectives
}

/// Exact standard deviation of the DTM of the best of `draws` rows without
/// replacement: row i (ascending, from 0) of n is the best with probability
/// C(n - i - 1, draws - 1) / C(n, draws).
fn exact_deviation(objective: &[f64], draws: usize) -> f64 {
    let count = objective.len();
    let range = objective[count - 1] - objective[0];
    let mut probability = draws as f64 / count as f64;
    let (mut mean, mut square) = (0.0, 0.0);
    for (index, value) in objective.iter().enumerate().take(count - draws + 1) {
        let dtm = (value - objective[0]) / range;
        mean += probability * dtm;
        square += probability * dtm * dtm;
        let (left, after) = (count - index - 1, count - index - draws);
        probability *= after as f64 / left.max(1) as f64;
    }
    (square - mean * mean).max(0.0).sqrt()
}

/// The mean of 30 seeds lies within 3 standard errors of the exact expectation.
///
/// Of 2510 comparisons that are not independent along a trace, and whose means are
/// skewed, chance alone leaves a few outside: at most 1 % may be, none beyond 5.
#[test]
fn sampled_random_search_agrees_with_its_expectation() {
    let name = "sampled_random_search_agrees_with_its_expectation";
    let Some(data) = public_tables::folder_or_skip(name) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = run_random_search(&data, folder.path());
    check_published(&out);
    let (expectations, objectives) = (expectations(&data), objectives(&data));
    let (mut total, mut outside, mut worst) = (0, Vec::new(), 0.0);
    for (key, bests) in bests(&out) {
        assert_eq!(bests.len(), SEEDS, "{key:?}");
        let objective = &objectives[&key.0];
        let (minimum, maximum) = (objective[0], objective[objective.len() - 1]);
        let mean_best = bests.iter().sum::<f64>() / SEEDS as f64;
        let mean = (mean_best - minimum) / (maximum - minimum);
        let error = exact_deviation(objective, key.1) / (SEEDS as f64).sqrt();
        let distance = (mean - expectations[&key]).abs() / error;
        total += 1;
        worst = f64::max(worst, distance);
        if distance > 3.0 {
            outside.push(format!("{} t = {}: {distance:.2}", key.0, key.1));
        }
    }
    assert_eq!(total, 23 * 100 + 3 * 70);
    println!(
        "{} of {total} beyond 3 standard errors, worst {worst:.2}",
        outside.len()
    );
    assert!(outside.len() * 100 <= total && worst <= 5.0, "{outside:#?}");
}
