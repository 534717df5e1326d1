//! Features of tasks and the rows that sources have.

use std::collections::BTreeSet;

use loto_proto::table_spec::{Features, Repeats, TableSpec};

use super::encoding::Column;
use super::{Table, Task};

const TABLE: &str = "\
hp_lr,metric_error,seed,task,dataset_size,dataset_same,kept
0.1,0.5,0,one,10,3,1
0.2,1,0,one,10,3,0
0.1,0.25,1,one,10,3,1
0.4,2,0,one,10,3,true
0.1,7,0,two,30,3,0
0.2,3,0,two,30,3,1
0.3,4,0,two,30,3,yes
0.1,9,0,three,15,3,1
0.2,8,0,three,15,3,1
";

fn read(text: &str, features: Features, source_rows: Option<&str>) -> Result<Table, String> {
    let spec = TableSpec {
        objective: "metric_error".into(),
        repeats: Repeats::Mean,
        features,
        source_rows: source_rows.map(str::to_owned),
        ..TableSpec::default()
    };
    let table = Table::read(text.as_bytes(), &spec, "t.csv");
    table.map_err(|error| error.to_string())
}

fn columns(names: &[&str]) -> Features {
    Features::Columns(
        names
            .iter()
            .map(|&name| name.to_owned())
            .collect::<BTreeSet<_>>(),
    )
}

#[test]
fn features_are_scaled_over_the_tasks() {
    let features = |declared| {
        let table = read(TABLE, declared, None).unwrap();
        assert!(table.thinned.is_empty());
        let of_task = |task: &Task| task.features.clone();
        table.tasks.iter().map(of_task).collect::<Vec<_>>()
    };
    // 10, 30 and 15; a feature that is the same for all tasks is 0.
    let expected = [[0.0, 0.0], [1.0, 0.0], [0.25, 0.0]];
    assert_eq!(features(Features::All), expected);
    assert_eq!(features(columns(&["dataset_size"])), [[0.0], [1.0], [0.25]]);
    assert_eq!(features(columns(&[])), [[0.0; 0]; 3]);
    assert!(!read(TABLE, columns(&[]), None).unwrap().has_features());
}

#[test]
fn a_source_has_its_rows_and_a_target_all() {
    let table = read(TABLE, columns(&[]), Some("kept")).unwrap();
    let rows = |task: &Task| match &task.columns[0] {
        Column::Numeric(values) => values.clone(),
        Column::Categorical(_) => panic!("the column is numeric"),
    };
    // Two measurements of 0.1 on the first task are one row. The axis is that of all rows, 0.1 to 0.4.
    assert_eq!(table.tasks[0].objective, [0.375, 1.0, 2.0]);
    assert_eq!(table.source(0).objective, [0.375, 2.0]);
    assert_eq!(rows(table.source(0)), [0.0, 1.0]);
    assert_eq!(table.source(1).objective, [3.0, 4.0]);
    assert_eq!(table.source(2).objective, table.tasks[2].objective);
    assert_eq!(table.source(1).name, "two");
}

#[test]
fn mistakes_are_told_with_line_and_column() {
    let feature = |text: &str| read(text, Features::All, None).unwrap_err();
    let error = feature(&TABLE.replace("two,30,3,1", "two,31,3,1"));
    assert!(
        error.contains("line 7, column `dataset_size`: 31 after 30"),
        "{error}"
    );
    let error = feature(&TABLE.replace("three,15,3,1\n0.2", "three,x,3,1\n0.2"));
    assert!(
        error.contains("line 9, column `dataset_size`: `x`"),
        "{error}"
    );
    let error = feature(&TABLE.replace("dataset_", "d_"));
    assert!(error.contains("there is no dataset_* column"), "{error}");

    let rows = |text: &str| read(text, columns(&[]), Some("kept")).unwrap_err();
    let error = rows(&TABLE.replace("one,10,3,1\n0.4", "one,10,3,0\n0.4"));
    assert!(
        error.contains("line 4, column `kept`: another measurement"),
        "{error}"
    );
    let error = rows(&TABLE.replace("two,30,3,yes", "two,30,3,no"));
    assert!(error.contains("task `two` has 1 source row,"), "{error}");
    let error = rows(&TABLE.replace("3,yes", "3,2"));
    assert!(
        error.contains("line 8, column `kept`: `2` is neither"),
        "{error}"
    );
}
