//! `rs`: random search.

use super::{Method, Spaces};
use crate::search::random::RandomSearch;

pub(super) const METHOD: Method = Method {
    id: "rs",
    version: 1,
    summary: "random search: rows in uniformly random order",
    source: "Bergstra and Bengio 2012; RS in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[],
    start: |setting, _| Ok(Box::new(RandomSearch::new(setting))),
};
