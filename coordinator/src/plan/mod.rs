//! From a sweep file to a plan: the sweep's jobs and the tables they need.
//!
//! All that a user can get wrong in a sweep file is found here, before any
//! job is run.

mod built_in;
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

pub use tables::PlannedTable;

use crate::CoordinatorError;
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
    /// Its tables, each once, in the order of the sweep file.
    pub tables: Vec<PlannedTable>,
}

impl Plan {
    /// Reads a sweep file and its tables, and checks the one against the other.
    ///
    /// Tables are looked for beside the sweep file, then in the folder `data`.
    ///
    /// # Errors
    /// [`CoordinatorError::SweepFile`], [`CoordinatorError::UnsuitableSweep`]; [`CoordinatorError::TableNotFound`]; what [`loto_engine::table::Table::read`] refuses.
    pub fn read(source: &SweepSource, data: Option<&Path>) -> Result<Self, CoordinatorError> {
        match source {
            SweepSource::File(path) => Self::from_file(&SweepFile::read(path)?, path, data),
            SweepSource::BuiltIn => built_in::plan(),
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
    ) -> Result<Self, CoordinatorError> {
        let folders = tables::Folders {
            sweep: path.parent().unwrap_or(Path::new("")).to_owned(),
            data: data.map(Path::to_owned),
        };
        Self::build(file, path, |entry| folders.load(entry))
    }

    /// Plans `file`, taking each black box's table file from `load`.
    fn build(
        file: &SweepFile,
        path: &Path,
        load: impl Fn(&BlackboxEntry) -> Result<TableFile, CoordinatorError>,
    ) -> Result<Self, CoordinatorError> {
        let invalid = |problem: String| CoordinatorError::UnsuitableSweep {
            path: path.to_owned(),
            problem,
        };
        let mut tables: Vec<PlannedTable> = Vec::new();
        let mut blackboxes = Vec::with_capacity(file.blackboxes.len());
        for entry in &file.blackboxes {
            let table = tables::position_of(&mut tables, load(entry)?, entry.table_spec())?;
            let table = &tables[table].table;
            let iterations = entry.iterations.unwrap_or(file.iterations);
            let targets = targets::resolve(entry, table, iterations)
                .map_err(|problem| invalid(format!("black box `{}`: {problem}", entry.name)))?;
            let methods = methods::resolve(file, entry, &table.space).map_err(invalid)?;
            blackboxes.push(Blackbox {
                name: entry.name.clone(),
                table: table.fingerprint,
                targets,
                iterations,
                methods,
            });
        }
        let sweep = Sweep {
            name: file.name.clone(),
            blackboxes,
            seeds: file.seeds,
        };
        sweep
            .check()
            .map_err(|problem| invalid(problem.to_string()))?;
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

/// Two black boxes over the same table must not share a trace, or their jobs would be counted twice.
fn check_distinct(sweep: &Sweep) -> Result<(), String> {
    let mut owners: BTreeMap<SeriesId, &str> = BTreeMap::new();
    for blackbox in &sweep.blackboxes {
        for method in &blackbox.methods {
            for target in &blackbox.targets {
                let series = blackbox.series(method, target).id();
                if let Some(owner) = owners.insert(series, &blackbox.name) {
                    return Err(format!(
                        "black boxes `{owner}` and `{}` are the same table with the same target \
                         `{target}`: leave one of them out",
                        blackbox.name
                    ));
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
