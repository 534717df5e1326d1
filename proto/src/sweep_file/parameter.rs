//! Values that a sweep file gives: numbers, texts and truth values.

use std::fmt;

use serde::Deserialize;

use crate::excerpt::excerpt;

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

    /// The parameter that a method is given for a canonical spelling, which is all that a job knows: a text that spells a number
    /// or a truth value is that.
    pub fn of_canonical(text: &str) -> Self {
        if let Ok(flag) = text.parse() {
            return Self::Flag(flag);
        }
        if let Ok(whole) = text.parse::<i64>()
            && whole.to_string() == text
        {
            return Self::Integer(whole);
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number.to_string() == text => Self::Number(number),
            _ => Self::Text(text.to_owned()),
        }
    }

    /// Whether both are one value of one kind. A whole number is the same however it is written.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(number), Self::Integer(whole)) => *number == *whole as f64,
            _ => self == other,
        }
    }
}

impl fmt::Display for Parameter {
    /// As a message shows it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => flag.fmt(formatter),
            Self::Integer(integer) => integer.fmt(formatter),
            Self::Number(number) => number.fmt(formatter),
            Self::Text(text) => write!(formatter, "the text \"{}\"", excerpt(text)),
        }
    }
}
