//! Weights by ranking loss (Feurer, Letham, Hutter and Bakshy 2018, Practical transfer learning for
//! Bayesian optimization, arXiv 1802.02219, section 4, with the weight dilution of their code).

use crate::random::{RandomStream, StreamName};
use crate::setting::Setting;

const RESAMPLING: StreamName = StreamName::new("rgpe", "resamples and dropped sources");

/// Bootstrap resamples of the observations.
const RESAMPLES: usize = 100;

/// Observations below which all models weigh the same.
const FEWEST: usize = 3;

/// Draws weights.
pub(super) struct RankingLoss {
    random: RandomStream,
    iterations: usize,
}

/// The 0/1 matrix of ordered pairs (j, k) of observations on which a model is wrong, row by row.
type Misrankings = Vec<u32>;

/// [`means_j` < `thresholds_k`] xor [`values_j` < `values_k`].
fn misrankings(means: &[f64], thresholds: &[f64], values: &[f64]) -> Misrankings {
    let pair = |(mean, value): (&f64, &f64)| {
        let (mean, value) = (*mean, *value);
        let others = thresholds.iter().zip(values);
        others.map(move |(threshold, other)| u32::from((mean < *threshold) != (value < *other)))
    };
    means.iter().zip(values).flat_map(pair).collect()
}

/// The number of ordered pairs of a resample that are misranked, given how often each observation is in it.
fn loss(misrankings: &Misrankings, counts: &[u32]) -> u32 {
    let rows = misrankings.chunks_exact(counts.len()).zip(counts);
    let sums = rows.filter(|(_, count)| **count > 0).map(|(row, count)| {
        let sum: u32 = row
            .iter()
            .zip(counts)
            .map(|(wrong, count)| wrong * count)
            .sum();
        count * sum
    });
    sums.sum()
}

impl RankingLoss {
    /// Weights for a setting.
    pub(super) fn new(setting: &Setting) -> Self {
        Self {
            random: setting.random(RESAMPLING),
            iterations: setting.iterations,
        }
    }

    /// The weight of each source, then that of the target; they sum to 1.
    ///
    /// `sources` has each source's means at the observations, `left_out` the target's process's means there without
    /// the observation itself, and `targets` the transformed observations.
    pub(super) fn weights(
        &mut self,
        sources: &[Vec<f64>],
        left_out: &[f64],
        targets: &[f64],
    ) -> Vec<f64> {
        let (models, count) = (sources.len() + 1, targets.len());
        if count < FEWEST {
            return vec![1.0 / models as f64; models];
        }
        let mut wrong: Vec<Misrankings> = sources
            .iter()
            .map(|means| misrankings(means, means, targets))
            .collect();
        // The target's own process is held against what was observed, as in the paper.
        wrong.push(misrankings(left_out, targets, targets));
        let losses: Vec<Vec<u32>> = (0..RESAMPLES)
            .map(|_| {
                let mut counts = vec![0; count];
                for _ in 0..count {
                    counts[self.random.below(count as u32) as usize] += 1;
                }
                wrong.iter().map(|wrong| loss(wrong, &counts)).collect()
            })
            .collect();
        let kept = self.kept(&losses, count);
        shares_of_least(&losses, &kept)
    }

    /// Which models are kept: the target is; a source is with a probability that is the share of resamples in
    /// which it ranks better than the target, and falls with the evaluations made.
    fn kept(&mut self, losses: &[Vec<u32>], evaluations: usize) -> Vec<bool> {
        let target = losses[0].len() - 1;
        let left = 1.0 - evaluations as f64 / self.iterations.max(evaluations) as f64;
        let sources = (0..target).map(|source| {
            let better = losses
                .iter()
                .filter(|losses| losses[source] < losses[target]);
            let probability = better.count() as f64 / losses.len() as f64 * left;
            // Drawn whatever the probability, so that the draws of one iteration do not shift those of others.
            self.random.uniform() < probability
        });
        sources.chain([true]).collect()
    }
}

/// The share of resamples in which each model has the least loss of those kept; several share equally.
fn shares_of_least(losses: &[Vec<u32>], kept: &[bool]) -> Vec<f64> {
    let mut shares = vec![0.0; kept.len()];
    for losses in losses {
        let of_kept = || losses.iter().zip(kept).filter(|(_, kept)| **kept);
        let least = of_kept().map(|(loss, _)| *loss).min();
        let is_least = |loss: u32, kept: bool| kept && Some(loss) == least;
        let ties = of_kept().filter(|(loss, _)| Some(**loss) == least).count();
        for ((share, &loss), &kept) in shares.iter_mut().zip(losses).zip(kept) {
            if is_least(loss, kept) {
                *share += 1.0 / ties as f64;
            }
        }
    }
    shares
        .iter_mut()
        .for_each(|share| *share /= losses.len() as f64);
    shares
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;

    fn ranking_loss(iterations: usize) -> RankingLoss {
        RankingLoss {
            random: RandomStream::new(RESAMPLING, Fingerprint([1; 16]), "task", 0),
            iterations,
        }
    }

    #[test]
    fn losses_count_misranked_pairs_with_their_multiplicity() {
        // Values 1 2 3 against means 2 1 3: the pairs (1, 2) and (2, 1) are wrong.
        let wrong = misrankings(&[2.0, 1.0, 3.0], &[2.0, 1.0, 3.0], &[1.0, 2.0, 3.0]);
        assert_eq!(wrong, [0, 1, 0, 1, 0, 0, 0, 0, 0]);
        assert_eq!(loss(&wrong, &[1, 1, 1]), 2);
        assert_eq!(loss(&wrong, &[2, 1, 0]), 4);
        assert_eq!(loss(&wrong, &[0, 0, 3]), 0);
        // Means without the point itself, 2.5 2 2.5, against the values: 2.5 < 3 is right for the first, and it is
        // not below 2, which is wrong; the second is below 2 never, below 3 rightly; the third is below 3, wrongly.
        let wrong = misrankings(&[2.5, 2.0, 2.5], &[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]);
        assert_eq!(wrong, [0, 1, 0, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn ties_share_and_dropped_models_have_no_share() {
        let losses = vec![vec![1, 1, 3]; RESAMPLES];
        let close = |found: Vec<f64>, expected: [f64; 3]| {
            let pairs = found.iter().zip(expected);
            assert!(
                pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-12),
                "{found:?}"
            );
        };
        close(shares_of_least(&losses, &[true; 3]), [0.5, 0.5, 0.0]);
        close(
            shares_of_least(&losses, &[false, true, true]),
            [0.0, 1.0, 0.0],
        );
        close(
            shares_of_least(&losses, &[false, false, true]),
            [0.0, 0.0, 1.0],
        );
    }

    #[test]
    fn sources_that_rank_better_have_the_weight_early_and_the_target_at_the_end() {
        let values = [3.0, 1.0, 2.0, 5.0, 4.0];
        let right = values.map(|value| 10.0 * value).to_vec();
        let reversed = values.map(|value| -value).to_vec();
        let sources = [right, reversed.clone()];
        let early = |iterations| ranking_loss(iterations).weights(&sources, &reversed, &values);
        // With 5 of 10^6 evaluations made the source that is right is dropped once in 200,000 times; it shares only
        // the few resamples that are one observation five times.
        let weights = early(1_000_000);
        assert!(weights[0] > 0.95, "{weights:?}");
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let weights = early(5);
        assert_eq!(weights[..2], [0.0, 0.0]);
        assert!((weights[2] - 1.0).abs() < 1e-12, "{weights:?}");
        let few = ranking_loss(9).weights(&sources, &reversed, &values[..2]);
        assert_eq!(few, [1.0 / 3.0; 3]);
    }
}
