//! `loto methods`: which methods there are.

use clap::Args;
use loto_engine::methods::{Method, find, registry};

use super::error::CommandError;
use super::output::print;
use super::text_table::lay_out;

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
    pub(super) fn execute(self) -> Result<(), CommandError> {
        match self.method {
            None => print(&list(registry())),
            Some(id) => print(&describe(find(&id)?)),
        }
    }
}

fn list(methods: &[Method]) -> String {
    let mut rows = vec![["method", "version", "summary"].map(str::to_owned).to_vec()];
    for method in methods {
        let version = method.version.to_string();
        rows.push(vec![method.id.into(), version, method.summary.into()]);
    }
    lay_out(&rows)
}

fn describe(method: &Method) -> String {
    let mut text = format!(
        "{}, version {}\n{}\nSearches {}.\nSource: {}\n",
        method.id, method.version, method.summary, method.spaces, method.source
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
        ["name", "default", "values", "meaning"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for parameter in method.parameters {
        rows.push(vec![
            parameter.name.into(),
            parameter.default.into(),
            parameter.range.to_string(),
            parameter.summary.into(),
        ]);
    }
    text.push_str(&lay_out(&rows));
    text
}
