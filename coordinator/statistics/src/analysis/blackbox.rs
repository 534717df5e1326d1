//! The analysis of one black box: its tasks, and the averages over them.

use super::band::Band;
use super::bands::fill_bands;
use super::compare::compare;
use super::differences::fill_differences;
use super::hierarchical::hierarchical;
use super::options::AnalysisOptions;
use super::output::{
    BlackboxAnalysis, DominantTask, ExcludedTask, ExclusionReason, MethodAnalysis, MethodAverages,
};
use super::over_cost::fill_over_cost;
use super::over_tasks::fill_over_tasks;
use super::score_intervals::fill_intervals;
use super::stream::ranks_on_stream;
use super::task::TaskGaps;
use super::task_output::{TaskAnalysis, TaskMethodAnalysis};
use crate::average_ranks::average_ranks;
use crate::by_iteration::STATISTICS;
use crate::dominant_task::dominant;
use crate::dtm::area_under;
use crate::means::{mean_of_curves, mean_of_known};
use crate::performance_profile::performance_profile;
use crate::ranks::rank;
use crate::relative_improvement::RelativeImprovement;
use crate::results::BlackboxCurves;
use crate::robust_means::{interquartile_mean, median};
use crate::small_samples::variance_of_mean;

/// Computes all statistics of one black box, which must have been validated; calls `rest` before each series that it
/// resamples.
pub(crate) fn analyse_blackbox(
    blackbox: &BlackboxCurves,
    options: &AnalysisOptions,
    rest: &mut dyn FnMut(),
) -> BlackboxAnalysis {
    let gaps = |task| TaskGaps::new(blackbox, task, options.baseline);
    let curves: Vec<TaskGaps<'_>> = blackbox.tasks.iter().map(gaps).collect();
    let with_curves = curves.iter().zip(&blackbox.tasks);
    let mut tasks: Vec<TaskAnalysis> = with_curves
        .map(|(curves, task)| curves.analyse(blackbox, task))
        .collect();
    let traces_of = |method: usize| -> u64 {
        let seeds = tasks.iter().map(|task| task.methods[method].seeds);
        seeds.map(u64::from).sum()
    };
    let finished: Vec<u64> = (0..blackbox.methods.len()).map(traces_of).collect();
    let (present, absent): (Vec<usize>, Vec<usize>) =
        (0..finished.len()).partition(|&method| finished[method] > 0);
    let mut averaged = Vec::new();
    let mut excluded_tasks = Vec::new();
    for (position, (curves, task)) in curves.iter().zip(&tasks).enumerate() {
        match exclusion(curves, task, &present) {
            None => averaged.push(position),
            Some(reason) => excluded_tasks.push(ExcludedTask {
                task: task.name.clone(),
                reason,
            }),
        }
    }

    rank_improvements(&mut tasks, &averaged, &present);
    let adtm = fill_bands(blackbox, &curves, &averaged, options, &mut tasks, rest);
    let mut averages = average_methods(&tasks, &averaged, &present, adtm);
    fill_intervals(
        blackbox,
        &curves,
        &averaged,
        options,
        &mut tasks,
        &mut averages,
        rest,
    );
    fill_over_tasks(&blackbox.name, &averaged, options, &tasks, &mut averages);
    fill_profiles(&curves, &averaged, &mut averages);
    let against = fill_differences(
        blackbox,
        &curves,
        &averaged,
        options,
        &mut tasks,
        &mut averages,
        rest,
    );
    let hierarchical = against
        .filter(|_| options.hierarchical)
        .and_then(|against| hierarchical(blackbox, &curves, &averaged, against, options));
    let over_cost = fill_over_cost(blackbox, &curves, &averaged, &present, &mut tasks);
    let name = |method: usize| blackbox.methods[method].clone();
    BlackboxAnalysis {
        name: blackbox.name.clone(),
        direction: blackbox.direction,
        measure: blackbox.measure(),
        iterations: blackbox.iterations,
        methods: averages
            .into_iter()
            .enumerate()
            .map(|(method, averages)| MethodAnalysis {
                method: name(method),
                finished_traces: finished[method],
                averages,
            })
            .collect(),
        averaged_tasks: averaged.len(),
        excluded_tasks,
        absent_methods: absent.iter().map(|&method| name(method)).collect(),
        against: against.map(name),
        hierarchical,
        comparison: compare(
            &blackbox.name,
            present.iter().map(|&method| name(method)).collect(),
            absent.iter().map(|&method| name(method)).collect(),
            tasks.iter().map(|task| (blackbox.name.as_str(), task)),
            options.rope.map(|rope| rope.on(blackbox.measure())),
            options,
        ),
        unbalanced: tasks.iter().any(|task| task.unbalanced),
        tasks,
        stream: ranks_on_stream(blackbox, &present),
        over_cost,
    }
}

/// Fills in how many runs on the averaged tasks reach which improvement.
fn fill_profiles(
    curves: &[TaskGaps<'_>],
    averaged: &[usize],
    averages: &mut [Option<MethodAverages>],
) {
    for (method, averages) in averages.iter_mut().enumerate() {
        let Some(averages) = averages else { continue };
        let on_task = |&task: &usize| curves[task].seed_improvements[method].as_deref();
        let tasks: Option<Vec<&[f64]>> = averaged.iter().map(on_task).collect();
        averages.performance_profile = tasks.map(|tasks| performance_profile(&tasks));
    }
}

/// Why a task cannot be averaged over, if so.
fn exclusion(
    curves: &TaskGaps<'_>,
    task: &TaskAnalysis,
    present: &[usize],
) -> Option<ExclusionReason> {
    if curves.is_constant() {
        return Some(ExclusionReason::ConstantObjective);
    }
    let Some(baseline) = &task.baseline else {
        return Some(ExclusionReason::NoBaseline);
    };
    let entries = present.iter().map(|&method| &task.methods[method]);
    let without_trace = entries.filter(|method| method.seeds == 0);
    let methods: Vec<String> = without_trace.map(|entry| entry.method.clone()).collect();
    if !methods.is_empty() {
        return Some(ExclusionReason::NoTrace { methods });
    }
    let dtm = baseline.dtm.as_deref().unwrap_or_default();
    let always_optimal = dtm.iter().all(|&dtm| dtm == 0.0);
    always_optimal.then_some(ExclusionReason::BaselineAlwaysOptimal)
}

/// Fills in the rank of each present method's improvement on the averaged tasks.
fn rank_improvements(tasks: &mut [TaskAnalysis], averaged: &[usize], present: &[usize]) {
    for &task in averaged {
        let methods = &mut tasks[task].methods;
        let improvements = present
            .iter()
            .filter_map(|&method| methods[method].improvement);
        let losses: Vec<f64> = improvements.map(|improvement| -improvement).collect();
        for (&method, rank) in present.iter().zip(rank(&losses).0) {
            methods[method].rank = Some(rank);
        }
    }
}

/// The averages of every planned method over the averaged tasks, if there are any.
fn average_methods(
    tasks: &[TaskAnalysis],
    averaged: &[usize],
    present: &[usize],
    adtm: Vec<Option<Band>>,
) -> Vec<Option<MethodAverages>> {
    let curves: Vec<Vec<&[f64]>> = averaged
        .iter()
        .map(|&task| {
            let dtm = |&method: &usize| tasks[task].methods[method].dtm.as_ref();
            let bands = present.iter().filter_map(dtm);
            bands.map(|band| band.mean.as_slice()).collect()
        })
        .collect();
    let ranks = average_ranks(&curves);
    adtm.into_iter()
        .enumerate()
        .map(|(method, band)| {
            let own = averaged.iter().map(|&task| {
                let task = &tasks[task];
                (task.name.as_str(), &task.methods[method])
            });
            let position = present.iter().position(|&other| other == method)?;
            let own_ranks = ranks.get(position)?.clone();
            Some(average(&own.collect::<Vec<_>>(), band?, own_ranks))
        })
        .collect()
}

/// The averages of one method over its entries of the averaged tasks.
fn average(
    named_tasks: &[(&str, &TaskMethodAnalysis)],
    adtm: Band,
    average_rank_at: Vec<f64>,
) -> MethodAverages {
    let tasks: Vec<_> = named_tasks.iter().map(|&(_, task)| task).collect();
    let improvements = tasks.iter().filter_map(|task| task.improvement);
    let improvements: Vec<f64> = improvements.collect();
    let dominant_task = dominant(&improvements).map(|(index, share)| DominantTask {
        task: named_tasks[index].0.to_owned(),
        improvement: improvements[index],
        share,
    });
    // The seeds of different tasks are independent.
    let standard_error = |of: fn(&TaskMethodAnalysis) -> Option<f64>| {
        let squares = tasks.iter().map(|task| of(task).map(|error| error * error));
        let sum: Option<f64> = squares.sum();
        sum.map(|sum| sum.sqrt() / tasks.len() as f64)
    };
    let ranks: Vec<f64> = tasks.iter().filter_map(|task| task.rank).collect();
    let relative = tasks
        .iter()
        .filter_map(|task| task.relative_improvement.as_ref());
    let by_iteration = STATISTICS.iter().map(|statistic| {
        let curves = tasks
            .iter()
            .map(|task| task.by_iteration[statistic.key].as_deref());
        (statistic.key, mean_of_curves(curves.flatten()))
    });
    MethodAverages {
        final_adtm: adtm.mean.last().copied().unwrap_or(f64::NAN),
        final_adtm_standard_error: standard_error(|task| task.final_dtm_standard_error),
        area_under_adtm: area_under(&adtm.mean),
        adtm,
        adtm_over_tasks: None,
        improvement: mean_of_known(tasks.iter().map(|task| task.improvement)).unwrap_or(f64::NAN),
        improvement_standard_error: standard_error(|task| task.improvement_standard_error),
        improvement_interval: None,
        median_improvement: median(&mut improvements.clone()),
        median_improvement_interval: None,
        interquartile_mean_improvement: interquartile_mean(&mut improvements.clone()),
        interquartile_mean_improvement_interval: None,
        dominant_task,
        difference: None,
        improvement_terms_left_out: tasks
            .iter()
            .map(|task| task.improvement_terms_left_out)
            .sum(),
        average_rank: mean_of_known(tasks.iter().map(|task| task.rank)).unwrap_or(f64::NAN),
        average_rank_standard_error: (ranks.len() > 1).then(|| variance_of_mean(&ranks).sqrt()),
        over_tasks: None,
        performance_profile: None,
        relative_improvement: RelativeImprovement::mean_of(&relative.collect::<Vec<_>>()),
        average_rank_at,
        by_iteration: by_iteration.collect(),
    }
}
