//! What a method may know of a table, as files in a folder of its own.
//!
//! The folder that the method is told of has the files for the job at hand alone: the configurations of the target, and the
//! configurations and values of its sources. Files that another job may need lie in a folder that it cannot open.
//! From job to job a file moves between the two, so that few changes of folders are needed: on a disk that others write to, each may
//! wait for the file system's journal.

use std::collections::{HashMap, HashSet};
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
    /// The folder that it cannot open.
    kept: PathBuf,
    /// Where each file is that was written.
    written: HashMap<TaskFile, Place>,
    /// What the shown folder is for.
    last: Option<(Fingerprint, usize, Vec<usize>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Shown,
    Kept,
}

/// A file that tells of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct TaskFile {
    table: Fingerprint,
    /// Where the task is in the table.
    position: usize,
    content: Content,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Content {
    Configurations,
    /// Those of a target that has other rows than as a source.
    AllConfigurations,
    Values,
}

impl TaskFile {
    /// The configurations of a task. Tasks with the same configurations share one file of them.
    fn configurations(handover: &Handover<'_>, position: usize) -> Self {
        let is_whole = position == handover.target && !handover.table.thinned.is_empty();
        Self {
            table: handover.table.fingerprint,
            position: handover.table.first_alike(position),
            content: match is_whole {
                true => Content::AllConfigurations,
                false => Content::Configurations,
            },
        }
    }

    /// The values of a source task.
    fn values(handover: &Handover<'_>, position: usize) -> Self {
        Self {
            table: handover.table.fingerprint,
            position,
            content: Content::Values,
        }
    }

    /// All that the method may open in a job.
    fn of_job(handover: &Handover<'_>) -> HashSet<Self> {
        let sources = handover.sources.iter().flat_map(|&source| {
            [
                Self::configurations(handover, source),
                Self::values(handover, source),
            ]
        });
        let target = Self::configurations(handover, handover.target);
        sources.chain([target]).collect()
    }

    fn name(&self) -> String {
        let content = match self.content {
            Content::Configurations => "configurations",
            Content::AllConfigurations => "all-configurations",
            Content::Values => "values",
        };
        format!("{}-{}-{content}.npy", self.table, self.position)
    }

    fn write(&self, handover: &Handover<'_>, path: &Path) -> io::Result<()> {
        let task = handover.task(self.position);
        let order = handover.order(self.position);
        if self.content == Content::Values {
            let objectives = task.objectives();
            let values = order
                .iter()
                .flat_map(|&row| objectives.iter().map(move |column| column[row as usize]));
            let shape = [order.len(), objectives.len()];
            let shape = if objectives.len() == 1 {
                &shape[..1]
            } else {
                &shape
            };
            return npy::write(path, shape, values);
        }
        let columns = &task.columns;
        let coordinates = order
            .iter()
            .flat_map(|&row| columns.iter().map(move |column| column.value(row)));
        npy::write(path, &[order.len(), columns.len()], coordinates)
    }
}

impl HandedOver {
    /// Nothing yet, below the folder of a process.
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            shown: folder.join(method_folder::SHOWN),
            kept: folder.join(method_folder::KEPT),
            written: HashMap::new(),
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
    /// The system's, if a file cannot be written. The process is of no use then: the folder may hold what it should not.
    pub(super) fn prepare(&mut self, handover: &Handover<'_>) -> io::Result<bool> {
        let (target, sources) = (handover.target, &handover.sources);
        let job = (handover.table.fingerprint, target, sources.clone());
        if self.last.as_ref() == Some(&job) {
            return Ok(false);
        }
        self.last = None;
        let wanted = TaskFile::of_job(handover);
        for (file, place) in &mut self.written {
            let name = file.name();
            match (*place, wanted.contains(file)) {
                (Place::Shown, false) => {
                    fs::rename(self.shown.join(&name), self.kept.join(&name))?;
                    *place = Place::Kept;
                }
                (Place::Kept, true) => {
                    fs::rename(self.kept.join(&name), self.shown.join(&name))?;
                    *place = Place::Shown;
                }
                (Place::Shown, true) | (Place::Kept, false) => {}
            }
        }
        for file in wanted {
            if !self.written.contains_key(&file) {
                file.write(handover, &self.shown.join(file.name()))?;
                self.written.insert(file, Place::Shown);
            }
        }
        self.last = Some(job);
        Ok(true)
    }
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
    let task = |position: usize, values: Option<TaskFile>| {
        let task = handover.task(position);
        TaskMessage {
            task: &task.name,
            rows: task.rows(),
            configurations: TaskFile::configurations(handover, position).name(),
            values: values.map(|file| file.name()),
            features: &task.features,
        }
    };
    let source = |&position: &usize| {
        let values = TaskFile::values(handover, position);
        task(position, Some(values))
    };
    TableMessage {
        table: handover.table.fingerprint.to_string(),
        folder,
        space: space.collect(),
        objectives: match handover.table.objectives.as_slice() {
            [_] => &[],
            several => several,
        },
        target: task(handover.target, None),
        sources: handover.sources.iter().map(source).collect(),
    }
}
