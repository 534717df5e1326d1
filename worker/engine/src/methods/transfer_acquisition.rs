//! `sgpt`: transfer acquisition function with a Gaussian process per source task.

use super::parameters::{BANDWIDTH, HYPERPRIOR, INITIAL};
use super::{Method, Spaces};
use crate::search::transfer_acquisition::TransferAcquisitionSearch;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "sgpt",
    version: 1,
    summary: "transfer acquisition function: expected improvement on the target plus the improvements \
              that Gaussian processes of the sources predict, weighted by how they rank",
    source: "SGPT in ICML 2020, Table 2: TAF-R of Wistuba, Schilling and Schmidt-Thieme 2018, \
             Scalable Gaussian process-based transfer surrogates, section 7",
    spaces: Spaces::All,
    parameters: &[BANDWIDTH, INITIAL, HYPERPRIOR],
    start: |setting, parameters| {
        Ok(Box::new(TransferAcquisitionSearch::new(
            setting,
            parameters.initial(setting),
            Transform::Standardisation,
            parameters.hyperprior(),
            parameters.number(&BANDWIDTH),
        )?))
    },
};
