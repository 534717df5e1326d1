//! `autogp`: a Gaussian process inside the bounding box of the sources' best configurations.

use super::method::{Method, Spaces};
use super::parameters::HYPERPRIOR;
use crate::sources::bounding_box::BoundingBox;
use crate::strategies::bayesian_optimisation::BayesianOptimisation;
use crate::strategies::random_search::RandomSearch;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const AUTOGP: Method = Method {
    id: "autogp",
    version: 3,
    summary: "gp inside the bounding box of the sources' best configurations",
    source: "AutoGP in ICML 2020, Table 2: Perrone et al. 2019, Learning search spaces for \
             Bayesian optimization: another view of hyperparameter transfer learning",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let bounding_box = BoundingBox::of_sources(setting)?;
        let inside = |row: &u32| {
            let contains = |sides: &BoundingBox| sides.contains(setting.columns(), *row as usize);
            bounding_box.as_ref().is_none_or(contains)
        };
        let initial = RandomSearch::preferring(setting, |row| inside(&row));
        let rows = (0..setting.rows() as u32).filter(inside).collect();
        let hyperprior = parameters.hyperprior();
        let surrogate = TargetSurrogate::new(setting, Transform::Standardisation, hyperprior);
        let search = BayesianOptimisation::new(setting, Box::new(initial), surrogate);
        Ok(Box::new(search.within(rows)))
    },
};
