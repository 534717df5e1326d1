use std::collections::BTreeMap;
use std::sync::Arc;

use super::*;
use crate::hypervolume::TaskHypervolume;
use crate::random_search::Baseline;
use crate::results::{BlackboxResults, Measure, SeedTrace, SweepResults, TaskResults};

const ROWS: [[f64; 2]; 4] = [[1.0, 30.0], [2.0, 15.0], [3.0, 20.0], [5.0, 10.0]];

/// Methods that evaluate these rows with both seeds, on two tasks.
fn results(methods: &[(&str, &[usize])]) -> SweepResults {
    let trace = |rows: &[usize]| SeedTrace {
        rows: rows.iter().map(|&row| row as u32).collect(),
        values: rows.iter().map(|&row| ROWS[row][0]).collect(),
        further_values: rows.iter().map(|&row| ROWS[row][1]).collect(),
        ..SeedTrace::default()
    };
    let traces = methods.iter().map(|(_, rows)| {
        let seeds = [(0, trace(rows)), (1, trace(rows))];
        BTreeMap::from(seeds)
    });
    let traces: Vec<_> = traces.collect();
    let task = |name: &str| TaskResults {
        name: name.into(),
        objective: [1.0, 2.0, 3.0, 5.0].into(),
        hypervolume: Some(Arc::new(TaskHypervolume::new(ROWS.to_vec()))),
        mean_cost: None,
        traces: traces.clone(),
    };
    SweepResults {
        name: "test".into(),
        seeds: 2,
        blackboxes: vec![BlackboxResults {
            name: "A".into(),
            direction: Default::default(),
            iterations: 2,
            methods: methods.iter().map(|(name, _)| (*name).to_owned()).collect(),
            tasks: vec![task("one"), task("two")],
            arrivals: None,
            unmarked: Default::default(),
        }],
    }
}

#[test]
fn hypervolume_errors_take_the_place_of_distances() {
    let results = results(&[("rs", &[2, 0]), ("good", &[1, 0])]);
    let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
    let blackbox = &analysis.blackboxes[0];
    assert_eq!(blackbox.measure, Measure::HypervolumeError);
    let task = &blackbox.tasks[0];
    let front = task.front.as_ref().unwrap();
    assert_eq!(front.points, [ROWS[0], ROWS[1], ROWS[3]]);
    assert_eq!(
        (front.reference, front.hypervolume),
        ([5.0, 30.0], Some(0.5625))
    );
    let curve = |method: usize| task.methods[method].dtm.as_ref().unwrap().mean.clone();
    assert_eq!(curve(0), [0.3125, 0.3125]);
    assert_eq!(curve(1), [0.0, 0.0]);
    let good = &task.methods[1];
    assert_eq!((good.final_best, &good.relative_improvement), (None, &None));
    assert_eq!(good.improvement, Some(1.0));
    assert_eq!(good.by_iteration["unsolved_fraction"], Some(vec![0.0, 0.0]));
    let averages = blackbox.methods[1].averages.as_ref().unwrap();
    assert_eq!((averages.final_adtm, averages.average_rank), (0.0, 1.0));
    // The first draw is each of the rows with the same probability.
    let baseline = task.baseline.as_ref().unwrap();
    let dtm = baseline.dtm.as_ref().unwrap();
    let alone = [0.5625, 0.0, 0.3125, 0.5625];
    assert!((dtm[0] - alone.iter().sum::<f64>() / 4.0).abs() < 1e-15);
    assert!(baseline.best.is_empty());
    let json = serde_json::to_string(&analysis).unwrap();
    assert!(json.contains("\"measure\":\"hypervolume_error\""));
}

#[test]
fn random_search_of_the_sweep_may_be_the_baseline_of_errors() {
    let results = results(&[("rs", &[2, 0]), ("good", &[3, 1])]);
    let options = AnalysisOptions {
        baseline: Baseline::Sampled,
        ..AnalysisOptions::default()
    };
    let analysis = analyse(&results, &options).unwrap();
    let good = &analysis.blackboxes[0].tasks[0].methods[1];
    assert_eq!(good.improvement, Some((1.0 - 0.5625 / 0.3125 + 1.0) / 2.0));
}

#[test]
fn the_oracle_of_the_best_row_leaves_black_boxes_with_several_objectives_alone() {
    let mut results = results(&[("rs", &[2, 0])]);
    assert!(results.add_best());
    assert_eq!(results.blackboxes[0].methods, ["rs"]);
}
