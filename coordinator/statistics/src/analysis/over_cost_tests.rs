use super::tests::{complete, sampled};
use super::*;
use crate::results::SweepResults;

/// Methods `rs`, `good` and `bad` on two tasks with two seeds each; the rows of `good` cost twice as much.
fn with_costs() -> SweepResults {
    let mut results = complete();
    for task in &mut results.blackboxes[0].tasks {
        task.mean_cost = Some(0.5);
        for (traces, cost) in task.traces.iter_mut().zip([1.0, 2.0, 1.0]) {
            for trace in traces.values_mut() {
                trace.costs = vec![cost; trace.values.len()];
            }
        }
    }
    results
}

#[test]
fn without_costs_there_is_nothing_over_cost() {
    let analysis = analyse(&complete(), &sampled()).unwrap();
    let json = serde_json::to_string(&analysis).unwrap();
    assert!(!json.contains("over_cost") && !json.contains("measure"));
}

#[test]
fn methods_are_compared_where_all_have_values_and_none_has_ended() {
    // A trace of `rs` ends at 2, which is when `good` has its first value.
    let analysis = analyse(&with_costs(), &sampled()).unwrap();
    let task = analysis.blackboxes[0].tasks[0].over_cost.as_ref().unwrap();
    assert!(task.costs.is_empty() && task.methods[0].dtm.is_empty());
    assert_eq!(task.methods[1].total_cost, Some(4.0));
    let over_cost = analysis.blackboxes[0].over_cost.as_ref().unwrap();
    assert_eq!(over_cost.scored_tasks, 0);
    // The curves begin where one method has an average, at the cost of two mean rows, and ranks never do.
    assert_eq!((over_cost.costs[0], over_cost.costs[99]), (2.0, 4.0));
    assert_eq!(over_cost.methods[1].adtm[0], None);
    assert_eq!(over_cost.methods[1].average_rank_at[98], None);
    assert!(over_cost.methods[1].adtm[99].is_some());
}

#[test]
fn a_method_whose_costs_are_not_known_takes_nothing_from_the_others() {
    let mut results = with_costs();
    for task in &mut results.blackboxes[0].tasks {
        for trace in task.traces[1].values_mut() {
            trace.costs.clear();
        }
    }
    let analysis = analyse(&results, &sampled()).unwrap();
    let task = analysis.blackboxes[0].tasks[0].over_cost.as_ref().unwrap();
    assert_eq!((task.costs[0], task.costs[99]), (1.0, 2.0));
    assert_eq!(
        (&task.methods[1].dtm, task.methods[1].total_cost),
        (&vec![], None)
    );
    let over_cost = analysis.blackboxes[0].over_cost.as_ref().unwrap();
    assert_eq!(over_cost.methods[2].average_rank_at[99], Some(2.0));
    assert_eq!(over_cost.methods[1].adtm[99], None);
}

#[test]
fn scores_over_cost_are_those_of_the_values_that_have_ended() {
    let mut results = with_costs();
    for task in &mut results.blackboxes[0].tasks {
        for trace in task.traces[1].values_mut() {
            // The first evaluation of `good` ends halfway between the two of `rs`.
            trace.costs = vec![1.5, 1.5];
        }
    }
    let analysis = analyse(&results, &sampled()).unwrap();
    let task = analysis.blackboxes[0].tasks[0].over_cost.as_ref().unwrap();
    assert_eq!((task.costs[0], task.costs[99]), (1.5, 2.0));
    // Task one, range 10: `rs` has the means 5 and 4 of both seeds, the second at 2 alone; `good` has 3 all the time.
    let dtm = |method: usize| task.methods[method].dtm.clone();
    assert_eq!(dtm(0), [vec![0.5; 99], vec![0.4]].concat());
    assert_eq!(dtm(1), [0.3; 100]);
    let expected = (99.0 * 0.4 + 0.25) / 100.0;
    let good = &task.methods[1];
    // The minimum is 0, so that both improvements are the same.
    assert!((good.improvement.unwrap() - expected).abs() < 1e-12);
    assert!((good.relative_improvement.unwrap() - expected).abs() < 1e-12);
    assert_eq!(task.methods[0].improvement, Some(0.0));
    let over_cost = analysis.blackboxes[0].over_cost.as_ref().unwrap();
    assert_eq!(over_cost.scored_tasks, 2);
    assert_eq!(over_cost.methods[1].average_rank_at[98], Some(1.0));
    // On task two `rs` has 3 and 1 in the end, as `good` has from its first evaluations on.
    assert_eq!(over_cost.methods[1].average_rank_at[99], Some(1.25));
    assert_eq!(over_cost.methods[2].average_rank_at[99], Some(3.0));
}
