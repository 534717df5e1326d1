use std::fs;
use std::io::Write;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;
use crate::plan::SweepSource;
use loto_statistics::results::SeedTrace;

const SWEEP: &str = r#"
name = "test"
methods = ["rs"]
seeds = 2
iterations = 3

[[blackbox]]
name = "A"
table = "table.csv"
objective = "metric_error"
sources_only = ["source"]

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_cost"
targets = ["two"]
iterations = 2
"#;

const TABLE: &str = "\
hp_x,metric_error,metric_cost,task
0,0.1,7,one
1,0.25,8,one
2,3,9,one
0,0.5,1,two
1,0.7,2,two
2,0.6,3,two
0,1,1,source
1,2,2,source
2,3,3,source
";

const HEADER: &str = "seed,iteration,value,extra,blackbox,task,optimizer\n";

/// A whole trace on task `one` by the optimizer `x`, seed 0: the one which the tests spoil.
const WHOLE: &str = "\
0,0,3,,A,one,x
0,1,0.25,,A,one,x
0,2,0.1,,A,one,x
";

struct Case {
    folder: TempDir,
    plan: Plan,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("sweep.toml"), SWEEP).unwrap();
        fs::write(folder.path().join("table.csv"), TABLE).unwrap();
        let source = SweepSource::File(folder.path().join("sweep.toml"));
        let plan = Plan::read(&source, None).unwrap();
        Self { folder, plan }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn read(&self, lines: &str, rules: &ForeignValues) -> Result<ScoredTraces, String> {
        let path = self.write("traces.csv", format!("{HEADER}{lines}").as_bytes());
        read(&path, &self.plan, rules).map_err(|error| error.to_string())
    }

    fn refusal(&self, lines: &str) -> String {
        let message = self.read(lines, &ForeignValues::default()).unwrap_err();
        assert!(message.contains("traces.csv"), "{message}");
        message
    }
}

/// The values of the traces on task `one` by the first optimizer.
fn values(scored: &ScoredTraces, seed: u32) -> &[f64] {
    let trace: &SeedTrace = &scored.results.blackboxes[0].tasks[0].traces[0][&seed];
    &trace.values
}

#[test]
fn traces_are_arranged_as_the_sweep_file_plans_them() {
    let lines = format!(
        "1,1,2,,B,two,y\n1,0,1,,B,two,y\n{WHOLE}1,2,0.25,,A,one,y\n1,1,3,,A,one,y\n1,0,3,,A,one,y\n"
    );
    let scored = Case::new().read(&lines, &ForeignValues::default()).unwrap();
    assert!(scored.notes.is_empty());
    let results = scored.results;
    assert_eq!((results.name.as_str(), results.seeds), ("traces.csv", 2));
    let [a, b] = results.blackboxes.as_slice() else {
        panic!("{results:?}");
    };
    assert_eq!(a.methods, ["y", "x"]);
    assert_eq!(b.methods, ["y"]);
    let names: Vec<_> = a.tasks.iter().map(|task| task.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(a.tasks[0].traces[0][&1].values, [3.0, 3.0, 0.25]);
    assert_eq!(a.tasks[0].traces[1][&0].values, [3.0, 0.25, 0.1]);
    assert!(
        a.tasks[1]
            .traces
            .iter()
            .all(std::collections::BTreeMap::is_empty)
    );
    assert_eq!(b.tasks[0].traces[0][&1].values, [1.0, 2.0]);
    assert_eq!(*b.tasks[0].objective, [1.0, 2.0, 3.0]);
}

#[test]
fn iterations_may_count_from_one() {
    let lines = "0,1,3,,A,one,x\n0,2,0.25,,A,one,x\n0,3,0.1,,A,one,x\n";
    let scored = Case::new().read(lines, &ForeignValues::default()).unwrap();
    assert_eq!(values(&scored, 0), [3.0, 0.25, 0.1]);
}

#[test]
fn packed_files_are_read_and_damaged_ones_refused() {
    let case = Case::new();
    let text = format!("{HEADER}{WHOLE}");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("/odd/../name.zip", options).unwrap();
    archive.write_all(text.as_bytes()).unwrap();
    let archive = archive.finish().unwrap().into_inner();
    for (name, bytes) in [("traces.csv.gz", gzip), ("traces.csv.zip", archive)] {
        let path = case.write(name, &bytes);
        let scored = read(&path, &case.plan, &ForeignValues::default()).unwrap();
        assert_eq!(values(&scored, 0), [3.0, 0.25, 0.1], "{name}");
        let path = case.write(name, &bytes[..bytes.len() - 10]);
        let error = read(&path, &case.plan, &ForeignValues::default()).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    let error = read(
        &case.folder.path().join("none"),
        &case.plan,
        &ForeignValues::default(),
    );
    assert!(error.unwrap_err().to_string().contains("cannot read"));
}

#[test]
fn mistakes_are_named_with_their_line() {
    let case = Case::new();
    let cases = [
        ("0,2,0.1,,A,one,x\n", "", "the sweep plans 3"),
        (
            "0,1,0.25,,A,one,x\n",
            "",
            "iteration 1 is missing before line 3",
        ),
        ("0,2,0.1", "0,1,0.1", "line 4: iteration 1 is there twice"),
        ("0,2,0.1", "0,2.0,0.1", "line 4: iteration is `2.0`"),
        ("0,2,0.1", "0,2,NaN", "line 4: value is `NaN`"),
        ("0,2,0.1", "0,2,1e999", "line 4: value is `1e999`"),
        ("0,2,0.1", "0,2,", "line 4: value is ``"),
        (
            "0,1,0.25",
            "1.5,1,0.25",
            "line 3: seed is `1.5`, expected a whole number from 0 to 4294967295",
        ),
        ("0,1,0.25", "-1,1,0.25", "line 3: seed is `-1`"),
        (
            "0.25,,A,one",
            "0.25,,C,one",
            "line 3: black box `C` is not in the sweep, which has A, B",
        ),
        (
            "0.25,,A,one",
            "0.25,,A,source",
            "line 3: task `source` is not a target of black box `A`",
        ),
        ("0.25,,A,one", "0.25,,A,none", "whose targets are one, two"),
        (
            "A,one,x",
            "A,one,",
            "line 2: the optimizer's name has 0 bytes",
        ),
        ("0.25,,A,one,x", "0.25,,A,one", "line 3"),
        ("0,2,0.1", "0,3,0.1", "iteration 2 is missing"),
        (WHOLE, "", "no lines below its header"),
        (WHOLE, "0,5,3,,A,one,x\n", "its least iteration is 5"),
    ];
    for (find, replace, expected) in cases {
        assert!(WHOLE.contains(find), "{find}");
        let message = case.refusal(&WHOLE.replacen(find, replace, 1));
        assert!(message.contains(expected), "{replace}: {message}");
    }
    let path = case.write("other.csv", b"seed,iteration,value,task,optimizer\n");
    let message = read(&path, &case.plan, &ForeignValues::default())
        .unwrap_err()
        .to_string();
    assert!(message.contains("column blackbox is missing"), "{message}");
}

#[test]
fn foreign_values_are_refused_by_line_and_value() {
    let lines = WHOLE.replace("0.25", "0.24") + "1,0,3,,A,one,x\n1,1,-7,,A,one,x\n1,2,3,,A,one,x\n";
    let message = Case::new().refusal(&lines);
    for expected in [
        "2 of 6 values",
        "A, one, x, seed 0: 1 values\n    line 3: 0.24",
        "A, one, x, seed 1: 1 values\n    line 6: -7",
        "--allow-foreign-values",
    ] {
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_task_of_another_table_is_named_once() {
    let lines = "0,0,5,,A,one,x\n0,1,6,,A,one,x\n0,2,3,,A,one,x\n";
    let message = Case::new().refusal(lines);
    assert!(
        message.contains("A, one: 2 of 3 values, so these traces belong"),
        "{message}"
    );
    assert!(message.contains("line 2: 5, line 3: 6, ..."), "{message}");
    assert!(!message.contains("seed 0"), "{message}");
}

#[test]
fn an_optimizer_whose_name_is_not_what_it_looks_like_is_refused() {
    let message = Case::new().refusal("0,0,0.5,,A,one,\u{202e}x\n");
    let told = "line 2: column `optimizer`: character 1 of the name is U+202E";
    assert!(message.contains(told), "{message}");
}

#[test]
fn foreign_values_are_kept_or_dropped_as_told() {
    let case = Case::new();
    let lines = WHOLE.replace("0,1,0.25", "0,1,-7");
    let keep = ForeignValues::new(Some(&[]), None).unwrap();
    let scored = case.read(&lines, &keep).unwrap();
    assert_eq!(values(&scored, 0), [3.0, -7.0, 0.1]);
    assert!(
        scored.notes[0].starts_with("1 of 3 values on A are not in its table; they are scored")
    );

    let drop = ForeignValues::new(None, Some(&["A".into()])).unwrap();
    let scored = case.read(&lines, &drop).unwrap();
    assert_eq!(values(&scored, 0), [3.0, 3.0, 0.1]);
    assert!(scored.notes[0].contains("dropped"), "{:?}", scored.notes);

    let other = ForeignValues::new(None, Some(&["B".into()])).unwrap();
    assert!(case.read(&lines, &other).is_err());
    let unknown = ForeignValues::new(None, Some(&["C".into()])).unwrap();
    let message = case.read(&lines, &unknown).unwrap_err();
    assert!(message.contains("`C`"), "{message}");
}

#[test]
fn a_first_value_cannot_be_dropped() {
    let drop = ForeignValues::new(None, Some(&[])).unwrap();
    let lines = WHOLE.replace("0,0,3", "0,0,4");
    let message = Case::new().read(&lines, &drop).unwrap_err();
    assert!(
        message.contains("line 2: the first value of A, one, x, seed 0 is 4"),
        "{message}"
    );
}

#[test]
fn values_off_by_rounding_become_the_tables() {
    let lines = WHOLE.replace("0,2,0.1", "0,2,0.09999999999999999");
    let scored = Case::new().read(&lines, &ForeignValues::default()).unwrap();
    assert_eq!(values(&scored, 0), [3.0, 0.25, 0.1]);
}
