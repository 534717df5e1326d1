use std::fs;
use std::path::PathBuf;

use loto_proto::table_spec::Direction;
use tempfile::TempDir;

use super::columns::ColumnChoice;
use super::*;

mod hpob_tests;
mod syne_tune_tests;

struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        fs::create_dir(folder.path("data")).unwrap();
        for (name, text) in files {
            fs::write(folder.path("data").join(name), text).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The names in the folder, without what was there before an import.
    fn made(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != "data").collect()
    }
}

const RUNS: &str = "\
dataset,lr,opt,nesterov,hp_ignored,acc,seconds
wine,0.1,sgd,True,1,0.9,3
wine,0.01,adam,False,1,0.8,3
iris,0.1,sgd,False,1,0.5,3
iris,0.2,sgd,True,1,0.6,3
";

fn runs() -> ColumnChoice {
    ColumnChoice {
        name: "runs \"1\"".to_owned(),
        task: "dataset".to_owned(),
        hyperparameters: ["lr", "opt", "nesterov"].map(str::to_owned).into(),
        metric: "acc".to_owned(),
        seed: None,
        direction: Some(Direction::Maximise),
    }
}

#[test]
fn named_columns_become_a_table() {
    let folder = Folder::new(&[("runs.csv", RUNS)]);
    let imported =
        columns::import(&folder.path("data/runs.csv"), &runs(), &folder.path("out")).unwrap();
    let table = &imported.plan.tables[0].table;
    let names: Vec<_> = table
        .space
        .hyperparameters
        .iter()
        .map(|known| known.name.as_str())
        .collect();
    assert_eq!(names, ["hp_lr", "hp_opt", "hp_nesterov"]);
    assert_eq!(table.task("iris").unwrap().objective, [-0.5, -0.6]);
    let text = fs::read_to_string(&imported.sweep).unwrap();
    assert!(text.contains("name = \"runs \\\"1\\\"\""), "{text}");
    assert!(text.contains("categorical = [\"hp_opt\"]"), "{text}");
    assert!(
        text.contains("scales = { \"hp_nesterov\" = \"boolean\" }"),
        "{text}"
    );
    assert_eq!(imported.plan.warnings, []);
    // Whoever does not say what is good is warned.
    let unsaid = ColumnChoice {
        direction: None,
        ..runs()
    };
    let imported = columns::import(
        &folder.path("data/runs.csv"),
        &unsaid,
        &folder.path("unsaid"),
    )
    .unwrap();
    let text = fs::read_to_string(&imported.sweep).unwrap();
    assert!(!text.contains("direction"), "{text}");
    assert_eq!(imported.plan.warnings.len(), 1);
}

#[test]
fn measurements_that_are_repeated_are_averaged() {
    let mut text = RUNS.replace("seconds", "run");
    text.push_str("wine,1e-1,sgd,True,1,0.5,4\niris,0.2,sgd,True,1,0.8,4\n");
    let folder = Folder::new(&[("runs.csv", &text)]);
    let file = folder.path("data/runs.csv");
    let message = columns::import(&file, &runs(), &folder.path("out")).unwrap_err();
    let message = message.to_string();
    assert!(
        message.contains("line 6, column `dataset`: the configuration is listed before")
            && message.contains("--seed"),
        "{message}"
    );
    let choice = ColumnChoice {
        seed: Some("run".to_owned()),
        ..runs()
    };
    let imported = columns::import(&file, &choice, &folder.path("out")).unwrap();
    let table = &imported.plan.tables[0].table;
    assert_eq!(table.task("wine").unwrap().objective, [-0.7, -0.8]);
    assert_eq!(table.task("iris").unwrap().objective, [-0.5, -0.7]);
    assert_eq!(imported.plan.sweep.blackboxes[0].iterations, 2);
    let text = fs::read_to_string(&imported.sweep).unwrap();
    assert!(text.contains("\nrepeats = \"mean\"\n"), "{text}");
    assert!(folder.path("out").join("runs__1_.csv.gz").exists());
}

#[test]
fn what_the_sweep_file_is_refused_for_stays_to_be_corrected() {
    let text = RUNS
        .replace("wine", "iris")
        .replace("0.01,adam,False,1,0.8", "0.3,sgd,False,1,0.8");
    let folder = Folder::new(&[("runs.csv", &text)]);
    let file = folder.path("data/runs.csv");
    let error = columns::import(&file, &runs(), &folder.path("out")).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("has only one task"), "{message}");
    assert!(message.contains("correct it there"), "{message}");
    assert!(!message.contains("partial"), "{message}");
    assert_eq!(folder.made(), ["out"]);
    assert!(folder.path("out").join("sweep.toml").exists());
}

#[test]
fn a_text_among_numbers_is_told() {
    // The name of a task may look like a missing value.
    let text = RUNS.replace("iris,0.2", "iris,fast").replace("wine", "NA");
    let folder = Folder::new(&[("runs.csv", &text)]);
    let file = folder.path("data/runs.csv");
    let imported = columns::import(&file, &runs(), &folder.path("out")).unwrap();
    let [note] = imported.notes.as_slice() else {
        panic!("{:?}", imported.notes);
    };
    assert!(
        note.contains("`hp_lr`") && note.contains("`fast`"),
        "{note}"
    );
}

#[test]
fn mistakes_in_named_columns_are_told_with_line_and_column() {
    let refusal = |text: &str, choice: &ColumnChoice| {
        let folder = Folder::new(&[("runs.csv", text)]);
        let file = folder.path("data/runs.csv");
        let error = columns::import(&file, choice, &folder.path("out")).unwrap_err();
        assert!(folder.made().is_empty());
        error.to_string()
    };
    let cases = [
        (
            RUNS.replace("0.8", "n/a"),
            "runs.csv: line 3, column `acc`: `n/a` is not a finite number",
        ),
        (
            RUNS.replace("0.01,", ","),
            "runs.csv: line 3, column `lr`: there is no value",
        ),
        (
            RUNS.replace("0.01,", "NaN,"),
            "runs.csv: line 3, column `lr`: there is no value",
        ),
        (
            RUNS.replace("hp_ignored", "lr"),
            "line 1, column `lr`: it is there twice",
        ),
        (
            RUNS.replace("opt,", "Opt,"),
            "column `opt`: there is no such column; did you mean `Opt`?",
        ),
        (
            RUNS.replace("wine,0.01,adam,False", "wine,0.1,sgd,True"),
            "line 3, column `dataset`: the configuration is listed before on this task",
        ),
        (
            RUNS.replace("lr,opt", "lr,opt,hp_lr")
                .replace(",sgd", ",sgd,1")
                .replace(",adam", ",adam,1"),
            "",
        ),
        ("{\"lr\": 1}".to_owned(), "it is JSON"),
    ];
    for (text, told) in &cases {
        if told.is_empty() {
            let mut both = runs();
            both.hyperparameters.push("hp_lr".to_owned());
            let message = refusal(text, &both);
            assert!(
                message.contains("two columns would be called `hp_lr`"),
                "{message}"
            );
        } else {
            let message = refusal(text, &runs());
            assert!(message.contains(told), "{told}: {message}");
        }
    }
    for column in ["acc", "dataset", "lr"] {
        let mut choice = runs();
        choice.hyperparameters.push(column.to_owned());
        let told = format!("line 1, column `{column}`: it can be only one of");
        let message = refusal(RUNS, &choice);
        assert!(message.contains(&told), "{message}");
    }
}
