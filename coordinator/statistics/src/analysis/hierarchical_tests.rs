use std::collections::BTreeMap;

use super::*;
use crate::error::StatisticsError;
use crate::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

/// `rs`, and `good`, which is better by .3 of the range after the first of two evaluations and as good after the second.
fn results(tasks: u32, seeds: u32) -> SweepResults {
    let objective: Vec<f64> = (0..=1000).map(|row| f64::from(row) / 10.0).collect();
    let trace = |first: f64, last: f64| SeedTrace {
        values: vec![first, last],
        ..SeedTrace::default()
    };
    let task = |task: u32| {
        let of = |better_by: f64| -> BTreeMap<u32, SeedTrace> {
            let seed = |seed: u32| {
                let base = 60.0 + f64::from(task % 5) + 0.1 * f64::from(seed);
                (seed, trace(base - better_by, 10.0 + 0.1 * f64::from(seed)))
            };
            (0..seeds).map(seed).collect()
        };
        TaskResults {
            name: format!("task {task}"),
            objective: objective.clone().into(),
            hypervolume: None,
            mean_cost: None,
            traces: vec![of(0.0), of(30.0)],
        }
    };
    SweepResults {
        name: "test".into(),
        seeds,
        blackboxes: vec![BlackboxResults {
            name: "A".into(),
            direction: Default::default(),
            arrivals: None,
            unmarked: Default::default(),
            iterations: 2,
            methods: vec!["rs".into(), "good".into()],
            tasks: (0..tasks).map(task).collect(),
        }],
    }
}

fn options(rope: f64, unit: RopeUnit) -> AnalysisOptions {
    AnalysisOptions {
        against: Some("good".into()),
        rope: Some(Rope { width: rope, unit }),
        hierarchical: true,
        ..AnalysisOptions::default()
    }
}

fn compared(results: &SweepResults, options: &AnalysisOptions) -> Option<HierarchicalComparison> {
    analyse(results, options)
        .unwrap()
        .blackboxes
        .remove(0)
        .hierarchical
}

#[test]
fn methods_are_compared_with_one_at_each_iteration() {
    let found = compared(&results(20, 3), &options(0.01, RopeUnit::Distance)).unwrap();
    assert_eq!((found.against.as_str(), found.rope), ("good", 0.01));
    let [method] = found.methods.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(
        (method.method.as_str(), method.tasks, method.pairs),
        ("rs", 20, 60)
    );
    let [first, last] = method.at.as_slice() else {
        panic!("{method:?}");
    };
    assert_eq!((first.iteration, last.iteration), (1, 2));
    assert!(first.against_better > 0.99, "{first:?}");
    assert!(last.equivalent > 0.99, "{last:?}");
}

#[test]
fn a_rope_of_values_is_in_the_units_of_the_table() {
    // A distance of .3 is 30 in values.
    let wide = compared(&results(20, 3), &options(40.0, RopeUnit::Value)).unwrap();
    assert!(wide.methods[0].at[0].equivalent > 0.99);
    let narrow = compared(&results(20, 3), &options(20.0, RopeUnit::Value)).unwrap();
    assert!(narrow.methods[0].at[0].against_better > 0.99);
}

#[test]
fn only_seeds_that_both_have_are_paired() {
    let mut partial = results(3, 3);
    partial.blackboxes[0].tasks[0].traces[0].remove(&0);
    let found = compared(&partial, &options(0.01, RopeUnit::Distance)).unwrap();
    assert_eq!((found.methods[0].tasks, found.methods[0].pairs), (3, 8));
    for too_few in [results(1, 3), results(5, 1)] {
        assert_eq!(compared(&too_few, &options(0.01, RopeUnit::Distance)), None);
    }
}

#[test]
fn a_rope_must_be_within_bounds_and_there_for_the_hierarchical_test() {
    let without = AnalysisOptions {
        rope: None,
        ..options(0.01, RopeUnit::Distance)
    };
    let widths = [0.0, -0.1, 1e-101, 1e101, 1e300, f64::NAN, f64::INFINITY];
    let wrong = widths.map(|width| options(width, RopeUnit::Distance));
    for options in wrong.iter().chain([&without]) {
        let error = analyse(&results(2, 2), options).unwrap_err();
        let of_rope = matches!(
            error,
            StatisticsError::InvalidAnalysisOption { option: "rope", .. }
        );
        assert!(of_rope, "{error}");
    }
}
