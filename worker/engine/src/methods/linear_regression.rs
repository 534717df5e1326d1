//! `ablr`: adaptive Bayesian linear regression.

use super::{Method, Spaces};
use crate::search::linear_regression::LinearRegressionSearch;
use crate::search::random::RandomSearch;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "ablr",
    version: 1,
    summary: "Bayesian linear regression on features that a network learns from the sources",
    source: "ABLR in ICML 2020, Table 2 and appendix B: Perrone et al. 2018, Scalable \
             hyperparameter transfer learning",
    spaces: Spaces::All,
    parameters: &[],
    start: |setting, _| {
        let initial = Box::new(RandomSearch::new(setting));
        let search = LinearRegressionSearch::new(setting, initial, Transform::Standardisation)?;
        Ok(Box::new(search))
    },
};
