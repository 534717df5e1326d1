//! `sgpt-copula`: sgpt on Gaussian quantiles of each task's objective.

use super::parameters::{BANDWIDTH, HYPERPRIOR, INITIAL};
use super::{Method, Spaces};
use crate::search::transfer_acquisition::TransferAcquisitionSearch;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "sgpt-copula",
    version: 1,
    summary: "sgpt on Gaussian quantiles of each task's objective",
    source: "SGPT Copula in ICML 2020, Table 2 and section 5.2",
    spaces: Spaces::All,
    parameters: &[BANDWIDTH, INITIAL, HYPERPRIOR],
    start: |setting, parameters| {
        Ok(Box::new(TransferAcquisitionSearch::new(
            setting,
            parameters.initial(setting),
            Transform::Copula,
            parameters.hyperprior(),
            parameters.number(&BANDWIDTH),
        )?))
    },
};
