//! The sweep file: the TOML a user writes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use crate::ProtoError;
use crate::job::{MAX_ITERATIONS, MAX_NAME_BYTES};
use crate::table_spec::{Categorical, TableSpec};

/// Most seeds a sweep may ask for.
pub const MAX_SEEDS: u32 = 100_000;

/// Largest sweep file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 20;

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
        let size = std::fs::metadata(path).map_err(unreadable)?.len();
        if size > MAX_FILE_BYTES {
            return Err(ProtoError::InvalidSweepFile {
                path: path.to_owned(),
                problem: format!("it has {size} bytes, allowed are {MAX_FILE_BYTES}"),
            });
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
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
        let file: Self = toml::from_str(text).map_err(|error| invalid(error.to_string()))?;
        file.check().map_err(invalid)?;
        Ok(file)
    }

    fn check(&self) -> Result<(), String> {
        check_name("name", &self.name)?;
        check_range("seeds", self.seeds, MAX_SEEDS)?;
        check_range("iterations", self.iterations, MAX_ITERATIONS)?;
        check_distinct("methods", &self.methods)?;
        if self.blackboxes.is_empty() {
            return Err("there is no [[blackbox]]: add at least one".into());
        }
        for (method, parameters) in &self.method {
            let runs_on = |blackbox| self.methods_of(blackbox).contains(method);
            if !self.blackboxes.iter().any(runs_on) {
                return Err(format!(
                    "[method.{method}] sets parameters of a method that runs on no black box: \
                     add it to methods or take the section out"
                ));
            }
            for (name, value) in parameters {
                check_name(&format!("[method.{method}] {name}"), &value.canonical())?;
            }
        }
        let names: Vec<_> = self.blackboxes.iter().map(|b| b.name.clone()).collect();
        check_distinct("the names of the black boxes", &names)?;
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
                    "categorical is \"{word}\": write \"all\" or a list of hp_ columns"
                ));
            }
            if let Some(iterations) = self.iterations {
                check_range("iterations", iterations, MAX_ITERATIONS)?;
            }
            check_distinct("methods", self.methods.as_deref().unwrap_or_default())?;
            check_distinct("sources_only", &self.sources_only)?;
            let targets = self.targets.as_deref().unwrap_or_default();
            check_distinct("targets", targets)?;
            if self.targets.is_some() && targets.is_empty() {
                return Err("targets is empty: name at least one task or leave it out".into());
            }
            match targets.iter().find(|task| self.sources_only.contains(task)) {
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

fn check_distinct(key: &str, names: &[String]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for name in names {
        check_name(key, name)?;
        if !seen.insert(name) {
            return Err(format!("{key}: `{name}` is listed twice"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"
name = "icml-copula"
methods = ["rs", "gp"]
seeds = 30
iterations = 100

[method.gp]
hyperprior = "none"

[[blackbox]]
name = "DeepAR"
table = "DeepAR.csv.zip"
objective = "metric_CRPS"
sources_only = ["wiki-rolling"]

[[blackbox]]
name = "nas_bench102"
table = "nas_bench102.csv.zip"
objective = "metric_error"
categorical = "all"
iterations = 70
"#;

    fn parse(text: &str) -> Result<SweepFile, String> {
        SweepFile::parse(text, Path::new("sweep.toml")).map_err(|error| error.to_string())
    }

    fn problem(find: &str, replace: &str) -> String {
        assert!(EXAMPLE.contains(find));
        parse(&EXAMPLE.replacen(find, replace, 1)).unwrap_err()
    }

    #[test]
    fn the_example_is_read() {
        let file = parse(EXAMPLE).unwrap();
        assert_eq!(file.blackboxes[1].iterations, Some(70));
        assert_eq!(
            file.blackboxes[1].table_spec().categorical,
            Categorical::All
        );
        assert_eq!(file.blackboxes[0].sources_only, ["wiki-rolling"]);
        assert_eq!(file.method["gp"]["hyperprior"].canonical(), "none");
    }

    #[test]
    fn a_black_box_may_have_its_own_methods() {
        let own = EXAMPLE.replace("iterations = 70", "methods = [\"rs\", \"rea\"]");
        let file = parse(&own).unwrap();
        let methods = |position: usize| file.methods_of(&file.blackboxes[position]);
        assert_eq!(methods(0), ["rs", "gp"]);
        assert_eq!(methods(1), ["rs", "rea"]);
        // Without a list for all, each black box needs its own.
        let message = parse(&own.replace("methods = [\"rs\", \"gp\"]", "")).unwrap_err();
        assert!(message.contains("[method.gp]"), "{message}");
        let message = parse(
            &own.replace("methods = [\"rs\", \"gp\"]", "")
                .replace("[method.gp]", "[method.rea]"),
        )
        .unwrap_err();
        assert!(
            message.contains("black box `DeepAR` has no methods"),
            "{message}"
        );
        let everywhere = own
            .replace("methods = [\"rs\", \"gp\"]", "")
            .replace("sources_only", "methods = [\"gp\"]\nsources_only");
        assert_eq!(parse(&everywhere).unwrap().methods, [""; 0]);
    }

    #[test]
    fn a_parameter_has_one_spelling() {
        assert_eq!(
            Parameter::Integer(1).canonical(),
            Parameter::Number(1.0).canonical()
        );
        assert_eq!(Parameter::Number(0.1).canonical(), "0.1");
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let cases = [
            ("seeds = 30", "sedes = 30", "sedes"),
            ("seeds = 30", "seeds = 0", "seeds is 0"),
            ("seeds = 30", "seeds = \"many\"", "line 4"),
            ("iterations = 70", "iterations = 0", "nas_bench102"),
            (
                "[\"rs\", \"gp\"]",
                "[\"rs\", \"gp\", \"rs\"]",
                "`rs` is listed twice",
            ),
            ("[\"rs\", \"gp\"]", "[\"rs\"]", "[method.gp]"),
            ("\"all\"", "\"some\"", "write \"all\""),
            ("\"all\"", "3", "expected \"all\""),
            (
                "name = \"nas_bench102\"",
                "name = \"DeepAR\"",
                "listed twice",
            ),
            ("categorical = \"all\"", "targets = []", "targets is empty"),
            (
                "categorical = \"all\"",
                "methods = []",
                "black box `nas_bench102` has no methods",
            ),
            (
                "categorical = \"all\"",
                "methods = [\"gp\", \"gp\"]",
                "black box `nas_bench102`: methods: `gp` is listed twice",
            ),
            (
                "objective = \"metric_error\"",
                "objective = \"\"",
                "objective",
            ),
        ];
        for (find, replace, expected) in cases {
            let message = problem(find, replace);
            assert!(message.contains(expected), "{replace}: {message}");
            assert!(message.contains("sweep.toml"), "{message}");
        }
    }

    #[test]
    fn a_target_cannot_be_a_source_only() {
        let message = problem(
            "sources_only = [\"wiki-rolling\"]",
            "sources_only = [\"a\"]\ntargets = [\"a\"]",
        );
        assert!(message.contains("both"), "{message}");
    }
}
