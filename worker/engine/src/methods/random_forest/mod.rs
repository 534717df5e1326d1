//! `i-rf` and `i-rf-init`: Bayesian optimisation with a random forest on the target's observations alone; they differ in
//! who chooses the first rows.
//!
//! - `tree`: a regression tree;
//! - `search`: the forest, and the choice of each row.

mod search;
mod tree;

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, INITIAL_ROWS, ParameterDescription, Parameters, Range};
use crate::search::Search;
use crate::setting::Setting;
use crate::sources::portfolio::portfolio;
use crate::sources::process::{SourceModel, source_means};
use crate::strategies::random_search::{RandomSearch, random_priority};
use crate::strategies::row_list::RowList;
use crate::surrogate::kernel::Kernel;
use crate::transform::Transform;
use search::ForestSearch;

/// Random rows before the first forest: fewer give no tree a split.
const RANDOM_ROWS: usize = 3;

pub(super) const I_RF: Method = Method {
    id: "i-rf",
    version: 1,
    summary: "random forest on standardised observations, expected improvement, three random first rows; no transfer",
    source: "I-RF in Wistuba, Schilling and Schmidt-Thieme 2018, Scalable Gaussian process-based transfer surrogates, \
             section 8.3; the forest of Hutter, Hoos and Leyton-Brown 2011 (SMAC) with the settings of SMAC3",
    spaces: Spaces::All,
    parameters: &[TREES, LEAST_LEAF],
    start: |setting, parameters| {
        let initial = Box::new(RandomSearch::new(setting));
        Ok(start(setting, parameters, initial, RANDOM_ROWS))
    },
};

pub(super) const I_RF_INIT: Method = Method {
    id: "i-rf-init",
    summary: "i-rf whose first rows are those that together suit all sources best, by Gaussian processes of the sources",
    source: "I-RF (init) in Wistuba, Schilling and Schmidt-Thieme 2018, section 8.4; the first rows of Wistuba, Schilling \
             and Schmidt-Thieme 2015, Learning hyperparameter optimization initializations",
    parameters: &[TREES, LEAST_LEAF, INITIAL_ROWS, HYPERPRIOR],
    start: |setting, parameters| {
        let model = SourceModel {
            transform: Transform::Standardisation,
            hyperprior: parameters.hyperprior(),
            kernel: Kernel::SquaredExponential,
        };
        let sources = source_means(setting, model)?;
        let count = parameters.whole(&INITIAL_ROWS);
        let rows = portfolio(&sources, count, &random_priority(setting));
        let initial = Box::new(RowList::new(setting, rows));
        Ok(start(setting, parameters, initial, count))
    },
    ..I_RF
};

const TREES: ParameterDescription = ParameterDescription {
    name: "trees",
    default: "10",
    range: Range::Whole(1, 1000),
    summary: "number of trees",
};

const LEAST_LEAF: ParameterDescription = ParameterDescription {
    name: "least_leaf",
    default: "3",
    range: Range::Whole(1, 100),
    summary: "least number of observations in a leaf",
};

fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    initial: Box<dyn Search + 'a>,
    initial_evaluations: usize,
) -> Box<dyn Search + 'a> {
    let (trees, least_leaf) = (parameters.whole(&TREES), parameters.whole(&LEAST_LEAF));
    Box::new(ForestSearch::new(
        setting,
        initial,
        initial_evaluations,
        trees,
        least_leaf,
    ))
}
