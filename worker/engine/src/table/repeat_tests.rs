//! Repeated measurements of a configuration, and rows of configurations that are given as a table writes them.

use loto_proto::table_spec::{Categorical, Direction, Repeats, TableSpec};

use super::Table;
use super::row_lookup::RowLookup;

const TABLE: &str = "\
hp_lr,hp_kind,metric_error,seed,task
0.1,a,0.5,0,one
0.2,b,1,0,one
0.1,a,0.25,1,one
0.10,a,0.75,x,one
0.2,b,2,1,one
0.1,a,7,0,two
";

fn declared(repeats: Repeats) -> TableSpec {
    TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::Columns(["hp_kind".to_owned()].into()),
        repeats,
        ..TableSpec::default()
    }
}

#[test]
fn the_mean_of_repeated_measurements_counts() {
    let table = Table::read(TABLE.as_bytes(), &declared(Repeats::Mean), "t").unwrap();
    // 0.5, 0.25 and 0.75; 1 and 2.
    assert_eq!(table.task("one").unwrap().objective, [0.5, 1.5]);
    assert_eq!(table.task("two").unwrap().objective, [7.0]);
    let columns = &table.task("one").unwrap().columns;
    assert_eq!(columns.len(), 2);
    let mut point = vec![0.0; table.space.width()];
    table.space.encode(columns, 1, &mut point);
    assert_eq!(point, [1.0, 0.0, 1.0]);
    let maximised = TableSpec {
        direction: Direction::Maximise,
        ..declared(Repeats::Mean)
    };
    let turned = Table::read(TABLE.as_bytes(), &maximised, "t").unwrap();
    assert_eq!(turned.task("one").unwrap().objective, [-0.5, -1.5]);
}

#[test]
fn repeats_are_refused_unless_they_are_declared_and_told_apart() {
    let problem = |text: &str, repeats| {
        let error = Table::read(text.as_bytes(), &declared(repeats), "t.csv").unwrap_err();
        error.to_string()
    };
    let error = problem(TABLE, Repeats::Refused);
    assert!(
        error.contains("line 4") && error.contains("repeats = \"mean\""),
        "{error}"
    );
    let error = problem(&TABLE.replace("0.75,x", "0.75,1"), Repeats::Mean);
    assert!(
        error.contains("line 5") && error.contains("with seed 1"),
        "{error}"
    );
    let error = problem(&TABLE.replace("seed", "run"), Repeats::Mean);
    assert!(
        error.contains("line 1") && error.contains("column `seed` is missing"),
        "{error}"
    );
}

#[test]
fn a_level_is_found_by_its_number_unless_two_levels_are_the_same() {
    let table = "hp_size,metric_error,task\n8,1,one\n16.0,2,one\n8.0,3,one\nx,4,one\n";
    let mut spec = declared(Repeats::Refused);
    spec.categorical = Categorical::All;
    let lookup = RowLookup::read(table.as_bytes(), &spec, "t").unwrap();
    let row = |size: &str| lookup.row("one", [size.as_bytes()]).ok();
    let found = ["8", "8.0", " 8", "16", "1.6e1", "16.0", "x"].map(row);
    assert_eq!(
        found,
        [
            Some(0),
            Some(2),
            Some(0),
            Some(1),
            Some(1),
            Some(1),
            Some(3)
        ]
    );
    assert_eq!(["8.00", "17", "y", ""].map(row), [None; 4]);
}

#[test]
fn the_row_of_a_configuration_is_found_however_it_is_written() {
    let lookup = RowLookup::read(TABLE.as_bytes(), &declared(Repeats::Mean), "t").unwrap();
    assert_eq!(lookup.columns().collect::<Vec<_>>(), ["hp_lr", "hp_kind"]);
    let row = |task: &str, fields: [&str; 2]| {
        let found = lookup.row(task, fields.iter().map(|field| field.as_bytes()));
        found.map_err(|error| error.to_string())
    };
    assert_eq!(row("one", ["0.1", "a"]), Ok(0));
    assert_eq!(row("one", ["2e-1", "b"]), Ok(1));
    assert_eq!(row("two", ["0.10", "a"]), Ok(0));
    assert_eq!(
        (lookup.count("one").unwrap(), lookup.count("two").unwrap()),
        (2, 1)
    );
    for (task, fields, expected) in [
        ("tow", ["0.1", "a"], "known are one, two"),
        ("one", ["high", "a"], "column `hp_lr`"),
        ("one", ["0.1", "c"], "`c` is none of its levels"),
        ("one", ["0.1", "b"], "no row with this configuration"),
        ("two", ["0.2", "b"], "task `two` has no row"),
    ] {
        let error = row(task, fields).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}
