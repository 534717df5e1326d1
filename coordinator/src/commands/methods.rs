//! `loto methods`: which methods there are.

use clap::Args;
use loto_worker::WorkerError;
use loto_worker::methods::{MethodDescription, registry};

use super::output::print;
use super::text_table::lay_out;
use crate::CoordinatorError;
use crate::plan::known_methods;

const EXAMPLES: &str = "\
Examples:
  loto methods              every method in a line
  loto methods gcp-prior    one method with its parameters";

/// Lists the methods, or describes one with its parameters.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct MethodsCommand {
    /// Id of the method to describe.
    #[arg(value_name = "METHOD")]
    method: Option<String>,
}

impl MethodsCommand {
    pub(super) fn execute(self) -> Result<(), CoordinatorError> {
        let registry = registry();
        let Some(wanted) = self.method else {
            return print(&list(&registry));
        };
        let description = registry.iter().find(|method| method.id == wanted);
        let description = description.ok_or_else(|| WorkerError::UnknownMethod {
            id: wanted.clone(),
            known: known_methods(),
        })?;
        print(&describe(description))
    }
}

fn list(registry: &[&MethodDescription]) -> String {
    let mut rows = vec![["method", "version", "summary"].map(str::to_owned).to_vec()];
    for method in registry {
        rows.push(vec![
            method.id.into(),
            method.version.to_string(),
            method.summary.into(),
        ]);
    }
    lay_out(&rows)
}

fn describe(method: &MethodDescription) -> String {
    let mut text = format!(
        "{}, version {}\n{}\nSource: {}\n",
        method.id, method.version, method.summary, method.source
    );
    if method.parameters.is_empty() {
        text.push_str("\nIt has no parameters.\n");
        return text;
    }
    text.push_str(&format!(
        "\nParameters, set in [method.{}] of a sweep file:\n",
        method.id
    ));
    let mut rows = vec![
        ["name", "default", "range", "meaning"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for parameter in method.parameters {
        let cells = [
            parameter.name,
            parameter.default,
            parameter.range,
            parameter.summary,
        ];
        rows.push(cells.map(str::to_owned).to_vec());
    }
    text.push_str(&lay_out(&rows));
    text
}
