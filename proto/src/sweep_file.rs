//! The sweep file: the TOML a user writes.

mod error;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use serde::Deserialize;

pub use self::error::{SweepFileError, SweepFileProblem};
use crate::excerpt::excerpt;
use crate::limits::{
    MAX_BLACKBOXES, MAX_ITERATIONS, MAX_METHODS, MAX_NAME_BYTES, MAX_PARAMETERS, MAX_SEEDS,
    MAX_SWEEP_FILE_BYTES, MAX_TASKS,
};
use crate::table_spec::{Categorical, TableSpec};

/// Longest message of the TOML parser that is passed on whole, in bytes: it quotes the line.
const PARSER_MESSAGE_BYTES: usize = 600;

/// A sweep file, checked.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepFile {
    /// Name of the sweep, for people.
    pub name: String,
    /// Ids of the methods to run on every black box that does not name its own.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Number of seeds: 0 to `seeds - 1` are run.
    pub seeds: u32,
    /// Number of evaluations in a trace.
    pub iterations: u32,
    /// Parameters by method id, where they differ from the method's defaults.
    #[serde(default)]
    pub method: BTreeMap<String, BTreeMap<String, Parameter>>,
    /// The black boxes.
    #[serde(rename = "blackbox", default)]
    pub blackboxes: Vec<BlackboxEntry>,
}

/// One `[[blackbox]]` of a sweep file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlackboxEntry {
    /// Name of the black box, for people and reports.
    pub name: String,
    /// Table file, relative to the sweep file, then to the data folder.
    pub table: String,
    /// Column that is minimised.
    pub objective: String,
    /// Which hyperparameters are categorical; the rest is numeric.
    #[serde(default)]
    pub categorical: CategoricalEntry,
    /// Tasks that are never a target.
    #[serde(default)]
    pub sources_only: Vec<String>,
    /// The target tasks; all that are not `sources_only` if left out.
    pub targets: Option<Vec<String>>,
    /// Number of evaluations in a trace, where it differs from the sweep's.
    pub iterations: Option<u32>,
    /// Ids of the methods to run, where they differ from the sweep's.
    pub methods: Option<Vec<String>>,
}

/// `categorical = "all"` or a list of columns.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "expected \"all\" or a list of hp_ columns")]
pub enum CategoricalEntry {
    /// The word `all`.
    Word(String),
    /// Columns by their full names.
    Columns(Vec<String>),
}

impl Default for CategoricalEntry {
    fn default() -> Self {
        Self::Columns(Vec::new())
    }
}

/// A method's parameter: a number, a word or a truth value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "expected a number, a text or true/false")]
pub enum Parameter {
    /// `true` or `false`.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl Parameter {
    /// The one spelling under which the parameter enters a job's identity.
    pub fn canonical(&self) -> String {
        match self {
            Self::Flag(flag) => flag.to_string(),
            Self::Integer(integer) => (*integer as f64).to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

impl BlackboxEntry {
    /// How the table's bytes are to be read.
    pub fn table_spec(&self) -> TableSpec {
        TableSpec {
            objective: self.objective.clone(),
            categorical: match &self.categorical {
                CategoricalEntry::Word(_) => Categorical::All,
                CategoricalEntry::Columns(columns) => {
                    Categorical::Columns(columns.iter().cloned().collect())
                }
            },
        }
    }
}

impl SweepFile {
    /// Reads and checks a sweep file.
    ///
    /// # Errors
    /// [`SweepFileError`] with the line or key.
    pub fn read(path: &Path) -> Result<Self, SweepFileError> {
        let unreadable = |source| SweepFileError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let file = std::fs::File::open(path).map_err(unreadable)?;
        let mut text = String::new();
        // Not by the size it claims: a device or a pipe claims none.
        let length = file
            .take(MAX_SWEEP_FILE_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(unreadable)?;
        if length as u64 > MAX_SWEEP_FILE_BYTES {
            return Err(SweepFileError::Invalid {
                path: path.to_owned(),
                problem: SweepFileProblem::TooLong,
            });
        }
        Self::parse(&text, path)
    }

    /// Checks the text of a sweep file; `path` is only for error messages.
    ///
    /// # Errors
    /// [`SweepFileError::Invalid`] with the line or key.
    pub fn parse(text: &str, path: &Path) -> Result<Self, SweepFileError> {
        let file = toml::from_str(text).map_err(|error| describe(error, text));
        let checked = file.and_then(|file: Self| file.check().map(|()| file));
        checked.map_err(|problem| SweepFileError::Invalid {
            path: path.to_owned(),
            problem,
        })
    }

    fn check(&self) -> Result<(), SweepFileProblem> {
        check_name("name", &self.name)?;
        check_range("seeds", self.seeds, MAX_SEEDS)?;
        check_range("iterations", self.iterations, MAX_ITERATIONS)?;
        check_distinct("methods", &self.methods, MAX_METHODS)?;
        match self.blackboxes.len() {
            0 => return Err(SweepFileProblem::NoBlackbox),
            1..=MAX_BLACKBOXES => {}
            many => return Err(SweepFileProblem::TooManyBlackboxes(many)),
        }
        let methods = self.blackboxes.iter().flat_map(|b| self.methods_of(b));
        let methods: BTreeSet<&String> = methods.collect();
        for (method, parameters) in &self.method {
            if !methods.contains(method) {
                return Err(SweepFileProblem::UnusedMethod(excerpt(method)));
            }
            if parameters.len() > MAX_PARAMETERS {
                return Err(SweepFileProblem::TooManyParameters {
                    method: method.clone(),
                    count: parameters.len(),
                });
            }
            for (name, value) in parameters {
                check_name(&format!("[method.{method}] parameter name"), name)?;
                check_name(&format!("[method.{method}] {name}"), &value.canonical())?;
            }
        }
        let names: Vec<_> = self.blackboxes.iter().map(|b| b.name.clone()).collect();
        check_distinct("the names of the black boxes", &names, MAX_BLACKBOXES)?;
        for blackbox in &self.blackboxes {
            check_name("[[blackbox]] name", &blackbox.name)?;
            blackbox
                .check()
                .map_err(|problem| SweepFileProblem::Blackbox {
                    name: blackbox.name.clone(),
                    problem: Box::new(problem),
                })?;
            if self.methods_of(blackbox).is_empty() {
                return Err(SweepFileProblem::NoMethods(blackbox.name.clone()));
            }
        }
        Ok(())
    }

    /// Ids of the methods that run on a black box: its own, or the sweep's.
    pub fn methods_of<'a>(&'a self, blackbox: &'a BlackboxEntry) -> &'a [String] {
        blackbox.methods.as_ref().unwrap_or(&self.methods)
    }
}

impl BlackboxEntry {
    fn check(&self) -> Result<(), SweepFileProblem> {
        check_name("table", &self.table)?;
        check_name("objective", &self.objective)?;
        match &self.categorical {
            CategoricalEntry::Word(word) if word == "all" => {}
            CategoricalEntry::Word(word) => {
                return Err(SweepFileProblem::UnknownWord(excerpt(word)));
            }
            CategoricalEntry::Columns(columns) => columns
                .iter()
                .try_for_each(|column| check_name("categorical", column))?,
        }
        if let Some(iterations) = self.iterations {
            check_range("iterations", iterations, MAX_ITERATIONS)?;
        }
        let methods = self.methods.as_deref().unwrap_or_default();
        check_distinct("methods", methods, MAX_METHODS)?;
        let sources_only = check_distinct("sources_only", &self.sources_only, MAX_TASKS)?;
        let targets = self.targets.as_deref().unwrap_or_default();
        check_distinct("targets", targets, MAX_TASKS)?;
        if self.targets.is_some() && targets.is_empty() {
            return Err(SweepFileProblem::NoTargets);
        }
        match targets.iter().find(|task| sources_only.contains(task)) {
            Some(task) => Err(SweepFileProblem::TargetAndSource(task.clone())),
            None => Ok(()),
        }
    }
}

fn check_name(key: &str, name: &str) -> Result<(), SweepFileProblem> {
    if name.trim().is_empty() || name.len() > MAX_NAME_BYTES {
        return Err(SweepFileProblem::NameLength(key.to_owned()));
    }
    if name.chars().any(char::is_control) {
        return Err(SweepFileProblem::ControlCharacters(key.to_owned()));
    }
    Ok(())
}

fn check_range(key: &'static str, value: u32, most: u32) -> Result<(), SweepFileProblem> {
    if value == 0 || value > most {
        return Err(SweepFileProblem::OutOfRange { key, value, most });
    }
    Ok(())
}

/// Checks a list of names; gives them as a set.
fn check_distinct<'a>(
    key: &'static str,
    names: &'a [String],
    most: usize,
) -> Result<BTreeSet<&'a String>, SweepFileProblem> {
    let count = names.len();
    if count > most {
        return Err(SweepFileProblem::LongList { key, count, most });
    }
    let mut seen = BTreeSet::new();
    for name in names {
        check_name(key, name)?;
        if !seen.insert(name) {
            let name = name.clone();
            return Err(SweepFileProblem::Repeated { key, name });
        }
    }
    Ok(seen)
}

/// The parser's message with its picture of the line, or without it if the line is long.
fn describe(error: toml::de::Error, text: &str) -> SweepFileProblem {
    let mut message = error.to_string();
    if message.len() > PARSER_MESSAGE_BYTES {
        let place = error.span().map_or(0, |span| span.start.min(text.len()));
        let lines = text.bytes().take(place).filter(|&byte| byte == b'\n');
        let line = 1 + lines.count();
        message = format!("line {line}: {}", excerpt(error.message()));
    }
    SweepFileProblem::Toml {
        excerpt: message,
        source: Box::new(error),
    }
}

#[cfg(test)]
mod tests;
