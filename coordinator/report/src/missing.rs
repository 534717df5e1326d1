//! What a report must say first: what of the sweep is missing, and what follows from it.

use std::fmt::Write;

use loto_statistics::analysis::{BlackboxAnalysis, ExclusionReason, MissingSeeds, SweepAnalysis};

use crate::numbers;

/// Most tasks that are listed by name in one sentence.
const MOST_LISTED: usize = 8;

/// One sentence per method that is not finished and per consequence for the
/// averages; empty if the sweep is complete and nothing is left out.
pub(crate) fn sentences(analysis: &SweepAnalysis) -> Vec<String> {
    let mut sentences = Vec::new();
    for blackbox in &analysis.blackboxes {
        sentences.extend(incomplete_methods(analysis, blackbox));
        sentences.extend(excluded_tasks(blackbox));
    }
    if analysis.unbalanced {
        sentences.push(
            "Some methods have finished other seeds than others: compare them with care until \
             the sweep is complete."
                .into(),
        );
    }
    sentences
}

fn incomplete_methods<'a>(
    analysis: &'a SweepAnalysis,
    blackbox: &'a BlackboxAnalysis,
) -> impl Iterator<Item = String> + 'a {
    blackbox.methods.iter().filter_map(|method| {
        let here = |entry: &&MissingSeeds| {
            entry.blackbox == blackbox.name && entry.method == method.method
        };
        let tasks: Vec<_> = analysis.missing.iter().filter(here).collect();
        if tasks.is_empty() {
            return None;
        }
        let planned = u64::from(analysis.planned_seeds) * blackbox.tasks.len() as u64;
        let mut sentence = format!(
            "{} on {}: {} of {} finished",
            method.method,
            blackbox.name,
            numbers::grouped(method.finished_traces),
            numbers::count(planned, "trace"),
        );
        if method.finished_traces > 0 {
            sentence.push_str("; incomplete: ");
            let listed = tasks.iter().take(MOST_LISTED).map(|entry| {
                format!(
                    "{} ({} of {} seeds)",
                    entry.task, entry.finished, entry.planned
                )
            });
            sentence.push_str(&listed.collect::<Vec<_>>().join(", "));
            if tasks.len() > MOST_LISTED {
                let rest = (tasks.len() - MOST_LISTED) as u64;
                let _ = write!(sentence, " and {} more", numbers::count(rest, "task"));
            }
        }
        Some(sentence + ".")
    })
}

fn excluded_tasks(blackbox: &BlackboxAnalysis) -> impl Iterator<Item = String> + '_ {
    blackbox.excluded_tasks.iter().map(|excluded| {
        let reason = match &excluded.reason {
            ExclusionReason::NoTrace { methods } => {
                format!("there is no finished trace of {}", methods.join(", "))
            }
            ExclusionReason::ConstantObjective => {
                "all its rows have the same objective value".into()
            }
            ExclusionReason::NoBaseline => "there is no finished trace of rs".into(),
            ExclusionReason::BaselineAlwaysOptimal => {
                "random search is at the optimum from the first iteration".into()
            }
        };
        format!(
            "{} of {} is left out of all averages and comparisons: {reason}.",
            excluded.task, blackbox.name
        )
    })
}
