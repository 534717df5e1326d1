//! The methods for categorical spaces, on small grids.

use super::*;

const METHODS: [&str; 3] = ["rea", "reinforce", "bohb"];

/// Two tasks on 3 x 4 x 2 x 1 levels, without the configurations `lacking` picks.
/// The error counts the hyperparameters that are not at level 1.
fn grid(lacking: fn(u32) -> bool) -> (TableSpec, String) {
    let mut text = String::from("hp_a,hp_b,hp_c,hp_d,metric_error,task\n");
    for task in ["one", "two"] {
        for place in (0..24).filter(|&place| !lacking(place)) {
            let [a, b, c] = levels(place);
            let error = [a, b, c].iter().filter(|&&level| level != 1).count();
            text.push_str(&format!("{a},{b},{c},only,{error},{task}\n"));
        }
    }
    let spec = TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::All,
        ..TableSpec::default()
    };
    (spec, text)
}

fn levels(place: u32) -> [u32; 3] {
    [place / 8, place / 2 % 4, place % 2]
}

fn trace(runner: &TraceRunner, method: &str, table: Fingerprint, seed: u32, rows: u32) -> Trace {
    let mut job = job(method, table, seed);
    job.series.iterations = rows;
    runner.run(&job).unwrap()
}

#[test]
fn each_method_goes_on_until_every_row_is_evaluated_once() {
    for (lacking, rows) in [
        ((|_| false) as fn(u32) -> bool, 24),
        (|place| place % 5 == 0, 19),
        (|place| place != 7, 1),
    ] {
        let (spec, text) = grid(lacking);
        let (runner, _, table) = runner_of(&spec, &text);
        for method in METHODS {
            for seed in 0..5 {
                let trace = trace(&runner, method, table, seed, rows);
                let distinct: BTreeSet<_> = trace.rows.into_iter().collect();
                assert!(distinct.into_iter().eq(0..rows), "{method}");
            }
        }
    }
}

#[test]
fn a_child_differs_in_one_hyperparameter_from_a_member_and_the_oldest_dies() {
    let (spec, text) = grid(|_| false);
    let (runner, _, table) = runner_of(&spec, &text);
    let differences = |a: u32, b: u32| {
        let pairs = levels(a).into_iter().zip(levels(b));
        pairs.filter(|(a, b)| a != b).count()
    };
    for seed in 0..20 {
        let mut job = job("rea", table, seed);
        let small = [("population", "3"), ("sample", "2")];
        job.series.method.parameters = small.map(|(k, v)| (k.into(), v.into())).into();
        job.series.iterations = 8;
        let rows = runner.run(&job).unwrap().rows;
        assert_eq!(rows[..3], trace(&runner, "rs", table, seed, 3).rows);
        for age in 3..8 {
            // The parent is one of the three latest, however good the others are.
            let related = |&member: &u32| differences(member, rows[age]) == 1;
            assert!(rows[age - 3..age].iter().any(related), "{rows:?}");
        }
    }
}

#[test]
fn methods_that_learn_beat_random_search() {
    let (spec, text) = grid(|_| false);
    let (runner, _, table) = runner_of(&spec, &text);
    // Mean number of evaluations until the one configuration without an error.
    let found = |method: &str| {
        let position = |seed| {
            let values = trace(&runner, method, table, seed, 24).values;
            values.iter().position(|&value| value == 0.0).unwrap() as f64
        };
        (0..200).map(position).sum::<f64>() / 200.0
    };
    let random = found("rs");
    for method in ["rea", "bohb"] {
        let learning = found(method);
        assert!(
            learning < random - 0.5,
            "{method}: {learning}, random search {random}"
        );
    }
}
