//! What a sweep file may hold, for editors.

/// The JSON schema of a sweep file (draft 7), which editors complete and check by. It knows keys, types and ranges;
/// what else has to hold, `loto check` says.
pub const SCHEMA: &str = include_str!("schema.json");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde::de::DeserializeOwned;
    use serde_json::Value;

    use super::super::{BlackboxEntry, ExternalEntry, SweepFile};
    use super::*;
    use crate::limits::{MAX_ITERATIONS, MAX_OBJECTIVES, MAX_PROGRAM_DEADLINE, MAX_SEEDS};

    /// The keys that the parser takes, as its message on an unknown one lists them.
    fn keys<Entry: DeserializeOwned>() -> BTreeSet<String> {
        let Err(error) = toml::from_str::<Entry>("no-such-key = 1") else {
            panic!("an unknown key is taken");
        };
        let message = error.message();
        let (_, listed) = message.split_once("expected one of ").unwrap();
        let listed = listed.split(", ").map(|key| key.trim_matches('`'));
        listed.map(str::to_owned).collect()
    }

    fn properties(schema: &Value) -> BTreeSet<String> {
        assert_eq!(schema["additionalProperties"], false);
        let properties = schema["properties"].as_object().unwrap();
        properties.keys().cloned().collect()
    }

    #[test]
    fn the_schema_has_the_keys_of_the_parser() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        assert_eq!(properties(&schema), keys::<SweepFile>());
        let definitions = &schema["definitions"];
        assert_eq!(
            properties(&definitions["blackbox"]),
            keys::<BlackboxEntry>()
        );
        assert_eq!(
            properties(&definitions["external"]),
            keys::<ExternalEntry>()
        );
        let limit = |schema: &Value, key: &str| schema["properties"][key]["maximum"].clone();
        assert_eq!(limit(&schema, "seeds"), MAX_SEEDS);
        assert_eq!(limit(&schema, "iterations"), MAX_ITERATIONS);
        for deadline in ["start_deadline", "choice_deadline"] {
            let found = limit(&definitions["external"], deadline);
            assert_eq!(found, MAX_PROGRAM_DEADLINE);
        }
    }

    #[test]
    fn the_words_of_the_schema_are_those_of_the_parser() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let properties = &schema["definitions"]["blackbox"]["properties"];
        for (key, count) in [("direction", 4), ("repeats", 2), ("protocol", 2)] {
            let words = properties[key]["enum"].as_array().unwrap();
            assert_eq!(words.len(), count, "{key}");
            for word in words {
                let line =
                    format!("name = \"B\"\ntable = \"t.csv\"\nobjective = \"e\"\n{key} = {word}");
                assert!(toml::from_str::<BlackboxEntry>(&line).is_ok(), "{line}");
            }
        }
    }

    #[test]
    fn what_the_schema_demands_the_parser_demands() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let blackbox = [
            ("name", "\"B\""),
            ("table", "\"t.csv\""),
            ("objective", "\"metric_e\""),
        ];
        let top = [("name", "\"s\""), ("seeds", "1"), ("iterations", "1")];
        let text = |missing: &str, missing_of_blackbox: &str| {
            let line = |(key, value): &(&str, &str)| format!("{key} = {value}\n");
            let top = top.iter().filter(|(key, _)| *key != missing).map(line);
            let of_blackbox = blackbox
                .iter()
                .filter(|(key, _)| *key != missing_of_blackbox);
            let top: String = top.collect();
            let of_blackbox: String = of_blackbox.map(line).collect();
            format!("methods = [\"rs\"]\n{top}[[blackbox]]\n{of_blackbox}")
        };
        let is_read = |text: &str| SweepFile::parse(text, "x.toml".as_ref()).is_ok();
        assert!(is_read(&text("", "")));
        let required = |schema: &Value| -> Vec<String> {
            serde_json::from_value(schema["required"].clone()).unwrap()
        };
        for key in required(&schema).iter().filter(|key| *key != "blackbox") {
            assert!(!is_read(&text(key, "")), "{key}");
        }
        let blackbox = &schema["definitions"]["blackbox"];
        for key in required(blackbox) {
            assert!(!is_read(&text("", &key)), "{key}");
        }
        let choices = blackbox["oneOf"].as_array().unwrap().iter();
        let choices: Vec<_> = choices.flat_map(required).collect();
        assert_eq!(choices, ["objective", "objectives"]);
        let several = "objectives = [\"metric_e\", \"metric_t\"]";
        assert!(!is_read(&text("", "objective")));
        assert!(is_read(&format!("{}{several}", text("", "objective"))));
        assert!(!is_read(&format!("{}{several}", text("", ""))));
        assert_eq!(
            blackbox["properties"]["objectives"]["maxItems"],
            MAX_OBJECTIVES
        );
    }
}
