//! The messages of the protocol `loto-method/1`, each one line of JSON.

use std::collections::BTreeMap;
use std::iter;

use loto_engine::external::caller::Told;
use loto_proto::limits::MAX_PROGRAM_VERSIONS_BYTES;
use loto_proto::sweep_file::Parameter;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// From the worker.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Question<'a> {
    /// The first line.
    Hello {
        /// The versions of the protocol that the worker speaks.
        protocols: [u32; 1],
        loto: &'static str,
    },
    /// What may be known of a table and a target; has no answer.
    Table(TableMessage<'a>),
    /// A job.
    Start {
        task: &'a str,
        seed: u32,
        iterations: usize,
        parameters: BTreeMap<&'a str, Value>,
        random_rows: &'a [u32],
    },
    /// Asks for a proposal.
    Next {
        iteration: usize,
        /// Evaluations that the sweep gives, before the one that is told.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        given: Vec<Observation>,
        told: Option<Observation>,
    },
    /// The job is done.
    End {
        #[serde(skip_serializing_if = "Vec::is_empty")]
        given: Vec<Observation>,
        told: Option<Observation>,
    },
}

/// What may be known of a table and a target.
#[derive(Debug, Serialize)]
pub(super) struct TableMessage<'a> {
    pub(super) table: String,
    pub(super) folder: &'a str,
    pub(super) space: Vec<HyperparameterMessage<'a>>,
    /// The names of the objectives, if there are several.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) objectives: &'a [String],
    pub(super) target: TaskMessage<'a>,
    pub(super) sources: Vec<TaskMessage<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct HyperparameterMessage<'a> {
    pub(super) name: &'a str,
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) levels: Option<&'a [String]>,
}

/// A task and the files that tell of it, relative to the folder.
#[derive(Debug, Serialize)]
pub(super) struct TaskMessage<'a> {
    pub(super) task: &'a str,
    pub(super) rows: usize,
    pub(super) configurations: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) values: Option<String>,
    /// What describes the task, each from 0 to 1 over all tasks.
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    pub(super) features: &'a [f64],
}

#[derive(Debug, Serialize)]
pub(super) struct Observation {
    row: u32,
    value: ObservedValue,
}

/// A number, or with several objectives a list of one number for each.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ObservedValue {
    One(f64),
    Several(Vec<f64>),
}

impl From<Told> for Observation {
    fn from(told: Told) -> Self {
        let Told {
            row,
            value,
            further,
        } = told;
        let value = match further.is_empty() {
            true => ObservedValue::One(value),
            false => ObservedValue::Several(iter::once(value).chain(further).collect()),
        };
        Self { row, value }
    }
}

/// From the program.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Answer {
    Ready(Ready),
    Started,
    Row {
        iteration: usize,
        row: u64,
    },
    Configuration {
        iteration: usize,
        values: Vec<f64>,
    },
    Ended,
    Error {
        message: String,
        #[serde(default)]
        traceback: String,
    },
}

/// What a program says of itself.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Ready {
    /// The version of the protocol that it chose.
    pub(super) protocol: u32,
    /// The spaces that it searches.
    #[serde(default)]
    pub(super) spaces: Spaces,
    /// How many objectives it takes.
    #[serde(default)]
    pub(super) objectives: Objectives,
    /// The parameters that it takes; any if it does not say.
    pub(super) parameters: Option<Vec<String>>,
    /// What it runs on, by name.
    #[serde(default)]
    pub(super) versions: BTreeMap<String, String>,
}

impl Ready {
    /// What it runs on, in one line; as much of it as a trace may hold.
    pub(super) fn versions_in_words(&self) -> String {
        let mut words = String::new();
        for (name, version) in &self.versions {
            let separator = if words.is_empty() { "" } else { ", " };
            let word = format!("{separator}{name} {version}");
            if words.len() + word.len() > MAX_PROGRAM_VERSIONS_BYTES {
                break;
            }
            words.push_str(&word);
        }
        words
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Spaces {
    #[default]
    All,
    Categorical,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Objectives {
    #[default]
    One,
    Several,
}

impl Question<'_> {
    /// Its name in the protocol.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::Table(_) => "table",
            Self::Start { .. } => "start",
            Self::Next { .. } => "next",
            Self::End { .. } => "end",
        }
    }
}

impl Answer {
    /// Its name in the protocol.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Ready(_) => "ready",
            Self::Started => "started",
            Self::Row { .. } => "row",
            Self::Configuration { .. } => "configuration",
            Self::Ended => "ended",
            Self::Error { .. } => "error",
        }
    }
}

/// A parameter as JSON, by its canonical spelling.
pub(super) fn parameter(text: &str) -> Value {
    match Parameter::of_canonical(text) {
        Parameter::Flag(flag) => Value::Bool(flag),
        Parameter::Integer(whole) => Value::from(whole),
        Parameter::Number(number) => Value::from(number),
        Parameter::Text(text) => Value::from(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_those_of_the_page() {
        let told = Told {
            row: 17,
            value: 0.31,
            further: Vec::new(),
        };
        let next = Question::Next {
            iteration: 2,
            given: Vec::new(),
            told: Some(told.into()),
        };
        assert_eq!(
            serde_json::to_string(&next).unwrap(),
            r#"{"type":"next","iteration":2,"told":{"row":17,"value":0.31}}"#
        );
        let hello = Question::Hello {
            protocols: [1],
            loto: "0.1.0",
        };
        let page = include_str!("../../../deploy/python/PROTOCOL.md");
        assert!(page.contains(&serde_json::to_string(&hello).unwrap()));
        assert!(page.contains(&serde_json::to_string(&next).unwrap()));
    }

    #[test]
    fn with_several_objectives_a_value_is_a_list() {
        let told = Told {
            row: 17,
            value: 0.31,
            further: vec![12.5],
        };
        let page = include_str!("../../../deploy/python/PROTOCOL.md");
        let sent = serde_json::to_string(&Observation::from(told)).unwrap();
        assert_eq!(sent, r#"{"row":17,"value":[0.31,12.5]}"#);
        assert!(page.contains(&sent));
        let ready = |line: &str| serde_json::from_str::<Ready>(line).unwrap().objectives;
        assert_eq!(ready(r#"{"protocol":1}"#), Objectives::One);
        let several = r#"{"protocol":1,"objectives":"several"}"#;
        assert_eq!(ready(several), Objectives::Several);
        let table = |objectives| {
            let task = || TaskMessage {
                task: "digits",
                rows: 6,
                configurations: String::new(),
                values: None,
                features: &[],
            };
            let message = TableMessage {
                table: String::new(),
                folder: "",
                space: Vec::new(),
                objectives,
                target: task(),
                sources: Vec::new(),
            };
            serde_json::to_value(message)
                .unwrap()
                .get("objectives")
                .cloned()
        };
        assert_eq!(table(&[]), None);
        let names = ["metric_error".to_owned(), "metric_time".to_owned()];
        assert_eq!(table(&names), Some(serde_json::json!(names)));
    }

    #[test]
    fn a_task_has_features_only_where_some_are_declared() {
        let message = |features| {
            let task = TaskMessage {
                task: "digits",
                rows: 6,
                configurations: "9e8462b4caf03198d3c2452d8dbab156-0-configurations.npy".to_owned(),
                values: None,
                features,
            };
            serde_json::to_value(task).unwrap()
        };
        assert_eq!(
            message(&[0.25, 1.0])["features"],
            serde_json::json!([0.25, 1.0])
        );
        assert_eq!(message(&[]).get("features"), None);
        // Without any, the message is that of the page.
        let page = include_str!("../../../deploy/python/PROTOCOL.md");
        let task = r#"{"task":"digits","rows":6,"configurations":"9e8462b4caf03198d3c2452d8dbab156-0-configurations.npy"}"#;
        assert!(page.contains(task));
        let sent: Value = serde_json::from_str(task).unwrap();
        assert_eq!(message(&[]), sent);
    }

    #[test]
    fn answers_are_read_strictly_where_it_matters() {
        let read = |line: &str| serde_json::from_str::<Answer>(line);
        assert!(read(r#"{"type":"row","iteration":1,"row":3,"comment":"x"}"#).is_ok());
        for line in [
            r#"{"type":"row","iteration":1,"row":-1}"#,
            r#"{"type":"row","iteration":1,"row":1.5}"#,
            r#"{"type":"row","row":1}"#,
            r#"{"type":"configuration","iteration":1,"values":[NaN]}"#,
            r#"{"type":"configuration","iteration":1,"values":[1e999]}"#,
            r#"{"type":"configuration","iteration":1,"values":[null]}"#,
            r#"{"type":"rows"}"#,
            "[1]",
            "",
        ] {
            assert!(read(line).is_err(), "{line}");
        }
    }

    #[test]
    fn versions_fit_into_a_trace() {
        let ready = |versions: &str| -> Ready {
            let line = format!(r#"{{"protocol":1,"versions":{versions}}}"#);
            serde_json::from_str(&line).unwrap()
        };
        let few = ready(r#"{"python":"3.11.7","numpy":"1.26.4"}"#);
        assert_eq!(few.versions_in_words(), "numpy 1.26.4, python 3.11.7");
        let many: BTreeMap<String, String> =
            (0..1000).map(|i| (i.to_string(), "1".into())).collect();
        let many = ready(&serde_json::to_string(&many).unwrap()).versions_in_words();
        assert!(many.ends_with(" 1") && many.len() <= MAX_PROGRAM_VERSIONS_BYTES);
        assert!(many.len() > MAX_PROGRAM_VERSIONS_BYTES - 10);
    }

    #[test]
    fn parameters_have_the_type_that_they_spell() {
        assert_eq!(parameter("true"), Value::Bool(true));
        assert_eq!(parameter("10"), Value::from(10));
        assert_eq!(parameter("0.5"), Value::from(0.5));
        for text in ["07", "1e3", "inf", "NaN", "nearest", ""] {
            assert_eq!(parameter(text), Value::from(text));
        }
    }
}
