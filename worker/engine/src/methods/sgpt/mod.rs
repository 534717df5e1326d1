//! Methods with a Gaussian process per source task beside the target's. They differ in what they make of the sources'
//! predictions and in how they weigh them.
//!
//! | Weights | added improvements (TAF) | averaged means (SGPT) | sum of processes |
//! |---|---|---|---|
//! | rank distance | `sgpt`, `sgpt-copula`, `taf-r` | `sgpt-r` | |
//! | distance of features | `taf-m` | `sgpt-m` | |
//! | precision at each row | `taf-poe` | `sgpt-poe` | |
//! | ranking loss | `taf-rgpe` | | `rgpe` |
//! | pairwise loss | | | `transbo` |
//!
//! - `rank_distance`: how differently a source and the target order configurations;
//! - `ranking_loss`: how many pairs a source and the target's own process rank wrongly;
//! - `pairwise_loss`: weights of the sources, then of the target, under which pairs are ranked best;
//! - `experts`: the sources with their weights, and what they predict together;
//! - `acquisition`: the transfer acquisition function;
//! - `ensemble`: expected improvement under an ensemble;
//! - `search`: the choice of each row.
//!
//! SGPT and TAF are of Wistuba, Schilling and Schmidt-Thieme 2018, Scalable Gaussian process-based transfer
//! surrogates for hyperparameter optimization (Machine Learning 107).

mod acquisition;
mod ensemble;
mod experts;
mod pairwise_loss;
mod rank_distance;
mod ranking_loss;
mod search;

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, ParameterDescription, Parameters, Range, TRANSFORM};
use crate::error::EngineError;
use crate::search::Search;
use crate::setting::Setting;
use crate::sources::feature_distances::feature_distances;
use crate::sources::process::SourceModel;
use crate::strategies::bayesian_optimisation;
use crate::strategies::random_search::RandomSearch;
use crate::surrogate::kernel::Kernel;
use crate::transform::Transform;
use experts::Weighting;
use pairwise_loss::PairwiseLoss;
use rank_distance::{Distance, weight};
use ranking_loss::RankingLoss;
use search::Combination::{self, Improvements, Means, Sum};
use search::{EnsembleSearch, FirstRows};

pub(super) const SGPT: Method = Method {
    id: "sgpt",
    version: 3,
    summary: "transfer acquisition function: expected improvement on the target plus the improvements \
              that Gaussian processes of the sources predict, weighted by how they rank",
    source: "SGPT in ICML 2020, Table 2: TAF-R of Wistuba, Schilling and Schmidt-Thieme 2018, \
             Scalable Gaussian process-based transfer surrogates, section 7",
    spaces: Spaces::All,
    parameters: &[BANDWIDTH, DISTANCE, INITIAL, HYPERPRIOR],
    start: |setting, parameters| start_as_in_icml(setting, parameters, Transform::Standardisation),
};

pub(super) const SGPT_COPULA: Method = Method {
    id: "sgpt-copula",
    summary: "sgpt on Gaussian quantiles of each task's objective",
    source: "SGPT Copula in ICML 2020, Table 2 and section 5.2",
    start: |setting, parameters| start_as_in_icml(setting, parameters, Transform::Copula),
    ..SGPT
};

pub(super) const TAF_R: Method = Method {
    id: "taf-r",
    version: 2,
    summary: "transfer acquisition function as in its paper: squared exponential kernels, weights by Kendall \
              distance, the target's process from the second row on",
    source: "TAF-R of Wistuba, Schilling and Schmidt-Thieme 2018, Scalable Gaussian process-based transfer \
             surrogates, section 7",
    spaces: Spaces::All,
    parameters: &[WIDER_BANDWIDTH, KENDALL_DISTANCE, HYPERPRIOR],
    start: |setting, parameters| start(setting, parameters, by_rank(parameters), Improvements),
};

pub(super) const SGPT_R: Method = Method {
    id: "sgpt-r",
    summary: "expected improvement under an ensemble: the mean over Gaussian processes of the sources and the \
              target, weighted by how they rank, with the target's standard deviation",
    source: "SGPT-R of Wistuba, Schilling and Schmidt-Thieme 2018, Scalable Gaussian process-based transfer \
             surrogates, section 6.2 (TST-R of 2016)",
    start: |setting, parameters| start(setting, parameters, by_rank(parameters), Means),
    ..TAF_R
};

pub(super) const SGPT_M: Method = Method {
    id: "sgpt-m",
    summary: "sgpt-r with weights that fall with the distance of the tasks' features",
    source: "SGPT-M of Wistuba, Schilling and Schmidt-Thieme 2018, Scalable Gaussian process-based transfer \
             surrogates, section 6.2 (TST-M of 2016)",
    spaces: Spaces::WithFeatures,
    parameters: &[FEATURE_BANDWIDTH, HYPERPRIOR],
    start: |setting, parameters| {
        let weighting = by_features(setting, parameters);
        start(setting, parameters, weighting, Means)
    },
    ..TAF_R
};

pub(super) const TAF_M: Method = Method {
    id: "taf-m",
    summary: "taf-r with weights that fall with the distance of the tasks' features",
    source: "TAF-M of Wistuba, Schilling and Schmidt-Thieme 2018, Scalable Gaussian process-based transfer \
             surrogates, section 7",
    start: |setting, parameters| {
        let weighting = by_features(setting, parameters);
        start(setting, parameters, weighting, Improvements)
    },
    ..SGPT_M
};

pub(super) const SGPT_POE: Method = Method {
    id: "sgpt-poe",
    summary: "expected improvement under a product of experts: Gaussian processes of the sources and the target, \
              weighted by their precision at each configuration",
    source: "SGPT-PoE of Wistuba, Schilling and Schmidt-Thieme 2018, Scalable Gaussian process-based transfer \
             surrogates, section 6.1",
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| start(setting, parameters, Weighting::Precision, Means),
    ..TAF_R
};

pub(super) const TAF_POE: Method = Method {
    id: "taf-poe",
    summary: "transfer acquisition function whose weights are the precisions of Gaussian processes at each \
              configuration",
    source: "TAF-PoE of Wistuba, Schilling and Schmidt-Thieme 2018, Scalable Gaussian process-based transfer \
             surrogates, section 7 with equation 39",
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| start(setting, parameters, Weighting::Precision, Improvements),
    ..TAF_R
};

pub(super) const RGPE: Method = Method {
    id: "rgpe",
    summary: "ranking-weighted ensemble: a weighted sum of Gaussian processes of the sources and the target, each \
              weighted by how often it ranks resampled observations best",
    source: "Feurer, Letham, Hutter and Bakshy 2018, Practical transfer learning for Bayesian optimization \
             (arXiv 1802.02219), section 4, with the weight dilution of their code",
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| start_by_ranking_loss(setting, parameters, Sum),
    ..TAF_R
};

pub(super) const TAF_RGPE: Method = Method {
    id: "taf-rgpe",
    summary: "transfer acquisition function with the weights of rgpe",
    source: "TAF of Wistuba, Schilling and Schmidt-Thieme 2018, section 7, with the weights of Feurer et al. 2018 \
             (arXiv 1802.02219)",
    start: |setting, parameters| start_by_ranking_loss(setting, parameters, Improvements),
    ..RGPE
};

pub(super) const TRANSBO: Method = Method {
    id: "transbo",
    version: 3,
    summary: "weighted sum of Gaussian processes of the sources and the target: the sources' weights minimise a pairwise \
              ranking loss, then the target's does",
    source: "Li et al. 2022, TransBO: Hyperparameter optimization via two-phase transfer learning (KDD), section 4",
    parameters: &[HYPERPRIOR, TRANSFORM],
    start: |setting, parameters| {
        let sources = setting.source_positions().len();
        start_on(
            setting,
            SourceModel::matern(parameters.transform(), parameters.hyperprior()),
            Weighting::PairwiseLoss(PairwiseLoss::new(sources)),
            Sum,
        )
    },
    ..RGPE
};

/// The bandwidth of the source tasks' weights.
const BANDWIDTH: ParameterDescription = ParameterDescription {
    name: "bandwidth",
    default: "0.01",
    range: Range::Number(1e-6, 1e6),
    summary: "rank distance at which a source's weight falls to 0 (rho)",
};

/// The same for the paper's own methods: the value that its authors use for support vector machines.
const WIDER_BANDWIDTH: ParameterDescription = ParameterDescription {
    default: "0.1",
    ..BANDWIDTH
};

/// The same for the distance of features: the value that the paper's authors use. All data sets of their support vector
/// machines are nearer to each other.
const FEATURE_BANDWIDTH: ParameterDescription = ParameterDescription {
    default: "3.25",
    summary: "distance of features, each scaled to [0, 1], at which a source's weight falls to 0 (rho)",
    ..BANDWIDTH
};

/// What the bandwidth is measured in.
const DISTANCE: ParameterDescription = ParameterDescription {
    name: "distance",
    default: "euclidean",
    range: Range::Words(&["euclidean", "kendall"]),
    summary: "rank distance of a source: euclidean, equation 45 as printed, which falls with the number of \
              evaluations; kendall, the share of discordant pairs",
};

const KENDALL_DISTANCE: ParameterDescription = ParameterDescription {
    default: "kendall",
    ..DISTANCE
};

/// Who chooses the first rows.
///
/// The paper has no random rows: the transfer acquisition function leads from the first row on. Measured
/// (DeepAR, FCNET, XGBoost, NAS): sgpt-copula with the sources' first rows .76 .91 .54 .96 (10 seeds), with
/// random ones .56 .80 .45 .75 (30 seeds); sgpt .22 .22 .46 .76 and .31 .54 .41 .63.
const INITIAL: ParameterDescription = ParameterDescription {
    name: "initial",
    default: "sources",
    range: Range::Words(&["sources", "random"]),
    summary: "who chooses the first 5 rows: the source tasks, as in the paper, or random search, as for gp",
};

fn by_rank(parameters: &Parameters) -> Weighting {
    Weighting::RankDistance {
        distance: match parameters.word(&DISTANCE) {
            "kendall" => Distance::Kendall,
            _ => Distance::Euclidean,
        },
        bandwidth: parameters.number(&BANDWIDTH),
    }
}

fn by_features(setting: &Setting, parameters: &Parameters) -> Weighting {
    let bandwidth = parameters.number(&FEATURE_BANDWIDTH);
    let distances = feature_distances(setting).into_iter();
    Weighting::Known(
        distances
            .map(|distance| weight(distance, bandwidth))
            .collect(),
    )
}

/// The transfer acquisition function as ICML 2020 compares with it: Matern kernels, 5 rows before the target's process
/// has a say.
fn start_as_in_icml<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    transform: Transform,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let first = FirstRows {
        count: bayesian_optimisation::INITIAL,
        search: match parameters.word(&INITIAL) {
            "sources" => None,
            _ => Some(RandomSearch::new(setting)),
        },
    };
    let model = SourceModel::matern(transform, parameters.hyperprior());
    let (weighting, combination) = (by_rank(parameters), Improvements);
    let search = EnsembleSearch::new(setting, model, weighting, combination, first);
    Ok(Box::new(search?))
}

/// Standardised objectives and squared exponential kernels; the sources choose the first row, the target's process joins from the second
/// on.
fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    weighting: Weighting,
    combination: Combination,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let model = SourceModel {
        transform: Transform::Standardisation,
        hyperprior: parameters.hyperprior(),
        kernel: Kernel::SquaredExponential,
    };
    start_on(setting, model, weighting, combination)
}

/// The same with Matern kernels and the weights of `rgpe`.
fn start_by_ranking_loss<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    combination: Combination,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let model = SourceModel::matern(Transform::Standardisation, parameters.hyperprior());
    let weighting = Weighting::RankingLoss(Box::new(RankingLoss::new(setting)));
    start_on(setting, model, weighting, combination)
}

/// The same with the sources' processes of that kind.
fn start_on<'a>(
    setting: &Setting<'a>,
    model: SourceModel,
    weighting: Weighting,
    combination: Combination,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let first = FirstRows {
        count: 1,
        search: None,
    };
    let search = EnsembleSearch::new(setting, model, weighting, combination, first);
    Ok(Box::new(search?))
}
