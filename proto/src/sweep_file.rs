//! The sweep file: the TOML a user writes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use crate::ProtoError;
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
    /// [`ProtoError::UnreadableFile`], or [`ProtoError::InvalidSweepFile`] with the line or key.
    pub fn read(path: &Path) -> Result<Self, ProtoError> {
        let unreadable = |problem| ProtoError::UnreadableFile {
            path: path.to_owned(),
            problem,
        };
        let file = std::fs::File::open(path).map_err(unreadable)?;
        let mut text = String::new();
        // Not by the size it claims: a device or a pipe claims none.
        let length = file
            .take(MAX_SWEEP_FILE_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(unreadable)?;
        if length as u64 > MAX_SWEEP_FILE_BYTES {
            return Err(ProtoError::InvalidSweepFile {
                path: path.to_owned(),
                problem: format!(
                    "it has more than {MAX_SWEEP_FILE_BYTES} bytes, which is the most allowed"
                ),
            });
        }
        Self::parse(&text, path)
    }

    /// Checks the text of a sweep file; `path` is only for error messages.
    ///
    /// # Errors
    /// [`ProtoError::InvalidSweepFile`] with the line or key.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ProtoError> {
        let invalid = |problem: String| ProtoError::InvalidSweepFile {
            path: path.to_owned(),
            problem,
        };
        let file: Self = toml::from_str(text).map_err(|error| invalid(describe(&error, text)))?;
        file.check().map_err(invalid)?;
        Ok(file)
    }

    fn check(&self) -> Result<(), String> {
        check_name("name", &self.name)?;
        check_range("seeds", self.seeds, MAX_SEEDS)?;
        check_range("iterations", self.iterations, MAX_ITERATIONS)?;
        check_distinct("methods", &self.methods, MAX_METHODS)?;
        if self.blackboxes.len() > MAX_BLACKBOXES {
            return Err(format!(
                "it has {} black boxes, allowed are {MAX_BLACKBOXES}",
                self.blackboxes.len()
            ));
        }
        if self.blackboxes.is_empty() {
            return Err("there is no [[blackbox]]: add at least one".into());
        }
        let methods = self.blackboxes.iter().flat_map(|b| self.methods_of(b));
        let methods: BTreeSet<&String> = methods.collect();
        for (method, parameters) in &self.method {
            if !methods.contains(method) {
                return Err(format!(
                    "[method.{}] sets parameters of a method that runs on no black box: \
                     add it to methods or take the section out",
                    excerpt(method)
                ));
            }
            if parameters.len() > MAX_PARAMETERS {
                return Err(format!(
                    "[method.{method}] sets {} parameters, allowed are {MAX_PARAMETERS}",
                    parameters.len()
                ));
            }
            for (name, value) in parameters {
                check_name(&format!("[method.{method}] parameter name"), name)?;
                check_name(&format!("[method.{method}] {name}"), &value.canonical())?;
            }
        }
        let names: Vec<_> = self.blackboxes.iter().map(|b| b.name.clone()).collect();
        check_distinct("the names of the black boxes", &names, MAX_BLACKBOXES)?;
        for blackbox in &self.blackboxes {
            blackbox.check()?;
            if self.methods_of(blackbox).is_empty() {
                return Err(format!(
                    "black box `{}` has no methods: name at least one in the sweep's methods or \
                     in its own, see `loto methods`",
                    blackbox.name
                ));
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
    fn check(&self) -> Result<(), String> {
        check_name("[[blackbox]] name", &self.name)?;
        let in_blackbox = |problem: String| format!("black box `{}`: {problem}", self.name);
        let check = || {
            check_name("table", &self.table)?;
            check_name("objective", &self.objective)?;
            if let CategoricalEntry::Word(word) = &self.categorical
                && word != "all"
            {
                return Err(format!(
                    "categorical is \"{}\": write \"all\" or a list of hp_ columns",
                    excerpt(word)
                ));
            }
            if let CategoricalEntry::Columns(columns) = &self.categorical {
                for column in columns {
                    check_name("categorical", column)?;
                }
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
                return Err("targets is empty: name at least one task or leave it out".into());
            }
            match targets.iter().find(|task| sources_only.contains(task)) {
                Some(task) => Err(format!("`{task}` is both in targets and in sources_only")),
                None => Ok(()),
            }
        };
        check().map_err(in_blackbox)
    }
}

fn check_name(key: &str, name: &str) -> Result<(), String> {
    if name.trim().is_empty() || name.len() > MAX_NAME_BYTES {
        return Err(format!("{key} must have 1 to {MAX_NAME_BYTES} characters"));
    }
    if name.chars().any(char::is_control) {
        return Err(format!("{key} must not have control characters"));
    }
    Ok(())
}

fn check_range(key: &str, value: u32, most: u32) -> Result<(), String> {
    if value == 0 || value > most {
        return Err(format!("{key} is {value}, allowed are 1 to {most}"));
    }
    Ok(())
}

/// Checks a list of names; gives them as a set.
fn check_distinct<'a>(
    key: &str,
    names: &'a [String],
    most: usize,
) -> Result<BTreeSet<&'a String>, String> {
    if names.len() > most {
        let length = names.len();
        return Err(format!("{key}: {length} are listed, allowed are {most}"));
    }
    let mut seen = BTreeSet::new();
    for name in names {
        check_name(key, name)?;
        if !seen.insert(name) {
            return Err(format!("{key}: `{name}` is listed twice"));
        }
    }
    Ok(seen)
}

/// The parser's message with its picture of the line, or without it if the line is long.
fn describe(error: &toml::de::Error, text: &str) -> String {
    let message = error.to_string();
    if message.len() <= PARSER_MESSAGE_BYTES {
        return message;
    }
    let place = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = 1 + text
        .bytes()
        .take(place)
        .filter(|&byte| byte == b'\n')
        .count();
    format!("line {line}: {}", excerpt(error.message()))
}

#[cfg(test)]
mod tests;
