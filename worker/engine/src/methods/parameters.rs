//! Parameters of methods: described, checked, typed.

use std::collections::BTreeMap;
use std::fmt;

use loto_proto::job::MethodSpec;

use super::Method;
use crate::EngineError;
use crate::search::Search;
use crate::search::random::RandomSearch;
use crate::setting::Setting;
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

/// The bandwidth of the source tasks' weights.
pub(super) const BANDWIDTH: ParameterDescription = ParameterDescription {
    name: "bandwidth",
    default: "0.01",
    range: Range::Number(1e-6, 1e6),
    summary: "rank distance at which a source's weight falls to 0 (rho)",
};

/// Who chooses the first rows of a transfer acquisition function.
///
/// Measured (DeepAR, FCNET, XGBoost, NAS): sgpt-copula with random first rows .56 .80
/// .45 .75 (30 seeds), with the sources' .76 .91 .54 .96 (10 seeds); sgpt .31 .54 .41 .63
/// and .22 .22 .46 .76. The published scores are nearer to those of random first rows.
pub(super) const INITIAL: ParameterDescription = ParameterDescription {
    name: "initial",
    default: "random",
    range: Range::Words(&["random", "sources"]),
    summary: "who chooses the first 5 rows: random search, as for gp, or the source tasks",
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
                let number: u32 = text.parse().ok()?;
                let valid = (least..=most).contains(&number) && number.to_string() == text;
                valid.then_some(Value::Number(number.into()))
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
    pub(super) fn new(method: &Method, spec: &MethodSpec) -> Result<Self, EngineError> {
        let invalid = |problem: String| EngineError::InvalidParameter {
            method: method.id.to_owned(),
            problem,
        };
        let described = |name: &str| method.parameters.iter().find(|known| known.name == name);
        if let Some(unknown) = spec
            .parameters
            .keys()
            .find(|name| described(name).is_none())
        {
            let known: Vec<_> = method.parameters.iter().map(|known| known.name).collect();
            return Err(invalid(match known.as_slice() {
                [] => format!("it has no parameter `{unknown}`; it has none at all"),
                known => format!("it has no parameter `{unknown}`, only {}", known.join(", ")),
            }));
        }
        let mut values = BTreeMap::new();
        for known in method.parameters {
            let text = spec.parameters.get(known.name);
            let text = text.map_or(known.default, String::as_str);
            let value = known.range.parse(text).ok_or_else(|| {
                invalid(format!(
                    "{} is `{text}`, allowed are {}",
                    known.name, known.range
                ))
            })?;
            values.insert(known.name, value);
        }
        Ok(Self { values })
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

    /// The search that [`INITIAL`] names; `None` if it is the sources.
    pub(super) fn initial<'a>(&self, setting: &Setting<'a>) -> Option<Box<dyn Search + 'a>> {
        match self.values[INITIAL.name] {
            Value::Word("sources") => None,
            _ => Some(Box::new(RandomSearch::new(setting))),
        }
    }

    /// The value of [`HYPERPRIOR`].
    pub(super) fn hyperprior(&self) -> Hyperprior {
        match self.values[HYPERPRIOR.name] {
            Value::Word("none") => Hyperprior::None,
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
