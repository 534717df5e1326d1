//! Values that a sweep file gives: numbers, texts and truth values.

use serde::Deserialize;

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
