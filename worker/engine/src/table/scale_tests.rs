use std::collections::BTreeMap;

use loto_proto::scale::Scale;
use loto_proto::table_spec::{Direction, TableSpec};

use super::Table;

const TABLE: &str = "\
hp_lr,hp_depth,hp_size,hp_flag,metric_accuracy,task
0.001,2,small,True,0.5,one
0.1,3,large,false,0.25,one
0.01,12,medium,FALSE,0,one
1,12,small,1,0.75,two
";

fn levels(levels: &[&str]) -> Scale {
    Scale::Levels(levels.iter().map(|level| (*level).to_owned()).collect())
}

fn spec(changes: &[(&str, Scale)]) -> TableSpec {
    let mut scales = BTreeMap::from([
        ("hp_lr".to_owned(), Scale::Log),
        ("hp_depth".to_owned(), Scale::Ordinal),
        ("hp_size".to_owned(), levels(&["small", "medium", "large"])),
        ("hp_flag".to_owned(), Scale::Boolean),
    ]);
    for (column, scale) in changes {
        scales.insert((*column).to_owned(), scale.clone());
    }
    TableSpec {
        objective: "metric_accuracy".into(),
        scales,
        ..TableSpec::default()
    }
}

fn points(spec: &TableSpec, text: &str) -> Vec<Vec<f64>> {
    let table = Table::read(text.as_bytes(), spec, "net.csv").unwrap();
    let mut points = Vec::new();
    for task in &table.tasks {
        for row in 0..task.rows() {
            let mut point = vec![0.0; table.space.width()];
            table.space.encode(&task.columns, row, &mut point);
            points.push(point);
        }
    }
    points
}

fn problem(spec: &TableSpec, text: &str) -> String {
    let error = Table::read(text.as_bytes(), spec, "net.csv").unwrap_err();
    error.to_string()
}

#[test]
fn each_scale_places_its_values() {
    let points = points(&spec(&[]), TABLE);
    // Three decades by logarithm, three depths one step apart, the sizes in their order.
    let expected = [
        [0.0, 0.0, 0.0, 1.0],
        [2.0 / 3.0, 0.5, 1.0, 0.0],
        [1.0 / 3.0, 1.0, 0.5, 0.0],
        [1.0, 1.0, 0.0, 1.0],
    ];
    for (point, expected) in points.iter().zip(expected) {
        for (found, expected) in point.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{points:?}");
        }
    }
}

#[test]
fn listed_levels_may_be_numbers_in_any_spelling_and_need_not_all_occur() {
    let numbers = spec(&[("hp_depth", levels(&["12", "3", "2", "1"]))]);
    let depths = |text: &str| -> Vec<f64> {
        let points = points(&numbers, text);
        points.iter().map(|point| point[1]).collect()
    };
    assert_eq!(depths(TABLE), [2.0 / 3.0, 1.0 / 3.0, 0.0, 0.0]);
    assert_eq!(depths(&TABLE.replace(",12,", ",12.0,")), depths(TABLE));
}

#[test]
fn a_column_with_one_value_is_at_zero_on_every_scale() {
    let text = "hp_lr,hp_depth,hp_size,hp_flag,metric_accuracy,task\n\
                3,3,small,1,0.5,one\n3,3,small,1,0.5,two\n";
    assert_eq!(points(&spec(&[]), text), [[0.0; 4], [0.0; 4]]);
}

#[test]
fn maximised_values_are_turned() {
    let maximised = TableSpec {
        direction: Direction::Maximise,
        ..spec(&[])
    };
    let table = Table::read(TABLE.as_bytes(), &maximised, "net.csv").unwrap();
    let one = &table.task("one").unwrap().objective;
    assert_eq!(*one, [-0.5, -0.25, 0.0]);
    assert!(one[2].is_sign_positive(), "no negative zero");
}

#[test]
fn what_a_scale_does_not_take_is_named_with_line_column_and_cure() {
    let mut unknown = spec(&[]);
    unknown.scales.insert("hp_sizes".into(), Scale::Log);
    let cases = [
        (
            spec(&[]),
            ("0.1,3", "0,3"),
            "line 3, column `hp_lr`: 0 has no logarithm",
        ),
        (
            spec(&[]),
            ("0.1,3", "-2,3"),
            "line 3, column `hp_lr`: -2 has no logarithm",
        ),
        (
            spec(&[]),
            ("large", "lage"),
            "line 3, column `hp_size`: `lage` is none of the levels",
        ),
        (spec(&[]), ("large", "lage"), "did you mean `large`?"),
        (
            spec(&[]),
            ("large,false", "large,off"),
            "`off` is neither true nor false",
        ),
        (unknown, ("large", "large"), "did you mean `hp_size`?"),
    ];
    for (spec, (find, replace), expected) in cases {
        let message = problem(&spec, &TABLE.replacen(find, replace, 1));
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("net.csv"), "{message}");
    }
}

#[test]
fn an_order_of_very_many_values_is_refused() {
    let mut text = String::from("hp_lr,hp_depth,hp_size,hp_flag,metric_accuracy,task\n");
    for row in 1..=1001 {
        text.push_str(&format!("{row},{row},small,1,0.5,one\n"));
    }
    let message = problem(&spec(&[]), &text);
    assert!(message.contains("`hp_depth` is ordinal"), "{message}");
    points(&spec(&[("hp_depth", Scale::Linear)]), &text);
}
