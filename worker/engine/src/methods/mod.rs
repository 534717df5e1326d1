//! The methods and their registry.
//!
//! Each algorithm has a room: a file, or a folder if it has several pieces. Two methods
//! that differ only in the transform of the objectives share one. No method knows
//! another: what several are built from lies in [`crate::strategies`], [`crate::surrogate`],
//! [`crate::prior`], [`crate::sources`] and [`crate::acquisition`].
//!
//! | Room | Methods | Algorithm |
//! |---|---|---|
//! | `rs` | `rs` | random search |
//! | `gp` | `gp`, `gcp`, `i-gp`, `i-gp-init` | Gaussian process |
//! | `random_forest` | `i-rf`, `i-rf-init` | random forest |
//! | `ts` | `ts`, `cts`, `cts-ho` | Thompson sampling from the parametric prior |
//! | `gp_prior` | `gp-prior`, `gcp-prior`, `gcp-prior-ho` | Gaussian process on residuals of the parametric prior |
//! | `autogp` | `autogp` | Gaussian process in the bounding box of the sources' best |
//! | `box_rs` | `box-rs` | random search in the same box |
//! | `ws_gp` | `ws-gp` | Gaussian process that begins with the sources' best |
//! | `ws_gp_all` | `ws-gp-all` | Gaussian process that begins with rows of all sources |
//! | `ablr` | `ablr`, `ablr-copula` | adaptive Bayesian linear regression |
//! | `sgpt` | `sgpt`, `sgpt-copula`, `taf-r`, `taf-poe`, `taf-m`, `taf-rgpe` | transfer acquisition function |
//! | `sgpt` | `sgpt-r`, `sgpt-poe`, `sgpt-m`, `rgpe`, `transbo` | ensemble of processes of sources and target |
//! | `mkl_gp` | `mkl-gp`, `sqe-gp` | one Gaussian process on tasks that features couple |
//! | `scot` | `scot`, `scot-mkl` | the same on the scores of a ranker |
//! | `fmlp` | `fmlp` | networks that weigh products of inputs |
//! | `zero_shot` | `zero-shot` | portfolio that the sources choose |
//! | `stacked_gp` | `stacked-gp` | Gaussian processes on each other's residuals |
//! | `empirical_gp` | `empirical-gp`, `empirical-gcp` | Gaussian process with the moments of the sources as its prior |
//! | `hyperbo` | `hyperbo`, `hyperbo-plus` | Gaussian process learned from the sources; priors learned from them |
//! | `scaml_gp` | `scaml-gp` | weighted sum of the sources' processes and one of the target's own |
//! | `fsbo` | `fsbo` | Gaussian process on features of a network that the sources taught |
//! | `pareto_front` | `ehi`, `sms`, `emi`, `sur` | Gaussian processes of two objectives |
//! | `pibo` | `pibo` | Gaussian process with a belief in where the optimum is |
//! | `bohb` | `bohb` | kernel densities of good and other configurations |
//! | `rea` | `rea` | regularised evolution |
//! | `reinforce` | `reinforce` | policy gradient |
//!
//! A new method is a file or folder here with a constant that describes it, and a line in the
//! list below.

mod method;
mod parameters;
pub mod stand_in;

use loto_proto::excerpt::excerpt;
use loto_proto::job::MethodSpec;
use loto_proto::suggestion::suggest;

use crate::error::EngineError;
use crate::search::Search;
use crate::setting::Setting;
pub use method::{Method, Spaces};
pub use parameters::{ParameterDescription, Parameters, Range};

/// Declares the room of each algorithm, and lists its methods.
macro_rules! methods {
    ($($room:ident: $($method:ident),+;)+) => {
        $(mod $room;)+

        /// Every method, in the order in which they are listed.
        pub fn registry() -> &'static [Method] {
            static METHODS: &[Method] = &[$($($room::$method),+),+];
            METHODS
        }
    };
}

methods! {
    rs: RS;
    gp: GP, GCP, I_GP, I_GP_INIT;
    ts: TS, CTS, CTS_HO;
    gp_prior: GP_PRIOR, GCP_PRIOR, GCP_PRIOR_HO;
    autogp: AUTOGP;
    box_rs: BOX_RS;
    ws_gp: WS_GP;
    ws_gp_all: WS_GP_ALL;
    ablr: ABLR, ABLR_COPULA;
    sgpt: SGPT, SGPT_COPULA, SGPT_R, SGPT_POE, SGPT_M, TAF_R, TAF_POE, TAF_M, RGPE, TAF_RGPE, TRANSBO;
    zero_shot: ZERO_SHOT;
    stacked_gp: STACKED_GP;
    empirical_gp: EMPIRICAL_GP, EMPIRICAL_GCP;
    hyperbo: HYPERBO, HYPERBO_PLUS;
    scaml_gp: SCAML_GP;
    fsbo: FSBO;
    pibo: PIBO;
    random_forest: I_RF, I_RF_INIT;
    mkl_gp: MKL_GP, SQE_GP;
    scot: SCOT, SCOT_MKL;
    fmlp: FMLP;
    bohb: BOHB;
    rea: REA;
    reinforce: REINFORCE;
    pareto_front: EHI, SMS, EMI, SUR;
}

/// Finds a method by its id.
///
/// # Errors
/// [`EngineError::UnknownMethod`], listing the ids there are.
pub fn find(id: &str) -> Result<&'static Method, EngineError> {
    let found = registry().iter().find(|method| method.id == id);
    found.ok_or_else(|| {
        let known: Vec<_> = registry().iter().map(|method| method.id).collect();
        EngineError::UnknownMethod {
            id: excerpt(id),
            suggestion: suggest(id, &known),
        }
    })
}

/// Finds the method a job names and checks its version and parameters.
///
/// # Errors
/// [`EngineError::UnknownMethod`], [`EngineError::InvalidParameter`], or
/// [`EngineError::OtherVersion`] if the job is for another version of the method.
pub fn check(spec: &MethodSpec) -> Result<&'static Method, EngineError> {
    Ok(checked(spec)?.0)
}

/// Starts the search that a job asks for.
///
/// # Errors
/// Those of [`check`], of [`Method::check_table`] and of what the method prepares.
pub(crate) fn start<'a>(
    spec: &MethodSpec,
    setting: &Setting<'a>,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let (method, parameters) = checked(spec)?;
    method.check_table(setting.table())?;
    (method.start)(setting, &parameters)
}

fn checked(spec: &MethodSpec) -> Result<(&'static Method, Parameters), EngineError> {
    let method = find(&spec.id)?;
    if spec.version != method.version {
        return Err(EngineError::OtherVersion {
            method: spec.id.clone(),
            wanted: spec.version,
            available: method.version,
        });
    }
    let parameters = Parameters::new(method.id, method.parameters, &spec.parameters)?;
    Ok((method, parameters))
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
            name: None,
            id: id.into(),
            version,
            parameters: parameters.collect::<BTreeMap<_, _>>(),
            program: None,
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
                "unknown method `sgd`; known are rs, gp",
            ),
            (spec("gcp_prior", 1, &[]), "did you mean `gcp-prior`?"),
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
