//! A search whose rows a program outside of the engine proposes.

use std::sync::Arc;
use std::time::Instant;

use loto_proto::external_program::{ExternalProgram, ProposalRule};
use loto_proto::trace::ProgramRecord;

use super::caller::{Choices, Proposal, ProposalProblem, Told};
use super::nearest::Configurations;
use crate::error::{EngineError, ImpossibleJob};
use crate::search::{Observations, Search};

/// Asks a program and keeps the rules of the sweep for proposals that cannot be evaluated as they are.
pub(super) struct ExternalSearch<'a> {
    program: Arc<ExternalProgram>,
    choices: Box<dyn Choices + 'a>,
    configurations: Configurations<'a>,
    /// The rows in the order in which the program knows them.
    order: Arc<Vec<u32>>,
    /// Each row's place in that order.
    places: Vec<u32>,
    /// How many observations the program was told.
    told: usize,
    /// How many proposals came to another row than they named.
    moved: u32,
    /// Time that the program took since it was last asked for.
    outside_microseconds: u64,
}

impl<'a> ExternalSearch<'a> {
    pub(super) fn new(
        program: Arc<ExternalProgram>,
        choices: Box<dyn Choices + 'a>,
        configurations: Configurations<'a>,
        order: Arc<Vec<u32>>,
        places: Vec<u32>,
        started: Instant,
    ) -> Self {
        Self {
            program,
            choices,
            configurations,
            order,
            places,
            told: 0,
            moved: 0,
            outside_microseconds: elapsed(started),
        }
    }

    /// The observations that the program was not told yet, in the numbers that it knows.
    fn news(&mut self, observations: &Observations) -> Vec<Told> {
        let pairs = observations.rows.iter().zip(&observations.values);
        let pairs = pairs.enumerate().skip(self.told);
        let news = pairs.map(|(place, (&row, &value))| Told {
            row: self.places[row as usize],
            value,
            further: observations
                .further
                .iter()
                .map(|column| column[place])
                .collect(),
        });
        let news = news.collect();
        self.told = observations.rows.len();
        news
    }

    /// The row that a proposal comes to, and whether it is another one than was proposed.
    fn row(
        &self,
        proposal: Proposal,
        observations: &Observations,
    ) -> Result<Option<(u32, bool)>, ProposalProblem> {
        let evaluated = &observations.evaluated;
        let is_free = |row: u32| !evaluated[row as usize];
        let nearest = |values: &[f64]| {
            let order = &self.order;
            let nearest = self.configurations.nearest(values, evaluated, order);
            Ok(nearest.map(|row| (row, true)))
        };
        let (row, values) = match proposal {
            Proposal::Row(place) => {
                let row = usize::try_from(place).ok();
                let row = row.and_then(|place| self.order.get(place).copied());
                let row = row.ok_or(ProposalProblem::NoSuchRow {
                    row: place,
                    last: self.order.len() - 1,
                })?;
                (Some(row), None)
            }
            Proposal::Configuration(values) => {
                self.configurations.check(&values)?;
                (self.configurations.row_of(&values), Some(values))
            }
        };
        match (row, values) {
            (Some(row), _) if is_free(row) => Ok(Some((row, false))),
            (Some(row), _) if self.program.repeats == ProposalRule::Refuse => {
                let row = self.places[row as usize];
                Err(ProposalProblem::Repeated { row })
            }
            (Some(row), _) => nearest(&self.configurations.of_row(row)),
            (None, Some(values)) if self.program.off_table == ProposalRule::Nearest => {
                nearest(&values)
            }
            (None, _) => Err(ProposalProblem::OffTable),
        }
    }
}

/// Each row's place in an order of the rows.
pub(super) fn places(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, &row) in order.iter().enumerate() {
        places[row as usize] = place as u32;
    }
    places
}

fn elapsed(since: Instant) -> u64 {
    since.elapsed().as_micros().try_into().unwrap_or(u64::MAX)
}

impl Search for ExternalSearch<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let begin = Instant::now();
        let told = self.news(observations);
        let proposal = self.choices.next(&told)?;
        self.outside_microseconds += elapsed(begin);
        match self.row(proposal, observations) {
            Ok(Some((row, is_moved))) => {
                self.moved += u32::from(is_moved);
                Ok(row)
            }
            Ok(None) => Err(ImpossibleJob::NoRow("every row is evaluated").into()),
            Err(problem) => Err(self.choices.refuse(problem).into()),
        }
    }

    fn end(&mut self, observations: &Observations) {
        let told = self.news(observations);
        self.choices.end(&told);
    }

    fn program_record(&self) -> ProgramRecord {
        ProgramRecord {
            moved: self.moved,
            versions: self.choices.versions().to_owned(),
        }
    }

    fn take_outside_microseconds(&mut self) -> u64 {
        std::mem::take(&mut self.outside_microseconds)
    }
}
