//! What recorded traces may be about: the targets of a sweep.

use std::collections::HashMap;
use std::sync::Arc;

use loto_engine::table::Table;
use loto_engine::table::row_lookup::RowLookup;
use loto_proto::excerpt::{excerpt, list};
use loto_proto::identity::Fingerprint;
use loto_proto::protocol::Protocol;
use loto_proto::sweep::Sweep;
use loto_proto::table_spec::{Direction, TableSpec};
use loto_report::csv_text::text_of_cell;
use loto_statistics::hypervolume::TaskHypervolume;

use super::columns::{Columns, ColumnsOfBlackbox};
use super::error::{LineProblem, ScoreError, TracesProblem};
use super::evaluation::TraceKey;

/// A table of a sweep: read, and as the file that it was read from.
#[derive(Debug, Clone, Copy)]
pub struct TableOfSweep<'a> {
    /// The table.
    pub table: &'a Table,
    /// How its file is read.
    pub spec: &'a TableSpec,
    /// Its file.
    pub file: &'a [u8],
}

/// The targets of a sweep by name.
pub(super) struct Targets<'a> {
    pub(super) blackboxes: Vec<TargetBlackbox>,
    /// The tables of the black boxes.
    tables: Vec<TableOfSweep<'a>>,
    /// Seeds 0 to `seeds - 1` are planned.
    pub(super) seeds: u32,
    positions: HashMap<String, usize>,
}

/// A black box of the sweep with its targets.
pub(super) struct TargetBlackbox {
    pub(super) name: String,
    pub(super) fingerprint: Fingerprint,
    /// Whether the targets are a stream.
    pub(super) protocol: Protocol,
    pub(super) direction: Direction,
    pub(super) iterations: usize,
    /// Names of the hyperparameters' columns, in the order of the table.
    pub(super) hyperparameters: Vec<String>,
    /// Finds the configurations of the table, if the file of traces has configurations.
    pub(super) configurations: Option<Arc<RowLookup>>,
    pub(super) tasks: Vec<TargetTask>,
    positions: HashMap<String, usize>,
}

/// A target task with what a trace on it can find.
#[derive(Debug)]
pub(super) struct TargetTask {
    pub(super) name: String,
    /// Objective values by row; negatives if the objective is maximised.
    pub(super) by_row: Vec<f64>,
    /// The same values, ascending.
    pub(super) objective: Arc<[f64]>,
    /// Values of the second objective by row, if there are two.
    pub(super) second_by_row: Option<Vec<f64>>,
    /// Both objectives, if there are two.
    pub(super) hypervolume: Option<Arc<TaskHypervolume>>,
    /// What the evaluation of each row costs, if that is known.
    pub(super) costs: Option<Vec<f64>>,
}

impl TargetTask {
    /// Mean over the rows of what an evaluation costs, if that is known.
    pub(super) fn mean_cost(&self) -> Option<f64> {
        let costs = self.costs.as_ref()?;
        Some(costs.iter().sum::<f64>() / costs.len() as f64)
    }
}

impl<'a> Targets<'a> {
    /// The targets of a sweep with these tables.
    ///
    /// # Errors
    /// [`ScoreError::IncompletePlan`]; [`ScoreError::Table`] if a table is not what it was.
    pub(super) fn new(sweep: &Sweep, tables: &[TableOfSweep<'a>]) -> Result<Self, ScoreError> {
        let missing = |place: &String| ScoreError::IncompletePlan(place.clone());
        let mut targets = Self {
            blackboxes: Vec::with_capacity(sweep.blackboxes.len()),
            tables: Vec::new(),
            seeds: sweep.seeds,
            positions: positions(sweep.blackboxes.iter().map(|blackbox| &blackbox.name)),
        };
        for blackbox in &sweep.blackboxes {
            let mut known = tables.iter();
            let found = known.find(|known| known.table.fingerprint == blackbox.table);
            let found = *found.ok_or_else(|| missing(&blackbox.name))?;
            let costs = blackbox.cost.as_ref().map(|column| {
                let name = blackbox.table.to_string();
                Table::read_costs(found.file, found.spec, column, &name)
            });
            let costs = costs.transpose()?;
            let mut tasks = Vec::with_capacity(blackbox.targets.len());
            for target in &blackbox.targets {
                let mut known = found.table.tasks.iter();
                let number = known.position(|task| task.name == *target);
                let number = number.ok_or_else(|| missing(target))?;
                let task = &found.table.tasks[number];
                let second_by_row = task.further_objectives.first().cloned();
                let hypervolume = second_by_row.as_ref().map(|second| {
                    let pairs = task.objective.iter().zip(second);
                    let pairs = pairs.map(|(&first, &second)| [first, second]);
                    Arc::new(TaskHypervolume::new(pairs.collect()))
                });
                let mut objective = task.objective.clone();
                objective.sort_by(f64::total_cmp);
                tasks.push(TargetTask {
                    name: target.clone(),
                    by_row: task.objective.clone(),
                    objective: objective.into(),
                    second_by_row,
                    hypervolume,
                    costs: costs.as_ref().map(|costs| costs[number].clone()),
                });
            }
            let hyperparameters = found.table.space.hyperparameters.iter();
            targets.tables.push(found);
            targets.blackboxes.push(TargetBlackbox {
                name: blackbox.name.clone(),
                fingerprint: blackbox.table,
                protocol: found.table.protocol,
                direction: found.table.direction,
                iterations: blackbox.iterations as usize,
                hyperparameters: hyperparameters.map(|known| known.name.clone()).collect(),
                configurations: None,
                positions: positions(blackbox.targets.iter()),
                tasks,
            });
        }
        Ok(targets)
    }

    /// What the columns of a file are looked up for.
    pub(super) fn columns(&self) -> Vec<ColumnsOfBlackbox<'_>> {
        let blackboxes = self.blackboxes.iter();
        let columns = blackboxes.map(|blackbox| ColumnsOfBlackbox {
            name: &blackbox.name,
            hyperparameters: &blackbox.hyperparameters,
        });
        columns.collect()
    }

    /// Reads the configurations of the tables whose hyperparameters are columns of the file.
    ///
    /// # Errors
    /// [`TracesProblem::Table`] if a table is not what it was.
    pub(super) fn read_configurations(&mut self, columns: &Columns) -> Result<(), TracesProblem> {
        let mut read: HashMap<Fingerprint, Arc<RowLookup>> = HashMap::new();
        let known = columns.hyperparameters.iter().zip(&self.tables);
        for (blackbox, (columns, table)) in self.blackboxes.iter_mut().zip(known) {
            if columns.is_empty() {
                continue;
            }
            let configurations = match read.get(&blackbox.fingerprint) {
                Some(configurations) => Arc::clone(configurations),
                None => {
                    let name = blackbox.fingerprint.to_string();
                    Arc::new(RowLookup::read(table.file, table.spec, &name)?)
                }
            };
            read.insert(blackbox.fingerprint, Arc::clone(&configurations));
            blackbox.configurations = Some(configurations);
        }
        Ok(())
    }

    /// The position of a black box.
    ///
    /// # Errors
    /// [`LineProblem::UnknownBlackbox`].
    pub(super) fn find_blackbox(&self, cell: &str) -> Result<usize, LineProblem> {
        position_of(&self.positions, cell).ok_or_else(|| {
            let known = self.blackboxes.iter().map(|known| known.name.as_str());
            LineProblem::UnknownBlackbox {
                blackbox: excerpt(cell),
                known: list(known),
            }
        })
    }

    /// A trace in words.
    pub(super) fn describe(&self, key: &TraceKey, optimizer: &str) -> String {
        let blackbox = &self.blackboxes[key.blackbox];
        let task = &blackbox.tasks[key.task].name;
        let optimizer = excerpt(optimizer);
        format!("{}, {task}, {optimizer}, seed {}", blackbox.name, key.seed)
    }
}

impl TargetBlackbox {
    /// The position of a target.
    ///
    /// # Errors
    /// [`LineProblem::UnknownTask`].
    pub(super) fn find_task(&self, cell: &str) -> Result<usize, LineProblem> {
        position_of(&self.positions, cell).ok_or_else(|| {
            let known = self.tasks.iter().map(|known| known.name.as_str());
            LineProblem::UnknownTask {
                task: excerpt(cell),
                blackbox: self.name.clone(),
                known: list(known),
            }
        })
    }
}

/// The position of the name in a cell, which may have the apostrophe of a report's CSV file.
fn position_of(positions: &HashMap<String, usize>, cell: &str) -> Option<usize> {
    let position = positions.get(cell);
    position
        .or_else(|| positions.get(text_of_cell(cell)))
        .copied()
}

fn positions<'a>(names: impl Iterator<Item = &'a String>) -> HashMap<String, usize> {
    names.cloned().zip(0..).collect()
}
