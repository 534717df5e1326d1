//! Fronts that methods attain on a task, beside that of the table.

use loto_statistics::analysis::{BlackboxAnalysis, TaskAnalysis};
use loto_statistics::attainment::median_front;
use loto_statistics::front::Front;
use loto_statistics::results::SeedTraces;

use crate::report::Report;

/// The fronts of one task.
pub(crate) struct TaskFronts<'a> {
    pub(crate) blackbox: &'a str,
    pub(crate) task: &'a str,
    /// The columns of the objectives.
    pub(crate) objectives: [&'a str; 2],
    /// What no row of the table dominates.
    pub(crate) table: Vec<[f64; 2]>,
    /// By method with finished traces: what at least half of its seeds attain.
    pub(crate) methods: Vec<(&'a str, Vec<[f64; 2]>)>,
}

/// The fronts on each task of a black box; none with one objective.
pub(crate) fn of_blackbox<'a>(
    report: &Report<'a>,
    blackbox: &'a BlackboxAnalysis,
) -> Vec<TaskFronts<'a>> {
    let mut known = report.results.blackboxes.iter();
    let Some(finished) = known.find(|known| known.name == blackbox.name) else {
        return Vec::new();
    };
    let about = report.about.blackbox(&blackbox.name);
    let columns = about.and_then(|about| {
        let second = about.further_objectives.first()?;
        Some([about.objective.as_str(), second])
    });
    // Of traces that were recorded elsewhere the columns need not be known.
    let objectives = columns.unwrap_or(["first objective", "second objective"]);
    let tasks = blackbox.tasks.iter().zip(&finished.tasks);
    let fronts = tasks.filter_map(|(task, finished_on): (&TaskAnalysis, _)| {
        let methods = finished.methods.iter().zip(&finished_on.traces);
        let methods = methods.filter(|(_, traces)| !traces.is_empty());
        Some(TaskFronts {
            blackbox: &blackbox.name,
            task: &task.name,
            objectives,
            table: task.front.as_ref()?.points.clone(),
            methods: methods
                .map(|(method, traces)| (method.as_str(), attained(traces)))
                .collect(),
        })
    });
    fronts.collect()
}

fn attained(traces: &SeedTraces) -> Vec<[f64; 2]> {
    let runs = traces.values().map(|trace| {
        let pairs = trace.objective_pairs();
        Front::of(pairs.filter(|pair| pair.iter().all(|value| value.is_finite())))
    });
    let runs: Vec<Front> = runs.collect();
    median_front(&runs).points().to_vec()
}
