//! `loto methods`: which methods there are.

use clap::Args;
use loto_engine::methods::{Method, find, registry};

use super::error::CommandError;
use super::output::print;
use super::text_table::TextTable;

const EXAMPLES: &str = "\
Examples:
  loto methods              all methods, one per line
  loto methods gcp-prior    one method with its parameters

worker/engine/src/methods/DEVIATIONS.md lists where the methods depart from their papers, and what each
choice was made on.";

/// Lists the methods, or describes one of them with its parameters.
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
            None => print(&list(registry()).to_string()),
            Some(id) => print(&describe(find(&id)?)),
        }
    }
}

fn list(methods: &[Method]) -> TextTable {
    let mut table = TextTable::new(&["method", "version", "summary"]);
    for method in methods {
        table.push(&[&method.id, &method.version, &method.summary]);
    }
    table
}

fn describe(method: &Method) -> String {
    let id = method.id;
    let head = format!(
        "{id}, version {}\n{}\nSearches {}.\nSource: {}\n",
        method.version, method.summary, method.spaces, method.source
    );
    if method.parameters.is_empty() {
        return format!("{head}\nIt has no parameters.\n");
    }
    let mut table = TextTable::new(&["name", "default", "values", "meaning"]);
    for parameter in method.parameters {
        let (name, default) = (&parameter.name, &parameter.default);
        table.push(&[name, default, &parameter.range, &parameter.summary]);
    }
    format!("{head}\nParameters, which are set in [method.{id}] of a sweep file:\n{table}")
}
