//! Imports a black box of Syne Tune's repository: `metadata.json`, `hyperparameters.parquet` and `objectives_evaluations.npy`, or one of
//! the latter two for each task.
//!
//! A configuration's value is the mean over the seeds that have one, at one fidelity. Scales come from `configspace.json`, if it is there.

use std::path::Path;

use csv::StringRecord;
use loto_engine::table::records::Records;
use loto_proto::bounded_file;
use loto_proto::excerpt::excerpt;
use loto_proto::limits::MAX_TABLE_FILE_BYTES;
use loto_proto::suggestion::suggest;
use loto_proto::table_spec::Direction;
use loto_proto::untrusted_text::check_name;
use loto_report::numbers::count;
use serde::Deserialize;
use serde_json::Value;

use super::destination::{Destination, Imported, TableWriter, number_text};
use super::error::{ContentProblem, ImportError};
use super::npy::Array;
use super::scales::{ColumnKind, ColumnKinds, prefixed};
use super::sweep_text::ImportedBlackbox;
use crate::table_files::parquet;

/// Seeds of the sweep file to start from.
const SEEDS: u32 = 10;

/// What of a black box is imported.
#[derive(Debug)]
pub struct SyneTuneChoice {
    /// The objective, one of `objectives_names`.
    pub metric: String,
    /// Position of the fidelity, counted from 1; the last if absent.
    pub fidelity: Option<u64>,
    /// Whether the objective is minimised; `None` if nobody said.
    pub direction: Option<Direction>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    objectives_names: Vec<String>,
    task_names: Vec<String>,
}

/// Imports the black box of a folder into a new folder.
///
/// # Errors
/// [`ImportError`], which names the file and the place. There is no new folder then, unless it is [`ImportError::Plan`].
pub fn import(
    folder: &Path,
    choice: &SyneTuneChoice,
    target: &Path,
) -> Result<Imported, ImportError> {
    let path = folder.join("metadata.json");
    let metadata: Metadata = read_json(
        &path,
        "{\"objectives_names\": [...], \"task_names\": [...]}, as in Syne Tune's repository",
    )?;
    let names: Vec<&str> = metadata
        .objectives_names
        .iter()
        .map(String::as_str)
        .collect();
    let objective = names.iter().position(|name| *name == choice.metric);
    let objective = objective.ok_or_else(|| {
        let problem = ContentProblem::UnknownColumn(suggest(&choice.metric, &names));
        let place = format!("objective `{}`", excerpt(&choice.metric));
        ImportError::content(&path, place, problem)
    })?;
    for task in &metadata.task_names {
        let place = || "task_names".to_owned();
        check_name(task).map_err(|hazard| ImportError::content(&path, place(), hazard.into()))?;
    }
    let name = folder.file_name().unwrap_or(folder.as_os_str());
    let name = name.to_string_lossy().into_owned();
    let import = SyneTuneImport {
        folder,
        choice,
        objectives: metadata.objectives_names.len() as u64,
        objective: objective as u64,
        column: prefixed("metric_", &choice.metric),
    };
    import.run(&name, &metadata.task_names, target)
}

struct SyneTuneImport<'a> {
    folder: &'a Path,
    choice: &'a SyneTuneChoice,
    /// Number of objectives in the array.
    objectives: u64,
    /// Position of the one that is imported.
    objective: u64,
    /// Its column.
    column: String,
}

/// The configurations of a black box or a task.
struct Configurations {
    columns: Vec<String>,
    rows: Vec<StringRecord>,
}

/// What is written so far.
struct Written {
    table: TableWriter,
    columns: Vec<String>,
    kinds: ColumnKinds,
    fewest_rows: usize,
    left_out: usize,
}

impl SyneTuneImport<'_> {
    fn run(&self, name: &str, tasks: &[String], target: &Path) -> Result<Imported, ImportError> {
        let mut destination = Destination::new(target)?;
        let together = self.folder.join("hyperparameters.parquet");
        let mut written = None;
        if together.exists() {
            let configurations = self.configurations(&together)?;
            let path = self.folder.join("objectives_evaluations.npy");
            let mut array = Array::open(&path)?;
            self.check_shape(&path, &array, Some(tasks.len()), configurations.rows.len())?;
            let written = self.begin(
                &mut written,
                &mut destination,
                name,
                &together,
                &configurations,
            )?;
            for task in tasks {
                self.write_task(&path, task, &configurations, &mut array, written)?;
            }
        } else {
            for task in tasks {
                let together = self.folder.join(format!("{task}-hyperparameters.parquet"));
                let configurations = self.configurations(&together)?;
                let path = self
                    .folder
                    .join(format!("{task}-objectives_evaluations.npy"));
                let mut array = Array::open(&path)?;
                self.check_shape(&path, &array, None, configurations.rows.len())?;
                let written = self.begin(
                    &mut written,
                    &mut destination,
                    name,
                    &together,
                    &configurations,
                )?;
                self.write_task(&path, task, &configurations, &mut array, written)?;
            }
        }
        let Some(written) = written else {
            let path = self.folder.join("metadata.json");
            let place = "task_names".to_owned();
            return Err(ImportError::content(&path, place, ContentProblem::Empty));
        };
        self.finish(name, written, destination)
    }

    /// The table, begun with the first configurations; others must have the same columns.
    fn begin<'w>(
        &self,
        written: &'w mut Option<Written>,
        destination: &mut Destination,
        name: &str,
        path: &Path,
        configurations: &Configurations,
    ) -> Result<&'w mut Written, ImportError> {
        if written.is_none() {
            let mut header = configurations.columns.clone();
            header.extend([self.column.clone(), "task".to_owned()]);
            *written = Some(Written {
                table: destination.table(name, &header)?,
                columns: configurations.columns.clone(),
                kinds: ColumnKinds::new(configurations.columns.len()),
                fewest_rows: usize::MAX,
                left_out: 0,
            });
        }
        match written {
            Some(written) if written.columns == configurations.columns => Ok(written),
            _ => {
                let expected = "the columns of the other tasks".to_owned();
                let place = "columns".to_owned();
                let problem = ContentProblem::UnknownColumn(expected);
                Err(ImportError::content(path, place, problem))
            }
        }
    }

    fn configurations(&self, path: &Path) -> Result<Configurations, ImportError> {
        let bytes = read_bounded(path)?;
        let text = parquet::read(bytes, path)?.into_bytes(path)?;
        let refused = |source| ImportError::Record {
            path: path.to_owned(),
            source,
        };
        let mut records = Records::new(text.as_slice());
        let header = records.header().map_err(refused)?;
        let columns = header.iter().map(|name| prefixed("hp_", name)).collect();
        let mut rows = Vec::new();
        let mut record = StringRecord::new();
        while records.next_text(&mut record).map_err(refused)?.is_some() {
            rows.push(record.clone());
        }
        Ok(Configurations { columns, rows })
    }

    /// Checks the dimensions: tasks (if there are several in the array), configurations, seeds, fidelities, objectives.
    fn check_shape(
        &self,
        path: &Path,
        array: &Array<'_>,
        tasks: Option<usize>,
        rows: usize,
    ) -> Result<(), ImportError> {
        let tasks = tasks.map(|tasks| tasks as u64);
        let known: Vec<u64> = tasks.into_iter().chain([rows as u64]).collect();
        let is_right = array.shape.len() == known.len() + 3
            && array.shape.starts_with(&known)
            && array.shape.last() == Some(&self.objectives);
        if !is_right {
            let tasks = tasks.map_or_else(String::new, |tasks| format!("{tasks} tasks, "));
            let expected = format!(
                "({tasks}{rows} configurations, seeds, fidelities, {} objectives)",
                self.objectives
            );
            let found = array.shape.clone();
            let problem = ContentProblem::Shape { found, expected };
            return Err(ImportError::content(path, "header".to_owned(), problem));
        }
        let fidelities = array.shape[known.len() + 1];
        match self.choice.fidelity {
            Some(position) if position == 0 || position > fidelities => {
                let place = format!("--fidelity {position}");
                let problem = ContentProblem::UnknownFidelity(fidelities);
                Err(ImportError::content(path, place, problem))
            }
            _ => Ok(()),
        }
    }

    fn write_task(
        &self,
        path: &Path,
        task: &str,
        configurations: &Configurations,
        array: &mut Array<'_>,
        written: &mut Written,
    ) -> Result<(), ImportError> {
        let sizes = &array.shape[array.shape.len() - 3..];
        let (seeds, fidelities) = (sizes[0], sizes[1]);
        let chosen = self.choice.fidelity.unwrap_or(fidelities) - 1;
        let mut rows = 0;
        for configuration in &configurations.rows {
            let (mut sum, mut count) = (0.0, 0_u32);
            for _seed in 0..seeds {
                for fidelity in 0..fidelities {
                    for objective in 0..self.objectives {
                        let value = array.next()?;
                        if (fidelity, objective) == (chosen, self.objective) && value.is_finite() {
                            sum += value;
                            count += 1;
                        }
                    }
                }
            }
            if count == 0 {
                written.left_out += 1;
                continue;
            }
            rows += 1;
            written.kinds.add(configuration.iter());
            let fields = configuration.iter().map(str::to_owned);
            let mean = number_text(sum / f64::from(count));
            let fields: Vec<String> = fields.chain([mean, task.to_owned()]).collect();
            written.table.push(&fields)?;
        }
        if rows == 0 {
            let place = format!("task {}", excerpt(task));
            return Err(ImportError::content(path, place, ContentProblem::NoValue));
        }
        written.fewest_rows = written.fewest_rows.min(rows);
        Ok(())
    }

    fn finish(
        &self,
        name: &str,
        written: Written,
        destination: Destination,
    ) -> Result<Imported, ImportError> {
        let logarithmic = self.logarithmic_columns()?;
        let mut blackbox = ImportedBlackbox {
            name: name.to_owned(),
            table: written.table.finish()?,
            objective: self.column.clone(),
            direction: self.choice.direction,
            fewest_rows: written.fewest_rows,
            ..ImportedBlackbox::default()
        };
        let mut notes = written.kinds.notes(&written.columns);
        for (column, kind) in written.columns.into_iter().zip(written.kinds.kinds()) {
            match kind {
                ColumnKind::Categorical => blackbox.categorical.push(column),
                ColumnKind::Boolean => blackbox.scales.push((column, "boolean")),
                ColumnKind::Numeric if logarithmic.contains(&column) => {
                    blackbox.scales.push((column, "log"));
                }
                ColumnKind::Numeric => {}
            }
        }
        if written.left_out > 0 {
            notes.push(format!(
                "Configurations without a finite value of {} were left out: {}.",
                self.choice.metric,
                count(written.left_out as u64, "row")
            ));
        }
        destination.finish(name, SEEDS, &[blackbox], notes)
    }

    /// The columns that the search space samples on a logarithmic scale.
    fn logarithmic_columns(&self) -> Result<Vec<String>, ImportError> {
        let path = self.folder.join("configspace.json");
        if !path.exists() {
            return Ok(Vec::new());
        }
        let space: Value = read_json(&path, "an object of hyperparameters")?;
        let Some(space) = space.as_object() else {
            return Ok(Vec::new());
        };
        // The domains are beside the names, or in an object of their own.
        let inner = space.get("hyperparameters").and_then(Value::as_object);
        let domains = inner.unwrap_or(space).iter();
        let is_logarithmic = |domain: &Value| {
            let sampler = domain.get("sampler_cls").and_then(Value::as_str);
            // Finite ranges say it in another way.
            let log_scale = domain.pointer("/domain_kwargs/log_scale");
            sampler == Some("LogUniform") || log_scale == Some(&Value::Bool(true))
        };
        let logarithmic = domains.filter(|(_, domain)| is_logarithmic(domain));
        Ok(logarithmic.map(|(name, _)| prefixed("hp_", name)).collect())
    }
}

fn read_bounded(path: &Path) -> Result<Vec<u8>, ImportError> {
    let unreadable = |source| ImportError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let bytes = bounded_file::read(path, MAX_TABLE_FILE_BYTES as u64).map_err(unreadable)?;
    match bytes.len() > MAX_TABLE_FILE_BYTES {
        true => Err(ImportError::LargeFile(path.to_owned())),
        false => Ok(bytes),
    }
}

fn read_json<T: serde::de::DeserializeOwned>(
    path: &Path,
    expected: &'static str,
) -> Result<T, ImportError> {
    let bytes = read_bounded(path)?;
    serde_json::from_slice(&bytes).map_err(|source| ImportError::Json {
        path: path.to_owned(),
        source,
        expected,
    })
}
