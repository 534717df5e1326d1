//! From a sweep file to a plan: the sweep's jobs and the tables they need.
//!
//! All that a user can get wrong in a sweep file is found here, before any
//! job is run.

mod built_in;
mod error;
mod methods;
mod suggestion;
mod tables;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use loto_proto::identity::{Fingerprint, SeriesId};
use loto_proto::job::Series;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::sweep_file::{BlackboxEntry, SweepFile};

pub use error::{BlackboxProblem, PlanError, SweepProblem};
pub use tables::PlannedTable;

use tables::TableFile;

/// Where a sweep comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SweepSource {
    /// A sweep file of the user.
    File(PathBuf),
    /// The sweep and the table that are compiled into the binary.
    BuiltIn,
}

/// A sweep, ready to be run.
#[derive(Debug)]
pub struct Plan {
    /// What to run.
    pub sweep: Sweep,
    /// The tables of the sweep, each once, in the order of the sweep file.
    pub tables: Vec<PlannedTable>,
}

impl Plan {
    /// Reads a sweep file and its tables, and checks that they fit each other.
    ///
    /// Tables are looked for beside the sweep file, then in the folder `data`.
    ///
    /// # Errors
    /// [`PlanError`], which names the file and the line, key, task or method.
    pub fn read(source: &SweepSource, data: Option<&Path>) -> Result<Self, PlanError> {
        match source {
            SweepSource::File(path) => Self::from_file(&SweepFile::read(path)?, path, data),
            SweepSource::BuiltIn => {
                let (file, path) = built_in::sweep_file()?;
                Self::build(&file, path, |entry| Ok(built_in::table_file(entry)))
            }
        }
    }

    /// As [`Self::read`], for a sweep file that is read already; `path` is where it was.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn from_file(
        file: &SweepFile,
        path: &Path,
        data: Option<&Path>,
    ) -> Result<Self, PlanError> {
        let beside = path.parent().unwrap_or(Path::new(""));
        let folders: Vec<&Path> = std::iter::once(beside).chain(data).collect();
        Self::build(file, path, |entry| tables::load(entry, &folders))
    }

    /// Plans `file`, taking each black box's table file from `load`.
    fn build(
        file: &SweepFile,
        path: &Path,
        load: impl Fn(&BlackboxEntry) -> Result<TableFile, PlanError>,
    ) -> Result<Self, PlanError> {
        let invalid = |problem| PlanError::InvalidSweep {
            path: path.to_owned(),
            problem,
        };
        let mut tables: Vec<PlannedTable> = Vec::new();
        let mut blackboxes = Vec::with_capacity(file.blackboxes.len());
        for entry in &file.blackboxes {
            let position = tables::position_of(&mut tables, load(entry)?, entry.table_spec())?;
            let blackbox = plan_blackbox(file, entry, &tables[position]).map_err(|problem| {
                invalid(SweepProblem::Blackbox {
                    blackbox: entry.name.clone(),
                    problem: Box::new(problem),
                })
            })?;
            blackboxes.push(blackbox);
        }
        let sweep = Sweep {
            name: file.name.clone(),
            blackboxes,
            seeds: file.seeds,
        };
        sweep.check().map_err(|problem| invalid(problem.into()))?;
        check_distinct(&sweep).map_err(invalid)?;
        Ok(Self { sweep, tables })
    }

    /// The table of that fingerprint.
    pub fn table(&self, fingerprint: Fingerprint) -> Option<&PlannedTable> {
        self.tables
            .iter()
            .find(|table| table.fingerprint() == fingerprint)
    }

    /// Number of rows of a series' target task.
    pub fn rows(&self, series: &Series) -> Option<usize> {
        let task = self.table(series.table)?.table.task(&series.task)?;
        Some(task.rows())
    }

    /// The ids of all methods that the sweep runs.
    pub fn method_ids(&self) -> BTreeSet<&str> {
        let methods = self
            .sweep
            .blackboxes
            .iter()
            .flat_map(|blackbox| &blackbox.methods);
        methods.map(|method| method.id.as_str()).collect()
    }
}

/// What runs on a black box.
fn plan_blackbox(
    file: &SweepFile,
    entry: &BlackboxEntry,
    planned: &PlannedTable,
) -> Result<Blackbox, BlackboxProblem> {
    let table = &planned.table;
    let iterations = entry.iterations.unwrap_or(file.iterations);
    Ok(Blackbox {
        name: entry.name.clone(),
        table: table.fingerprint,
        targets: targets::resolve(entry, table, iterations)?,
        iterations,
        methods: methods::resolve(file, entry, &table.space)?,
    })
}

/// Two black boxes over the same table must not share a trace, or their jobs would be counted twice.
fn check_distinct(sweep: &Sweep) -> Result<(), SweepProblem> {
    let mut owners: BTreeMap<SeriesId, &str> = BTreeMap::new();
    for blackbox in &sweep.blackboxes {
        for method in &blackbox.methods {
            for target in &blackbox.targets {
                let series = blackbox.series(method, target).id();
                if let Some(owner) = owners.insert(series, &blackbox.name) {
                    return Err(SweepProblem::SharedSeries {
                        first: owner.to_owned(),
                        second: blackbox.name.clone(),
                        target: target.clone(),
                    });
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
