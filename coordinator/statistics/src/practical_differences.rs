//! Which differences of methods matter: the Bayesian signed-rank test of every pair, beside Wilcoxon's test of the same values.
//!
//! A significant difference may be too small to matter, and one that is not significant may be so for want of tasks. The
//! region of practical equivalence says what is too small. The posterior says how probable it is that a difference
//! is within it (`signed_rank_posterior`).

use serde::Serialize;

use crate::signed_rank_posterior::{RopeProbabilities, signed_rank_posterior};
use crate::variates::stream;
use crate::wilcoxon::wilcoxon_pairs;

/// From this probability on, a pair is said to differ or to be equivalent (Wistuba et al. 2018, section 8.5.5).
pub const PROBABLE: f64 = 0.95;

/// The rope where nothing else is asked for, on distances to the minimum or regrets.
pub const DEFAULT_ROPE: f64 = 0.01;

/// Most draws from the posterior, fewest, and the work above which there are fewer than the most: pairs times tasks
/// times draws.
const MOST_DRAWS: usize = 50_000;
const FEWEST_DRAWS: usize = 2000;
const MOST_WORK: usize = 1_000_000_000;

/// How probable it is for every pair of methods that they differ by more than the rope.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PracticalDifferences {
    /// Differences of at most this size are too small to matter, in the unit of the compared values.
    pub rope: f64,
    /// Number of draws from each posterior.
    pub draws: usize,
    /// Every pair of methods, as in [`crate::wilcoxon::wilcoxon_pairs`].
    pub pairs: Vec<PracticalPair>,
}

/// How two methods differ over the tasks; small values are good.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PracticalPair {
    /// Index of the first method.
    pub first: usize,
    /// Index of the second method.
    pub second: usize,
    /// Mean over the tasks of the second method's value minus the first's: positive if the first is better.
    pub mean_difference: f64,
    /// Wilcoxon's two-sided probability of these differences if the methods are equal.
    pub p_value: f64,
    /// Holm's adjustment of `p_value` over all pairs.
    pub holm_p_value: f64,
    /// Posterior probability that the first method is better by more than the rope.
    pub first_better: f64,
    /// Posterior probability that the methods are practically equivalent.
    pub equivalent: f64,
    /// Posterior probability that the second method is better by more than the rope.
    pub second_better: f64,
}

impl PracticalPair {
    /// Whether the methods differ significantly at this level, and are practically equivalent all the same.
    pub fn is_significant_but_small(&self, significance: f64) -> bool {
        self.holm_p_value < significance && self.equivalent >= PROBABLE
    }
}

/// Compares every pair of methods by `values[task][method]`, of which small ones are good, with a positive `rope`.
///
/// The draws depend on `seed` and `place`, a name of what is compared, and on the number of tasks alone: a further method does not
/// change the probabilities of the others as long as their number of draws stays.
pub fn practical_differences(
    values: &[Vec<f64>],
    rope: f64,
    seed: u64,
    place: &str,
) -> PracticalDifferences {
    let methods = values.first().map_or(0, Vec::len);
    let scores = values.iter().map(|task| task.iter().map(|value| -value));
    let scores: Vec<Vec<f64>> = scores.map(Iterator::collect).collect();
    let tested = wilcoxon_pairs(&scores, methods);
    let of_pair = |first: usize, second: usize| {
        let differences = values.iter().map(|task| task[second] - task[first]);
        differences.collect()
    };
    let pairs = tested.iter().map(|pair| of_pair(pair.first, pair.second));
    let lists: Vec<Vec<f64>> = pairs.collect();
    let work_of_draw = (lists.len() * values.len()).max(1);
    let draws = (MOST_WORK / work_of_draw).clamp(FEWEST_DRAWS, MOST_DRAWS);
    let mut random = stream("loto signed-rank 1", seed, &[place]);
    let posteriors = signed_rank_posterior(&lists, rope, draws, &mut random);
    let pairs = tested.iter().zip(&lists).zip(posteriors);
    let pairs = pairs.map(|((tested, differences), posterior)| {
        let RopeProbabilities {
            below,
            equivalent,
            above,
        } = posterior;
        PracticalPair {
            first: tested.first,
            second: tested.second,
            mean_difference: differences.iter().sum::<f64>() / differences.len() as f64,
            p_value: tested.p_value,
            holm_p_value: tested.holm_p_value,
            first_better: above,
            equivalent,
            second_better: below,
        }
    });
    PracticalDifferences {
        rope,
        draws,
        pairs: pairs.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three methods on thirty tasks: the second is always better than the first, by too little to matter.
    fn values() -> Vec<Vec<f64>> {
        let task = |task: usize| {
            let base = 0.2 + 0.01 * task as f64;
            vec![base, base - 1e-4 * (task + 1) as f64, base + 0.3]
        };
        (0..30).map(task).collect()
    }

    #[test]
    fn a_difference_may_be_significant_and_too_small_to_matter() {
        let found = practical_differences(&values(), 0.01, 0, "place");
        assert_eq!(
            (found.rope, found.draws, found.pairs.len()),
            (0.01, MOST_DRAWS, 3)
        );
        let small = &found.pairs[0];
        assert!(small.holm_p_value < 1e-5 && small.equivalent > 0.999);
        assert!(small.is_significant_but_small(0.05));
        assert!((small.mean_difference + 1e-4 * 15.5).abs() < 1e-12);
        let large = &found.pairs[1];
        assert_eq!((large.first, large.second), (0, 2));
        assert!(large.first_better > 0.999 && !large.is_significant_but_small(0.05));
        assert!((large.mean_difference - 0.3).abs() < 1e-12);
    }

    #[test]
    fn further_methods_change_nobody_else() {
        let three = practical_differences(&values(), 0.01, 0, "place");
        let two: Vec<Vec<f64>> = values().iter().map(|task| task[..2].to_vec()).collect();
        let two = practical_differences(&two, 0.01, 0, "place");
        assert_eq!(two.pairs[0].equivalent, three.pairs[0].equivalent);
    }
}
