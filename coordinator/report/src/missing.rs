//! What a report must say first: what of the sweep is missing, and what follows from it.

use loto_statistics::analysis::{BlackboxAnalysis, ExclusionReason, MissingSeeds, SweepAnalysis};

use crate::numbers;

/// Most tasks that are listed by name in one sentence.
const MOST_LISTED: usize = 8;

/// A sentence for the methods of which the same is not finished, and one per consequence for the
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

/// What is unfinished of the methods of a black box; methods of which the same is unfinished share a sentence.
fn incomplete_methods(analysis: &SweepAnalysis, blackbox: &BlackboxAnalysis) -> Vec<String> {
    let mut unfinished: Vec<(String, Vec<&str>)> = Vec::new();
    for method in &blackbox.methods {
        let here = |entry: &&MissingSeeds| {
            entry.blackbox == blackbox.name && entry.method == method.method
        };
        let tasks: Vec<_> = analysis.missing.iter().filter(here).collect();
        if tasks.is_empty() {
            continue;
        }
        let planned = u64::from(analysis.planned_seeds) * blackbox.tasks.len() as u64;
        let of_planned = format!(
            "{} of {} finished{}",
            numbers::grouped(method.finished_traces),
            numbers::count(planned, "trace"),
            incomplete_tasks(method.finished_traces, &tasks),
        );
        match unfinished.iter_mut().find(|(same, _)| *same == of_planned) {
            Some((_, methods)) => methods.push(&method.method),
            None => unfinished.push((of_planned, vec![&method.method])),
        }
    }
    let sentence = |(of_planned, methods): (String, Vec<&str>)| {
        let each = if methods.len() > 1 { "each " } else { "" };
        let methods = methods.join(", ");
        format!("{methods} on {}: {each}{of_planned}.", blackbox.name)
    };
    unfinished.into_iter().map(sentence).collect()
}

/// The tasks on which seeds are missing, unless all are.
fn incomplete_tasks(finished_traces: u64, tasks: &[&MissingSeeds]) -> String {
    if finished_traces == 0 {
        return String::new();
    }
    let listed = tasks.iter().take(MOST_LISTED).map(|entry| {
        format!(
            "{} ({} of {} seeds)",
            entry.task, entry.finished, entry.planned
        )
    });
    let listed = listed.collect::<Vec<_>>().join(", ");
    match tasks.len().saturating_sub(MOST_LISTED) {
        0 => format!("; incomplete: {listed}"),
        rest => format!(
            "; incomplete: {listed} and {} more",
            numbers::count(rest as u64, "task")
        ),
    }
}

fn excluded_tasks(blackbox: &BlackboxAnalysis) -> impl Iterator<Item = String> + '_ {
    blackbox.excluded_tasks.iter().map(|excluded| {
        let reason = match &excluded.reason {
            ExclusionReason::NoTrace { methods } => {
                format!("there is no finished trace of {}", methods.join(", "))
            }
            ExclusionReason::ConstantObjective => {
                "all its rows have the same value of an objective".into()
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
