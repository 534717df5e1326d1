//! Improvements over random search.

use std::collections::BTreeSet;

use loto_proto::limits::{MAX_ANSWER_ENTRIES, MAX_REQUEST_ITERATIONS};
use loto_proto::sweep::Sweep;
use loto_service::wire;
use tonic::Status;

use super::completeness::{completeness, excluded_tasks};
use super::curves::measure;
use super::request;
use super::watched_sweep::WatchedSweep;
use crate::results::Selection;
use loto_statistics::analysis::{
    AnalysisOptions, Bands, BlackboxAnalysis, MethodAnalysis, MethodAverages, TaskAnalysis,
};
use loto_statistics::by_iteration::unsolved_fraction;
use loto_statistics::stream_ranks::StreamRanks;

/// Iterations for which figures are given unless the request says otherwise, besides the last.
const DEFAULT_ITERATIONS: [u32; 3] = [10, 50, 100];

/// The improvements that a request asks for.
pub(super) async fn improvement(
    sweep: &WatchedSweep,
    request: wire::GetImprovementRequest,
) -> Result<wire::GetImprovementResponse, Status> {
    let selection = request::selection(request.selection, sweep.plan())?;
    let iterations = iterations(request.iterations, sweep.plan(), &selection)?;
    check_size(sweep.plan(), &selection, iterations.len())?;
    let options = AnalysisOptions {
        baseline: request::baseline(request.baseline)?,
        // Neither bands nor intervals are part of the answer.
        bands: Bands::None,
        intervals: false,
        rope: None,
        ..AnalysisOptions::default()
    };
    let (analysis, as_of) = sweep.analysis(selection, options).await?;
    let blackboxes = analysis.blackboxes.iter();
    Ok(wire::GetImprovementResponse {
        completeness: Some(completeness(&analysis, as_of)),
        blackboxes: blackboxes
            .map(|blackbox| blackbox_improvement(blackbox, &iterations))
            .collect(),
    })
}

/// Refuses what would be too large to be sent, before it is computed.
fn check_size(sweep: &Sweep, selection: &Selection, iterations: usize) -> Result<(), Status> {
    let entries = sweep.blackboxes.iter().map(|blackbox| {
        selection.methods_of(blackbox).len() * (blackbox.targets.len() + iterations)
    });
    let entries: usize = entries.sum();
    if entries <= MAX_ANSWER_ENTRIES {
        return Ok(());
    }
    let problem = format!(
        "methods times tasks and iterations are {entries} entries, allowed are {MAX_ANSWER_ENTRIES}: \
         select fewer black boxes or methods"
    );
    Err(request::invalid("selection", problem))
}

/// The requested iterations, ascending; none stands for the default ones.
fn iterations(
    requested: Vec<u32>,
    sweep: &Sweep,
    selection: &Selection,
) -> Result<BTreeSet<u32>, Status> {
    request::check_length("iterations", requested.len(), MAX_REQUEST_ITERATIONS)?;
    let selected = sweep.blackboxes.iter();
    let selected = selected.filter(|blackbox| selection.has_blackbox(&blackbox.name));
    let lengths: BTreeSet<u32> = selected.map(|blackbox| blackbox.iterations).collect();
    if requested.is_empty() {
        return Ok(lengths.into_iter().chain(DEFAULT_ITERATIONS).collect());
    }
    let longest = lengths.last().copied().unwrap_or(0);
    match requested
        .iter()
        .find(|&&iteration| iteration == 0 || iteration > longest)
    {
        Some(iteration) => Err(request::invalid(
            "iterations",
            format!("{iteration} is out of range, allowed are 1 to {longest}"),
        )),
        None => Ok(requested.into_iter().collect()),
    }
}

fn blackbox_improvement(
    blackbox: &BlackboxAnalysis,
    iterations: &BTreeSet<u32>,
) -> wire::BlackboxImprovement {
    let within = iterations.iter().copied();
    let within: Vec<u32> = within
        .filter(|&iteration| iteration as usize <= blackbox.iterations)
        .collect();
    let methods = blackbox.methods.iter();
    wire::BlackboxImprovement {
        blackbox: blackbox.name.clone(),
        averaged_tasks: blackbox.averaged_tasks as u32,
        methods: methods
            .enumerate()
            .map(|(position, method)| {
                let over_cost = blackbox.over_cost.as_ref();
                let over_cost = over_cost.and_then(|known| known.methods.get(position));
                wire::MethodImprovement {
                    improvement_over_cost: over_cost.and_then(|known| known.improvement),
                    relative_improvement_over_cost: over_cost
                        .and_then(|known| known.relative_improvement),
                    ..method_improvement(method, &within)
                }
            })
            .collect(),
        tasks: blackbox.tasks.iter().map(task_improvement).collect(),
        excluded_tasks: excluded_tasks(&blackbox.excluded_tasks),
        stream_ranks: blackbox.stream.iter().flat_map(stream_ranks).collect(),
        measure: measure(blackbox.measure).into(),
    }
}

fn stream_ranks(ranks: &StreamRanks) -> impl Iterator<Item = wire::StreamRank> {
    ranks.methods.iter().map(|known| wire::StreamRank {
        method: known.method.clone(),
        average_rank: known.average_rank,
        standard_deviation: known.standard_deviation,
        by_order: known.by_order.clone(),
        by_arrival: known.by_arrival.clone(),
    })
}

fn method_improvement(method: &MethodAnalysis, iterations: &[u32]) -> wire::MethodImprovement {
    let without_averages = wire::MethodImprovement {
        method: method.method.clone(),
        finished_traces: method.finished_traces,
        ..Default::default()
    };
    let Some(averages) = &method.averages else {
        return without_averages;
    };
    let at = iterations
        .iter()
        .filter_map(|&iteration| improvement_at(averages, iteration));
    wire::MethodImprovement {
        improvement: Some(averages.improvement),
        improvement_standard_error: averages.improvement_standard_error,
        median_improvement: Some(averages.median_improvement),
        interquartile_mean_improvement: Some(averages.interquartile_mean_improvement),
        improvement_terms_left_out: averages.improvement_terms_left_out as u64,
        average_rank: Some(averages.average_rank),
        final_adtm: Some(averages.final_adtm),
        relative_improvement: averages.relative_improvement.mean,
        relative_improvement_terms_left_out: averages.relative_improvement.terms_left_out as u64,
        at: at.collect(),
        ..without_averages
    }
}

fn improvement_at(averages: &MethodAverages, iteration: u32) -> Option<wire::ImprovementAt> {
    let index = (iteration as usize).checked_sub(1)?;
    let mut relative = averages.relative_improvement.at.iter();
    let relative = relative.find(|at| at.iteration == iteration as usize);
    Some(wire::ImprovementAt {
        iteration,
        adtm: *averages.adtm.mean.get(index)?,
        average_rank: *averages.average_rank_at.get(index)?,
        unsolved_fraction: *averages
            .by_iteration
            .get(unsolved_fraction::STATISTIC.key)?
            .get(index)?,
        relative_improvement: relative.and_then(|at| at.value),
    })
}

fn task_improvement(task: &TaskAnalysis) -> wire::TaskImprovement {
    let methods = task
        .methods
        .iter()
        .map(|method| wire::TaskMethodImprovement {
            method: method.method.clone(),
            seeds: method.seeds,
            improvement: method.improvement,
            improvement_standard_error: method.improvement_standard_error,
            rank: method.rank,
            final_dtm: method.final_dtm,
            relative_improvement: method
                .relative_improvement
                .as_ref()
                .and_then(|relative| relative.mean),
        });
    wire::TaskImprovement {
        task: task.name.clone(),
        methods: methods.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::sample_sweep::{SampleSweep, Shape};

    #[test]
    fn answers_that_are_too_large_are_refused_with_the_remedy() {
        let mut sweep = SampleSweep::new(Shape {
            blackboxes: 1,
            tasks: 1,
            methods: 4,
            seeds: 1,
            iterations: 1,
        })
        .sweep;
        let targets = (0..50_000).map(|task| task.to_string());
        sweep.blackboxes[0].targets = targets.collect();
        let all = Selection::default();
        assert!(check_size(&sweep, &all, 0).is_ok());
        let status = check_size(&sweep, &all, 1).unwrap_err();
        for part in ["`selection`", "200004 entries", "200000"] {
            assert!(status.message().contains(part), "{status}");
        }
    }
}
