//! Parameters of methods: described, checked, typed.

use std::collections::BTreeMap;
use std::fmt;

use crate::error::{EngineError, ParameterError};
use crate::surrogate::hyperparameters::Hyperprior;

/// A parameter that a sweep file may set.
#[derive(Debug)]
pub struct ParameterDescription {
    /// Name in sweep files.
    pub name: &'static str,
    /// The default, spelled as it would be in a job.
    pub default: &'static str,
    /// The values it takes.
    pub range: Range,
    /// What it does, in a sentence.
    pub summary: &'static str,
}

/// The values a parameter takes. Displayed, it reads `gamma, none` or `1 to 100`.
#[derive(Debug)]
pub enum Range {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A whole number from the first to the second.
    Whole(u32, u32),
    /// A number from the first to the second.
    Number(f64, f64),
}

impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Words(words) => formatter.write_str(&words.join(", ")),
            Self::Whole(least, most) => write!(formatter, "whole numbers {least} to {most}"),
            Self::Number(least, most) => write!(formatter, "{least} to {most}"),
        }
    }
}

/// The Gaussian process's prior on its hyperparameters.
pub(super) const HYPERPRIOR: ParameterDescription = ParameterDescription {
    name: "hyperprior",
    default: "gamma",
    range: Range::Words(&["gamma", "none"]),
    summary: "prior on the Gaussian process's hyperparameters; none is type-II maximum \
              likelihood, as in the papers",
};

/// How many rows the sources choose before a search that learns from the target alone.
pub(super) const INITIAL_ROWS: ParameterDescription = ParameterDescription {
    name: "initial_rows",
    default: "5",
    range: Range::Whole(1, 50),
    summary: "number of first rows that the sources choose",
};

/// A job's parameters, checked against the method's descriptions.
pub struct Parameters {
    values: BTreeMap<&'static str, Value>,
}

#[derive(Debug, Clone, Copy)]
enum Value {
    Word(&'static str),
    Number(f64),
}

impl Range {
    /// The value a text stands for; `None` if it is not in the range, or if a number
    /// is not in its one spelling (a job's identity includes the text).
    fn parse(&self, text: &str) -> Option<Value> {
        match *self {
            Self::Words(words) => {
                let word = words.iter().copied().find(|&word| word == text);
                word.map(Value::Word)
            }
            Self::Whole(least, most) => {
                let whole: u32 = text.parse().ok()?;
                let valid = (least..=most).contains(&whole) && whole.to_string() == text;
                valid.then_some(Value::Number(whole.into()))
            }
            Self::Number(least, most) => {
                let number: f64 = text.parse().ok()?;
                let valid = (least..=most).contains(&number) && number.to_string() == text;
                valid.then_some(Value::Number(number))
            }
        }
    }
}

impl Parameters {
    /// Checks the texts that a job `gives` the parameters that a method `knows`.
    pub(super) fn new(
        method: &str,
        known: &'static [ParameterDescription],
        given: &BTreeMap<String, String>,
    ) -> Result<Self, EngineError> {
        let invalid = |source| EngineError::InvalidParameter {
            method: method.to_owned(),
            source,
        };
        let names: Vec<_> = known.iter().map(|parameter| parameter.name).collect();
        if let Some(unknown) = given.keys().find(|name| !names.contains(&name.as_str())) {
            let (name, known) = (unknown.clone(), names.join(", "));
            return Err(invalid(match names.is_empty() {
                true => ParameterError::NoParameters { name },
                false => ParameterError::UnknownParameter { name, known },
            }));
        }
        let value = |parameter: &'static ParameterDescription| {
            let ParameterDescription { name, range, .. } = parameter;
            let text = given.get(*name).map_or(parameter.default, String::as_str);
            let outside = || ParameterError::InvalidValue {
                name,
                text: text.to_owned(),
                allowed: range.to_string(),
            };
            let parsed = range.parse(text).ok_or_else(outside);
            Ok((*name, parsed.map_err(invalid)?))
        };
        let values: Result<_, EngineError> = known.iter().map(value).collect();
        Ok(Self { values: values? })
    }

    /// The value of a parameter that the method describes as a number.
    pub(super) fn number(&self, parameter: &ParameterDescription) -> f64 {
        match self.values[parameter.name] {
            Value::Number(number) => number,
            Value::Word(word) => unreachable!("`{word}` was checked against a range of numbers"),
        }
    }

    /// The value of a parameter that the method describes as a whole number.
    pub(super) fn whole(&self, parameter: &ParameterDescription) -> usize {
        self.number(parameter) as usize
    }

    /// The value of a parameter that the method describes as a word.
    pub(super) fn word(&self, parameter: &ParameterDescription) -> &'static str {
        match self.values[parameter.name] {
            Value::Word(word) => word,
            Value::Number(number) => unreachable!("{number} was checked against words"),
        }
    }

    /// The value of [`HYPERPRIOR`].
    pub(super) fn hyperprior(&self) -> Hyperprior {
        match self.word(&HYPERPRIOR) {
            "none" => Hyperprior::None,
            _ => Hyperprior::Gamma,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(range: &Range, text: &str) -> bool {
        range.parse(text).is_some()
    }

    #[test]
    fn ranges_include_their_ends_and_numbers_have_one_spelling() {
        let range = Range::Number(0.01, 2.0);
        assert!(
            ["0.01", "2", "1.5"]
                .iter()
                .all(|text| accepts(&range, text))
        );
        for text in ["2.0", "+1", "1e0", "0.009", "2.1", "NaN", "inf", "", "x"] {
            assert!(!accepts(&range, text), "{text}");
        }
        let range = Range::Whole(1, 10);
        assert!(accepts(&range, "1") && accepts(&range, "10"));
        for text in ["0", "11", "1.5", "-1", "01", "99999999999"] {
            assert!(!accepts(&range, text), "{text}");
        }
        let range = Range::Words(&["gamma", "none"]);
        assert!(accepts(&range, "none") && !accepts(&range, "None"));
    }
}
