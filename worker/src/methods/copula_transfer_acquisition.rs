//! `sgpt-copula`: sgpt on Gaussian quantiles of each task's objective.

use super::parameters::{BANDWIDTH, HYPERPRIOR, INITIAL};
use super::{Method, Spaces};
use crate::search::transfer_acquisition::TransferAcquisitionSearch;
use crate::surrogate::target::TargetSurrogate;
use crate::transfer::experts::Experts;
use crate::transfer::source_process::source_means;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "sgpt-copula",
    version: 1,
    summary: "sgpt on Gaussian quantiles of each task's objective",
    source: "SGPT Copula in ICML 2020, Table 2 and section 5.2",
    spaces: Spaces::All,
    parameters: &[BANDWIDTH, INITIAL, HYPERPRIOR],
    start: |setting, parameters| {
        let transform = Transform::Copula;
        let hyperprior = parameters.hyperprior();
        let surrogate = TargetSurrogate::new(setting, transform, hyperprior);
        let means = source_means(setting, transform, hyperprior)?;
        let experts = Experts::new(means, parameters.number(&BANDWIDTH));
        let initial = parameters.initial(setting);
        let search = TransferAcquisitionSearch::new(setting, initial, surrogate, experts);
        Ok(Box::new(search))
    },
};
