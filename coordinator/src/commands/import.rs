//! `loto import`: tables and a sweep file to start from, from the data of others.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use loto_engine::table::Task;
use loto_proto::table_spec::Direction;

use super::error::CommandError;
use super::output::print;
use super::text_table::TextTable;
use crate::import::columns::{self, ColumnChoice};
use crate::import::destination::Imported;
use crate::import::error::ImportError;
use crate::import::hpob;
use crate::import::syne_tune::{self, SyneTuneChoice};

const EXAMPLES: &str = "\
Examples:
  loto import hpob hpob-data --out hpob
  loto import syne-tune fcnet --metric metric_valid_loss --out fcnet
  loto import csv runs.csv --task dataset --hp lr,depth --metric error --out runs
  loto import parquet runs.parquet --task dataset --hp lr,depth --metric auc --direction maximise --out runs

OUT is a new folder with a table for each black box and sweep.toml, a sweep file to
start from. It is there as a whole or not at all.";

/// Writes tables and a sweep file to start from, from the data of others.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ImportCommand {
    #[command(subcommand)]
    form: ImportForm,
}

#[derive(Debug, Subcommand)]
enum ImportForm {
    Hpob(HpobOptions),
    SyneTune(SyneTuneOptions),
    /// A CSV file (plain, gzipped or zipped), or a folder with a file per task, whose columns are named.
    Csv(ColumnOptions),
    /// A Parquet file, or a folder with a file per task, whose columns are named.
    Parquet(ColumnOptions),
}

/// The meta-dataset of HPO-B, version 3: the test split is tuned, the training split is the experience.
#[derive(Debug, Args)]
struct HpobOptions {
    /// Folder with meta-test-dataset.json, meta-train-dataset.json and, if there, bo-initializations.json.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// Search spaces to import [default: all].
    #[arg(
        long,
        env = "LOTO_SPACES",
        value_name = "SPACE,...",
        value_delimiter = ','
    )]
    spaces: Vec<String>,

    #[command(flatten)]
    out: OutOption,
}

/// A black box of Syne Tune's repository.
#[derive(Debug, Args)]
struct SyneTuneOptions {
    /// Folder with metadata.json, hyperparameters.parquet and objectives_evaluations.npy.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    #[command(flatten)]
    objective: ObjectiveOptions,

    /// Position of the fidelity, counted from 1 [default: the last].
    #[arg(long, env = "LOTO_FIDELITY", value_name = "N")]
    fidelity: Option<u64>,

    #[command(flatten)]
    out: OutOption,
}

#[derive(Debug, Args)]
struct ColumnOptions {
    /// The file or folder.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Column with the names of the tasks.
    #[arg(long, env = "LOTO_TASK", value_name = "COLUMN", default_value = "task")]
    task: String,

    /// Columns with the hyperparameters [default: all hp_ columns].
    #[arg(
        long,
        env = "LOTO_HP",
        value_name = "COLUMN,...",
        value_delimiter = ','
    )]
    hp: Vec<String>,

    /// Column that tells repeated measurements of a configuration apart; the sweep file takes their mean.
    #[arg(long, env = "LOTO_SEED", value_name = "COLUMN")]
    seed: Option<String>,

    #[command(flatten)]
    objective: ObjectiveOptions,

    /// Name of the black box [default: that of the file].
    #[arg(long, env = "LOTO_NAME", value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    out: OutOption,
}

#[derive(Debug, Args)]
struct ObjectiveOptions {
    /// Objective to import.
    #[arg(long, env = "LOTO_METRIC", value_name = "METRIC")]
    metric: String,

    /// Whether the objective is minimised or maximised [default: minimised, and `loto check` warns if it looks as if large values
    /// were good].
    #[arg(long, env = "LOTO_DIRECTION", value_enum)]
    direction: Option<DirectionName>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum DirectionName {
    /// Small values are good.
    #[value(alias = "minimize")]
    Minimise,
    /// Large values are good.
    #[value(alias = "maximize")]
    Maximise,
}

impl From<DirectionName> for Direction {
    fn from(name: DirectionName) -> Self {
        match name {
            DirectionName::Minimise => Self::Minimise,
            DirectionName::Maximise => Self::Maximise,
        }
    }
}

#[derive(Debug, Args)]
struct OutOption {
    /// New folder for the tables and the sweep file.
    #[arg(long, env = "LOTO_OUT", value_name = "DIR")]
    out: PathBuf,
}

impl ImportCommand {
    pub(super) fn execute(self) -> Result<(), CommandError> {
        let imported = match self.form {
            ImportForm::Hpob(options) => {
                hpob::import(&options.folder, &options.spaces, &options.out.out)
            }
            ImportForm::SyneTune(options) => options.import(),
            ImportForm::Csv(options) | ImportForm::Parquet(options) => options.import(),
        };
        print(&describe(&imported?))
    }
}

impl SyneTuneOptions {
    fn import(self) -> Result<Imported, ImportError> {
        let choice = SyneTuneChoice {
            metric: self.objective.metric,
            fidelity: self.fidelity,
            direction: self.objective.direction.map(Direction::from),
        };
        syne_tune::import(&self.folder, &choice, &self.out.out)
    }
}

impl ColumnOptions {
    fn import(self) -> Result<Imported, ImportError> {
        let choice = ColumnChoice {
            name: self.name.unwrap_or_else(|| name_of(&self.file)),
            task: self.task,
            hyperparameters: self.hp,
            metric: self.objective.metric,
            seed: self.seed,
            direction: self.objective.direction.map(Direction::from),
        };
        columns::import(&self.file, &choice, &self.out.out)
    }
}

/// The name of a file up to its first dot.
fn name_of(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    let name = name.to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

fn describe(imported: &Imported) -> String {
    let plan = &imported.plan;
    let mut table = TextTable::new(&["black box", "tasks", "targets", "rows", "hyperparameters"]);
    for blackbox in &plan.sweep.blackboxes {
        let Some(planned) = plan.table(blackbox.table) else {
            continue;
        };
        let tasks = &planned.table.tasks;
        table.push(&[
            &blackbox.name,
            &tasks.len(),
            &blackbox.targets.len(),
            &tasks.iter().map(Task::rows).sum::<usize>(),
            &planned.table.space.hyperparameters.len(),
        ]);
    }
    let sweep = imported.sweep.display();
    let mut text = format!("imported to {sweep}\n{table}");
    for note in &imported.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    for warning in &plan.warnings {
        text.push_str(&format!("warning: {warning}\n"));
    }
    text.push_str(&format!(
        "`loto check {sweep}` shows its columns and scales\n"
    ));
    text
}
