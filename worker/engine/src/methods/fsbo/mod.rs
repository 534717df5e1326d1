//! `fsbo`: a Gaussian process on features that a network learned from the sources, fine-tuned to the target.
//!
//! - `deep_kernel`: network and kernel, their likelihood and its gradient;
//! - `meta_training`: the fit to the sources;
//! - `search`: fine-tuning, and the choice of each row.

mod deep_kernel;
mod meta_training;
mod search;

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, TRANSFORM};
use crate::sources::process::{SourceModel, source_means};
use crate::strategies::least_prediction::LeastPrediction;
use search::DeepKernelSearch;

pub(super) const FSBO: Method = Method {
    id: "fsbo",
    version: 3,
    summary: "Gaussian process on features of a neural network: both are trained on batches of the sources' rows and \
              fine-tuned to the target at each step; expected improvement from the second row on",
    source: "Wistuba and Grabocka 2021, Few-shot Bayesian optimization with deep kernel surrogates (ICLR), section 4",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR, TRANSFORM],
    start: |setting, parameters| {
        let transform = parameters.transform();
        let model = SourceModel::matern(transform, parameters.hyperprior());
        let sources = source_means(setting, model)?;
        let mut sums = vec![0.0; setting.rows()];
        for source in &sources {
            for (sum, mean) in sums.iter_mut().zip(&*source.means) {
                *sum += mean;
            }
        }
        let first = LeastPrediction::new(setting, sums);
        let trained = meta_training::trained(setting, transform)?;
        Ok(Box::new(DeepKernelSearch::new(
            setting, first, trained, transform,
        )))
    },
};
