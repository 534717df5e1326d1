//! `gp`, `gcp`, `i-gp` and `i-gp-init`: Bayesian optimisation with a Gaussian process on the target's
//! observations alone; they differ in the transform of the observations, in the kernel and in the first rows.

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, INITIAL_ROWS, Parameters};
use crate::error::EngineError;
use crate::search::Search;
use crate::setting::Setting;
use crate::sources::portfolio::portfolio;
use crate::sources::process::{SourceModel, source_means};
use crate::strategies::bayesian_optimisation::{BayesianOptimisation, INITIAL};
use crate::strategies::random_search::{RandomSearch, random_priority};
use crate::strategies::row_list::RowList;
use crate::surrogate::kernel::Kernel;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const GP: Method = Method {
    id: "gp",
    version: 4,
    summary: "Gaussian process on standardised observations, expected improvement; no transfer",
    source: "GP in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let transform = Transform::Standardisation;
        start(setting, parameters, transform, Kernel::Matern, INITIAL)
    },
};

pub(super) const GCP: Method = Method {
    id: "gcp",
    version: 4,
    summary: "Gaussian copula process: Gaussian process on Gaussian quantiles of the observations; no transfer",
    source: "GCP in ICML 2020, Table 2",
    start: |setting, parameters| {
        let (transform, kernel) = (Transform::Copula, Kernel::Matern);
        start(setting, parameters, transform, kernel, INITIAL)
    },
    ..GP
};

pub(super) const I_GP: Method = Method {
    id: "i-gp",
    version: 2,
    summary: "gp with a squared exponential kernel and one random first row; no transfer",
    source: "I-GP in Wistuba, Schilling and Schmidt-Thieme 2018, Scalable Gaussian process-based transfer \
             surrogates, section 8.3",
    start: |setting, parameters| {
        let (transform, kernel) = (Transform::Standardisation, Kernel::SquaredExponential);
        start(setting, parameters, transform, kernel, 1)
    },
    ..GP
};

pub(super) const I_GP_INIT: Method = Method {
    id: "i-gp-init",
    version: 2,
    summary: "i-gp whose first rows are those that together suit all sources best, by Gaussian processes of the sources",
    source: "I-GP (init) in Wistuba, Schilling and Schmidt-Thieme 2018, section 8.4; the first rows of Wistuba, Schilling \
             and Schmidt-Thieme 2015, Learning hyperparameter optimization initializations",
    parameters: &[INITIAL_ROWS, HYPERPRIOR],
    start: |setting, parameters| {
        let (transform, kernel) = (Transform::Standardisation, Kernel::SquaredExponential);
        let hyperprior = parameters.hyperprior();
        let model = SourceModel {
            transform,
            hyperprior,
            kernel,
        };
        let sources = source_means(setting, model)?;
        let count = parameters.whole(&INITIAL_ROWS);
        let rows = portfolio(&sources, count, &random_priority(setting));
        let initial = Box::new(RowList::new(setting, rows));
        let surrogate = TargetSurrogate::new(setting, transform, hyperprior).with_kernel(kernel);
        let search = BayesianOptimisation::new(setting, initial, surrogate);
        Ok(Box::new(search.after(count)))
    },
    ..GP
};

fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    transform: Transform,
    kernel: Kernel,
    initial_evaluations: usize,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let initial = Box::new(RandomSearch::new(setting));
    let surrogate = TargetSurrogate::new(setting, transform, parameters.hyperprior());
    let search = BayesianOptimisation::new(setting, initial, surrogate.with_kernel(kernel));
    Ok(Box::new(search.after(initial_evaluations)))
}
