//! What recorded traces may be about: the targets of the sweep file.

use std::collections::HashMap;
use std::sync::Arc;

use loto_proto::excerpt::{excerpt, list};

use super::error::{LineProblem, ScoreError};
use super::evaluation::TraceKey;
use crate::plan::Plan;

/// The targets of a sweep file by name.
#[derive(Debug)]
pub(super) struct Targets {
    pub(super) blackboxes: Vec<TargetBlackbox>,
    /// Seeds 0 to `seeds - 1` are planned.
    pub(super) seeds: u32,
    positions: HashMap<String, usize>,
}

/// A black box of the sweep file with its targets.
#[derive(Debug)]
pub(super) struct TargetBlackbox {
    pub(super) name: String,
    pub(super) iterations: usize,
    pub(super) tasks: Vec<TargetTask>,
    positions: HashMap<String, usize>,
}

/// A target task with what a trace on it can find.
#[derive(Debug)]
pub(super) struct TargetTask {
    pub(super) name: String,
    /// Objective values of all rows, ascending.
    pub(super) objective: Arc<[f64]>,
}

impl Targets {
    /// The targets of a plan.
    ///
    /// # Errors
    /// [`ScoreError::IncompletePlan`].
    pub(super) fn new(plan: &Plan) -> Result<Self, ScoreError> {
        let missing = |place: &String| ScoreError::IncompletePlan(place.clone());
        let mut blackboxes = Vec::with_capacity(plan.sweep.blackboxes.len());
        for blackbox in &plan.sweep.blackboxes {
            let planned = plan.table(blackbox.table);
            let table = &planned.ok_or_else(|| missing(&blackbox.name))?.table;
            let mut tasks = Vec::with_capacity(blackbox.targets.len());
            for target in &blackbox.targets {
                let task = table.task(target).ok_or_else(|| missing(target))?;
                let mut objective = task.objective.clone();
                objective.sort_by(f64::total_cmp);
                tasks.push(TargetTask {
                    name: target.clone(),
                    objective: objective.into(),
                });
            }
            blackboxes.push(TargetBlackbox {
                name: blackbox.name.clone(),
                iterations: blackbox.iterations as usize,
                positions: positions(blackbox.targets.iter()),
                tasks,
            });
        }
        Ok(Self {
            positions: positions(blackboxes.iter().map(|blackbox| &blackbox.name)),
            seeds: plan.sweep.seeds,
            blackboxes,
        })
    }

    /// The positions of a black box and of its task.
    ///
    /// # Errors
    /// [`LineProblem::UnknownBlackbox`], [`LineProblem::UnknownTask`].
    pub(super) fn find(&self, blackbox: &str, task: &str) -> Result<(usize, usize), LineProblem> {
        let Some(&position) = self.positions.get(blackbox) else {
            let known = self.blackboxes.iter().map(|known| known.name.as_str());
            return Err(LineProblem::UnknownBlackbox {
                blackbox: excerpt(blackbox),
                known: list(known),
            });
        };
        let found = &self.blackboxes[position];
        let Some(&task_position) = found.positions.get(task) else {
            let known = found.tasks.iter().map(|known| known.name.as_str());
            return Err(LineProblem::UnknownTask {
                task: excerpt(task),
                blackbox: blackbox.to_owned(),
                known: list(known),
            });
        };
        Ok((position, task_position))
    }

    /// A trace in words.
    pub(super) fn describe(&self, key: &TraceKey, optimizer: &str) -> String {
        let blackbox = &self.blackboxes[key.blackbox];
        let task = &blackbox.tasks[key.task].name;
        let optimizer = excerpt(optimizer);
        format!("{}, {task}, {optimizer}, seed {}", blackbox.name, key.seed)
    }
}

fn positions<'a>(names: impl Iterator<Item = &'a String>) -> HashMap<String, usize> {
    names.cloned().zip(0..).collect()
}
