//! Plans of sweep files that declare scales, a direction or sources.

use std::fs;

use loto_proto::scale::Scale;

use super::*;

const TABLE: &str = "\
hp_lr,hp_units,hp_kind,hp_same,metric_error,metric_accuracy,task,dataset_rows,few
0.0001,16,sgd,1,0.5,0.5,one,10,1
0.001,32,adam,1,0.25,0.75,one,10,0
0.01,64,sgd,1,0.75,0.25,one,10,1
0.1,128,adam,1,0.125,0.875,one,10,0
0.0001,16,adam,1,0.5,0.5,two,30,1
0.001,32,sgd,1,0.25,0.75,two,30,1
0.01,64,adam,1,0.5,0.5,flat,20,1
0.1,128,sgd,1,0.5,0.5,flat,20,1
";

fn plan(lines: &str) -> Result<Plan, String> {
    plan_of(TABLE, lines)
}

fn plan_of(table: &str, lines: &str) -> Result<Plan, String> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("table.csv"), table).unwrap();
    let path = folder.path().join("sweep.toml");
    let objective = match lines.contains("objective") {
        true => "",
        false => "objective = \"metric_error\"\n",
    };
    let text = format!(
        "name = \"test\"\nmethods = [\"rs\"]\nseeds = 1\niterations = 2\n\
         [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\n{objective}{lines}\n"
    );
    fs::write(&path, text).unwrap();
    Plan::read(&SweepSource::File(path), None).map_err(|error| error.to_string())
}

const KIND: &str = "categorical = [\"hp_kind\"]";

fn warnings(lines: &str) -> Vec<String> {
    let warnings = plan(lines).unwrap().warnings;
    warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn patterns_are_resolved_before_they_enter_the_identity() {
    let id = |lines: &str| plan(lines).unwrap().sweep.id();
    let named = id(&format!(
        "{KIND}\nscales = {{ hp_lr = \"log\", hp_units = \"log\" }}"
    ));
    let lines = "scales = { \"hp_?*\" = \"log\" }";
    assert!(
        plan(&format!("{KIND}\n{lines}")).is_err(),
        "a question mark stands for itself"
    );
    let pattern =
        "scales = { \"hp_*\" = \"log\", hp_kind = \"categorical\", hp_same = \"linear\" }";
    assert_eq!(id(pattern), named);
    assert_ne!(id(KIND), named);
    // What is as it would be anyway makes no other job.
    let spelled =
        format!("{KIND}\ndirection = \"minimise\"\nscales = {{ \"hp_u*\" = \"linear\" }}");
    assert_eq!(id(&spelled), id(KIND));
    let planned = plan(pattern).unwrap();
    assert_eq!(planned.tables[0].spec.scale("hp_units"), Scale::Log);
    assert_eq!(planned.tables[0].columns[0].scale, Scale::Log);
}

#[test]
fn every_declaration_makes_other_jobs() {
    let declarations = [
        "",
        "scales = { hp_lr = \"log\" }",
        "scales = { hp_lr = \"ordinal\" }",
        "scales = { hp_lr = [0.0001, 0.001, 0.01, 0.1] }",
        "direction = \"maximise\"",
        "sources = [\"one\"]\ntargets = [\"two\", \"flat\"]",
        "source_tasks = 1",
        "features = \"all\"",
        "features = [\"dataset_rows\"]",
        "source_rows = \"few\"",
    ];
    let table = |line: &&str| {
        let plan = plan(&format!("{KIND}\n{line}")).unwrap();
        plan.tables[0].fingerprint()
    };
    let tables: BTreeSet<_> = declarations.iter().map(table).collect();
    assert_eq!(tables.len(), declarations.len());
}

#[test]
fn scales_that_do_not_fit_the_table_are_refused_with_black_box_and_cure() {
    for (lines, expected) in [
        ("scales = { hp_lrr = \"log\" }", "did you mean `hp_lr`?"),
        (
            "scales = { \"hp_a*\" = \"log\" }",
            "no hyperparameter column matches `hp_a*`",
        ),
        (
            "scales = { \"hp_l*\" = \"log\", \"*_lr\" = \"ordinal\" }",
            "write hp_lr = \"ordinal\"",
        ),
        (
            "scales = { hp_kind = \"log\" }",
            "hp_kind is categorical by `categorical` and log",
        ),
    ] {
        let error = plan(&format!("{KIND}\n{lines}")).unwrap_err();
        assert!(error.contains(expected), "{error}");
        assert!(
            error.contains("sweep.toml, line 10: black box `B`"),
            "{error}"
        );
    }
    let error = plan("").unwrap_err();
    assert!(error.contains("categorical = [\"hp_kind\"]"), "{error}");
}

#[test]
fn features_and_source_rows_that_do_not_fit_are_refused_with_place_and_cure() {
    for (lines, expected) in [
        (
            "features = \"most\"",
            "line 10: black box `B`: features is \"most\": write \"all\"",
        ),
        (
            "features = [\"hp_lr\"]",
            "features: `hp_lr` is a hyperparameter already",
        ),
        (
            "features = [\"metric_error\"]",
            "features: `metric_error` is the objective already",
        ),
        (
            "features = [\"few\"]\nsource_rows = \"few\"",
            "features: `few` is source_rows already",
        ),
        (
            "source_rows = \"metric_error\"",
            "source_rows: `metric_error` is the objective",
        ),
        (
            "features = [\"dataset_row\"]",
            "did you mean `dataset_rows`?",
        ),
        (
            "source_rows = \"fewer\"",
            "`fewer`, which is source_rows, is not a column; did you mean `few`?",
        ),
        (
            "source_rows = \"task\"",
            "line 2, column `task`: `one` is neither true nor false",
        ),
        (
            "features = [\"metric_accuracy\"]",
            "line 3, column `metric_accuracy`: 0.75 after 0.5: a feature",
        ),
        (
            "features = [\"task\"]",
            "line 2, column `task`: `one` is not a finite number",
        ),
    ] {
        let error = plan(&format!("{KIND}\n{lines}")).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    let plan = plan(&format!(
        "{KIND}\nfeatures = \"all\"\nsource_rows = \"few\""
    ))
    .unwrap();
    let table = &plan.tables[0].table;
    let features: Vec<f64> = table.tasks.iter().map(|task| task.features[0]).collect();
    assert_eq!(features, [0.0, 1.0, 0.5]);
    assert_eq!(table.source(0).objective, [0.5, 0.75]);
    assert_eq!(table.tasks[0].rows(), 4);
}

#[test]
fn columns_that_look_logarithmic_are_named_until_they_are_declared() {
    let found = warnings(KIND);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].starts_with("black box `B`: hp_lr ("), "{found:?}");
    let line = "write scales = { hp_lr = \"log\", hp_units = \"log\" } below";
    assert!(found[0].contains(line), "{found:?}");
    for lines in [
        "scales = { hp_lr = \"log\", hp_units = \"ordinal\" }",
        "scales = { hp_lr = \"linear\", hp_units = \"linear\" }",
        "scales = { \"hp_*\" = \"linear\", hp_kind = \"categorical\" }",
    ] {
        let lines = match lines.contains("hp_kind") {
            true => lines.to_owned(),
            false => format!("{KIND}\n{lines}"),
        };
        let found = warnings(&lines);
        assert!(
            found.iter().all(|warning| !warning.contains("linear")),
            "{found:?}"
        );
    }
    let one = warnings(&format!("{KIND}\nscales = {{ hp_lr = \"log\" }}"));
    assert!(
        one[0].contains("write scales = { hp_units = \"log\" }"),
        "{one:?}"
    );
}

#[test]
fn a_category_without_a_name_is_told() {
    let is_told = |table: &str| {
        let plan = plan_of(table, KIND).unwrap();
        let mut told = plan.warnings.iter().map(ToString::to_string);
        told.any(|warning| warning.contains("hp_kind has no value in some rows"))
    };
    assert!(is_told(&TABLE.replace("32,adam,1,0.25", "32, ,1,0.25")));
    assert!(!is_told(TABLE));
}

#[test]
fn constant_columns_and_tasks_are_named() {
    let found = warnings(KIND);
    assert!(
        found[1].contains("metric_error is the same in all rows of flat"),
        "{found:?}"
    );
    assert!(
        found[2].contains("hp_same is the same in all rows"),
        "{found:?}"
    );
    // A task that is neither target nor source does no harm.
    let lines = format!("{KIND}\nsources = [\"one\"]\ntargets = [\"two\"]");
    assert!(
        warnings(&lines)
            .iter()
            .all(|warning| !warning.contains("flat"))
    );
}

#[test]
fn the_direction_of_an_accuracy_has_to_be_said() {
    let accuracy = format!("{KIND}\nobjective = \"metric_accuracy\"");
    let names_direction = |lines: &str| {
        let found = warnings(lines);
        found
            .iter()
            .any(|warning| warning.contains("direction = \"maximise\""))
    };
    assert!(names_direction(&accuracy));
    assert!(!names_direction(KIND));
    for direction in ["maximise", "minimise", "maximize"] {
        assert!(!names_direction(&format!(
            "{accuracy}\ndirection = \"{direction}\""
        )));
    }
    let maximised = plan(&format!("{accuracy}\ndirection = \"maximise\"")).unwrap();
    let task = &maximised.tables[0].table.tasks[0];
    assert_eq!(task.objective, [-0.5, -0.75, -0.25, -0.875]);
}

#[test]
fn with_sources_all_other_tasks_are_targets() {
    let targets = |lines: &str| {
        let plan = plan(&format!("{KIND}\n{lines}"))?;
        Ok::<_, String>(plan.sweep.blackboxes[0].targets.clone())
    };
    assert_eq!(targets("sources = [\"one\"]").unwrap(), ["two", "flat"]);
    let lines = "sources = [\"one\"]\ntargets = [\"flat\"]";
    assert_eq!(targets(lines).unwrap(), ["flat"]);
    assert_eq!(targets("source_tasks = 1").unwrap(), ["one", "two", "flat"]);
    let error = targets("sources = [\"onee\"]").unwrap_err();
    assert!(error.contains("sources: task `onee`"), "{error}");
    assert!(error.contains("did you mean `one`?"), "{error}");
    let error = targets("sources = [\"one\", \"two\", \"flat\"]").unwrap_err();
    assert!(error.contains("sources leaves no target"), "{error}");
}

#[test]
fn only_sources_need_two_rows() {
    let table = format!("{TABLE}0.1,64,sgd,1,0.5,0.5,small,20,1\n");
    let plan = |lines: &str| {
        let lines = format!("{KIND}\niterations = 1\nmethods = [\"cts\"]\n{lines}");
        plan_of(&table, &lines)
    };
    let error = plan("targets = [\"one\"]").unwrap_err();
    assert!(error.contains("source task `small` has 1 row"), "{error}");
    let planned = plan("sources = [\"one\"]").unwrap();
    assert_eq!(
        planned.sweep.blackboxes[0].targets,
        ["two", "flat", "small"]
    );
    let error = plan("sources = [\"small\"]").unwrap_err();
    assert!(error.contains("source task `small` has 1 row"), "{error}");
}

#[test]
fn the_built_in_sweep_has_no_warning() {
    let plan = Plan::read(&SweepSource::BuiltIn, None).unwrap();
    assert_eq!(plan.warnings, []);
}
