//! A method at work on a job.

use loto_engine::ProgramError;
use loto_engine::external::caller::{Choices, Proposal, ProposalProblem, Told};
use loto_engine::external::handover::Handover;
use loto_engine::table::encoding::Kind;
use loto_proto::excerpt::list;

use super::failure::{MethodProblem, Step};
use super::hand_over;
use super::messages::{Answer, Objectives, Observation, Question, Spaces, parameter};
use super::method_process::{MethodProcess, other_answer};

/// A job that a method was told of. Its process is gone after a failure.
pub(super) struct Conversation<Keep: FnMut(MethodProcess) + Send> {
    process: Option<MethodProcess>,
    iteration: usize,
    /// What it said that it runs on.
    versions: String,
    /// Keeps a process that is done with its job.
    keep: Keep,
}

impl<Keep: FnMut(MethodProcess) + Send> Conversation<Keep> {
    /// Tells a method of a job.
    ///
    /// # Errors
    /// [`ProgramError`] if it does not take it.
    pub(super) fn start(
        mut process: MethodProcess,
        handover: &Handover<'_>,
        keep: Keep,
    ) -> Result<Self, ProgramError> {
        match tell_of_job(&mut process, handover) {
            Ok(()) => Ok(Self {
                versions: process.ready.versions_in_words(),
                process: Some(process),
                iteration: 0,
                keep,
            }),
            Err(problem) => Err(process.fail(Step::Message("start"), problem)),
        }
    }

    fn fail(&mut self, problem: MethodProblem) -> ProgramError {
        let step = Step::Iteration(self.iteration);
        match self.process.take() {
            Some(process) => process.fail(step, problem),
            None => ProgramError {
                source: Box::new(problem),
                details: String::new(),
            },
        }
    }
}

/// The observations before the last one, and the last.
fn given_and_told(told: &[Told]) -> (Vec<Observation>, Option<Observation>) {
    let mut observations: Vec<Observation> = told.iter().cloned().map(Into::into).collect();
    let last = observations.pop();
    (observations, last)
}

fn tell_of_job(process: &mut MethodProcess, handover: &Handover<'_>) -> Result<(), MethodProblem> {
    process.begin_job();
    check(process, handover)?;
    let is_new = process.handed_over.prepare(handover);
    if is_new.map_err(MethodProblem::NotHandedOver)? {
        let folder = process.handed_over.folder().display().to_string();
        process.tell(&Question::Table(hand_over::message(handover, &folder)))?;
    }
    let parameters = handover.parameters.iter();
    let start = Question::Start {
        task: &handover.task(handover.target).name,
        seed: handover.seed,
        iterations: handover.iterations,
        parameters: parameters
            .map(|(name, text)| (name.as_str(), parameter(text)))
            .collect(),
        random_rows: &handover.random_rows,
    };
    match process.ask(&start)? {
        Answer::Started => Ok(()),
        other => Err(other_answer(&other, "`started`")),
    }
}

/// Whether the method searches the space and takes the objectives and the parameters.
fn check(process: &MethodProcess, handover: &Handover<'_>) -> Result<(), MethodProblem> {
    let mut hyperparameters = handover.table.space.hyperparameters.iter();
    let numeric = hyperparameters.find(|it| matches!(it.kind, Kind::Numeric { .. }));
    if let (Spaces::Categorical, Some(numeric)) = (process.ready.spaces, numeric) {
        return Err(MethodProblem::UnsuitableSpace(numeric.name.clone()));
    }
    let objectives = handover.table.objectives.len();
    if objectives > 1 && process.ready.objectives == Objectives::One {
        return Err(MethodProblem::OneObjective(objectives));
    }
    if let Some(known) = &process.ready.parameters
        && let Some(name) = handover
            .parameters
            .keys()
            .find(|name| !known.contains(name))
    {
        return Err(MethodProblem::UnknownParameter {
            name: name.clone(),
            known: list(known.iter().map(String::as_str)),
        });
    }
    Ok(())
}

impl<Keep: FnMut(MethodProcess) + Send> Choices for Conversation<Keep> {
    fn next(&mut self, told: &[Told]) -> Result<Proposal, ProgramError> {
        self.iteration += 1;
        let iteration = self.iteration;
        let (given, told) = given_and_told(told);
        let question = Question::Next {
            iteration,
            given,
            told,
        };
        let answer = match &mut self.process {
            Some(process) => process.ask(&question),
            None => Err(MethodProblem::Gone),
        };
        let proposal = answer.and_then(|answer| match answer {
            Answer::Row { iteration: of, row } if of == iteration => Ok(Proposal::Row(row)),
            Answer::Configuration {
                iteration: of,
                values,
            } if of == iteration => Ok(Proposal::Configuration(values)),
            Answer::Row { iteration: of, .. } | Answer::Configuration { iteration: of, .. } => {
                Err(MethodProblem::OtherIteration(of))
            }
            other => Err(other_answer(&other, "`row` or `configuration`")),
        });
        proposal.map_err(|problem| self.fail(problem))
    }

    /// The trace is whole: a method that fails now costs the job nothing, and is started anew for the next.
    fn end(&mut self, told: &[Told]) {
        let Some(mut process) = self.process.take() else {
            return;
        };
        let (given, told) = given_and_told(told);
        let question = Question::End { given, told };
        let problem = match process.ask(&question) {
            Ok(Answer::Ended) => return (self.keep)(process),
            Ok(other) => other_answer(&other, "`ended`"),
            Err(problem) => problem,
        };
        let error = process.fail(Step::Message(question.name()), problem);
        eprintln!("{error}");
    }

    fn versions(&self) -> &str {
        &self.versions
    }

    fn refuse(&mut self, problem: ProposalProblem) -> ProgramError {
        self.fail(problem.into())
    }
}
