//! `rs`: random search.

use super::method::{Method, Spaces};
use crate::strategies::random_search::RandomSearch;

pub(super) const RS: Method = Method {
    id: "rs",
    version: 1,
    summary: "random search: rows in uniformly random order",
    source: "Bergstra and Bengio 2012; RS in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[],
    start: |setting, _| Ok(Box::new(RandomSearch::new(setting))),
};
