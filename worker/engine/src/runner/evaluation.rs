//! The optimisation loop over the rows of one target.

use std::iter;

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
    /// What it says of the other objectives, row by row.
    pub(super) further_values: Vec<f64>,
    /// What the search was shown of them: a column per objective.
    pub(super) shown: Vec<Vec<f64>>,
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
    let shown: Vec<&[f64]> = match &drawn {
        Some(drawn) => drawn.iter().map(Vec::as_slice).collect(),
        None => task.objectives(),
    };
    let preparation_microseconds = watch.lap() + search.take_outside_microseconds();

    let mut observations = Observations::of_objectives(objective.len(), shown.len());
    let mut values = Vec::with_capacity(shown.len());
    let mut microseconds = Vec::with_capacity(iterations);
    let given = table.initial.rows(&task.name, setting.seed());
    for iteration in 0..iterations {
        let row = match given.get(iteration) {
            Some(&row) => row,
            None => search.choose(&observations)?,
        };
        match observations.evaluated.get(row as usize) {
            Some(false) => {
                values.clear();
                values.extend(shown.iter().map(|column| column[row as usize]));
                observations.record_objectives(row, &values);
            }
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
    let Observations {
        rows,
        values: shown,
        further,
        ..
    } = observations;
    let of_row = |&row: &u32| {
        let further = task.further_objectives.iter();
        further.map(move |column| column[row as usize])
    };
    Ok(Evaluated {
        values: rows.iter().map(|&row| objective[row as usize]).collect(),
        further_values: rows.iter().flat_map(of_row).collect(),
        rows,
        shown: iter::once(shown).chain(further).collect(),
        microseconds,
        preparation_microseconds,
        program,
    })
}
