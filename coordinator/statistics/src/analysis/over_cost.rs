//! Curves and scores over what the evaluations cost.

use std::sync::Arc;

use super::over_cost_output::{MethodOverCost, OverCost, TaskMethodOverCost, TaskOverCost};
use super::task::TaskGaps;
use super::task_output::TaskAnalysis;
use crate::improvement::improvement;
use crate::means::mean_of_known;
use crate::over_cost::{common_costs, equidistant, latest_first_value, mean_gaps, mean_total};
use crate::random_search::RANDOM_SEARCH_METHOD;
use crate::ranks::rank;
use crate::relative_improvement::relative_improvement;
use crate::results::{BestCurves, BlackboxCurves, Measure};

/// Fills in the curves of all tasks, and returns the averages over the `averaged` ones; `None` without costs.
pub(crate) fn fill_over_cost(
    blackbox: &BlackboxCurves,
    curves: &[TaskGaps<'_>],
    averaged: &[usize],
    present: &[usize],
    tasks: &mut [TaskAnalysis],
) -> Option<OverCost> {
    let mean_costs: Option<Vec<f64>> = blackbox.tasks.iter().map(|task| task.mean_cost).collect();
    let mean_costs = mean_costs.filter(|costs| !costs.is_empty())?;
    // Of traces that were recorded elsewhere, costs may not be known.
    let has_costs = |method: &&usize| {
        let tasks = blackbox.tasks.iter().map(|task| &task.traces[**method]);
        tasks
            .filter(|curves| !curves.is_empty())
            .all(|curves| mean_total(curves).is_some())
    };
    let present: Vec<usize> = present.iter().filter(has_costs).copied().collect();
    let present = present.as_slice();
    for (task, &mean_cost) in mean_costs.iter().enumerate() {
        tasks[task].over_cost = Some(of_task(blackbox, &curves[task], task, mean_cost));
    }
    let scored = averaged.iter().filter_map(|&task| {
        let over_cost = tasks[task].over_cost.as_ref()?;
        (!over_cost.costs.is_empty()).then_some(over_cost)
    });
    let scored: Vec<&TaskOverCost> = scored.collect();
    let mean = |of: &dyn Fn(&TaskOverCost) -> Option<f64>| {
        mean_of_known(scored.iter().map(|task| of(task)))
    };
    let places = averaged.iter().map(|&task| TaskPlace {
        curves: &blackbox.tasks[task].traces,
        gaps: &curves[task],
        mean_cost: mean_costs[task],
    });
    let places: Vec<TaskPlace<'_>> = places.collect();
    let costs = costs_of_averages(&places, present).unwrap_or_default();
    let adtm = |method: usize| -> Vec<Option<f64>> {
        if !present.contains(&method) || places.is_empty() {
            return vec![None; costs.len()];
        }
        let on_tasks: Vec<_> = places.iter().map(|task| task.dtm(method, &costs)).collect();
        (0..costs.len())
            .map(|point| {
                let values: Option<Vec<f64>> = on_tasks.iter().map(|dtm| dtm[point]).collect();
                values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
            })
            .collect()
    };
    let ranks = average_ranks(&places, present, &costs);
    let methods = blackbox.methods.iter().enumerate();
    let methods = methods.map(|(method, name)| MethodOverCost {
        method: name.clone(),
        adtm: adtm(method),
        average_rank_at: match present.iter().position(|&other| other == method) {
            Some(position) => ranks
                .iter()
                .map(|at| Some(at.as_ref()?[position]))
                .collect(),
            None => vec![None; costs.len()],
        },
        improvement: mean(&|task| task.methods[method].improvement),
        relative_improvement: mean(&|task| task.methods[method].relative_improvement),
    });
    Some(OverCost {
        methods: methods.collect(),
        scored_tasks: scored.len(),
        costs,
    })
}

/// What the averages need of a task.
struct TaskPlace<'a> {
    curves: &'a [Arc<BestCurves>],
    gaps: &'a TaskGaps<'a>,
    mean_cost: f64,
}

impl TaskPlace<'_> {
    /// DTM of a method at these costs, which are multiples of the task's mean cost.
    fn dtm(&self, method: usize, costs: &[f64]) -> Vec<Option<f64>> {
        let costs: Vec<f64> = costs.iter().map(|cost| cost * self.mean_cost).collect();
        let gaps = mean_gaps(&self.curves[method], self.gaps.minimum, &costs).into_iter();
        gaps.map(|gap| Some(gap? / self.gaps.range)).collect()
    }
}

/// From where a method has an average to where the fastest method ends.
fn costs_of_averages(tasks: &[TaskPlace<'_>], present: &[usize]) -> Option<Vec<f64>> {
    let (mut begin, mut end) = (f64::INFINITY, f64::INFINITY);
    for &method in present {
        let (mut first, mut total) = (f64::NEG_INFINITY, 0.0);
        for task in tasks {
            let curves = &task.curves[method];
            first = first.max(latest_first_value(curves)? / task.mean_cost);
            total += mean_total(curves)? / task.mean_cost;
        }
        begin = begin.min(first);
        end = end.min(total / tasks.len() as f64);
    }
    equidistant(begin, end)
}

/// By cost: the mean over the tasks of the rank of every present method, where all of them have a value on all tasks.
fn average_ranks(
    tasks: &[TaskPlace<'_>],
    present: &[usize],
    costs: &[f64],
) -> Vec<Option<Vec<f64>>> {
    let dtm: Vec<Vec<Vec<Option<f64>>>> = tasks
        .iter()
        .map(|task| {
            present
                .iter()
                .map(|&method| task.dtm(method, costs))
                .collect()
        })
        .collect();
    let at = |point: usize| {
        let mut sums = vec![0.0; present.len()];
        for on_task in &dtm {
            let values: Option<Vec<f64>> = on_task.iter().map(|curve| curve[point]).collect();
            for (sum, rank) in sums.iter_mut().zip(rank(&values?).0) {
                *sum += rank;
            }
        }
        sums.iter_mut().for_each(|sum| *sum /= dtm.len() as f64);
        Some(sums)
    };
    (0..costs.len()).map(at).collect()
}

fn of_task(
    blackbox: &BlackboxCurves,
    gaps: &TaskGaps<'_>,
    task: usize,
    mean_cost: f64,
) -> TaskOverCost {
    let traces = &blackbox.tasks[task].traces;
    let finished = traces.iter().filter(|curves| mean_total(curves).is_some());
    let costs = common_costs(finished.map(Arc::as_ref)).unwrap_or_default();
    let gaps_of = |method: usize| -> Option<Vec<f64>> {
        let found = mean_gaps(&traces[method], gaps.minimum, &costs).into_iter();
        let found: Option<Vec<f64>> = found.collect();
        found.filter(|_| !costs.is_empty())
    };
    let random = blackbox
        .methods
        .iter()
        .position(|name| name == RANDOM_SEARCH_METHOD);
    let random = random.and_then(gaps_of);
    let has_values = blackbox.measure() == Measure::DistanceToMinimum;
    let best = |gaps_: &[f64]| -> Vec<f64> { gaps_.iter().map(|gap| gaps.minimum + gap).collect() };
    let methods = blackbox.methods.iter().enumerate().map(|(method, name)| {
        let own = gaps_of(method);
        let both = own.as_ref().zip(random.as_ref());
        let scalable = both.filter(|_| !gaps.is_constant());
        TaskMethodOverCost {
            method: name.clone(),
            total_cost: mean_total(&traces[method]),
            improvement: scalable.and_then(|(own, random)| improvement(own, random).value),
            relative_improvement: both.filter(|_| has_values).and_then(|(own, random)| {
                relative_improvement(&best(own), &best(random), blackbox.direction).mean
            }),
            dtm: match own.filter(|_| !gaps.is_constant()) {
                Some(own) => own.iter().map(|gap| gap / gaps.range).collect(),
                None => Vec::new(),
            },
        }
    });
    TaskOverCost {
        mean_cost,
        methods: methods.collect(),
        costs,
    }
}
