//! The model of BOHB (Falkner, Klein, Hutter 2018, algorithm 2) at full budget.
//!
//! A table has one fidelity, so nothing is left of Hyperband. Choices are those
//! of the paper's code, HpBandSter, at a random fraction of 0. Its bandwidth
//! factor widens the sampling of numeric hyperparameters only: here it would have
//! no effect.

use super::kernel_density::KernelDensity;
use crate::error::EngineError;
use crate::random::{RandomStream, StreamName};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::strategies::configurations::{Configurations, PROPOSALS, RowLookup};
use crate::strategies::random_search::RandomSearch;
use crate::transform::Transform;

const SAMPLES: StreamName = StreamName::new("bohb", "samples");

/// Estimates a density l of the good configurations and g of the others; samples
/// around good ones and takes the sample of greatest l / g.
///
/// Until there are enough evaluations for both, it takes random search's rows.
/// Samples that are evaluated already, or that the table lacks, do not count:
/// others are drawn, [`PROPOSALS`] in all. If no sample is left, the next row of
/// random search is taken.
pub(super) struct BohbSearch<'a> {
    samples: usize,
    minimum_bandwidth: f64,
    configurations: Configurations<'a>,
    lookup: RowLookup,
    initial: RandomSearch,
    random: RandomStream,
}

/// Numbers of evaluations that the two densities are estimated from.
#[derive(Debug, PartialEq)]
struct Split {
    good: usize,
    bad: usize,
}

impl Split {
    /// The best 15 % and the 85 % that follow, both rounded down, but at least one
    /// more than there are hyperparameters; `None` if there are too few for that.
    fn new(evaluations: usize, hyperparameters: usize) -> Option<Self> {
        let least = hyperparameters + 1;
        let good = least.max(evaluations * 15 / 100);
        let bad = least.max(evaluations * 85 / 100);
        let left = evaluations.checked_sub(good)?;
        (left >= least).then(|| Self {
            good,
            bad: bad.min(left),
        })
    }
}

impl<'a> BohbSearch<'a> {
    /// With `samples` candidates per choice, at least 1, and kernels of at least
    /// `minimum_bandwidth`, above 0.
    pub(super) fn new(setting: &Setting<'a>, samples: usize, minimum_bandwidth: f64) -> Self {
        let configurations = Configurations::new(setting);
        Self {
            samples,
            minimum_bandwidth,
            lookup: configurations.lookup(),
            configurations,
            initial: RandomSearch::new(setting),
            random: setting.random(SAMPLES),
        }
    }

    /// The densities of the good configurations and of the others. Equal values
    /// are ordered as they were evaluated.
    fn densities(&self, observations: &Observations, split: &Split) -> [KernelDensity; 2] {
        let mut order: Vec<usize> = (0..observations.rows.len()).collect();
        let values = observations.comparable(Transform::Copula);
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let (good, others) = order.split_at(split.good);
        [good, &others[..split.bad]].map(|places| {
            let rows = places.iter().map(|&place| observations.rows[place]);
            KernelDensity::new(
                rows.map(|row| self.configurations.of_row(row)).collect(),
                self.configurations.levels(),
                self.minimum_bandwidth,
            )
        })
    }
}

impl Search for BohbSearch<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let levels = self.configurations.levels();
        let Some(split) = Split::new(observations.rows.len(), levels.len()) else {
            return self.initial.choose(observations);
        };
        let [good, bad] = self.densities(observations, &split);
        let mut best = (f64::NEG_INFINITY, None);
        let mut samples = 0;
        for _ in 0..PROPOSALS {
            let sample = sample_around_point(&good, levels, &mut self.random);
            let Some(row) = self.lookup.unevaluated(&sample, observations) else {
                continue;
            };
            let ratio = good.log_density(&sample) - bad.log_density(&sample);
            if ratio > best.0 {
                best = (ratio, Some(row));
            }
            samples += 1;
            if samples == self.samples {
                break;
            }
        }
        best.1.map_or_else(|| self.initial.choose(observations), Ok)
    }
}

/// Draws one of the density's points; each level stays with probability 1 -
/// bandwidth and is drawn from all levels otherwise.
fn sample_around_point(
    density: &KernelDensity,
    levels: &[u16],
    random: &mut RandomStream,
) -> Vec<u16> {
    let points = density.points();
    let mut sample = points[random.below(points.len() as u32) as usize].clone();
    for ((level, &count), bandwidth) in sample.iter_mut().zip(levels).zip(density.bandwidths()) {
        if random.uniform() >= 1.0 - bandwidth {
            *level = random.below(count.into()) as u16;
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;

    #[test]
    fn the_split_is_that_of_the_public_code() {
        // Six hyperparameters: 7 of each at least, so 14 in all.
        assert_eq!(Split::new(0, 6), None);
        assert_eq!(Split::new(13, 6), None);
        for (evaluations, good, bad) in [
            (14, 7, 7),
            (20, 7, 13),
            (46, 7, 39),
            (50, 7, 42),
            (54, 8, 45),
            (70, 10, 59),
            (100, 15, 85),
        ] {
            assert_eq!(Split::new(evaluations, 6), Some(Split { good, bad }));
        }
    }

    #[test]
    fn samples_keep_a_level_with_the_stated_probability() {
        // One point, whose bandwidth is the minimum: of 3 levels the point's own has
        // probability 0.7 + 0.3 / 3, the others 0.1 each.
        let density = KernelDensity::new(vec![vec![2]], &[3], 0.3);
        let mut random = RandomStream::new(SAMPLES, Fingerprint([5; 16]), "t", 0);
        let mut counts = [0.0; 3];
        for _ in 0..10_000 {
            counts[usize::from(sample_around_point(&density, &[3], &mut random)[0])] += 1.0;
        }
        for (count, expected) in counts.into_iter().zip([1000.0, 1000.0, 8000.0]) {
            assert!(
                f64::abs(count - expected) < 4.0 * f64::sqrt(expected),
                "{counts:?}"
            );
        }
    }
}
