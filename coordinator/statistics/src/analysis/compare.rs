//! Compares methods over tasks: Friedman, Nemenyi, Wilcoxon with Holm, and which differences matter.

use super::comparison::{ComparedTask, Comparison, ComparisonOutcome, PracticalComparison};
use super::options::AnalysisOptions;
use super::output::BlackboxAnalysis;
use super::rope::{Rope, RopeUnit};
use super::task_output::{TaskAnalysis, TaskMethodAnalysis};
use crate::friedman::friedman;
use crate::nemenyi::nemenyi;
use crate::practical_differences::practical_differences;
use crate::ranks::RankedMethods;
use crate::smallest_p_values::SmallestPValues;
use crate::wilcoxon::wilcoxon_pairs;

/// Fewest methods, and fewest tasks, that can be compared.
const FEWEST: usize = 2;

/// Compares the methods that are planned on every black box over the tasks of all of them.
pub(crate) fn over_all_blackboxes(
    blackboxes: &[BlackboxAnalysis],
    options: &AnalysisOptions,
) -> ComparisonOutcome {
    let mut methods: Vec<String> = Vec::new();
    let mut excluded = Vec::new();
    let entries = || blackboxes.iter().flat_map(|blackbox| &blackbox.methods);
    for name in entries().map(|entry| &entry.method) {
        if methods.contains(name) || excluded.contains(name) {
            continue;
        }
        let of_name = || entries().filter(|entry| entry.method == *name);
        // A black box lists each of its methods once.
        let planned_everywhere = of_name().count() == blackboxes.len();
        if planned_everywhere && of_name().any(|entry| entry.finished_traces > 0) {
            methods.push(name.clone());
        } else {
            excluded.push(name.clone());
        }
    }
    let tasks = blackboxes.iter().flat_map(|blackbox| {
        let named = |task| (blackbox.name.as_str(), task);
        blackbox.tasks.iter().map(named)
    });
    // Of one black box it is the comparison of that one. Values of several are in different units.
    let (place, rope) = match blackboxes {
        [only] => (
            only.name.as_str(),
            options.rope.map(|rope| rope.on(only.measure)),
        ),
        _ => {
            let distances = options.rope.filter(|rope| rope.unit == RopeUnit::Distance);
            ("", distances)
        }
    };
    compare(place, methods, excluded, tasks, rope, options)
}

/// Compares methods by their improvement on every task on which all of them have one, and by what they found in the
/// end, with that rope; `place` is the name of the black box, empty for all of them.
pub(crate) fn compare<'task>(
    place: &str,
    methods: Vec<String>,
    excluded_methods: Vec<String>,
    tasks: impl Iterator<Item = (&'task str, &'task TaskAnalysis)>,
    rope: Option<Rope>,
    options: &AnalysisOptions,
) -> ComparisonOutcome {
    let mut compared_tasks = Vec::new();
    let mut excluded_tasks = Vec::new();
    let mut scores: Vec<Vec<f64>> = Vec::new();
    let mut final_values: Vec<Vec<f64>> = Vec::new();
    let mut unbalanced = false;
    for (blackbox, task) in tasks {
        let compared = ComparedTask {
            blackbox: blackbox.to_owned(),
            task: task.name.clone(),
        };
        let on_task = values_on(task, &methods, |own| own.improvement);
        let distances = values_on(task, &methods, |own| own.final_dtm);
        match on_task.zip(distances) {
            Some((on_task, distances)) => {
                let range = task.maximum - task.minimum;
                let unit = rope.map_or(1.0, |rope| rope.unit.of_distance(range));
                final_values.push(distances.iter().map(|distance| distance * unit).collect());
                scores.push(on_task);
                compared_tasks.push(compared);
                unbalanced |= task.unbalanced;
            }
            None => excluded_tasks.push(compared),
        }
    }
    if methods.len() < FEWEST {
        return ComparisonOutcome::Impossible {
            reason: few_methods(place, &methods),
        };
    }
    if scores.len() < FEWEST {
        return ComparisonOutcome::Impossible {
            reason: format!(
                "at least {FEWEST} tasks are needed on which all {} methods have a score, \
                 there are {} of {}",
                methods.len(),
                scores.len(),
                scores.len() + excluded_tasks.len()
            ),
        };
    }
    let ranked = RankedMethods::by_highest_score(&scores);
    ComparisonOutcome::Computed(Box::new(Comparison {
        friedman: friedman(&ranked),
        nemenyi: nemenyi(&ranked, options.significance),
        wilcoxon: wilcoxon_pairs(&scores, methods.len()),
        practical_differences: rope.map(|rope| PracticalComparison {
            unit: rope.unit,
            differences: practical_differences(&final_values, rope.width, options.seed, place),
        }),
        smallest_p_values: SmallestPValues::of(methods.len(), scores.len()),
        average_ranks: ranked.average_ranks,
        methods,
        tasks: compared_tasks,
        excluded_tasks,
        excluded_methods,
        unbalanced,
    }))
}

/// Why so few methods cannot be compared.
fn few_methods(place: &str, methods: &[String]) -> String {
    let needed = match place {
        "" => "methods that run on every black box",
        _ => "methods with finished traces",
    };
    let found = match methods {
        [] => "are none".to_owned(),
        several => format!("is {}", several.join(", ")),
    };
    format!("at least {FEWEST} {needed} are needed, there {found}")
}

/// A value of each method on the task, if all of them have one.
fn values_on(
    task: &TaskAnalysis,
    methods: &[String],
    value: fn(&TaskMethodAnalysis) -> Option<f64>,
) -> Option<Vec<f64>> {
    let of_method = |name: &String| {
        let own = task.methods.iter().find(|method| method.method == *name);
        own.and_then(value)
    };
    methods.iter().map(of_method).collect()
}
