//! `box-rs`: random search inside the bounding box of the sources' best configurations.

use super::method::{Method, Spaces};
use crate::sources::bounding_box::BoundingBox;
use crate::strategies::random_search::RandomSearch;

pub(super) const BOX_RS: Method = Method {
    id: "box-rs",
    version: 1,
    summary: "random search inside the bounding box of the sources' best configurations, then outside of it",
    source: "Box RS in Salinas, Shen and Perrone 2019, A copula approach for hyperparameter transfer learning, \
             Table 2; Perrone et al. 2019, Learning search spaces for Bayesian optimization",
    spaces: Spaces::All,
    parameters: &[],
    start: |setting, _| {
        let bounding_box = BoundingBox::of_sources(setting)?;
        let search = RandomSearch::preferring(setting, |row| {
            let contains = |sides: &BoundingBox| sides.contains(setting.columns(), row as usize);
            bounding_box.as_ref().is_none_or(contains)
        });
        Ok(Box::new(search))
    },
};
