//! What chooses in the place of a method of the engine, as the engine sees it.

use std::sync::Arc;

use loto_proto::external_program::ExternalProgram;

use super::handover::Handover;
use crate::program_error::ProgramError;

/// Runs the programs of external methods. What it does for a job it does on the thread that runs the job.
pub trait Programs: Send + Sync {
    /// Tells a program of a job.
    ///
    /// # Errors
    /// [`ProgramError`] if it does not run or does not take the job.
    fn start<'a>(
        &'a self,
        program: &Arc<ExternalProgram>,
        handover: &Handover<'_>,
    ) -> Result<Box<dyn Choices + 'a>, ProgramError>;
}

/// A program at work on a job. Who drops it before its end ends the program.
pub trait Choices: Send {
    /// The next proposal, given the observations that were made since the last one: one, or before the first proposal
    /// those that the sweep gives.
    ///
    /// # Errors
    /// [`ProgramError`] if the program fails.
    fn next(&mut self, told: &[Told]) -> Result<Proposal, ProgramError>;

    /// Tells the program the observations since its last proposal, and that there is nothing more to choose.
    fn end(&mut self, told: &[Told]);

    /// What the program said that it runs on; empty if it did not say.
    fn versions(&self) -> &str;

    /// What the program made wrong, with what is known of it.
    fn refuse(&mut self, problem: ProposalProblem) -> ProgramError;
}

/// An observation, as the program is told it.
#[derive(Debug, Clone, PartialEq)]
pub struct Told {
    /// The row, in the numbers that the program knows.
    pub row: u32,
    /// Its value as the table has it; small is good. With several objectives, that of the first one.
    pub value: f64,
    /// Its values of the other objectives, in the order of their declaration.
    pub further: Vec<f64>,
}

/// What a program wants to be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub enum Proposal {
    /// A row of the target, in the numbers that the program knows.
    Row(u64),
    /// A configuration: per hyperparameter a coordinate of the unit cube, or the number of a level.
    Configuration(Vec<f64>),
}

/// Why a proposal cannot be evaluated.
#[derive(Debug, thiserror::Error)]
pub enum ProposalProblem {
    /// There is no such row.
    #[error("it chose row {row}, but the target has rows 0 to {last}")]
    NoSuchRow {
        /// The row.
        row: u64,
        /// The last row there is.
        last: usize,
    },

    /// A configuration does not have one value per hyperparameter.
    #[error("it chose a configuration of {found} values, but there are {expected} hyperparameters")]
    OtherLength {
        /// How many it has.
        found: usize,
        /// How many there are.
        expected: usize,
    },

    /// A value lies outside of the space.
    #[error("it chose {value} for {hyperparameter}, allowed are {allowed}")]
    OutsideSpace {
        /// The hyperparameter.
        hyperparameter: String,
        /// The value.
        value: f64,
        /// The values there are.
        allowed: String,
    },

    /// The table lacks the configuration, and the sweep refuses such proposals.
    #[error(
        "it chose a configuration that is not in the table, which off_table = \"refuse\" forbids"
    )]
    OffTable,

    /// The row is evaluated already, and the sweep refuses such proposals.
    #[error("it chose row {row} again, which repeats = \"refuse\" forbids")]
    Repeated {
        /// The row, in the numbers that the program knows.
        row: u32,
    },
}
