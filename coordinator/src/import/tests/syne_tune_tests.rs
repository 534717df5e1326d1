use std::fs;
use std::path::{Path, PathBuf};

use loto_proto::table_spec::Direction;

use super::super::syne_tune::{self, SyneTuneChoice};
use super::Folder;

fn syne_tune_sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/import/samples/net")
}

fn choice(metric: &str, fidelity: Option<u64>) -> SyneTuneChoice {
    SyneTuneChoice {
        metric: metric.to_owned(),
        fidelity,
        direction: Some(Direction::Minimise),
    }
}

#[test]
fn a_black_box_of_syne_tune_becomes_a_table() {
    let folder = Folder::new(&[]);
    let out = folder.path("out");
    let imported =
        syne_tune::import(&syne_tune_sample(), &choice("valid_loss", None), &out).unwrap();
    let table = &imported.plan.tables[0].table;
    // numpy.nanmean(array[:, :, :, -1, 1], axis=2)
    assert_eq!(
        table.task("protein").unwrap().objective,
        [0.625, 1.875, 2.625]
    );
    assert_eq!(table.task("naval").unwrap().objective, [3.625, 4.625]);
    assert_eq!(
        imported.notes,
        ["Configurations without a finite value of valid_loss were left out: 1 row."]
    );
    let text = fs::read_to_string(imported.sweep).unwrap();
    for line in [
        "objective = \"metric_valid_loss\"",
        "categorical = [\"hp_act\"]",
        "scales = { \"hp_lr\" = \"log\", \"hp_units\" = \"log\" }",
        "iterations = 2",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let first = syne_tune::import(
        &syne_tune_sample(),
        &choice("valid_loss", Some(1)),
        &folder.path("first"),
    );
    let plan = first.unwrap().plan;
    assert_eq!(
        plan.tables[0].table.task("naval").unwrap().objective,
        [3.375, 4.375, 5.375]
    );
}

#[test]
fn mistakes_of_syne_tune_are_named() {
    let folder = Folder::new(&[]);
    let refusal = |source: &Path, choice: &SyneTuneChoice| {
        let error = syne_tune::import(source, choice, &folder.path("out")).unwrap_err();
        assert!(!folder.path("out").exists());
        error.to_string()
    };
    let sample = syne_tune_sample();
    let message = refusal(&sample, &choice("loss", None));
    assert!(
        message.contains("known are metric_runtime, valid_loss"),
        "{message}"
    );
    let message = refusal(&sample, &choice("valid_loss", Some(3)));
    assert!(message.contains("there are 2 fidelities"), "{message}");
    let copy = folder.path("copy");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(&sample).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    let array = fs::read(copy.join("objectives_evaluations.npy")).unwrap();
    let header = String::from_utf8_lossy(&array[..128]).into_owned();
    let spoilt = |find: &str, replace: &str| {
        assert!(
            header.contains(find) && find.len() == replace.len(),
            "{header}"
        );
        let mut bytes = header.replace(find, replace).into_bytes();
        // The first byte is none of UTF-8.
        bytes.splice(..3, [0x93]);
        bytes.extend(&array[128..]);
        bytes
    };
    let cases = [
        (
            array[..array.len() - 1].to_vec(),
            "longer or shorter than its shape",
        ),
        (array[..20].to_vec(), "its header is cut"),
        (b"PK".to_vec(), "it is too short"),
        (spoilt("'<f4'", "'<i4'"), "another type"),
        (spoilt("False", "True "), "another order"),
        (
            spoilt("(2, 3, 2, 2, 2)", "(3, 2, 2, 2, 2)"),
            "its shape is [3, 2, 2, 2, 2], expected is (2 tasks, 3 conf",
        ),
    ];
    for (bytes, told) in cases {
        fs::write(copy.join("objectives_evaluations.npy"), bytes).unwrap();
        let message = refusal(&copy, &choice("valid_loss", None));
        assert!(
            message.contains(told) && message.contains(".npy"),
            "{told}: {message}"
        );
    }
}
