//! `ablr-copula`: ablr on Gaussian quantiles of each task's objective.

use super::{Method, Spaces};
use crate::search::linear_regression::LinearRegressionSearch;
use crate::search::random::RandomSearch;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "ablr-copula",
    version: 1,
    summary: "ablr on Gaussian quantiles of each task's objective",
    source: "ABLR Copula in ICML 2020, Table 2 and section 5.2",
    spaces: Spaces::All,
    parameters: &[],
    start: |setting, _| {
        let initial = Box::new(RandomSearch::new(setting));
        let search = LinearRegressionSearch::new(setting, initial, Transform::Copula)?;
        Ok(Box::new(search))
    },
};
