use std::fs;

use crate::plan::{Plan, SweepSource};

const TABLE: &str = "\
hp_lr,hp_kind,metric_error,task
0.1,a,0.5,one
0.2,b,0.4,one
0.3,a,0.3,one
0.1,a,0.9,two
0.3,b,0.8,two
0.2,a,0.7,two
";

/// Each task with two seeds, by row.
const BY_ROW: &str = "\
task,seed,row,note
one,0,2,x
one,0,0,x
one,1,1,x
two,0,1,x
two,1,2,x
";

fn plan(initial: Option<&str>, seeds: u32) -> Result<Plan, String> {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("table.csv", TABLE);
    let line = initial.map_or("", |text| {
        write("first.csv", text);
        "initial = \"first.csv\""
    });
    let text = format!(
        "name = \"test\"\nmethods = [\"rs\"]\nseeds = {seeds}\niterations = 3\n\
         [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\nobjective = \"metric_error\"\n\
         categorical = [\"hp_kind\"]\n{line}\n"
    );
    let path = folder.path().join("sweep.toml");
    fs::write(&path, text).unwrap();
    Plan::read(&SweepSource::File(path), None).map_err(|error| error.to_string())
}

#[test]
fn rows_and_configurations_are_two_ways_to_say_the_same() {
    let by_row = plan(Some(BY_ROW), 2).unwrap();
    let table = &by_row.tables[0].table;
    assert_eq!(table.initial.rows("one", 0), [2, 0]);
    assert_eq!(table.initial.rows("two", 1), [2]);
    let by_configuration = "\
hp_kind,seed,task,hp_lr
a,0,one,0.30
a,0,one,1e-1
b,1,one,0.2
b,0,two,0.3
a,1,two,0.2
";
    let by_configuration = plan(Some(by_configuration), 2).unwrap();
    assert_eq!(by_configuration.sweep.id(), by_row.sweep.id());
    // They are part of the identity, their order included, and absent ones are not.
    let turned = BY_ROW.replace("one,0,2,x\none,0,0,x", "one,0,0,x\none,0,2,x");
    let without = plan(None, 2).unwrap();
    let ids = [&plan(Some(&turned), 2).unwrap(), &without].map(|plan| plan.sweep.id());
    assert!(ids.iter().all(|id| *id != by_row.sweep.id()));
    // The same file with fewer seeds gives the same jobs.
    let fewer = plan(Some(BY_ROW), 1).unwrap();
    assert_eq!(
        fewer.sweep.blackboxes[0].table,
        by_row.sweep.blackboxes[0].table
    );
}

#[test]
fn what_is_wrong_is_told_with_file_and_line() {
    let cases = [
        (
            BY_ROW.replace("one,0,0", "one,0,2"),
            "first.csv, line 3: this row is there already for task `one` and seed 0",
        ),
        (
            BY_ROW.replace("one,0,0", "one,0,3"),
            "first.csv, line 3, column `row`: `3` is not a number from 0 to 2",
        ),
        (
            BY_ROW.replace("one,0,0", "one,-1,0"),
            "line 3, column `seed`: `-1`",
        ),
        (
            BY_ROW.replace("two,0", "tow,0"),
            "line 5: column `task`: task `tow` is not in the table; known are one, two",
        ),
        (
            BY_ROW.replace("task,", "tsk,"),
            "line 1: the column `task` is missing",
        ),
        (
            BY_ROW.replace(",row", ",line"),
            "line 1: the column `row` is missing",
        ),
        (BY_ROW.replace("note", "hp_lr"), "line 1: there are both"),
        (
            "task,seed,hp_lr\none,0,0.1\n".into(),
            "the column `hp_kind` is missing",
        ),
        (
            "task,seed,hp_lr,hp_kind\none,0,0.1,b\n".into(),
            "line 2: task `one` has no row with this configuration",
        ),
        ("task,seed,row\n".into(), "first.csv has no rows"),
        (
            "task,seed,row,row\none,0,0,1\n".into(),
            "first.csv, line 1: the column `row` is there twice",
        ),
        (
            BY_ROW.replace("two,0,1,x", "two,0,1"),
            "line 5: it has 3 fields",
        ),
        (
            BY_ROW.replace("two,1,2,x\n", ""),
            "no first evaluations of target `two` with seed 1",
        ),
        (
            format!("{BY_ROW}one,0,1,x\n"),
            "there are 3 first evaluations of target `one` with seed 0, and iterations is 3",
        ),
    ];
    for (text, expected) in cases {
        let error = plan(Some(&text), 2).unwrap_err();
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(
            error.contains("sweep.toml, line 10: black box `B`: initial: "),
            "{error}"
        );
    }
    let sound = plan(Some(BY_ROW), 2).unwrap();
    assert_eq!(sound.warnings, []);
}
