use std::fs;
use std::path::{Path, PathBuf};

use loto_engine::methods::find;
use tempfile::TempDir;

use super::*;

/// Three tasks of four rows each, so small that it is written out.
const TABLE: &str = "\
hp_a,metric_error,metric_time,blackbox,task
0,0.5,1,B,first
1,0.25,2,B,first
2,0.75,3,B,first
3,0.125,4,B,first
0,0.5,1,B,second
1,0.25,2,B,second
2,0.75,3,B,second
3,0.125,4,B,second
0,0.5,1,B,third
1,0.25,2,B,third
2,0.75,3,B,third
";

pub(super) const SWEEP: &str = r#"
name = "test"
methods = ["rs", "gp"]
seeds = 2
iterations = 3

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_error"
"#;

pub(super) struct Folder(TempDir);

impl Folder {
    pub(super) fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("table.csv", TABLE);
        folder
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(super) fn plan(&self, sweep: &str) -> Result<Plan, PlanError> {
        self.plan_with_data(sweep, None)
    }

    fn plan_with_data(&self, sweep: &str, data: Option<&Path>) -> Result<Plan, PlanError> {
        let path = self.write("sweeps/sweep.toml", sweep);
        // Beside the sweep file there is no table unless a test puts one there.
        let beside = self.0.path().join("sweeps/table.csv");
        if data.is_none() && !beside.exists() {
            fs::copy(self.0.path().join("table.csv"), beside).unwrap();
        }
        Plan::read(&SweepSource::File(path), data)
    }

    pub(super) fn problem(&self, find: &str, replace: &str) -> String {
        assert!(SWEEP.contains(find), "{find}");
        let error = self.plan(&SWEEP.replacen(find, replace, 1)).unwrap_err();
        error.to_string()
    }
}

#[test]
fn targets_and_jobs_follow_from_the_file() {
    let plan = Folder::new().plan(SWEEP).unwrap();
    let blackbox = &plan.sweep.blackboxes[0];
    assert_eq!(blackbox.targets, ["first", "second", "third"]);
    assert_eq!(blackbox.iterations, 3);
    assert_eq!(blackbox.table, plan.tables[0].fingerprint());
    let methods: Vec<_> = blackbox
        .methods
        .iter()
        .map(|method| method.id.as_str())
        .collect();
    assert_eq!(methods, ["rs", "gp"]);
    assert_eq!(plan.sweep.job_count(), 2 * 3 * 2);
}

#[test]
fn targets_are_chosen_and_keep_the_tables_order() {
    let folder = Folder::new();
    let choose = |line: &str| {
        let plan = folder.plan(&format!("{SWEEP}{line}\n")).unwrap();
        plan.sweep.blackboxes[0].targets.clone()
    };
    assert_eq!(
        choose("targets = [\"third\", \"first\"]"),
        ["first", "third"]
    );
    assert_eq!(choose("sources_only = [\"second\"]"), ["first", "third"]);
}

#[test]
fn a_wrong_task_is_named_with_the_one_that_was_meant() {
    let folder = Folder::new();
    let objective = "objective = \"metric_error\"";
    let problem = folder.problem(
        objective,
        &format!("{objective}\nsources_only = [\"secnod\"]"),
    );
    assert!(problem.contains("sources_only: task `secnod`"), "{problem}");
    assert!(problem.contains("did you mean `second`?"), "{problem}");
    assert!(problem.contains("sweep.toml"), "{problem}");
    let all = "sources_only = [\"first\", \"second\", \"third\"]";
    let problem = folder.problem(objective, &format!("{objective}\n{all}"));
    assert!(problem.contains("leaves no target"), "{problem}");
}

#[test]
fn more_iterations_than_rows_are_refused() {
    let problem = Folder::new().problem("iterations = 3", "iterations = 4");
    assert!(problem.contains("`third` has only 3 rows"), "{problem}");
}

#[test]
fn one_task_is_not_enough() {
    let folder = Folder::new();
    let first: String = TABLE
        .lines()
        .take(5)
        .map(|line| format!("{line}\n"))
        .collect();
    folder.write("table.csv", &first);
    let error = folder.plan(SWEEP).unwrap_err().to_string();
    assert!(error.contains("only one task"), "{error}");
}

#[test]
fn tables_are_looked_for_beside_the_file_and_then_in_the_data_folder() {
    let folder = Folder::new();
    let data = folder.0.path().to_owned();
    let plan = folder.plan_with_data(SWEEP, Some(&data)).unwrap();
    assert_eq!(plan.tables[0].path, data.join("table.csv"));
    let beside = folder.write("sweeps/table.csv", TABLE);
    let plan = folder.plan_with_data(SWEEP, Some(&data)).unwrap();
    assert_eq!(plan.tables[0].path, beside);
}

#[test]
fn the_built_in_table_is_had_without_a_file_unless_there_is_one() {
    let folder = Folder::new();
    let sweep = SWEEP.replace("table.csv", "svm-sklearn.csv.zip");
    let plan = folder.plan(&sweep).unwrap();
    let built_in = Plan::read(&SweepSource::BuiltIn, None).unwrap();
    assert_eq!(plan.tables[0].path, built_in.tables[0].path);
    assert_eq!(plan.tables[0].bytes, built_in.tables[0].bytes);
    let beside = folder.write("sweeps/svm-sklearn.csv.zip", TABLE);
    let plan = folder.plan(&sweep).unwrap();
    assert_eq!(plan.tables[0].path, beside);
}

#[test]
fn a_missing_table_names_every_place() {
    let folder = Folder::new();
    let elsewhere = folder.0.path().join("elsewhere");
    let error = folder
        .plan_with_data(SWEEP, Some(&elsewhere))
        .unwrap_err()
        .to_string();
    assert!(error.contains("sweeps/table.csv"), "{error}");
    assert!(error.contains("elsewhere/table.csv"), "{error}");
}

#[test]
fn a_table_shared_by_black_boxes_is_read_once() {
    let folder = Folder::new();
    let entry = &SWEEP[SWEEP.find("[[blackbox]]").unwrap()..];
    let second = entry.replace("name = \"B\"", "name = \"C\"\niterations = 2");
    let plan = folder.plan(&format!("{SWEEP}\n{second}")).unwrap();
    assert_eq!((plan.tables.len(), plan.sweep.blackboxes.len()), (1, 2));
    let twin = entry.replace("name = \"B\"", "name = \"C\"");
    let error = folder
        .plan(&format!("{SWEEP}\n{twin}"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("`B` and `C`"), "{error}");
}

#[test]
fn the_built_in_sweep_is_sound() {
    let plan = Plan::read(&SweepSource::BuiltIn, None).unwrap();
    assert!(plan.tables[0].table.tasks.len() >= 20);
    assert!(plan.sweep.job_count() > 0);
}

#[test]
fn the_sweep_of_the_papers_table_has_all_its_methods() {
    let text = include_str!("../../sweeps/icml-table2.toml");
    let file = SweepFile::parse(text, Path::new("icml-table2.toml")).unwrap();
    // Targets of DeepAR, FCNET, XGBoost and nas_bench102.
    let targets = [10, 4, 9, 3];
    let blackboxes = file.blackboxes.iter().zip(targets);
    let series = blackboxes.map(|(blackbox, targets)| file.methods_of(blackbox).len() * targets);
    assert_eq!(series.sum::<usize>() * file.seeds as usize, 10_410);
}

#[test]
fn the_sweep_files_of_the_folder_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sweeps");
    let mut jobs = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            let file = SweepFile::read(&path).unwrap();
            let blackboxes = file.blackboxes.iter();
            let methods = blackboxes.flat_map(|entry| file.methods_of(entry));
            for method in methods.filter(|name| !file.external.contains_key(*name)) {
                let id = file.method.get(method).map_or(method, |entry| &entry.id);
                let is_external = file.external.contains_key(id);
                assert!(is_external || find(id).is_ok(), "{}: {id}", path.display());
            }
            let name = path.file_stem().unwrap().display().to_string();
            jobs.insert(name, file);
        }
    }
    assert!(jobs.len() >= 12, "{:?}", jobs.keys());
    let several = &jobs["icml-mo"].blackboxes[0];
    assert_eq!(several.objectives(), ["metric_error", "metric_latency"]);
    let [plain, together, ..] = &jobs["iclr-time"].blackboxes[..] else {
        panic!("iclr-time has fewer than two black boxes");
    };
    assert_eq!(
        (&plain.table, &plain.cost),
        (&together.table, &together.cost)
    );
    assert_eq!(together.objectives(), ["metric_CRPS", "metric_time"]);
}

#[test]
fn costs_are_read_and_stored_and_streams_have_a_limit_for_all_values() {
    let folder = Folder::new();
    let cost = |line: &str| SWEEP.replace("objective", &format!("{line}\nobjective"));
    let plan = folder.plan(&cost("cost = \"metric_error\"")).unwrap();
    let blackbox = &plan.sweep.blackboxes[0];
    assert_eq!(blackbox.cost.as_deref(), Some("metric_error"));
    assert_eq!(plan.sweep.id(), folder.plan(SWEEP).unwrap().sweep.id());
    let problem = folder
        .plan(&cost("cost = \"metric_tim\""))
        .unwrap_err()
        .to_string();
    assert!(
        problem.contains("sweep.toml, line") && problem.contains("the cost `metric_tim`"),
        "{problem}"
    );
}
