//! `rea`: regularised evolution, also called ageing evolution (Real et al. 2019,
//! algorithm 1).

use super::method::{Method, Spaces};
use super::parameters::{ParameterDescription, Range};
use crate::error::EngineError;
use crate::random::{RandomStream, StreamName};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::strategies::configurations::{Configurations, PROPOSALS, RowLookup};
use crate::strategies::random_search::RandomSearch;
use crate::transform::Transform;

const POPULATION: ParameterDescription = ParameterDescription {
    name: "population",
    default: "10",
    range: Range::Whole(1, 1000),
    summary: "number of members; the first ones are random search's rows",
};

const SAMPLE: ParameterDescription = ParameterDescription {
    name: "sample",
    default: "3",
    range: Range::Whole(1, 1000),
    summary: "number of members drawn, with replacement, of which the best is the parent",
};

const RANDOM: StreamName = StreamName::new("rea", "parents and mutations");

pub(super) const REA: Method = Method {
    id: "rea",
    version: 1,
    summary: "regularised evolution: a good member gets a child with one hyperparameter changed, the oldest dies; no transfer",
    source: "Real, Aggarwal, Huang, Le 2019, algorithm 1; settings of Dong and Yang 2020; R-EA in ICML 2020, Table 2",
    spaces: Spaces::Categorical,
    parameters: &[POPULATION, SAMPLE],
    start: |setting, parameters| {
        Ok(Box::new(RegularisedEvolution::new(
            setting,
            parameters.whole(&POPULATION),
            parameters.whole(&SAMPLE),
        )))
    },
};

/// The best of a few members of the population gets a child that differs in one
/// hyperparameter; the child joins the population and the oldest member dies.
///
/// So the population is always the latest evaluations. Its first members are
/// random search's rows. A child that is evaluated already, or that the table
/// lacks, is stillborn: a parent and a mutation are drawn anew, and after
/// [`PROPOSALS`] of them the next row of random search joins instead.
pub(super) struct RegularisedEvolution<'a> {
    population: usize,
    sample: usize,
    configurations: Configurations<'a>,
    lookup: RowLookup,
    initial: RandomSearch,
    random: RandomStream,
}

impl<'a> RegularisedEvolution<'a> {
    /// With `population` members, of which `sample` are drawn, with replacement,
    /// to find a parent; both at least 1.
    pub(super) fn new(setting: &Setting<'a>, population: usize, sample: usize) -> Self {
        let configurations = Configurations::new(setting);
        Self {
            population,
            sample,
            lookup: configurations.lookup(),
            configurations,
            initial: RandomSearch::new(setting),
            random: setting.random(RANDOM),
        }
    }
}

impl Search for RegularisedEvolution<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let Some(oldest) = observations.rows.len().checked_sub(self.population) else {
            return self.initial.choose(observations);
        };
        let values = observations.comparable(Transform::Copula);
        for _ in 0..PROPOSALS {
            let parent = oldest + best_of_sample(&values[oldest..], self.sample, &mut self.random);
            let mut child = self.configurations.of_row(observations.rows[parent]);
            mutate(&mut child, self.configurations.levels(), &mut self.random);
            if let Some(row) = self.lookup.unevaluated(&child, observations) {
                return Ok(row);
            }
        }
        self.initial.choose(observations)
    }
}

/// Draws `sample` of the values, with replacement; the place of the least of them,
/// the first drawn among equals.
fn best_of_sample(values: &[f64], sample: usize, random: &mut RandomStream) -> usize {
    let mut draw = || random.below(values.len() as u32) as usize;
    let mut best = draw();
    for _ in 1..sample {
        let other = draw();
        if values[other] < values[best] {
            best = other;
        }
    }
    best
}

/// Moves one hyperparameter, drawn uniformly, to another of its levels, drawn
/// uniformly; one that has no other level stays.
fn mutate(configuration: &mut [u16], levels: &[u16], random: &mut RandomStream) {
    let place = random.below(levels.len() as u32) as usize;
    if levels[place] > 1 {
        let other = random.below(u32::from(levels[place]) - 1) as u16;
        let current = &mut configuration[place];
        *current = if other < *current { other } else { other + 1 };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use loto_proto::identity::Fingerprint;

    use super::*;

    fn stream() -> RandomStream {
        RandomStream::new(RANDOM, Fingerprint([5; 16]), "t", 0)
    }

    #[test]
    fn the_parent_is_the_best_of_the_sample() {
        // Of three draws with replacement from four members, the member of rank r
        // (0 the best) is the best drawn with probability ((4 - r)^3 - (3 - r)^3) / 64.
        let values = [0.5, 0.1, 0.9, 0.3];
        let mut counts = [0.0; 4];
        let mut random = stream();
        for _ in 0..64_000 {
            counts[best_of_sample(&values, 3, &mut random)] += 1.0;
        }
        for (count, expected) in counts.into_iter().zip([7.0, 37.0, 1.0, 19.0]) {
            let expected = expected * 1000.0;
            assert!(
                f64::abs(count - expected) < 4.0 * expected.sqrt(),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn a_mutation_changes_one_hyperparameter_to_any_other_level() {
        let parent = [0, 2, 1, 0];
        let levels = [2, 4, 3, 1];
        let mut children = BTreeMap::new();
        let mut random = stream();
        for _ in 0..24_000 {
            let mut child = parent;
            mutate(&mut child, &levels, &mut random);
            *children.entry(child).or_insert(0.0) += 1.0;
        }
        // Each hyperparameter in a quarter of the draws, shared by its other levels.
        let expected = BTreeMap::from([
            ([1, 2, 1, 0], 6000.0),
            ([0, 0, 1, 0], 2000.0),
            ([0, 1, 1, 0], 2000.0),
            ([0, 3, 1, 0], 2000.0),
            ([0, 2, 0, 0], 3000.0),
            ([0, 2, 2, 0], 3000.0),
            (parent, 6000.0),
        ]);
        assert!(children.keys().eq(expected.keys()), "{children:?}");
        for (child, expected) in expected {
            let count: f64 = children[&child];
            assert!(
                (count - expected).abs() < 4.0 * expected.sqrt(),
                "{child:?}: {count}"
            );
        }
    }
}
