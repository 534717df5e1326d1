//! Says which values are in no table, and what was done with them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use loto_report::numbers;

use super::error::TracesProblem;
use super::evaluation::{Evaluation, TraceKey};
use super::foreign::{ForeignValues, OnForeign};
use super::targets::{TargetBlackbox, Targets};

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
    /// [`TracesProblem::ForeignValues`], with all values or the first thousand.
    pub(super) fn check(
        &self,
        targets: &Targets<'_>,
        optimizers: &[String],
        rules: &ForeignValues,
    ) -> Result<(), TracesProblem> {
        let is_refused = |key: &TraceKey| {
            rules.rule(&targets.blackboxes[key.blackbox].name) == OnForeign::Refuse
        };
        let (mut of_tasks, mut of_traces) =
            (BTreeMap::<TaskKey, Vec<Evaluation>>::new(), Vec::new());
        let foreign_tasks = self.foreign_tasks();
        for (key, foreign) in self.traces.iter().filter(|(key, _)| is_refused(key)) {
            let task = (key.blackbox, key.task);
            if foreign_tasks.contains(&task) {
                of_tasks.entry(task).or_default().extend(foreign);
            } else {
                of_traces.push((key, foreign));
            }
        }
        let mut refused = 0;
        let mut listing = String::new();
        for (task, foreign) in &of_tasks {
            refused += foreign.len();
            let blackbox = &targets.blackboxes[task.0];
            let _ = write!(
                listing,
                "\n  {}, {}: {} of {} values, so these traces belong to another table, or their values are rounded\n    {}, ...",
                blackbox.name,
                blackbox.tasks[task.1].name,
                foreign.len(),
                self.totals[task],
                named(foreign, NAMED_OF_A_FOREIGN_TASK),
            );
        }
        let mut left = MOST_NAMED;
        for (key, foreign) in of_traces {
            refused += foreign.len();
            let trace = targets.describe(key, &optimizers[key.optimizer]);
            let _ = write!(listing, "\n  {trace}: {} values", foreign.len());
            if left > 0 {
                let _ = write!(listing, "\n    {}", named(foreign, left));
            }
            left = left.saturating_sub(foreign.len());
        }
        if refused == 0 {
            return Ok(());
        }
        Err(TracesProblem::ForeignValues {
            foreign: refused,
            total: self.totals.values().sum(),
            listing,
        })
    }

    /// One sentence for each black box with foreign values.
    pub(super) fn notes(&self, targets: &Targets<'_>, rules: &ForeignValues) -> Vec<String> {
        let note = |(position, blackbox): (usize, &TargetBlackbox)| {
            let here = self
                .traces
                .iter()
                .filter(|(key, _)| key.blackbox == position);
            let count: usize = here.map(|(_, foreign)| foreign.len()).sum();
            let of_tasks = self.totals.range((position, 0)..(position + 1, 0));
            let total: usize = of_tasks.map(|(_, total)| total).sum();
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
        };
        targets
            .blackboxes
            .iter()
            .enumerate()
            .filter_map(note)
            .collect()
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
