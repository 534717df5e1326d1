//! The sweep file: the TOML a user writes.

mod blackbox;
mod checks;
mod error;
mod external;
mod features;
mod hazards;
mod method_entries;
mod objectives;
mod parameter;
mod parser_message;
mod places;
mod scales;
mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

pub use self::blackbox::BlackboxEntry;
use self::checks::{check_distinct, check_name, check_parameter, check_range};
pub use self::error::{SweepFileError, SweepFileProblem, place};
pub use self::external::ExternalEntry;
pub use self::features::FeaturesEntry;
pub use self::method_entries::{MethodEntries, MethodEntry};
pub use self::parameter::Parameter;
use self::parser_message::describe;
use self::places::Places;
pub use self::scales::{CategoricalEntry, ScaleEntry, ScaleProblem};
pub use self::schema::SCHEMA;
use crate::bounded_file;
use crate::excerpt::{excerpt, list};
use crate::limits::{
    MAX_BLACKBOXES, MAX_ITERATIONS, MAX_METHODS, MAX_PARAMETERS, MAX_SEEDS, MAX_SWEEP_FILE_BYTES,
};

/// A sweep file, checked.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepFile {
    /// Name of the sweep, for people.
    pub name: String,
    /// Names or ids of the methods to run on every black box that does not name its own.
    #[serde(default)]
    pub methods: Vec<String>,
    /// Number of seeds: 0 to `seeds - 1` are run.
    pub seeds: u32,
    /// Number of evaluations in a trace.
    pub iterations: u32,
    /// Methods with parameters that differ from their defaults, or with names of their own.
    #[serde(default)]
    pub method: MethodEntries,
    /// Methods that are programs of the user, by name.
    #[serde(default)]
    pub external: BTreeMap<String, ExternalEntry>,
    /// The black boxes.
    #[serde(rename = "blackbox", default)]
    pub blackboxes: Vec<BlackboxEntry>,
    /// The lines of the keys, for messages.
    #[serde(skip)]
    places: Places,
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
        let bytes = bounded_file::read(path, MAX_SWEEP_FILE_BYTES).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_SWEEP_FILE_BYTES {
            return Err(SweepFileError::Invalid {
                path: path.to_owned(),
                line: None,
                problem: SweepFileProblem::TooLong,
            });
        }
        let text = String::from_utf8(bytes).map_err(|error| {
            let sound = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line_ends = sound.iter().filter(|&&byte| byte == b'\n');
            SweepFileError::Invalid {
                path: path.to_owned(),
                line: Some(line_ends.count() + 1),
                problem: SweepFileProblem::NotUtf8,
            }
        })?;
        Self::parse(&text, path)
    }

    /// Checks the text of a sweep file; `path` is only for error messages.
    ///
    /// # Errors
    /// [`SweepFileError::Invalid`] with the line or key.
    pub fn parse(text: &str, path: &Path) -> Result<Self, SweepFileError> {
        let invalid = |line, problem| SweepFileError::Invalid {
            path: path.to_owned(),
            line,
            problem,
        };
        let mut file: Self =
            toml::from_str(text).map_err(|error| invalid(None, describe(error, text)))?;
        hazards::refuse(text).map_err(|problem| invalid(None, problem))?;
        file.places = Places::of(text);
        match file.check() {
            Ok(()) => Ok(file),
            Err(problem) => Err(invalid(file.line_of(&problem), problem)),
        }
    }

    /// The line of the sweep file on which the black box at `position` has that key, or else the line of the key
    /// at the top, or of the name of the black box.
    pub fn line_of_blackbox(&self, position: usize, key: &str) -> Option<usize> {
        self.places.of_blackbox(position, key)
    }

    /// The line of that key in the section `[method.NAME]`, or in the `[[method]]` of that name.
    pub fn line_of_method(&self, name: &str, key: &str) -> Option<usize> {
        self.places.of_method_key(name, key)
    }

    fn line_of(&self, problem: &SweepFileProblem) -> Option<usize> {
        let blackbox = |wanted: &String| {
            let mut blackboxes = self.blackboxes.iter();
            blackboxes.position(|blackbox| blackbox.name == *wanted)
        };
        match problem {
            SweepFileProblem::Blackbox { name, problem } => {
                self.places.of_blackbox(blackbox(name)?, problem.key()?)
            }
            SweepFileProblem::NoMethods(name) => {
                self.places.of_blackbox(blackbox(name)?, problem.key()?)
            }
            SweepFileProblem::UnusedMethod { name, .. }
            | SweepFileProblem::TooManyParameters { method: name, .. } => self
                .places
                .of_method(name)
                .or_else(|| self.places.of_top("method")),
            SweepFileProblem::External { name, .. } => self
                .places
                .of_external(name)
                .or_else(|| self.places.of_top("external")),
            problem => self.places.of_top(problem.key()?),
        }
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
        let unused = |entry: &&MethodEntry| !methods.contains(&entry.name);
        if let Some(entry) = self.method.iter().find(unused) {
            return Err(SweepFileProblem::UnusedMethod {
                name: excerpt(&entry.name),
                methods: listed(&methods),
            });
        }
        self.check_external(&methods)?;
        let names: Vec<_> = self.method.iter().map(|m| m.name.clone()).collect();
        check_distinct("the names of [[method]]", &names, MAX_METHODS)?;
        for MethodEntry {
            name: method,
            id,
            parameters,
        } in self.method.iter()
        {
            check_name("the id of a [[method]]", id)?;
            if parameters.len() > MAX_PARAMETERS {
                return Err(SweepFileProblem::TooManyParameters {
                    method: method.clone(),
                    count: parameters.len(),
                });
            }
            for (name, value) in parameters {
                check_name(&format!("[method.{method}] parameter name"), name)?;
                check_parameter(format!("[method.{method}] {name}"), value)?;
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
            let iterations = blackbox.iterations.unwrap_or(self.iterations);
            let objectives = blackbox.objectives().len() as u64;
            if u64::from(iterations) * objectives > MAX_ITERATIONS.into() {
                return Err(SweepFileProblem::Blackbox {
                    name: blackbox.name.clone(),
                    problem: Box::new(SweepFileProblem::ManyValues {
                        iterations,
                        objectives,
                    }),
                });
            }
            if self.methods_of(blackbox).is_empty() {
                return Err(SweepFileProblem::NoMethods(blackbox.name.clone()));
            }
        }
        Ok(())
    }

    fn check_external(&self, methods: &BTreeSet<&String>) -> Result<(), SweepFileProblem> {
        for (name, entry) in &self.external {
            let of_entry = |problem| SweepFileProblem::External {
                name: excerpt(name),
                problem: Box::new(problem),
            };
            let mut variants = self.method.iter().filter(|method| method.id == *name);
            if !methods.contains(name) && !variants.any(|method| methods.contains(&method.name)) {
                return Err(of_entry(SweepFileProblem::UnusedExternal {
                    name: excerpt(name),
                    methods: listed(methods),
                }));
            }
            entry.check(name).map_err(of_entry)?;
        }
        Ok(())
    }

    /// Names or ids of the methods that run on a black box: its own, or the sweep's.
    pub fn methods_of<'a>(&'a self, blackbox: &'a BlackboxEntry) -> &'a [String] {
        blackbox.methods.as_ref().unwrap_or(&self.methods)
    }
}

/// The methods that run, one of which may be misspelt.
fn listed(methods: &BTreeSet<&String>) -> String {
    match methods.is_empty() {
        true => "nothing".into(),
        false => list(methods.iter().map(|method| method.as_str())),
    }
}

#[cfg(test)]
mod tests;
