//! Which means one task dominates.

use loto_statistics::analysis::BlackboxAnalysis;

use crate::numbers;

/// One sentence for each method of the black box whose mean one task dominates.
pub(crate) fn sentences(blackbox: &BlackboxAnalysis) -> Vec<String> {
    let with_dominant = blackbox.methods.iter().filter_map(|method| {
        let dominant = method.averages.as_ref()?.dominant_task.as_ref()?;
        Some(format!(
            "{}: the task {} ({}) makes {} of the sum of the improvements' sizes over the {} of {}: look at the median.",
            method.method,
            dominant.task,
            numbers::score(dominant.improvement),
            numbers::percentage(dominant.share),
            numbers::count(blackbox.averaged_tasks as u64, "task"),
            blackbox.name,
        ))
    });
    with_dominant.collect()
}
