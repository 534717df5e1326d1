//! `loto schema`: what a sweep file may hold, for editors.

use clap::Args;
use loto_proto::sweep_file::SCHEMA;

use super::error::CommandError;
use super::output::print;

const EXAMPLES: &str = "\
Examples:
  loto schema > sweep.schema.json

Editors with a language server for TOML, taplo for example, take it from the first line of a
sweep file:
  #:schema ./sweep.schema.json";

/// Prints the JSON schema of the sweep file, by which editors complete and check it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SchemaCommand {}

impl SchemaCommand {
    pub(super) fn execute(self) -> Result<(), CommandError> {
        print(SCHEMA)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use loto_engine::methods::registry;
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_schema_offers_every_method() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let offered = &schema["definitions"]["method"]["anyOf"][0]["enum"];
        let offered: BTreeSet<&str> = offered
            .as_array()
            .unwrap()
            .iter()
            .flat_map(Value::as_str)
            .collect();
        let methods = registry().iter().map(|method| method.id);
        assert_eq!(
            offered,
            methods.collect(),
            "write them into proto/src/sweep_file/schema.json"
        );
    }
}
