//! The methods, one file each, and their registry.
//!
//! A method is a description and a way to start a search; what searches are made
//! of is in [`crate::search`]. A new method is a new file and a line in [`registry`].

mod bohb;
mod bounding_box;
mod copula_linear_regression;
mod copula_thompson;
mod copula_transfer_acquisition;
mod gaussian_copula;
mod gaussian_copula_prior;
mod gaussian_process;
mod gaussian_process_prior;
mod linear_regression;
mod parameters;
mod random_search;
mod regularised_evolution;
mod reinforce;
mod thompson;
mod transfer_acquisition;
mod warm_start;

use std::fmt;

use loto_proto::job::MethodSpec;

use crate::EngineError;
use crate::search::Search;
use crate::setting::Setting;
use crate::table::encoding::{Kind, Space};
pub use parameters::{ParameterDescription, Parameters, Range};

/// A method: what a user may know of it, and how it starts.
pub struct Method {
    /// Id in sweep files.
    pub id: &'static str,
    /// Raised whenever the traces change.
    pub version: u32,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The spaces it can search.
    pub spaces: Spaces,
    /// Parameters a sweep file may set.
    pub parameters: &'static [ParameterDescription],
    /// Starts a search.
    start: Start,
}

/// The search spaces a method is made for. Displayed, it completes "it searches ...".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spaces {
    /// Any.
    All,
    /// Those whose hyperparameters are all categorical.
    Categorical,
}

impl fmt::Display for Spaces {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::All => "any space",
            Self::Categorical => "only spaces whose hyperparameters are all categorical",
        })
    }
}

type Start = for<'a> fn(&Setting<'a>, &Parameters) -> Result<Box<dyn Search + 'a>, EngineError>;

/// Every method, in the order in which they are listed.
pub fn registry() -> &'static [Method] {
    static METHODS: &[Method] = &[
        random_search::METHOD,
        gaussian_process::METHOD,
        gaussian_copula::METHOD,
        thompson::METHOD,
        copula_thompson::METHOD,
        gaussian_process_prior::METHOD,
        gaussian_copula_prior::METHOD,
        bounding_box::METHOD,
        warm_start::METHOD,
        linear_regression::METHOD,
        copula_linear_regression::METHOD,
        transfer_acquisition::METHOD,
        copula_transfer_acquisition::METHOD,
        bohb::METHOD,
        regularised_evolution::METHOD,
        reinforce::METHOD,
    ];
    METHODS
}

/// Finds a method by its id.
///
/// # Errors
/// [`EngineError::UnknownMethod`], listing the ids there are.
pub fn find(id: &str) -> Result<&'static Method, EngineError> {
    registry()
        .iter()
        .find(|method| method.id == id)
        .ok_or_else(|| EngineError::UnknownMethod {
            id: id.to_owned(),
            known: registry()
                .iter()
                .map(|method| method.id)
                .collect::<Vec<_>>()
                .join(", "),
        })
}

/// Finds the method a job names and checks its version and parameters.
///
/// # Errors
/// [`EngineError::UnknownMethod`], [`EngineError::InvalidParameter`], or
/// [`EngineError::OtherVersion`] if the job is for another version of the method.
pub fn check(spec: &MethodSpec) -> Result<&'static Method, EngineError> {
    let method = find(&spec.id)?;
    if spec.version != method.version {
        return Err(EngineError::OtherVersion {
            method: spec.id.clone(),
            wanted: spec.version,
            available: method.version,
        });
    }
    Parameters::new(method, spec)?;
    Ok(method)
}

impl Method {
    /// Checks that the method can search a space.
    ///
    /// # Errors
    /// [`EngineError::UnsuitableSpace`], naming a hyperparameter that is in the way.
    pub fn check_space(&self, space: &Space) -> Result<(), EngineError> {
        let numeric = space
            .hyperparameters
            .iter()
            .find(|hyperparameter| matches!(hyperparameter.kind, Kind::Numeric { .. }));
        match (self.spaces, numeric) {
            (Spaces::Categorical, Some(numeric)) => Err(EngineError::UnsuitableSpace {
                method: self.id.to_owned(),
                spaces: self.spaces,
                hyperparameter: numeric.name.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Starts the search that a job asks for.
    ///
    /// # Errors
    /// Those of [`check`], of [`Method::check_space`] and of what the method prepares.
    pub fn start<'a>(
        spec: &MethodSpec,
        setting: &Setting<'a>,
    ) -> Result<Box<dyn Search + 'a>, EngineError> {
        let method = check(spec)?;
        method.check_space(setting.space())?;
        (method.start)(setting, &Parameters::new(method, spec)?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn spec(id: &str, version: u32, parameters: &[(&str, &str)]) -> MethodSpec {
        let parameters = parameters
            .iter()
            .map(|&(name, value)| (name.into(), value.into()));
        MethodSpec {
            id: id.into(),
            version,
            parameters: parameters.collect::<BTreeMap<_, _>>(),
        }
    }

    #[test]
    fn ids_are_distinct_and_defaults_are_in_range() {
        let ids: BTreeSet<_> = registry().iter().map(|method| method.id).collect();
        assert_eq!(ids.len(), registry().len());
        for method in registry() {
            for parameter in method.parameters {
                let set = [(parameter.name, parameter.default)];
                check(&spec(method.id, method.version, &set)).unwrap();
            }
        }
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            (
                spec("sgd", 1, &[]),
                "unknown method `sgd`: known are rs, gp",
            ),
            (spec("gp", 99, &[]), "version 99"),
            (
                spec("gp", find("gp").unwrap().version, &[("prior", "none")]),
                "has no parameter `prior`",
            ),
            (spec("rs", 1, &[("prior", "none")]), "it has none"),
            (
                spec("gp", find("gp").unwrap().version, &[("hyperprior", "flat")]),
                "`flat`",
            ),
        ];
        for (spec, expected) in cases {
            let message = check(&spec).err().unwrap().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
