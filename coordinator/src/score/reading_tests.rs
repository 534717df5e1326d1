//! How liberally a file of traces is read, and how strictly it is checked against the tables.

use std::fs;

use loto_statistics::results::SeedTrace;
use tempfile::TempDir;

use super::*;
use crate::plan::SweepSource;

const SWEEP: &str = r#"
name = "test"
methods = ["rs", "gp"]
seeds = 2
iterations = 2

[[blackbox]]
name = "=A"
table = "table.csv"
objective = "metric_accuracy"
direction = "maximise"
categorical = ["hp_kind"]
"#;

const TABLE: &str = "\
hp_kind,hp_x,metric_accuracy,task
sgd,0.5,0.1,one
adam,0.50,0.25,one
adam,1,0.75,one
sgd,0.5,0.5,two
adam,2e0,0.7,two
sgd,-0,0.6,two
";

struct Case {
    folder: TempDir,
    plan: Plan,
}

impl Case {
    fn new() -> Self {
        Self::of(TABLE)
    }

    fn of(table: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("sweep.toml"), SWEEP).unwrap();
        fs::write(folder.path().join("table.csv"), table).unwrap();
        let source = SweepSource::File(folder.path().join("sweep.toml"));
        let plan = Plan::read(&source, None).unwrap();
        Self { folder, plan }
    }

    fn read(&self, text: &str) -> Result<ScoredTraces, String> {
        let path = self.folder.path().join("traces.csv");
        fs::write(&path, text).unwrap();
        read(&path, &self.plan, &ForeignValues::default()).map_err(|error| error.to_string())
    }

    fn accepted(&self, text: &str) -> ScoredTraces {
        self.read(text).unwrap()
    }

    fn refusal(&self, text: &str) -> String {
        let message = self.read(text).unwrap_err();
        assert!(message.contains("traces.csv: "), "{message}");
        message
    }
}

/// The traces on task `one` by the first optimizer.
fn traces(scored: &ScoredTraces) -> Vec<(u32, &SeedTrace)> {
    let traces = &scored.results.blackboxes[0].tasks[0].traces[0];
    traces.iter().map(|(seed, trace)| (*seed, trace)).collect()
}

#[test]
fn the_black_box_may_be_left_out_and_the_optimizer_called_a_method() {
    let scored =
        Case::new().accepted("task,method,seed,iteration,value\none,x,0,1,0.25\none,x,0,2,0.75\n");
    let [(0, trace)] = traces(&scored)[..] else {
        panic!("{scored:?}");
    };
    assert_eq!(trace.values, [-0.25, -0.75]);
    assert!(trace.rows.is_empty() && trace.seconds.is_empty());
    let message =
        Case::new().refusal("task,method,optimizer,seed,iteration,value\none,x,x,0,1,0.25\n");
    assert!(message.contains("leave one out"), "{message}");
    let message = Case::new().refusal("task,seed,iteration,value\n");
    assert!(
        message.contains("column optimizer is missing: needed are task, optimizer (or method)"),
        "{message}"
    );
}

#[test]
fn the_traces_of_a_report_come_back_as_they_were() {
    // The apostrophe is the report's: a spreadsheet would take the name for a formula.
    let text = "blackbox,task,method,seed,iteration,row,value,best,seconds\n\
                '=A,one,'=x,0,1,2,0.75,0.75,0.5\n'=A,one,'=x,0,2,0,0.1,0.75,0.25\n";
    let scored = Case::new().accepted(text);
    assert!(scored.notes.is_empty(), "{:?}", scored.notes);
    let blackbox = &scored.results.blackboxes[0];
    assert_eq!(
        (blackbox.name.as_str(), blackbox.methods.as_slice()),
        ("=A", ["=x".to_owned()].as_slice())
    );
    let [(0, trace)] = traces(&scored)[..] else {
        panic!("{scored:?}");
    };
    assert_eq!(trace.rows, [2, 0]);
    assert_eq!(trace.values, [-0.75, -0.1]);
    assert_eq!(trace.seconds, [0.5, 0.25]);
}

#[test]
fn seeds_have_any_numbers_and_longer_traces_are_cut_with_a_word() {
    let mut text = String::from("task,method,seed,iteration,value\n");
    for seed in [4_294_967_295_u32, 17, 1] {
        text += &format!("one,x,{seed},0,0.25\none,x,{seed},1,0.75\none,x,{seed},2,99\n");
    }
    text += "two,x,17,0,0.5\ntwo,x,17,1,0.7\n";
    let scored = Case::new().accepted(&text);
    assert_eq!(scored.results.seeds, 3);
    let seeds: Vec<u32> = traces(&scored).iter().map(|(seed, _)| *seed).collect();
    assert_eq!(seeds, [0, 1, 2]);
    let of_two = &scored.results.blackboxes[0].tasks[1].traces[0];
    assert_eq!(of_two.keys().collect::<Vec<_>>(), [&1]);
    assert_eq!(
        scored.notes,
        [
            "Longer traces than planned were cut after 2 iterations: 3 traces of x on =A.",
            "The 3 seeds from 1 to 4294967295 are counted from 0, in ascending order.",
        ]
    );
    // Planned seeds keep their numbers.
    let scored =
        Case::new().accepted("task,method,seed,iteration,value\none,x,1,0,0.25\none,x,1,1,0.1\n");
    assert_eq!(traces(&scored)[0].0, 1);
    assert_eq!(scored.results.seeds, 2);
}

#[test]
fn configurations_are_looked_up_by_number_and_text() {
    let text = "task,method,seed,iteration,value,hp_x,hp_kind\n\
                one,x,0,0,0.25,5e-1,adam\none,x,0,1,0.10,.5,sgd\n\
                two,x,0,0,0.6,0,sgd\ntwo,x,0,1,0.7,2,adam\n";
    let scored = Case::new().accepted(text);
    assert_eq!(traces(&scored)[0].1.rows, [1, 0]);
    let of_two = &scored.results.blackboxes[0].tasks[1].traces[0];
    assert_eq!(of_two[&0].rows, [2, 1]);
}

#[test]
fn levels_that_are_one_number_are_two_configurations() {
    let table = "hp_kind,hp_x,metric_accuracy,task\n\
                 8,1,0.1,one\n8.0,1,0.2,one\n16,1,0.3,one\n8,1,0.4,two\n16,1,0.5,two\n";
    let case = Case::of(table);
    let header = "task,method,seed,iteration,value,hp_kind,hp_x\n";
    let lines = "one,x,0,0,0.2,8.0,1\none,x,0,1,0.3,16.0,1\n";
    let scored = case.accepted(&format!("{header}{lines}"));
    assert_eq!(traces(&scored)[0].1.rows, [1, 2]);
}

#[test]
fn what_is_not_in_the_table_is_refused_with_line_and_field() {
    let case = Case::new();
    let plain = "task,method,seed,iteration,value,row,seconds\n";
    let cases = [
        (
            "one,x,0,0,0.25,1,0\none,x,0,1,0.1,3,0\n",
            "line 3: row is 3, but task `one` has 3 rows",
        ),
        (
            "one,x,0,0,0.25,2,0\none,x,0,1,0.1,0,0\n",
            "line 2: value is 0.25, but row 2 of task `one` has 0.75 in the table",
        ),
        (
            "one,x,0,0,0.25,-1,0\none,x,0,1,0.1,0,0\n",
            "line 2: row is `-1`",
        ),
        (
            "one,x,0,0,0.25,1,0\none,x,0,1,0.1,,0\n",
            "one, x, seed 0: line 3: row is empty",
        ),
        (
            "one,x,0,0,0.25,1,\none,x,0,1,0.1,0,1\n",
            "one, x, seed 0: line 2: seconds is empty",
        ),
        (
            "one,x,0,0,0.25,1,-1\none,x,0,1,0.1,0,1\n",
            "line 2: seconds is `-1`",
        ),
        (
            "one,x,0,0,0.25,1,inf\none,x,0,1,0.1,0,1\n",
            "line 2: seconds is `inf`",
        ),
        (
            "one,x,-1,0,0.25,1,0\none,x,0,1,0.1,0,1\n",
            "line 2: seed is `-1`",
        ),
    ];
    for (lines, told) in cases {
        let message = case.refusal(&format!("{plain}{lines}"));
        assert!(message.contains(told), "{told}: {message}");
    }
    let configured = "task,method,seed,iteration,value,row,hp_x,hp_kind\n";
    let cases = [
        (
            "one,x,0,0,0.25,,0.5,rmsprop\n",
            "line 2: task `one` has no configuration with hp_kind = rmsprop, hp_x = 0.5",
        ),
        (
            "one,x,0,0,0.25,2,0.5,adam\n",
            "line 2: row is 2, but the configuration is that of row 1",
        ),
        (
            "one,x,0,0,0.75,,0.5,adam\n",
            "line 2: value is 0.75, but row 1 of task `one` has 0.25",
        ),
    ];
    for (lines, told) in cases {
        let message = case.refusal(&format!("{configured}{lines}"));
        assert!(message.contains(told), "{told}: {message}");
    }
    let message = case.refusal("task,method,seed,iteration,value,hp_x\none,x,0,0,0.25,0.5\n");
    assert!(
        message.contains("column hp_kind is missing: the table of black box `=A` has it"),
        "{message}"
    );
    let message = case.refusal("{\"task\": \"one\", \"value\": 1}\n");
    assert!(message.contains("it is JSON"), "{message}");
}

#[test]
fn recorded_traces_stand_beside_those_of_the_sweep() {
    let case = Case::new();
    let text = "task,method,seed,iteration,value\n\
                one,rs,0,0,0.25\none,rs,0,1,0.75\none,new,5,0,0.1\none,new,5,1,0.75\n";
    let own = case.accepted("task,method,seed,iteration,value\none,rs,0,0,0.1\none,rs,0,1,0.25\n");
    let mut results = own.results;
    for (file, expected) in [
        ("a.csv", vec!["new", "rs", "rs (a.csv)"]),
        (
            "a.csv",
            vec!["new", "new (a.csv)", "rs", "rs (a.csv)", "rs (a.csv, 2)"],
        ),
    ] {
        let notes = join(&mut results, case.accepted(text), file);
        let blackbox = &results.blackboxes[0];
        let mut methods = blackbox.methods.clone();
        methods.sort();
        assert_eq!(methods, expected);
        assert!(
            notes[0].ends_with("were recorded elsewhere (a.csv) and checked against the tables."),
            "{notes:?}"
        );
        assert!(
            notes[1].starts_with("a.csv: The 2 seeds from 0 to 5"),
            "{notes:?}"
        );
        for task in &blackbox.tasks {
            assert_eq!(task.traces.len(), methods.len());
        }
    }
    let blackbox = &results.blackboxes[0];
    // The sweep's own traces stay where they are.
    assert_eq!(blackbox.methods[0], "rs");
    assert_eq!(blackbox.tasks[0].traces[0][&0].values, [-0.1, -0.25]);
    assert_eq!(blackbox.tasks[0].traces[1][&0].values, [-0.25, -0.75]);
}

#[test]
fn more_seeds_than_planned_are_told() {
    let case = Case::new();
    let mut text = String::from("task,method,seed,iteration,value\n");
    for seed in 0..3 {
        text += &format!("one,x,{seed},0,0.25\none,x,{seed},1,0.75\n");
    }
    let mut results = case
        .accepted("task,method,seed,iteration,value\none,rs,0,0,0.1\none,rs,0,1,0.25\n")
        .results;
    let notes = join(&mut results, case.accepted(&text), "x.csv");
    assert_eq!(results.seeds, 3);
    assert!(
        notes[1].starts_with("x.csv has 3 seeds, and the sweep plans 2"),
        "{notes:?}"
    );
}
