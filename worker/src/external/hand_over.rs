//! What a method may know of a table, as files in a folder of its own.
//!
//! The configurations and values of all tasks that are sources of some job lie in a folder that the method is not told
//! of. For each job the folder that it is told of gets links to those of the job's sources, so that no file there
//! holds a value of the target.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use loto_engine::external::handover::Handover;
use loto_engine::table::encoding::Kind;
use loto_proto::identity::Fingerprint;

use super::messages::{HyperparameterMessage, TableMessage, TaskMessage};
use super::{method_folder, npy};

/// The files written for one process.
pub(super) struct HandedOver {
    /// The folder that the method is told of.
    shown: PathBuf,
    /// The folder with the files of all tasks.
    kept: PathBuf,
    /// Tables and positions of tasks, and whether they are a target that has other rows than the source.
    written: HashSet<(Fingerprint, usize, bool)>,
    /// What the shown folder is for.
    last: Option<(Fingerprint, usize, Vec<usize>)>,
}

const CONFIGURATIONS: &str = "configurations.npy";
const VALUES: &str = "values.npy";

impl HandedOver {
    /// Nothing yet, below the folder of a process.
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            shown: folder.join(method_folder::SHOWN),
            kept: folder.join(method_folder::KEPT),
            written: HashSet::new(),
            last: None,
        }
    }

    /// The folder that the method is told of.
    pub(super) fn folder(&self) -> &Path {
        &self.shown
    }

    /// Prepares the folder for a job; false if it is prepared already.
    ///
    /// # Errors
    /// The system's, if a file cannot be written.
    pub(super) fn prepare(&mut self, handover: &Handover<'_>) -> io::Result<bool> {
        let (target, sources) = (handover.target, &handover.sources);
        let wanted = (handover.table.fingerprint, target, sources.clone());
        if self.last.as_ref() == Some(&wanted) {
            return Ok(false);
        }
        self.last = None;
        // The folder itself stays: it is what the method may open.
        for entry in fs::read_dir(&self.shown)? {
            fs::remove_dir_all(entry?.path())?;
        }
        let target_folder = self.shown.join("target");
        fs::create_dir_all(&target_folder)?;
        let kept = self.write(handover, target)?;
        fs::hard_link(
            kept.join(CONFIGURATIONS),
            target_folder.join(CONFIGURATIONS),
        )?;
        for (number, &source) in sources.iter().enumerate() {
            let source_folder = self.shown.join(source_path(number));
            fs::create_dir_all(&source_folder)?;
            let kept = self.write(handover, source)?;
            for file in [CONFIGURATIONS, VALUES] {
                fs::hard_link(kept.join(file), source_folder.join(file))?;
            }
        }
        self.last = Some(wanted);
        Ok(true)
    }

    /// Writes the files of a task, unless they are there; gives their folder.
    fn write(&mut self, handover: &Handover<'_>, position: usize) -> io::Result<PathBuf> {
        let fingerprint = handover.table.fingerprint;
        let is_whole = position == handover.target && !handover.table.thinned.is_empty();
        let rows = if is_whole { "-all-rows" } else { "" };
        let folder = self.kept.join(format!("{fingerprint}-{position}{rows}"));
        if self.written.contains(&(fingerprint, position, is_whole)) {
            return Ok(folder);
        }
        fs::create_dir_all(&folder)?;
        let task = handover.task(position);
        let order = handover.order(position);
        let configurations = folder.join(CONFIGURATIONS);
        // Tasks with the same configurations share one file of them.
        let first = handover.table.first_alike(position);
        if first == position {
            let columns = &task.columns;
            let coordinates = order
                .iter()
                .flat_map(|&row| columns.iter().map(move |column| column.value(row)));
            npy::write(&configurations, &[order.len(), columns.len()], coordinates)?;
        } else {
            fs::hard_link(
                self.write(handover, first)?.join(CONFIGURATIONS),
                configurations,
            )?;
        }
        let values = order.iter().map(|&row| task.objective[row as usize]);
        npy::write(&folder.join(VALUES), &[order.len()], values)?;
        self.written.insert((fingerprint, position, is_whole));
        Ok(folder)
    }
}

fn source_path(number: usize) -> String {
    format!("sources/{number}")
}

/// The message that tells a method of the folder.
pub(super) fn message<'a>(handover: &'a Handover<'_>, folder: &'a str) -> TableMessage<'a> {
    let hyperparameters = handover.table.space.hyperparameters.iter();
    let space = hyperparameters.map(|hyperparameter| {
        let (kind, levels) = match &hyperparameter.kind {
            Kind::Numeric { .. } => ("numeric", None),
            Kind::Categorical { levels } => ("categorical", Some(levels.as_slice())),
        };
        HyperparameterMessage {
            name: &hyperparameter.name,
            kind,
            levels,
        }
    });
    let source = |(number, &position): (usize, &usize)| {
        let task = handover.task(position);
        let folder = source_path(number);
        TaskMessage {
            task: &task.name,
            rows: task.rows(),
            configurations: format!("{folder}/{CONFIGURATIONS}"),
            values: Some(format!("{folder}/{VALUES}")),
            features: &task.features,
        }
    };
    let target = handover.task(handover.target);
    TableMessage {
        table: handover.table.fingerprint.to_string(),
        folder,
        space: space.collect(),
        target: TaskMessage {
            task: &target.name,
            rows: target.rows(),
            configurations: format!("target/{CONFIGURATIONS}"),
            values: None,
            features: &target.features,
        },
        sources: handover.sources.iter().enumerate().map(source).collect(),
    }
}
