//! The analysis of a whole sweep.

use super::blackbox::analyse_blackbox;
use super::compare::over_all_blackboxes;
use super::options::AnalysisOptions;
use super::output::{BlackboxAnalysis, MissingSeeds, SweepAnalysis};
use super::validation::{check_options, check_plan, check_traces};
use crate::error::StatisticsError;
use crate::results::{BlackboxCurves, SweepCurves, SweepResults};

/// Computes all statistics of what is finished of a sweep.
///
/// As [`analyse_curves`], which this hands over to.
///
/// # Errors
/// Those of [`analyse_curves`], and [`StatisticsError::InvalidResults`] for a trace that
/// contradicts the plan: of the wrong length, or of a seed that was not planned.
pub fn analyse(
    results: &SweepResults,
    options: &AnalysisOptions,
) -> Result<SweepAnalysis, StatisticsError> {
    check_options(options)?;
    check_plan(results, options)?;
    check_traces(results)?;
    Ok(compute(&results.curves(), options, &mut || ()))
}

/// Computes all statistics of traces that were checked and reduced to their least values.
///
/// The same traces and options give the same analysis, bit for bit. This is
/// processor work (for 16 methods, 26 tasks and 100 iterations, a fraction of a second with 30
/// seeds, some seconds with 2400): keep it off an async executor's threads. Most of it is resampling; `rest` is called
/// before each series of each interval or band, and may sleep there, so that others get the processor.
///
/// # Errors
/// [`StatisticsError::InvalidAnalysisOption`] for an option out of its range,
/// [`StatisticsError::InvalidResults`] for an impossible plan (an empty or unsorted table,
/// a name that is listed twice),
/// [`StatisticsError::NoSampledBaseline`] if the baseline is to be sampled and the
/// method `rs` is not planned on a black box,
/// [`StatisticsError::NotToPairWith`] if the method to pair with is planned on none.
pub fn analyse_curves(
    curves: &SweepCurves,
    options: &AnalysisOptions,
    rest: &mut dyn FnMut(),
) -> Result<SweepAnalysis, StatisticsError> {
    check_options(options)?;
    check_plan(curves, options)?;
    Ok(compute(curves, options, rest))
}

fn compute(
    curves: &SweepCurves,
    options: &AnalysisOptions,
    rest: &mut dyn FnMut(),
) -> SweepAnalysis {
    let analysed = |blackbox| analyse_blackbox(blackbox, options, &mut *rest);
    let blackboxes: Vec<BlackboxAnalysis> = curves.blackboxes.iter().map(analysed).collect();
    let traces_per_seed =
        |blackbox: &BlackboxCurves| blackbox.methods.len() as u64 * blackbox.tasks.len() as u64;
    let planned_series: u64 = curves.blackboxes.iter().map(traces_per_seed).sum();
    SweepAnalysis {
        name: curves.name.clone(),
        baseline: options.baseline,
        confidence: options.confidence,
        bootstrap_resamples: options.bootstrap_resamples,
        bootstrap_seed: options.seed,
        planned_seeds: curves.seeds,
        planned_traces: planned_series * u64::from(curves.seeds),
        finished_traces: blackboxes
            .iter()
            .flat_map(|blackbox| &blackbox.methods)
            .map(|method| method.finished_traces)
            .sum(),
        linear_algebra: Vec::new(),
        comparison: over_all_blackboxes(&blackboxes, options),
        missing: missing(&blackboxes, curves.seeds),
        unbalanced: blackboxes.iter().any(|blackbox| blackbox.unbalanced),
        blackboxes,
    }
}

/// Every method and task with fewer finished seeds than planned.
fn missing(blackboxes: &[BlackboxAnalysis], planned: u32) -> Vec<MissingSeeds> {
    let tasks = blackboxes
        .iter()
        .flat_map(|blackbox| blackbox.tasks.iter().map(move |task| (blackbox, task)));
    let missing = tasks.flat_map(|(blackbox, task)| {
        let incomplete = task
            .methods
            .iter()
            .filter(move |method| method.seeds < planned);
        incomplete.map(move |method| MissingSeeds {
            blackbox: blackbox.name.clone(),
            task: task.name.clone(),
            method: method.method.clone(),
            finished: method.seeds,
            planned,
        })
    });
    missing.collect()
}
