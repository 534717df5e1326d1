//! Files that `loto import` reads. The first byte chooses the form, and which file of the form is hostile.

#![no_main]

use std::fs;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use loto_coordinator::import::columns::{self, ColumnChoice};
use loto_coordinator::import::syne_tune::{self, SyneTuneChoice};
use loto_coordinator::import::{error::ImportError, hpob};
use loto_fuzz::{TABLE, check_error, folder};
use loto_proto::table_spec::Direction;

const EVALUATIONS: &str = r#"{"1": {"a": {"X": [[0], [1]], "y": [[0.1], [0.2]]}}}"#;
const SOURCES: &str = r#"{"1": {"b": {"X": [[0], [1]], "y": [[0.1], [0.2]]}}}"#;
const INITIAL: &str = r#"{"1": {"a": {"test0": [0]}}}"#;
const METADATA: &str = r#"{"objectives_names": ["loss"], "task_names": ["a", "b"]}"#;
const CONFIGURATIONS: &[u8] =
    include_bytes!("../../../coordinator/src/import/samples/net/hyperparameters.parquet");

/// Writes the files, the one at `hostile` with other content, and imports them.
fn import(
    files: &[(&str, &[u8])],
    hostile: usize,
    content: &[u8],
    run: impl Fn(&Path, &Path) -> Result<(), ImportError>,
) {
    let data = folder().join("data");
    let out = folder().join("out");
    fs::create_dir_all(&data).unwrap();
    for (position, (name, usual)) in files.iter().enumerate() {
        let bytes = if position == hostile % files.len() {
            content
        } else {
            usual
        };
        fs::write(data.join(name), bytes).unwrap();
    }
    match run(&data, &out) {
        Ok(()) => fs::remove_dir_all(&out).unwrap(),
        Err(error) => {
            // What the rules of sweeps refuse stays, whole, to be corrected.
            let is_whole = matches!(error, ImportError::Plan { .. });
            assert_eq!(
                out.exists(),
                is_whole,
                "half an import is left, or a whole one is gone"
            );
            if is_whole {
                assert!(out.join("sweep.toml").exists());
                fs::remove_dir_all(&out).unwrap();
            }
            check_error(error);
        }
    }
    fs::remove_dir_all(&data).unwrap();
}

fuzz_target!(init: std::panic::set_hook(Box::new(|_| {})), |bytes: &[u8]| {
    // The hook is for the reader of Parquet: see the target `parquet`.
    let Some((&choice, content)) = bytes.split_first() else {
        return;
    };
    let hostile = usize::from(choice / 3);
    match choice % 3 {
        0 => {
            let files: [(&str, &[u8]); 3] = [
                ("meta-test-dataset.json", EVALUATIONS.as_bytes()),
                ("meta-train-dataset.json", SOURCES.as_bytes()),
                ("bo-initializations.json", INITIAL.as_bytes()),
            ];
            import(&files, hostile, content, |data, out| {
                hpob::import(data, &[], out).map(|_| ())
            });
        }
        1 => {
            let array = array();
            let files: [(&str, &[u8]); 4] = [
                ("metadata.json", METADATA.as_bytes()),
                ("configspace.json", b"{}"),
                ("hyperparameters.parquet", CONFIGURATIONS),
                ("objectives_evaluations.npy", &array),
            ];
            import(&files, hostile, content, |data, out| {
                let choice = SyneTuneChoice {
                    metric: "loss".into(),
                    fidelity: None,
                    direction: Some(Direction::Minimise),
                };
                syne_tune::import(data, &choice, out).map(|_| ())
            });
        }
        _ => import(&[("table.csv", TABLE.as_bytes())], 0, content, |data, out| {
            let choice = ColumnChoice {
                name: "table".into(),
                task: "task".into(),
                hyperparameters: Vec::new(),
                metric: "metric_error".into(),
                seed: None,
                direction: Some(Direction::Minimise),
            };
            columns::import(&data.join("table.csv"), &choice, out).map(|_| ())
        }),
    }
});

/// An array of two tasks with three configurations and one value each.
fn array() -> Vec<u8> {
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 1, 1, 1), }\n";
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    array.extend((header.len() as u16).to_le_bytes());
    array.extend(header.as_bytes());
    for value in 0..6_u8 {
        array.extend(f32::from(value).to_le_bytes());
    }
    array
}
