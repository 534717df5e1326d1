//! One black box of a sweep file.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::checks::{check_distinct, check_name, check_range};
use super::error::SweepFileProblem;
use super::features::{self, FeaturesEntry};
use super::objectives;
use super::scales::{self, CategoricalEntry, ScaleEntry, ScaleProblem};
use crate::excerpt::excerpt;
use crate::initial_rows::InitialRows;
use crate::limits::{MAX_ITERATIONS, MAX_METHODS, MAX_TASKS};
use crate::protocol::Protocol;
use crate::table_spec::{Direction, Repeats, SourceTasks, TableSpec};

/// One `[[blackbox]]` of a sweep file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlackboxEntry {
    /// Name of the black box, for people and reports.
    pub name: String,
    /// Table file, relative to the sweep file, then to the data folder.
    pub table: String,
    /// Column with the objective, if there is one objective.
    #[serde(default, deserialize_with = "objectives::deserialize_one")]
    pub objective: Option<String>,
    /// Columns with the objectives, if there are several, all of them minimised.
    pub objectives: Option<Vec<String>>,
    /// Whether the objective is minimised or maximised.
    #[serde(default)]
    pub direction: Option<Direction>,
    /// Which hyperparameters are categorical; the rest is numeric.
    #[serde(default)]
    pub categorical: CategoricalEntry,
    /// Scales of hyperparameters, by column or by a pattern with `*`; the rest is linear.
    #[serde(default)]
    pub scales: BTreeMap<String, ScaleEntry>,
    /// Tasks that are never a target.
    #[serde(default)]
    pub sources_only: Vec<String>,
    /// The only tasks that methods learn from, whatever the target; all but the target if left out.
    pub sources: Option<Vec<String>>,
    /// At most so many sources are drawn for each target and seed.
    pub source_tasks: Option<u32>,
    /// File with the first evaluations for each task and seed, found as the table is.
    pub initial: Option<String>,
    /// What several rows with the same configuration mean; a mistake if left out.
    #[serde(default)]
    pub repeats: Repeats,
    /// Columns that describe tasks.
    #[serde(default)]
    pub features: FeaturesEntry,
    /// Column of what one evaluation costs, a time for example, over which results are shown, too; no method sees it.
    pub cost: Option<String>,
    /// Column of true and false: the rows that methods learn from where a task is a source; all if left out.
    pub source_rows: Option<String>,
    /// Whether tasks are tuned each by itself or one after the other.
    #[serde(default)]
    pub protocol: Protocol,
    /// The target tasks; all that are neither `sources_only` nor `sources` if left out.
    pub targets: Option<Vec<String>>,
    /// Number of evaluations in a trace, where it differs from the sweep's.
    pub iterations: Option<u32>,
    /// Ids of the methods to run, where they differ from the sweep's.
    pub methods: Option<Vec<String>>,
}

impl BlackboxEntry {
    /// Columns with the objectives, in the order of their declaration; one at least in a checked sweep file.
    pub fn objectives(&self) -> &[String] {
        match (&self.objectives, &self.objective) {
            (Some(objectives), _) => objectives,
            (None, objective) => objective.as_slice(),
        }
    }

    /// Column with the objective, or the first of several; empty if none is declared, which a checked sweep file
    /// excludes.
    pub fn primary_objective(&self) -> &str {
        self.objectives().first().map_or("", String::as_str)
    }

    /// How the table's bytes are to be read, given the names of its hyperparameter columns. First evaluations
    /// are not among it: they are looked up in the table.
    ///
    /// # Errors
    /// [`ScaleProblem`] if the scales do not fit the columns or contradict each other.
    pub fn table_spec(&self, columns: &[String]) -> Result<TableSpec, ScaleProblem> {
        let (categorical, scales) = scales::resolve(&self.categorical, &self.scales, columns)?;
        Ok(TableSpec {
            objective: self.primary_objective().to_owned(),
            further_objectives: self.objectives().iter().skip(1).cloned().collect(),
            categorical,
            scales,
            direction: self.direction.unwrap_or_default(),
            sources: SourceTasks {
                named: self.sources.iter().flatten().cloned().collect(),
                most: self.source_tasks.unwrap_or_default(),
            },
            initial: InitialRows::default(),
            repeats: self.repeats,
            features: self.features.resolve(),
            source_rows: self.source_rows.clone(),
            protocol: self.protocol,
        })
    }

    /// A stream has all tasks of the table, and no sources but what a method itself evaluated.
    fn check_stream(&self) -> Result<(), SweepFileProblem> {
        let chosen = [
            ("targets", self.targets.is_some()),
            ("sources_only", !self.sources_only.is_empty()),
            ("sources", self.sources.is_some()),
            ("source_tasks", self.source_tasks.is_some()),
            ("source_rows", self.source_rows.is_some()),
        ];
        let chosen = chosen.iter().find(|(_, is_set)| *is_set);
        match (self.protocol, chosen) {
            (Protocol::Stream, Some((key, _))) => Err(SweepFileProblem::ChoiceInStream(key)),
            _ => Ok(()),
        }
    }

    /// True if the sweep file says which scale a hyperparameter has.
    pub fn declares_scale(&self, column: &str) -> bool {
        scales::declares(&self.scales, column)
    }

    pub(super) fn check(&self) -> Result<(), SweepFileProblem> {
        check_name("table", &self.table)?;
        objectives::check(
            self.objective.as_ref(),
            self.objectives.as_ref(),
            self.direction,
        )?;
        if let Some(initial) = &self.initial {
            check_name("initial", initial)?;
        }
        match &self.categorical {
            CategoricalEntry::Word(word) if word == "all" => {}
            CategoricalEntry::Word(word) => {
                return Err(SweepFileProblem::UnknownWord(excerpt(word)));
            }
            CategoricalEntry::Columns(columns) => columns
                .iter()
                .try_for_each(|column| check_name("categorical", column))?,
        }
        scales::check(&self.scales)?;
        let source_rows = self.source_rows.as_ref();
        features::check(&self.features, source_rows, self.objectives())?;
        if let Some(cost) = &self.cost {
            objectives::check_cost(cost, &self.features, source_rows)?;
        }
        self.check_stream()?;
        if let Some(iterations) = self.iterations {
            check_range("iterations", iterations, MAX_ITERATIONS)?;
        }
        let methods = self.methods.as_deref().unwrap_or_default();
        check_distinct("methods", methods, MAX_METHODS)?;
        let sources_only = check_distinct("sources_only", &self.sources_only, MAX_TASKS)?;
        let targets = self.targets.as_deref().unwrap_or_default();
        check_distinct("targets", targets, MAX_TASKS)?;
        if self.targets.is_some() && targets.is_empty() {
            return Err(SweepFileProblem::NoTargets);
        }
        let named = self.sources.as_deref().unwrap_or_default();
        let sources = check_distinct("sources", named, MAX_TASKS)?;
        if self.sources.is_some() && sources.is_empty() {
            return Err(SweepFileProblem::NoSources);
        }
        if !sources.is_empty() && !sources_only.is_empty() {
            return Err(SweepFileProblem::SourcesTwice);
        }
        if let Some(most) = self.source_tasks {
            check_range("source_tasks", most, MAX_TASKS as u32)?;
        }
        for (key, tasks) in [("sources_only", sources_only), ("sources", sources)] {
            if let Some(task) = targets.iter().find(|task| tasks.contains(task)) {
                let task = task.clone();
                return Err(SweepFileProblem::TargetAndSource { key, task });
            }
        }
        Ok(())
    }
}
