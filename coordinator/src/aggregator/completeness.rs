//! Says what an answer was computed from.

use loto_proto::excerpt::list;
use loto_proto::limits::MAX_LISTED_GAPS;
use loto_service::wire;

use loto_statistics::analysis::{ExcludedTask, ExclusionReason, SweepAnalysis};

/// What an analysis was computed from, and as of when.
pub(super) fn completeness(
    analysis: &SweepAnalysis,
    as_of_milliseconds: u64,
) -> wire::Completeness {
    let gaps = analysis
        .missing
        .iter()
        .take(MAX_LISTED_GAPS)
        .map(|missing| wire::Gap {
            blackbox: missing.blackbox.clone(),
            task: missing.task.clone(),
            method: missing.method.clone(),
            finished: missing.finished,
            planned: missing.planned,
        });
    wire::Completeness {
        planned: analysis.planned_traces,
        finished: analysis.finished_traces,
        unbalanced: analysis.unbalanced,
        gaps: gaps.collect(),
        gaps_left_out: analysis.missing.len().saturating_sub(MAX_LISTED_GAPS) as u64,
        as_of_milliseconds,
    }
}

/// Tasks left out of averages, with the reason in words.
pub(super) fn excluded_tasks(tasks: &[ExcludedTask]) -> Vec<wire::ExcludedTask> {
    let to_wire = |excluded: &ExcludedTask| wire::ExcludedTask {
        task: excluded.task.clone(),
        reason: match &excluded.reason {
            ExclusionReason::NoTrace { methods } => {
                let methods = list(methods.iter().map(String::as_str));
                format!("no finished trace of {methods} yet")
            }
            ExclusionReason::ConstantObjective => {
                "all rows have the same value of an objective".into()
            }
            ExclusionReason::NoBaseline => {
                "no finished trace of rs, the sampled baseline, yet".into()
            }
            ExclusionReason::BaselineAlwaysOptimal => {
                "random search is at the optimum at every iteration".into()
            }
        },
    };
    tasks.iter().map(to_wire).collect()
}
