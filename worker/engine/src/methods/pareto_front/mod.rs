//! `ehi`, `sms`, `emi` and `sur`: Bayesian optimisation of two objectives with a Gaussian process for each; they differ in
//! the acquisition function, which says how much a row is expected to move the front of the observations.
//!
//! - `search`: the steps that they share;
//! - `criterion`: the row of greatest acquisition.

mod criterion;
mod search;

use self::criterion::Criterion;
use self::search::FrontSearch;
use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, ParameterDescription, Parameters, Range};
use crate::error::EngineError;
use crate::search::Search;
use crate::setting::Setting;

/// How many rows a choice is made among.
const CANDIDATES: ParameterDescription = ParameterDescription {
    name: "candidates",
    default: "0",
    range: Range::Whole(0, 1_000_000),
    summary: "rows that are scored at each choice, drawn at random among those not evaluated; 0 for all, where the paper drew \
              2000",
};

pub(super) const EHI: Method = Method {
    id: "ehi",
    version: 2,
    summary: "two objectives: a Gaussian process for each, expected hypervolume improvement; no transfer",
    source: "EHI in ICML 2020, section 5.2; Emmerich, Deutz and Klinkenberg 2011, Hypervolume-based expected improvement",
    spaces: Spaces::OfTwoObjectives,
    parameters: &[CANDIDATES, HYPERPRIOR],
    start: |setting, parameters| start(setting, parameters, Criterion::ExpectedHypervolume),
};

pub(super) const SMS: Method = Method {
    id: "sms",
    summary: "two objectives: a Gaussian process for each, hypervolume gained by a lower confidence bound (SMS-EGO); no \
              transfer",
    source: "SMS in ICML 2020, section 5.2; Ponweiser, Wagner, Biermann and Vincze 2008, Multiobjective optimization on a \
             limited budget of evaluations using model-assisted S-metric selection",
    start: |setting, parameters| start(setting, parameters, Criterion::OptimisticHypervolume),
    ..EHI
};

pub(super) const EMI: Method = Method {
    id: "emi",
    summary: "two objectives: a Gaussian process for each, expected maximin improvement; no transfer",
    source: "EMI in ICML 2020, section 5.2; Svenson and Santner 2016, Multiobjective optimization of expensive-to-evaluate \
             deterministic computer simulator models",
    start: |setting, parameters| start(setting, parameters, Criterion::Maximin),
    ..EHI
};

pub(super) const SUR: Method = Method {
    id: "sur",
    summary: "two objectives: a Gaussian process for each, expected reduction of the volume of rows that may improve the \
              front, of the 100 rows of greatest expected hypervolume improvement; no transfer",
    source: "SUR in ICML 2020, section 5.2; Picheny 2015, Multiobjective optimization using Gaussian process emulators via \
             stepwise uncertainty reduction",
    start: |setting, parameters| start(setting, parameters, Criterion::ExcursionVolume),
    ..EHI
};

fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    criterion: Criterion,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let candidates = match parameters.whole(&CANDIDATES) {
        0 => None,
        most => Some(most),
    };
    Ok(Box::new(FrontSearch::new(
        setting,
        parameters.hyperprior(),
        criterion,
        candidates,
    )))
}
