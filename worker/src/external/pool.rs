//! The processes of methods that a computing process keeps.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loto_engine::ProgramError;
use loto_engine::external::caller::{Choices, Programs};
use loto_engine::external::handover::Handover;
use loto_proto::external_program::ExternalProgram;
use parking_lot::Mutex;

use super::conversation::Conversation;
use super::method_process::MethodProcess;

/// Processes without a job that are kept; of more, the one used the longest ago is ended.
const MOST_KEPT: usize = 8;

/// Runs methods as processes, each for many jobs after each other.
pub struct MethodProcesses {
    /// What methods are kept from.
    withheld: Vec<PathBuf>,
    /// Those without a job; the one used last is the last.
    idle: Mutex<Vec<MethodProcess>>,
}

impl MethodProcesses {
    /// No process yet. Methods cannot open the `withheld` files and folders, where the kernel has Landlock.
    pub fn new(withheld: Vec<PathBuf>) -> Self {
        let resolve = |path: PathBuf| resolved(&path).unwrap_or(path);
        Self {
            withheld: withheld.into_iter().map(resolve).collect(),
            idle: Mutex::default(),
        }
    }

    /// A process of this program that waits for a job.
    fn take(&self, program: &ExternalProgram) -> Option<MethodProcess> {
        let mut idle = self.idle.lock();
        let position = idle
            .iter()
            .position(|process| *process.program == *program)?;
        let mut process = idle.remove(position);
        drop(idle);
        // One that died meanwhile is not the next job's fault.
        process.is_alive().then_some(process)
    }

    fn keep(&self, process: MethodProcess) {
        let mut idle = self.idle.lock();
        idle.push(process);
        let surplus = (idle.len() > MOST_KEPT).then(|| idle.remove(0));
        drop(idle);
        drop(surplus);
    }
}

/// A path without links, of a file that may not exist yet.
fn resolved(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    path.canonicalize()
        .or_else(|_| match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
            _ => Ok(path.clone()),
        })
}

impl Programs for MethodProcesses {
    fn start<'a>(
        &'a self,
        program: &Arc<ExternalProgram>,
        handover: &Handover<'_>,
    ) -> Result<Box<dyn Choices + 'a>, ProgramError> {
        let process = match self.take(program) {
            Some(process) => process,
            None => MethodProcess::start(program, &self.withheld)?,
        };
        let keep = |process| self.keep(process);
        Ok(Box::new(Conversation::start(process, handover, keep)?))
    }
}
