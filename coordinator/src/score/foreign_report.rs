//! Says which values are in no table, and what was done with them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::assemble::Targets;
use super::foreign::{ForeignValues, OnForeign};
use super::recording::{Evaluation, TraceKey};
use loto_report::numbers;

/// Most values that a message names one by one.
const MOST_NAMED: usize = 1000;

/// Values named of a task whose values are foreign for the most part.
const NAMED_OF_A_FOREIGN_TASK: usize = 3;

/// Position of a black box and of one of its targets.
type TaskKey = (usize, usize);

/// All foreign values of a file.
#[derive(Debug, Default)]
pub(super) struct ForeignReport {
    /// Number of values by task.
    totals: BTreeMap<TaskKey, usize>,
    /// Foreign values by trace.
    traces: BTreeMap<TraceKey, Vec<Evaluation>>,
}

impl ForeignReport {
    /// Counts the values of a trace, of which those of `foreign` are in no table.
    pub(super) fn add(&mut self, key: TraceKey, values: usize, foreign: Vec<Evaluation>) {
        *self.totals.entry((key.blackbox, key.task)).or_default() += values;
        if !foreign.is_empty() {
            self.traces.insert(key, foreign);
        }
    }

    /// Refuses foreign values where the rules say so.
    ///
    /// # Errors
    /// A text that names them all, or the first thousand.
    pub(super) fn check(
        &self,
        targets: &Targets,
        optimizers: &[String],
        rules: &ForeignValues,
    ) -> Result<(), String> {
        let is_refused = |key: &TraceKey| {
            rules.rule(&targets.blackboxes[key.blackbox].name) == OnForeign::Refuse
        };
        let refused: Vec<_> = self
            .traces
            .iter()
            .filter(|(key, _)| is_refused(key))
            .collect();
        if refused.is_empty() {
            return Ok(());
        }
        let count: usize = refused.iter().map(|(_, foreign)| foreign.len()).sum();
        let total: usize = self.totals.values().sum();
        let mut text =
            format!("{count} of {total} values are not in the tables of the sweep file:");
        let foreign_tasks = self.foreign_tasks();
        for &(blackbox, task) in &foreign_tasks {
            let here = refused
                .iter()
                .filter(|(key, _)| (key.blackbox, key.task) == (blackbox, task));
            let here: Vec<Evaluation> = here
                .flat_map(|(_, foreign)| foreign.iter().copied())
                .collect();
            if here.is_empty() {
                continue;
            }
            let known = &targets.blackboxes[blackbox];
            let _ = write!(
                text,
                "\n  {}, {}: {} of {} values, so these traces belong to another table\n    {}, ...",
                known.name,
                known.tasks[task].name,
                here.len(),
                self.totals[&(blackbox, task)],
                named(&here, NAMED_OF_A_FOREIGN_TASK),
            );
        }
        let mut left = MOST_NAMED;
        for (key, foreign) in refused {
            if foreign_tasks.contains(&(key.blackbox, key.task)) {
                continue;
            }
            let trace = targets.describe(key, &optimizers[key.optimizer]);
            let _ = write!(text, "\n  {trace}: {} values", foreign.len());
            if left > 0 {
                let _ = write!(text, "\n    {}", named(foreign, left));
            }
            left = left.saturating_sub(foreign.len());
        }
        text.push_str(
            "\nuse --allow-foreign-values to score them as recorded, --drop-foreign-values to go on from \
             the best value before them; either takes names of black boxes: --allow-foreign-values=NAME",
        );
        Err(text)
    }

    /// One sentence for each black box with foreign values.
    pub(super) fn notes(&self, targets: &Targets, rules: &ForeignValues) -> Vec<String> {
        let notes = targets
            .blackboxes
            .iter()
            .enumerate()
            .filter_map(|(position, blackbox)| {
                let here = self
                    .traces
                    .iter()
                    .filter(|(key, _)| key.blackbox == position);
                let count: usize = here.map(|(_, foreign)| foreign.len()).sum();
                let totals = self
                    .totals
                    .iter()
                    .filter(|((blackbox, _), _)| *blackbox == position);
                let total: usize = totals.map(|(_, total)| total).sum();
                let done = match rules.rule(&blackbox.name) {
                    OnForeign::Keep => "they are scored as they were recorded",
                    OnForeign::Drop => "they are dropped: at each the best value before it stays",
                    OnForeign::Refuse => return None,
                };
                (count > 0).then(|| {
                    format!(
                        "{} of {} values on {} are not in its table; {done}.",
                        numbers::grouped(count as u64),
                        numbers::grouped(total as u64),
                        blackbox.name
                    )
                })
            });
        notes.collect()
    }

    /// Tasks more than half of whose values are foreign.
    fn foreign_tasks(&self) -> BTreeSet<TaskKey> {
        let mut counts: BTreeMap<TaskKey, usize> = BTreeMap::new();
        for (key, foreign) in &self.traces {
            *counts.entry((key.blackbox, key.task)).or_default() += foreign.len();
        }
        let is_foreign = |(task, count): &(TaskKey, usize)| 2 * count > self.totals[task];
        counts
            .into_iter()
            .filter(is_foreign)
            .map(|(task, _)| task)
            .collect()
    }
}

/// Lines with their values, at most `most` of them.
fn named(foreign: &[Evaluation], most: usize) -> String {
    let mut foreign: Vec<&Evaluation> = foreign.iter().collect();
    foreign.sort_by_key(|evaluation| evaluation.line);
    let named = foreign.iter().take(most);
    let named = named.map(|evaluation| format!("line {}: {}", evaluation.line, evaluation.value));
    named.collect::<Vec<_>>().join(", ")
}
