//! From a sweep file to a plan: the sweep's jobs and the tables they need.
//!
//! All that a user can get wrong in a sweep file is found here, before any
//! job is run.

mod built_in;
mod error;
mod initial;
mod initial_problem;
mod methods;
mod programs;
mod tables;
mod targets;
mod warning;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use loto_engine::table::Task;
use loto_engine::table::error::TableError;
use loto_proto::identity::{Fingerprint, SeriesId};
use loto_proto::job::Series;
use loto_proto::limits::MAX_ITERATIONS;
use loto_proto::protocol::Protocol;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::sweep_file::{BlackboxEntry, SweepFile};
use loto_statistics::hypervolume::MOST_ROWS;

pub use error::{BlackboxProblem, PlanError, SweepProblem, UnsuitableMethod};
pub use programs::PlannedProgram;
pub use tables::PlannedTable;
pub use warning::{PlanWarning, WarningKind};

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
    /// The programs of its external methods.
    pub programs: Vec<PlannedProgram>,
    /// What is allowed, but probably not meant.
    pub warnings: Vec<PlanWarning>,
}

impl Plan {
    /// The files and folders of the tables.
    pub(crate) fn table_paths(&self) -> impl Iterator<Item = PathBuf> {
        let paths = self.tables.iter().map(|table| table.path.clone());
        // The built-in table has none.
        paths.filter(|path| path.exists())
    }

    /// What workers find of it in the store, by name: tables, then programs.
    pub fn blobs(&self) -> impl Iterator<Item = (String, Vec<u8>)> {
        let tables = self.tables.iter();
        let tables = tables.map(|table| (table.blob_name(), table.blob()));
        let programs = self.programs.iter();
        let programs = programs.map(|program| (program.id.blob_name(), program.blob.clone()));
        tables.chain(programs)
    }

    /// Reads a sweep file and its tables, and checks that they fit each other.
    ///
    /// Tables are looked for beside the sweep file, then in the folder `data`. That of the built-in sweep is there in any case.
    ///
    /// # Errors
    /// [`PlanError`], which names the file and the line, key, task or method.
    pub fn read(source: &SweepSource, data: Option<&Path>) -> Result<Self, PlanError> {
        match source {
            SweepSource::File(path) => Self::from_file(&SweepFile::read(path)?, path, data),
            SweepSource::BuiltIn => {
                let (file, path) = built_in::sweep_file()?;
                Self::build(&file, path, |entry| tables::load(entry, &[]))
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
        let invalid = |line, problem| PlanError::InvalidSweep {
            path: path.to_owned(),
            line,
            problem,
        };
        let programs = programs::load(file, path)?;
        let mut tables: Vec<PlannedTable> = Vec::new();
        let mut blackboxes = Vec::with_capacity(file.blackboxes.len());
        let mut warnings = Vec::new();
        for (number, entry) in file.blackboxes.iter().enumerate() {
            let of_blackbox = |problem: BlackboxProblem| {
                let line = problem.line(file, number);
                let blackbox = entry.name.clone();
                let problem = Box::new(problem);
                invalid(line, SweepProblem::Blackbox { blackbox, problem })
            };
            let declaration = |key, error| {
                let problem = Box::new(error);
                of_blackbox(BlackboxProblem::Declaration { key, problem })
            };
            let of_table = |error: TableError| match error.problem.key() {
                // Of several objectives the key is another one.
                Some("objective") if entry.objectives.is_some() => declaration("objectives", error),
                Some(key) => declaration(key, error),
                None => PlanError::Table(error.into()),
            };
            let objectives = entry.objectives().len();
            if objectives > MOST_OBJECTIVES {
                return Err(of_blackbox(BlackboxProblem::ManyObjectives(objectives)));
            }
            let table_file = load(entry)?;
            let columns = tables::columns_to_match(entry, &table_file)?;
            let spec = entry.table_spec(&columns);
            let mut spec = spec.map_err(|problem| of_blackbox(problem.into()))?;
            if let Some(given) = &table_file.initial {
                let lookup = initial::lookup(&table_file.path, &table_file.bytes, &spec);
                let lookup = lookup.map_err(of_table)?;
                let rows = initial::read(given, &lookup);
                spec.initial = rows.map_err(|problem| {
                    of_blackbox(BlackboxProblem::Initial {
                        path: given.path.clone(),
                        problem,
                    })
                })?;
            }
            let position = tables::position_of(&mut tables, table_file, spec).map_err(of_table)?;
            let planned = &tables[position];
            let blackbox = plan_blackbox(file, entry, planned, &programs).map_err(of_blackbox)?;
            initial::check(&planned.spec.initial, &blackbox, file.seeds).map_err(of_blackbox)?;
            warnings.extend(warning::of_blackbox(entry, &blackbox, planned));
            blackboxes.push(blackbox);
        }
        let sweep = Sweep {
            name: file.name.clone(),
            blackboxes,
            seeds: file.seeds,
        };
        sweep
            .check()
            .map_err(|problem| invalid(None, problem.into()))?;
        check_distinct(&sweep).map_err(|problem| invalid(None, problem))?;
        Ok(Self {
            sweep,
            tables,
            programs,
            warnings,
        })
    }

    /// The table of that fingerprint.
    pub fn table(&self, fingerprint: Fingerprint) -> Option<&PlannedTable> {
        self.tables
            .iter()
            .find(|table| table.fingerprint() == fingerprint)
    }

    /// Number of rows of a series' target task, on average over those of a stream.
    pub fn rows(&self, series: &Series) -> Option<usize> {
        let table = &self.table(series.table)?.table;
        match table.protocol {
            Protocol::LeaveOneOut => Some(table.task(&series.task)?.rows()),
            Protocol::Stream => {
                let rows: usize = table.tasks.iter().map(Task::rows).sum();
                rows.checked_div(table.tasks.len())
            }
        }
    }

    /// The names of all methods that the sweep runs.
    pub fn method_names(&self) -> BTreeSet<&str> {
        let methods = self
            .sweep
            .blackboxes
            .iter()
            .flat_map(|blackbox| &blackbox.methods);
        methods.map(|method| method.label()).collect()
    }
}

/// Most objectives of a black box: statistics are known for one, and for two by their hypervolume.
const MOST_OBJECTIVES: usize = 2;

/// What runs on a black box.
fn plan_blackbox(
    file: &SweepFile,
    entry: &BlackboxEntry,
    planned: &PlannedTable,
    programs: &[PlannedProgram],
) -> Result<Blackbox, BlackboxProblem> {
    let table = &planned.table;
    let iterations = entry.iterations.unwrap_or(file.iterations);
    if entry.protocol == Protocol::Stream && iterations < 2 {
        return Err(BlackboxProblem::ShortStream);
    }
    check_rows(planned)?;
    let objectives = entry.objectives().len() as u64;
    let evaluations = u64::from(iterations) * table.tasks.len() as u64;
    if entry.protocol == Protocol::Stream && evaluations * objectives > MAX_ITERATIONS.into() {
        return Err(BlackboxProblem::LongStream {
            evaluations,
            objectives,
        });
    }
    if let Some(column) = &entry.cost {
        planned.check_costs(column)?;
    }
    Ok(Blackbox {
        name: entry.name.clone(),
        table: table.fingerprint,
        table_file: planned.file_name(),
        targets: targets::resolve(entry, table, iterations)?,
        iterations,
        protocol: entry.protocol,
        cost: entry.cost.clone(),
        methods: methods::resolve(file, entry, table, programs)?,
    })
}

/// With two objectives, random search is known exactly on tasks that are not too large.
fn check_rows(planned: &PlannedTable) -> Result<(), BlackboxProblem> {
    let is_large = |task: &&Task| task.rows() > MOST_ROWS;
    let mut tasks = planned.table.tasks.iter();
    match tasks.find(|task| !planned.spec.further_objectives.is_empty() && is_large(task)) {
        None => Ok(()),
        Some(task) => Err(BlackboxProblem::LargeTask {
            task: task.name.clone(),
            rows: task.rows(),
        }),
    }
}

/// Two black boxes over the same table must not share a trace, or their jobs would be counted twice.
fn check_distinct(sweep: &Sweep) -> Result<(), SweepProblem> {
    let mut owners: BTreeMap<SeriesId, &str> = BTreeMap::new();
    for blackbox in &sweep.blackboxes {
        for method in &blackbox.methods {
            for series in blackbox.series_of(method) {
                if let Some(owner) = owners.insert(series.id(), &blackbox.name) {
                    return Err(SweepProblem::SharedSeries {
                        first: owner.to_owned(),
                        second: blackbox.name.clone(),
                        target: series.task,
                    });
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod declaration_tests;
#[cfg(test)]
mod external_tests;
#[cfg(test)]
mod method_tests;
#[cfg(test)]
mod mistake_tests;
#[cfg(test)]
mod tests;
