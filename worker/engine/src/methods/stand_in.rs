//! What chooses the rows while there is no source to learn from: on the first task of a stream.
//!
//! A method that learns from the target alone runs there as everywhere. In the place of any other its stand-in does: the
//! method without what is learnt from sources, with the parameters that both have. A job names its stand-in with its
//! version, since the job's trace depends on it.

use loto_proto::excerpt::excerpt;
use loto_proto::job::MethodSpec;

use super::{check, find};
use crate::error::{EngineError, ParameterError};

/// The parameter of a stream's job that names the stand-in and its version, such as `gcp 3`.
const PARAMETER: &str = "stand_in";

/// Every method that runs on streams of tasks, with its stand-in; with itself, if it needs no source.
const STAND_INS: &[(&str, &str)] = &[
    ("rs", "rs"),
    ("gp", "gp"),
    ("gcp", "gcp"),
    ("i-gp", "i-gp"),
    ("ts", "gp"),
    ("cts", "gcp"),
    ("cts-ho", "gcp"),
    ("gp-prior", "gp"),
    ("gcp-prior", "gcp"),
    ("gcp-prior-ho", "gcp"),
    ("autogp", "gp"),
    ("box-rs", "rs"),
    ("ws-gp", "gp"),
    ("ws-gp-all", "gp"),
    ("ablr", "gp"),
    ("ablr-copula", "gcp"),
    ("sgpt", "gp"),
    ("sgpt-copula", "gcp"),
    ("sgpt-r", "i-gp"),
    ("sgpt-poe", "i-gp"),
    ("taf-r", "i-gp"),
    ("taf-poe", "i-gp"),
    ("sgpt-m", "i-gp"),
    ("taf-m", "i-gp"),
    ("i-gp-init", "i-gp"),
    ("i-rf", "i-rf"),
    ("i-rf-init", "i-rf"),
    ("mkl-gp", "i-gp"),
    ("sqe-gp", "i-gp"),
    ("scot", "i-gp"),
    ("scot-mkl", "i-gp"),
    ("fmlp", "i-gp"),
    ("rgpe", "gp"),
    ("taf-rgpe", "gp"),
    ("zero-shot", "rs"),
    ("stacked-gp", "gp"),
    ("pibo", "gcp"),
    ("empirical-gp", "gp"),
    ("empirical-gcp", "gcp"),
    ("hyperbo", "gp"),
    ("hyperbo-plus", "gp"),
    ("scaml-gp", "gp"),
    ("transbo", "gp"),
    ("fsbo", "gp"),
    ("bohb", "bohb"),
    ("rea", "rea"),
    ("reinforce", "reinforce"),
    ("ehi", "ehi"),
    ("sms", "sms"),
    ("emi", "emi"),
    ("sur", "sur"),
];

/// Whether the method of that id learns from the target alone.
pub fn is_without_sources(id: &str) -> bool {
    STAND_INS.contains(&(id, id))
}

/// The method as a job on a stream has it: with its stand-in, if it needs one.
///
/// # Errors
/// [`EngineError::NotOnStreams`] if no stand-in is known; those of [`find`].
pub fn for_stream(mut spec: MethodSpec) -> Result<MethodSpec, EngineError> {
    find(&spec.id)?;
    let known = STAND_INS.iter().find(|(method, _)| *method == spec.id);
    let (method, stand_in) = known.ok_or_else(|| EngineError::NotOnStreams {
        method: spec.id.clone(),
    })?;
    if stand_in != method {
        let version = find(stand_in)?.version;
        let name = PARAMETER.to_owned();
        spec.parameters
            .insert(name, format!("{stand_in} {version}"));
    }
    Ok(spec)
}

/// A method of a job on a stream, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnStream {
    /// The method, for tasks with sources.
    pub method: MethodSpec,
    /// What runs on tasks without any.
    pub stand_in: MethodSpec,
}

impl OnStream {
    /// Takes apart what [`for_stream`] put together, and checks both parts.
    ///
    /// # Errors
    /// Those of [`check`]; [`EngineError::InvalidParameter`] for a stand-in that is none.
    pub fn of(spec: &MethodSpec) -> Result<Self, EngineError> {
        let mut method = spec.clone();
        let named = method.parameters.remove(PARAMETER);
        check(&method)?;
        let stand_in = match named {
            None => method.clone(),
            Some(text) => named_stand_in(&method, &text)?,
        };
        check(&stand_in)?;
        Ok(Self { method, stand_in })
    }
}

/// The method that a text such as `gcp 3` names, with those parameters of `method` that it has, too.
fn named_stand_in(method: &MethodSpec, text: &str) -> Result<MethodSpec, EngineError> {
    let invalid = || EngineError::InvalidParameter {
        method: method.id.clone(),
        source: ParameterError::InvalidValue {
            name: PARAMETER,
            text: excerpt(text),
            allowed: "the id of a method and its version".to_owned(),
        },
    };
    let (id, version) = text.split_once(' ').ok_or_else(invalid)?;
    let known = find(id)?.parameters;
    let mut parameters = method.parameters.clone();
    parameters.retain(|name, _| known.iter().any(|parameter| parameter.name == name));
    Ok(MethodSpec {
        name: None,
        id: id.to_owned(),
        version: version.parse().map_err(|_| invalid())?,
        parameters,
        program: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method_tests::example::method_spec;
    use crate::methods::registry;

    #[test]
    fn every_stand_in_needs_no_source_and_is_listed_once() {
        for (position, (method, stand_in)) in STAND_INS.iter().enumerate() {
            assert!(
                STAND_INS[..position]
                    .iter()
                    .all(|(other, _)| other != method)
            );
            assert!(find(method).is_ok(), "{method}");
            assert!(STAND_INS.contains(&(stand_in, stand_in)), "{method}");
        }
    }

    #[test]
    fn a_job_names_its_stand_in_with_version_and_shared_parameters() {
        let own = method_spec("gp-prior", &[("hyperprior", "none")]);
        let put_together = for_stream(own.clone()).unwrap();
        let version = find("gp").unwrap().version;
        assert_eq!(put_together.parameters["stand_in"], format!("gp {version}"));
        let expected = OnStream {
            method: own,
            stand_in: method_spec("gp", &[("hyperprior", "none")]),
        };
        assert_eq!(OnStream::of(&put_together).unwrap(), expected);
        let alone = method_spec("gp", &[]);
        assert_eq!(for_stream(alone.clone()).unwrap(), alone);
        assert_eq!(OnStream::of(&alone).unwrap().stand_in, alone);
    }

    #[test]
    fn what_is_no_stand_in_is_refused() {
        let cases = [
            ("gp", "stand_in is `gp`"),
            ("gp x", "stand_in is `gp x`"),
            ("gp 99", "version 99"),
            ("gpp 3", "unknown method `gpp`"),
        ];
        for (text, expected) in cases {
            let spec = method_spec("ts", &[("stand_in", text)]);
            let error = OnStream::of(&spec).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    /// Who adds a method adds its stand-in, too; until then, sweeps with streams refuse it.
    #[test]
    fn a_method_that_is_not_listed_is_refused_by_name() {
        for method in registry() {
            match for_stream(method_spec(method.id, &[])) {
                Ok(spec) => drop(OnStream::of(&spec).unwrap()),
                Err(error) => assert!(error.to_string().contains(method.id), "{error}"),
            }
        }
    }
}
