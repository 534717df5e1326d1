//! Runs a job on a stream: all tasks of a table, one after the other, each with the method's own evaluations of the
//! earlier ones as its sources (Yogatama and Mann 2014, section 4).

use std::sync::Arc;

use loto_proto::excerpt::excerpt;
use loto_proto::job::Job;
use loto_proto::protocol::ALL_TASKS;

use super::cpu_watch::CpuWatch;
use super::evaluation::{Evaluated, evaluate};
use crate::blobs::MemoryBlobs;
use crate::error::{EngineError, ImpossibleJob};
use crate::fits::SharedFits;
use crate::methods;
use crate::methods::stand_in::OnStream;
use crate::setting::Setting;
use crate::table::Table;
use crate::task_stream::arrivals;

/// The evaluations on all tasks in the order of their arrival.
///
/// # Errors
/// [`ImpossibleJob`] for a job that is not for the whole stream; those of the method.
pub(super) fn run(
    table: &Table,
    job: &Job,
    watch: &mut CpuWatch,
) -> Result<Evaluated, EngineError> {
    let series = &job.series;
    let per_task = evaluations_per_task(table, job)?;
    let OnStream { method, stand_in } = OnStream::of(&series.method)?;
    // What the method knows: the rows that it evaluated, and all rows of the task that it tunes, which is the last. Its
    // fingerprint is still the table's, so that the random numbers of a task are the same for every method.
    let mut known = table.without_tasks();
    let mut whole = Evaluated::default();
    for position in arrivals(table.fingerprint, table.tasks.len(), job.seed) {
        let task = &table.tasks[position];
        let method = match known.tasks.is_empty() {
            true => &stand_in,
            false => &method,
        };
        known.tasks.push(task.clone());
        let target = known.tasks.len() - 1;
        // Fits are named by the table's fingerprint, but these are to what this method evaluated: they are no one
        // else's, and of no use for the next task.
        let fits = SharedFits::new(Arc::new(MemoryBlobs::default()));
        let setting = Setting::new(&known, target, job.seed, per_task, &fits);
        let start = |setting: &_| methods::start(method, setting);
        let mut evaluated = evaluate(&setting, start, watch)?;
        let mut shown = std::mem::take(&mut evaluated.shown);
        let first = shown.remove(0);
        known.tasks[target] = task.evaluated(&evaluated.rows, first, shown);
        whole.append(evaluated);
    }
    Ok(whole)
}

fn evaluations_per_task(table: &Table, job: &Job) -> Result<usize, ImpossibleJob> {
    let series = &job.series;
    if series.task != ALL_TASKS {
        let task = series.task.clone();
        return Err(ImpossibleJob::TaskOfStream { task });
    }
    if series.method.program.is_some() {
        let id = excerpt(&series.method.id);
        return Err(ImpossibleJob::ProgramOnStream { id });
    }
    let (iterations, tasks) = (series.iterations as usize, table.tasks.len());
    match iterations.checked_rem(tasks) {
        Some(0) => Ok(iterations / tasks),
        _ => Err(ImpossibleJob::UnevenStream { iterations, tasks }),
    }
}

impl Evaluated {
    /// Adds the evaluations on the next task. What was prepared for a task counts to its first choice, but for the first
    /// task.
    fn append(&mut self, mut next: Self) {
        if self.rows.is_empty() {
            self.preparation_microseconds = next.preparation_microseconds;
        } else if let Some(first) = next.microseconds.first_mut() {
            let preparation = u32::try_from(next.preparation_microseconds).unwrap_or(u32::MAX);
            *first = first.saturating_add(preparation);
        }
        self.rows.append(&mut next.rows);
        self.values.append(&mut next.values);
        self.further_values.append(&mut next.further_values);
        self.microseconds.append(&mut next.microseconds);
    }
}
