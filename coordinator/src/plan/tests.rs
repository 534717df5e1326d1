use std::fs;
use std::path::{Path, PathBuf};

use loto_engine::methods::{Spaces, find};
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

const SWEEP: &str = r#"
name = "test"
methods = ["rs", "gp"]
seeds = 2
iterations = 3

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_error"
"#;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
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

    fn plan(&self, sweep: &str) -> Result<Plan, PlanError> {
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

    fn problem(&self, find: &str, replace: &str) -> String {
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
fn an_unknown_method_is_refused_with_the_known_ones() {
    let problem = Folder::new().problem("\"gp\"", "\"gpp\"");
    assert!(
        problem.contains("black box `B`: unknown method `gpp`") && problem.contains("gcp-prior"),
        "{problem}"
    );
}

#[test]
fn a_black_box_may_run_methods_of_its_own() {
    let folder = Folder::new();
    let entry = &SWEEP[SWEEP.find("[[blackbox]]").unwrap()..];
    let second = entry.replace(
        "name = \"B\"",
        "name = \"C\"\niterations = 2\nmethods = [\"gcp\"]",
    );
    let sweep = folder.plan(&format!("{SWEEP}\n{second}")).unwrap().sweep;
    let methods = |position: usize| -> Vec<&str> {
        let methods = &sweep.blackboxes[position].methods;
        methods.iter().map(|method| method.id.as_str()).collect()
    };
    assert_eq!(methods(0), ["rs", "gp"]);
    assert_eq!(methods(1), ["gcp"]);
    assert_eq!(sweep.job_count(), (2 + 1) * 3 * 2);
    // The default list does not enter the identity, only what runs.
    let alone = SWEEP.replace("objective", "methods = [\"rs\", \"gp\"]\nobjective");
    let alone = folder
        .plan(&alone.replacen("methods = [\"rs\", \"gp\"]", "", 1))
        .unwrap();
    assert_eq!(alone.sweep.id(), folder.plan(SWEEP).unwrap().sweep.id());
}

#[test]
fn a_method_for_categorical_spaces_is_refused_on_a_numeric_one() {
    let folder = Folder::new();
    let registry = loto_engine::methods::registry();
    for method in registry.iter().filter(|m| m.spaces == Spaces::Categorical) {
        let problem = folder.problem("\"gp\"", &format!("\"{}\"", method.id));
        for part in ["sweep.toml", "`B`", method.id, "hp_a", "its own `methods`"] {
            assert!(problem.contains(part), "{part}: {problem}");
        }
        let categorical = SWEEP
            .replace("\"gp\"", &format!("\"{}\"", method.id))
            .replace("objective", "categorical = \"all\"\nobjective");
        folder.plan(&categorical).unwrap();
    }
}

#[test]
fn a_default_spelled_out_makes_no_other_job() {
    let folder = Folder::new();
    let registry = loto_engine::methods::registry();
    let gp = registry.iter().find(|method| method.id == "gp").unwrap();
    let parameter = &gp.parameters[0];
    let spelled = format!(
        "[method.gp]\n{} = \"{}\"\n\n[[blackbox]]",
        parameter.name, parameter.default
    );
    let spelled = SWEEP.replace("[[blackbox]]", &spelled);
    let plain = folder.plan(SWEEP).unwrap().sweep;
    assert_eq!(folder.plan(&spelled).unwrap().sweep.id(), plain.id());
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
fn a_method_for_two_objectives_is_refused_on_one() {
    let folder = Folder::new();
    let registry = loto_engine::methods::registry();
    let mut methods = registry.iter();
    let method = methods
        .find(|m| m.spaces == Spaces::OfTwoObjectives)
        .unwrap();
    let problem = folder.problem("\"gp\"", &format!("\"{}\"", method.id));
    for part in [
        "sweep.toml",
        "`B`",
        method.id,
        "there is one",
        "its own `methods`",
    ] {
        assert!(problem.contains(part), "{part}: {problem}");
    }
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

#[test]
fn variants_of_a_method_run_side_by_side_under_their_names() {
    let folder = Folder::new();
    let variants =
        "[[method]]\nname = \"gp-ml\"\nid = \"gp\"\nhyperprior = \"none\"\n\n[[blackbox]]";
    let sweep = SWEEP
        .replace("\"gp\"", "\"gp\", \"gp-ml\"")
        .replace("[[blackbox]]", variants);
    let plan = folder.plan(&sweep).unwrap();
    let methods = &plan.sweep.blackboxes[0].methods;
    let labels: Vec<_> = methods.iter().map(|method| method.label()).collect();
    assert_eq!(labels, ["rs", "gp", "gp-ml"]);
    assert_eq!(methods[2].id, "gp");
    assert_eq!(plan.method_names().len(), 3);
    // The jobs are those of the plain method and of one with parameters, whatever the names.
    let alone = SWEEP.replace(
        "[[blackbox]]",
        "[method.gp]\nhyperprior = \"none\"\n\n[[blackbox]]",
    );
    let alone = folder.plan(&alone).unwrap().sweep;
    let series = |sweep: &Sweep, position: usize| {
        let blackbox = &sweep.blackboxes[0];
        blackbox.series(&blackbox.methods[position], "first").id()
    };
    assert_eq!(series(&plan.sweep, 2), series(&alone, 1));
    let plain = folder.plan(SWEEP).unwrap().sweep;
    assert_eq!(series(&plan.sweep, 1), series(&plain, 1));
    let renamed = SWEEP.replace("\"gp\"", "\"mine\"").replace(
        "[[blackbox]]",
        "[[method]]\nname = \"mine\"\nid = \"gp\"\n\n[[blackbox]]",
    );
    assert_eq!(folder.plan(&renamed).unwrap().sweep.id(), plain.id());
}

#[test]
fn names_of_variants_that_mislead_are_refused() {
    let folder = Folder::new();
    for (name, id, expected) in [
        ("gcp", "gp", "its name is the id of another method"),
        (
            "mine",
            "gp",
            "`gp` and `mine` are both the method `gp` with the same parameters",
        ),
        ("mine", "gpp", "unknown method `gpp`; did you mean"),
    ] {
        let sweep = SWEEP
            .replace("\"gp\"", &format!("\"gp\", \"{name}\""))
            .replace(
                "[[blackbox]]",
                &format!("[[method]]\nname = \"{name}\"\nid = \"{id}\"\n\n[[blackbox]]"),
            );
        let error = folder.plan(&sweep).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("line 3: black box `B`"), "{error}");
    }
}
