//! The optimisation loop over the rows of one target.

use loto_proto::trace::ProgramRecord;

use super::cpu_watch::CpuWatch;
use crate::error::{EngineError, ImpossibleJob};
use crate::random::StreamName;
use crate::search::{Observations, Search};
use crate::setting::Setting;

/// What draws the measurement of each row that is shown, where measurements are repeated.
pub(super) const MEASUREMENTS: StreamName = StreamName::new("runner", "measurements shown");

/// What a search evaluated on a target.
#[derive(Default)]
pub(super) struct Evaluated {
    /// In order of evaluation.
    pub(super) rows: Vec<u32>,
    /// What the table says of these rows.
    pub(super) values: Vec<f64>,
    /// What the search was shown of them.
    pub(super) shown: Vec<f64>,
    /// CPU time of each choice.
    pub(super) microseconds: Vec<u32>,
    /// CPU time before the first choice.
    pub(super) preparation_microseconds: u64,
    pub(super) program: ProgramRecord,
}

/// Runs the search that `start` gives on the target of a setting, for as many evaluations as that has.
///
/// # Errors
/// Those of the search; [`ImpossibleJob`] if the target has fewer rows, or a row is chosen that is no candidate.
pub(super) fn evaluate<'a>(
    setting: &Setting<'a>,
    start: impl FnOnce(&Setting<'a>) -> Result<Box<dyn Search + 'a>, EngineError>,
    watch: &mut CpuWatch,
) -> Result<Evaluated, EngineError> {
    let table = setting.table();
    let task = &table.tasks[setting.target()];
    let (objective, iterations) = (&task.objective, setting.iterations);
    if iterations > objective.len() {
        let (task, rows) = (task.name.clone(), objective.len());
        return Err(ImpossibleJob::TooManyIterations {
            iterations,
            task,
            rows,
        }
        .into());
    }
    let mut search = start(setting)?;
    let drawn = task.measurements.as_ref().map(|measurements| {
        let mut random = setting.random(MEASUREMENTS);
        measurements.draw(&mut random)
    });
    let shown = drawn.as_ref().unwrap_or(objective);
    let preparation_microseconds = watch.lap() + search.take_outside_microseconds();

    let mut observations = Observations::new(objective.len());
    let mut microseconds = Vec::with_capacity(iterations);
    let given = table.initial.rows(&task.name, setting.seed());
    for iteration in 0..iterations {
        let row = match given.get(iteration) {
            Some(&row) => row,
            None => search.choose(&observations)?,
        };
        let value = shown.get(row as usize).copied();
        match value {
            Some(value) if !observations.evaluated[row as usize] => observations.record(row, value),
            _ if iteration < given.len() => {
                return Err(ImpossibleJob::NotAnInitialRow { row }.into());
            }
            _ => return Err(ImpossibleJob::NotACandidate { row }.into()),
        }
        let took = watch.lap() + search.take_outside_microseconds();
        microseconds.push(took.try_into().unwrap_or(u32::MAX));
    }
    let program = search.program_record();
    search.end(&observations);
    let Observations { rows, values, .. } = observations;
    Ok(Evaluated {
        values: rows.iter().map(|&row| objective[row as usize]).collect(),
        rows,
        shown: values,
        microseconds,
        preparation_microseconds,
        program,
    })
}
