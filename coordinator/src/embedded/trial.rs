//! Runs a few traces to tell what a whole sweep costs.

use std::sync::Arc;
use std::time::Duration;

use loto_engine::EngineError;
use loto_engine::blobs::MemoryBlobs;
use loto_engine::runner::TraceRunner;
use loto_proto::job::{Job, Series};
use loto_worker::external::MethodProcesses;

use crate::cost::CostModel;
use crate::plan::Plan;

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// One entry per black box and method.
    pub(crate) trials: Vec<Trial>,
    /// CPU time of the whole sweep, by the [`CostModel`] of the trials.
    pub(crate) total: Duration,
}

/// What one method takes on one black box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trial {
    /// Name of the black box.
    pub(crate) blackbox: String,
    /// Name of the method.
    pub(crate) method: String,
    /// CPU time of the trace that was run.
    pub(crate) one_trace: Duration,
    /// Traces of this method on this black box.
    pub(crate) traces: u64,
}

/// Runs seed 0 of every method on the first target of every black box, one
/// after the other.
///
/// What methods share, a fitted prior, counts to the first that uses it, as it
/// does in the sweep itself.
///
/// # Errors
/// [`EngineError`] if a trace cannot be run.
pub(crate) fn run(plan: &Plan) -> Result<Outcome, EngineError> {
    let blobs = plan.blobs().collect::<MemoryBlobs>();
    let runner = TraceRunner::new(Arc::new(blobs));
    let runner = runner.with_programs(Arc::new(MethodProcesses::new(plan.table_paths().collect())));
    let series: Vec<Series> = plan.sweep.series().collect();
    let mut costs = CostModel::new(&series, |series| plan.rows(series));
    let mut trials = Vec::new();
    for blackbox in &plan.sweep.blackboxes {
        let Some(target) = blackbox.targets.first() else {
            continue;
        };
        // The first trace reads the table, which later ones find read: it is not timed.
        if let Some(method) = blackbox.methods.first() {
            let series = blackbox.series(method, target);
            runner.run(&Job { series, seed: 1 })?;
        }
        for method in &blackbox.methods {
            let job = Job {
                series: blackbox.series(method, target),
                seed: 0,
            };
            let trace = runner.run(&job)?;
            if let Some(position) = series.iter().position(|series| *series == job.series) {
                costs.measure(position, job.seed, Some(&trace));
            }
            trials.push(Trial {
                blackbox: blackbox.name.clone(),
                method: method.label().to_owned(),
                one_trace: trace.cpu_time(),
                traces: blackbox.series_per_method() as u64 * u64::from(plan.sweep.seeds),
            });
        }
    }
    costs.estimate();
    let total = costs.seconds().iter().sum::<f64>() * f64::from(plan.sweep.seeds);
    Ok(Outcome {
        trials,
        total: Duration::try_from_secs_f64(total).unwrap_or(Duration::MAX),
    })
}
