//! The sweep file of an import.

use std::fmt::Write;

use loto_proto::table_spec::Direction;

/// Methods to start with: two without transfer and two with.
const METHODS: &str = r#"["rs", "gp", "cts", "gcp-prior"]"#;

/// Evaluations that methods choose in a trace where all targets have as many rows.
const ITERATIONS: usize = 100;

/// A black box of the sweep file.
#[derive(Debug, Default)]
pub(super) struct ImportedBlackbox {
    pub(super) name: String,
    pub(super) table: String,
    pub(super) objective: String,
    /// None if it is not said.
    pub(super) direction: Option<Direction>,
    pub(super) categorical: Vec<String>,
    /// Columns with the words of their scales.
    pub(super) scales: Vec<(String, &'static str)>,
    /// The only tasks that methods learn from; all but the target if empty.
    pub(super) sources: Vec<String>,
    /// Whether configurations were measured several times, told apart by the column `seed`.
    pub(super) is_repeated: bool,
    /// Configurations of the target with the fewest.
    pub(super) fewest_rows: usize,
    /// A file with first evaluations.
    pub(super) initial: Option<ImportedInitial>,
}

/// A file with first evaluations.
#[derive(Debug)]
pub(super) struct ImportedInitial {
    pub(super) file: String,
    /// The most that a target has for a seed.
    pub(super) most: usize,
    /// True if each target has some for each seed of the sweep, without which they cannot be used.
    pub(super) complete: bool,
}

impl ImportedBlackbox {
    /// The file with first evaluations, if each job has some and something left to choose.
    fn usable_initial(&self) -> Option<&ImportedInitial> {
        let initial = self.initial.as_ref()?;
        (initial.complete && initial.most < self.fewest_rows).then_some(initial)
    }

    /// Evaluations in a trace: those that are given come before those that methods choose.
    fn iterations(&self) -> usize {
        let given = self.usable_initial().map_or(0, |initial| initial.most);
        self.fewest_rows.min(ITERATIONS + given)
    }
}

/// The text of the sweep file.
pub(super) fn sweep_text(name: &str, seeds: u32, blackboxes: &[ImportedBlackbox]) -> String {
    let mut text = format!(
        "name = {}\nmethods = {METHODS}\nseeds = {seeds}\niterations = {ITERATIONS}\n",
        quoted(name)
    );
    for blackbox in blackboxes {
        let _infallible = write_blackbox(blackbox, &mut text);
    }
    text
}

fn write_blackbox(blackbox: &ImportedBlackbox, text: &mut String) -> std::fmt::Result {
    writeln!(text, "\n[[blackbox]]\nname = {}", quoted(&blackbox.name))?;
    writeln!(text, "table = {}", quoted(&blackbox.table))?;
    writeln!(text, "objective = {}", quoted(&blackbox.objective))?;
    match blackbox.direction {
        // Planning the sweep then warns of an objective that looks as if large values were good.
        None => {}
        Some(Direction::Minimise) => writeln!(text, "direction = \"minimise\"")?,
        Some(Direction::Maximise) => writeln!(text, "direction = \"maximise\"")?,
    }
    if blackbox.iterations() != ITERATIONS {
        writeln!(text, "iterations = {}", blackbox.iterations())?;
    }
    if !blackbox.categorical.is_empty() {
        writeln!(text, "categorical = [{}]", list(&blackbox.categorical))?;
    }
    if !blackbox.scales.is_empty() {
        let scales = blackbox.scales.iter();
        let scales = scales.map(|(column, scale)| format!("{} = \"{scale}\"", quoted(column)));
        let scales = scales.collect::<Vec<_>>().join(", ");
        writeln!(text, "scales = {{ {scales} }}")?;
    }
    if blackbox.is_repeated {
        writeln!(text, "repeats = \"mean\"")?;
    }
    if !blackbox.sources.is_empty() {
        writeln!(text, "sources = [{}]", list(&blackbox.sources))?;
    }
    match (blackbox.usable_initial(), &blackbox.initial) {
        (Some(initial), _) => writeln!(text, "initial = {}", quoted(&initial.file)),
        (None, Some(initial)) => writeln!(
            text,
            "# {} has first evaluations, but not for each target and seed, or no fewer than there are rows.",
            initial.file
        ),
        (None, None) => Ok(()),
    }
}

fn list(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    names.join(", ")
}

/// A text of TOML. Control characters are refused where names are read.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotation_marks_and_backslashes_stay_in_their_text() {
        assert_eq!(quoted(r#"a"\b"#), r#""a\"\\b""#);
    }
}
