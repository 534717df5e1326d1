//! What a search is: it sees the observations of its target so far and chooses the
//! next row.

use std::borrow::Cow;
use std::iter;

use loto_proto::trace::ProgramRecord;

use crate::error::EngineError;
use crate::transform::Transform;

/// Chooses rows of the target, one at a time.
///
/// A search knows the configurations of its target, the source tasks, and the values
/// observed so far; it never sees the target's other values.
pub(crate) trait Search: Send {
    /// The next row to evaluate: one that is not evaluated yet.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if a fit fails, [`EngineError::ImpossibleJob`] if
    /// no row is left.
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError>;

    /// Called with all observations after the last of them.
    fn end(&mut self, _observations: &Observations) {}

    /// What is known of the program that chose, if one did.
    fn program_record(&self) -> ProgramRecord {
        ProgramRecord::default()
    }

    /// Time spent outside of the calling thread since this was called last, in microseconds.
    fn take_outside_microseconds(&mut self) -> u64 {
        0
    }
}

/// The rows of the target evaluated so far, with their values.
pub(crate) struct Observations {
    /// In order of evaluation.
    pub rows: Vec<u32>,
    /// Objective values of those rows: of the first objective, if there are several.
    pub values: Vec<f64>,
    /// Values of the other objectives, one column each.
    pub further: Vec<Vec<f64>>,
    /// Whether each row of the target is evaluated.
    pub evaluated: Vec<bool>,
}

impl Observations {
    /// No observation yet of a target with `rows` rows and one objective.
    #[cfg(test)]
    pub(crate) fn new(rows: usize) -> Self {
        Self::of_objectives(rows, 1)
    }

    /// No observation yet of a target with `rows` rows and so many objectives.
    pub(crate) fn of_objectives(rows: usize, objectives: usize) -> Self {
        Self {
            rows: Vec::new(),
            values: Vec::new(),
            further: vec![Vec::new(); objectives.saturating_sub(1)],
            evaluated: vec![false; rows],
        }
    }

    /// Records an evaluation, if there is one objective.
    #[cfg(test)]
    pub(crate) fn record(&mut self, row: u32, value: f64) {
        self.record_objectives(row, &[value]);
    }

    /// Records an evaluation with a value of each objective.
    pub(crate) fn record_objectives(&mut self, row: u32, values: &[f64]) {
        self.rows.push(row);
        self.values.push(values[0]);
        let further = self.further.iter_mut().zip(&values[1..]);
        further.for_each(|(column, &value)| column.push(value));
        self.evaluated[row as usize] = true;
    }

    /// The values of each objective, in the order of their declaration.
    pub(crate) fn objectives(&self) -> Vec<&[f64]> {
        let further = self.further.iter().map(Vec::as_slice);
        iter::once(self.values.as_slice()).chain(further).collect()
    }

    /// The transformed values, by the distribution of all of them: with several objectives their average.
    pub(crate) fn transformed(&self, transform: Transform) -> Vec<f64> {
        transform.average(&self.objectives())
    }

    /// Values that tell which row is better: those of the objective or, with several, the average of the transformed ones,
    /// which may change with each observation.
    pub(crate) fn comparable(&self, transform: Transform) -> Cow<'_, [f64]> {
        if self.further.is_empty() {
            return Cow::Borrowed(&self.values);
        }
        Cow::Owned(self.transformed(transform))
    }
}
