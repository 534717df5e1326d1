//! Methods that are programs of the user: `[external.NAME]`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::checks::{check_distinct, check_name, check_parameter, check_range};
use super::error::SweepFileProblem;
use super::parameter::Parameter;
use crate::excerpt::excerpt;
use crate::external_program::{ProposalRule, stays_inside};
use crate::limits::{MAX_COMMAND_WORDS, MAX_PARAMETERS, MAX_PROGRAM_DEADLINE, MAX_PROGRAM_FILES};

/// One `[external.NAME]` of a sweep file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalEntry {
    /// The command: a program and its arguments.
    pub command: Vec<String>,
    /// The files that it consists of, relative to the sweep file.
    #[serde(default)]
    pub files: Vec<String>,
    /// The version that stands for command and files in the identity of jobs.
    pub version: Option<u32>,
    /// Parameters that it is given.
    #[serde(default)]
    pub parameters: BTreeMap<String, Parameter>,
    /// What becomes of a configuration that the table lacks.
    #[serde(default)]
    pub off_table: ProposalRule,
    /// What becomes of a row that is evaluated already.
    #[serde(default)]
    pub repeats: ProposalRule,
    /// Seconds until it has to be ready.
    #[serde(default = "one_minute")]
    pub start_deadline: u32,
    /// Seconds until it has to answer.
    #[serde(default = "one_minute")]
    pub choice_deadline: u32,
}

fn one_minute() -> u32 {
    60
}

impl ExternalEntry {
    pub(super) fn check(&self, name: &str) -> Result<(), SweepFileProblem> {
        check_name("the name of an [external.NAME]", name)?;
        match self.command.len() {
            0 => return Err(SweepFileProblem::NoCommand),
            1..=MAX_COMMAND_WORDS => {}
            count => {
                return Err(SweepFileProblem::LongList {
                    key: "command",
                    count,
                    most: MAX_COMMAND_WORDS,
                });
            }
        }
        for word in &self.command {
            check_name("a word of the command", word)?;
        }
        check_distinct("files", &self.files, MAX_PROGRAM_FILES)?;
        if let Some(path) = self.files.iter().find(|path| !stays_inside(path)) {
            return Err(SweepFileProblem::FileOutside(excerpt(path)));
        }
        match self.version {
            None if self.files.is_empty() => return Err(SweepFileProblem::NoFiles),
            None => {}
            Some(version) => check_range("version", version, u32::MAX)?,
        }
        if self.parameters.len() > MAX_PARAMETERS {
            return Err(SweepFileProblem::LongList {
                key: "parameters",
                count: self.parameters.len(),
                most: MAX_PARAMETERS,
            });
        }
        for (parameter, value) in &self.parameters {
            check_name("the name of a parameter", parameter)?;
            check_parameter(format!("parameter {parameter}"), value)?;
        }
        check_range("start_deadline", self.start_deadline, MAX_PROGRAM_DEADLINE)?;
        check_range(
            "choice_deadline",
            self.choice_deadline,
            MAX_PROGRAM_DEADLINE,
        )
    }
}
