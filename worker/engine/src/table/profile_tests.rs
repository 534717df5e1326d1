use loto_proto::scale::Scale;
use loto_proto::table_spec::{Categorical, TableSpec};

use super::Table;
use super::profile::{ColumnProfile, LogEvidence, Values};

fn profile_of(values: &[f64], scale: Option<Scale>) -> ColumnProfile {
    let lines = (0..).zip(values);
    let lines = lines.map(|(row, value)| format!("{value},{row},0,one\n"));
    let text: String = std::iter::once("hp_x,hp_row,metric_error,task\n".to_owned())
        .chain(lines)
        .collect();
    let spec = TableSpec {
        objective: "metric_error".into(),
        scales: scale
            .map(|scale| ("hp_x".to_owned(), scale))
            .into_iter()
            .collect(),
        ..TableSpec::default()
    };
    let read = Table::read_with_profiles(text.as_bytes(), &spec, "table");
    read.unwrap().1.remove(0)
}

fn evidence(values: &[f64]) -> Option<LogEvidence> {
    profile_of(values, None).log
}

#[test]
fn geometric_grids_are_found_whatever_the_rounding() {
    for grid in [
        &[16.0, 32.0, 64.0, 128.0][..],
        &[128.0, 16.0, 64.0, 16.0, 32.0],
        &[10.0, 32.0, 100.0, 316.0, 1000.0],
        &[1e-6, 1e-5, 1e-4, 1e-3],
    ] {
        let found = evidence(grid);
        assert!(
            matches!(found, Some(LogEvidence::Grid { .. })),
            "{grid:?}: {found:?}"
        );
    }
    let Some(LogEvidence::Grid { factor }) = evidence(&[8.0, 2.0, 4.0, 16.0]) else {
        panic!("no grid");
    };
    assert!((factor - 2.0).abs() < 1e-12);
}

#[test]
fn values_that_are_even_in_the_logarithm_are_found() {
    // 0.0001 to 0.1, and the factors 2 and 5 by turns.
    let spread: Vec<f64> = (0..100)
        .map(|k| 10_f64.powf(-4.0 + 0.03 * f64::from(k)))
        .collect();
    let mut jittered = spread.clone();
    jittered[50] *= 1.03;
    for values in [&jittered[..], &[5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1]] {
        let found = evidence(values);
        assert!(
            matches!(found, Some(LogEvidence::LowEnd { .. })),
            "{found:?}"
        );
    }
}

#[test]
fn other_columns_are_left_alone() {
    let even: Vec<f64> = (0..1000).map(|k| 1e-6 + f64::from(k) / 1000.0).collect();
    for (values, why) in [
        (
            &even[..],
            "six decades, but evenly spread: a learning rate of a boosted tree",
        ),
        (&[1.0, 2.0, 4.0], "three values"),
        (
            &[100.0, 101.0, 102.0, 103.0],
            "steps that are hardly uneven",
        ),
        (&[0.0, 1.0, 10.0, 100.0, 1000.0], "zero has no logarithm"),
        (&[-1.0, 1.0, 10.0, 100.0], "nor have negative numbers"),
        (&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "depths"),
        (&[5.0], "a constant"),
    ] {
        assert_eq!(evidence(values), None, "{why}");
    }
    assert_eq!(
        profile_of(&[1.0, 10.0, 100.0, 1000.0], Some(Scale::Log)).log,
        None
    );
}

#[test]
fn kinds_ranges_and_counts_are_those_of_the_file() {
    let column = profile_of(&[4.0, 0.5, 4.0, 2.0], Some(Scale::Log));
    assert_eq!(column.name, "hp_x");
    assert_eq!(column.scale, Scale::Log);
    let expected = Values::Numbers {
        minimum: 0.5,
        maximum: 4.0,
        count: 3,
        whole: false,
    };
    assert_eq!(column.values, expected);
    let spec = TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::All,
        ..TableSpec::default()
    };
    let text = "hp_kind,metric_error,task\nsgd,0,one\nadam,1,one\n";
    let (_, columns) = Table::read_with_profiles(text.as_bytes(), &spec, "table").unwrap();
    assert_eq!(
        columns[0].values,
        Values::Levels(vec!["adam".into(), "sgd".into()])
    );
    assert_eq!(columns[0].values.count(), 2);
    let names = Table::hyperparameter_names(text.as_bytes(), "table").unwrap();
    assert_eq!(names, ["hp_kind"]);
}
