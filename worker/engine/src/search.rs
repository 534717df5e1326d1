//! What a search is: it sees the observations of its target so far and chooses the
//! next row.

use loto_proto::trace::ProgramRecord;

use crate::error::EngineError;

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
    /// Objective values of those rows.
    pub values: Vec<f64>,
    /// Whether each row of the target is evaluated.
    pub evaluated: Vec<bool>,
}

impl Observations {
    /// No observation yet of a target with `rows` rows.
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            rows: Vec::new(),
            values: Vec::new(),
            evaluated: vec![false; rows],
        }
    }

    /// Records an evaluation.
    pub(crate) fn record(&mut self, row: u32, value: f64) {
        self.rows.push(row);
        self.values.push(value);
        self.evaluated[row as usize] = true;
    }
}
