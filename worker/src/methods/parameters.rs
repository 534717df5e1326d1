//! Parameters of methods: described, checked, typed.

use std::collections::BTreeMap;

use loto_proto::job::MethodSpec;

use super::Method;
use crate::WorkerError;
use crate::surrogate::hyperparameters::Hyperprior;

/// A parameter that a sweep file may set.
#[derive(Debug)]
pub struct ParameterDescription {
    /// Name in sweep files.
    pub name: &'static str,
    /// The default.
    pub default: &'static str,
    /// The values it takes.
    pub choices: &'static [&'static str],
    /// What it does, in a sentence.
    pub summary: &'static str,
}

/// The Gaussian process's prior on its hyperparameters.
pub(super) const HYPERPRIOR: ParameterDescription = ParameterDescription {
    name: "hyperprior",
    default: "gamma",
    choices: &["gamma", "none"],
    summary: "prior on the Gaussian process's hyperparameters; none is type-II maximum \
              likelihood, as in the papers",
};

/// A job's parameters, checked against the method's descriptions.
pub struct Parameters {
    values: BTreeMap<&'static str, String>,
}

impl Parameters {
    pub(super) fn new(method: &Method, spec: &MethodSpec) -> Result<Self, WorkerError> {
        let invalid = |problem: String| WorkerError::InvalidParameter {
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
            let value = spec.parameters.get(known.name);
            let value = value.map_or(known.default, String::as_str);
            if !known.choices.contains(&value) {
                return Err(invalid(format!(
                    "{} is `{value}`, allowed are {}",
                    known.name,
                    known.choices.join(", ")
                )));
            }
            values.insert(known.name, value.to_owned());
        }
        Ok(Self { values })
    }

    /// The value of [`HYPERPRIOR`].
    pub(super) fn hyperprior(&self) -> Result<Hyperprior, WorkerError> {
        let value = &self.values[HYPERPRIOR.name];
        value.parse().map_err(|()| WorkerError::InvalidParameter {
            method: String::new(),
            problem: format!("hyperprior is `{value}`"),
        })
    }
}
