//! Wilcoxon's signed-rank test of two methods over the same tasks.
//!
//! Two-sided, without continuity correction. Differences of zero are dropped, and so are those that come of rounding alone. Which
//! distribution serves follows
//! `scipy.stats.wilcoxon(x, y, zero_method="wilcox", correction=False, method="auto")` of SciPy 1.17:
//! - no zeros, no ties, at most 50 pairs: the exact distribution;
//! - zeros or ties, at most 13 pairs: the exact distribution of the tied ranks over all signs;
//! - otherwise the normal approximation with correction for ties.

use serde::Serialize;

use crate::holm::holm;
use crate::ranks::{are_equal, rank_where, rounding_of};
use crate::tail_probability::normal_two_sided;

/// Most pairs for the exact distribution without zeros and ties.
const MOST_EXACT: usize = 50;

/// Most pairs for the exact distribution with zeros or ties.
const MOST_EXACT_WITH_TIES: usize = 13;

/// The outcome of a signed-rank test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedRankTest {
    /// The lesser of the rank sums of positive and of negative differences.
    pub statistic: f64,
    /// Two-sided p value; 1 if all pairs are equal (where SciPy may give NaN).
    pub p_value: f64,
    /// Whether the p value comes from an exact distribution.
    pub exact: bool,
}

/// Tests whether the differences of the pairs are symmetric about 0.
pub fn wilcoxon(pairs: impl IntoIterator<Item = (f64, f64)>) -> SignedRankTest {
    let mut pairs: Vec<(f64, f64)> = pairs.into_iter().collect();
    let count = pairs.len();
    pairs.retain(|&(first, second)| !are_equal(first, second));
    let sizes = pairs.iter().map(|(first, second)| (first - second).abs());
    let sizes: Vec<f64> = sizes.collect();
    let rounding = |position: usize| {
        let (first, second) = pairs[position];
        rounding_of(first).max(rounding_of(second))
    };
    let (ranks, ties) = rank_where(&sizes, |left, right| {
        let (lesser, greater) = (sizes[left], sizes[right]);
        lesser == greater || greater - lesser <= rounding(left) + rounding(right)
    });
    let signed = pairs.iter().zip(&ranks);
    let positive: f64 = signed
        .map(|((first, second), &rank)| if first > second { rank } else { 0.0 })
        .sum();
    let used = ranks.len() as f64;
    let total = used * (used + 1.0) / 2.0;
    let statistic = positive.min(total - positive);

    let most_exact = match ties > 0.0 || ranks.len() < count {
        true => MOST_EXACT_WITH_TIES,
        false => MOST_EXACT,
    };
    let exact = count <= most_exact;
    let p_value = if ranks.is_empty() {
        1.0
    } else if exact {
        exact_p_value(&ranks, statistic)
    } else {
        let variance = (used * (used + 1.0) * (2.0 * used + 1.0) - ties / 2.0) / 24.0;
        normal_two_sided((positive - total / 2.0) / variance.sqrt())
    };
    SignedRankTest {
        statistic,
        p_value,
        exact,
    }
}

/// Wilcoxon's signed-rank test of two of several methods over their tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WilcoxonPair {
    /// Index of the first method.
    pub first: usize,
    /// Index of the second method.
    pub second: usize,
    /// Number of tasks on which the first method scores higher.
    pub wins: usize,
    /// Number of tasks on which both score the same.
    pub ties: usize,
    /// Number of tasks on which the first method scores lower.
    pub losses: usize,
    /// The lesser of the two rank sums.
    pub statistic: f64,
    /// Two-sided probability of so small a statistic if the methods are equal; 1 if they tie everywhere.
    pub p_value: f64,
    /// Holm's adjustment of `p_value` over all pairs.
    pub holm_p_value: f64,
    /// Whether `p_value` comes from the exact distribution of the (possibly tied) ranks rather than
    /// from the normal approximation.
    pub exact: bool,
}

/// Tests every pair of `methods`, with Holm's correction over all pairs; `scores[task][method]`.
pub fn wilcoxon_pairs(scores: &[Vec<f64>], methods: usize) -> Vec<WilcoxonPair> {
    let indices =
        (0..methods).flat_map(|first| (first + 1..methods).map(move |second| (first, second)));
    let pairs = indices.map(|(first, second)| {
        let values = || {
            scores
                .iter()
                .map(|on_task| (on_task[first], on_task[second]))
        };
        let count = |wanted: fn(&(f64, f64)) -> bool| values().filter(wanted).count();
        let test = wilcoxon(values());
        WilcoxonPair {
            first,
            second,
            wins: count(|&(first, second)| first > second && !are_equal(first, second)),
            ties: count(|&(first, second)| are_equal(first, second)),
            losses: count(|&(first, second)| first < second && !are_equal(first, second)),
            statistic: test.statistic,
            p_value: test.p_value,
            holm_p_value: test.p_value,
            exact: test.exact,
        }
    });
    let mut pairs: Vec<WilcoxonPair> = pairs.collect();
    let p_values: Vec<f64> = pairs.iter().map(|pair| pair.p_value).collect();
    for (pair, adjusted) in pairs.iter_mut().zip(holm(&p_values)) {
        pair.holm_p_value = adjusted;
    }
    pairs
}

/// Twice the share of all assignments of signs whose positive ranks sum to at most `statistic`.
fn exact_p_value(ranks: &[f64], statistic: f64) -> f64 {
    // Tied ranks are multiples of one half: doubled, every sum is an integer.
    let doubled = |rank: f64| (2.0 * rank).round() as usize;
    let total: usize = ranks.iter().map(|&rank| doubled(rank)).sum();
    let mut ways = vec![0.0_f64; total + 1];
    ways[0] = 1.0;
    let mut reached = 0;
    for step in ranks.iter().map(|&rank| doubled(rank)) {
        for sum in (0..=reached).rev() {
            ways[sum + step] += ways[sum];
        }
        reached += step;
    }
    let as_extreme: f64 = ways[..=doubled(statistic)].iter().sum();
    (2.0 * as_extreme / 2_f64.powi(ranks.len() as i32)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_cases::{assert_close, reference};

    fn test(first: &[f64], second: &[f64]) -> SignedRankTest {
        wilcoxon(first.iter().copied().zip(second.iter().copied()))
    }

    #[test]
    fn it_agrees_with_the_reference() {
        for case in &reference().wilcoxon {
            let found = test(&case.first, &case.second);
            assert_close(found.statistic, case.statistic, "statistic");
            assert_close(
                found.p_value,
                case.p_value,
                &format!("p of {} pairs", case.first.len()),
            );
            assert_eq!(found.exact, case.exact);
        }
    }

    #[test]
    fn the_unit_makes_no_difference() {
        // Means of whole numbers over three seeds, on which some methods and some differences are tied.
        let value = |task: u32, method: u32, seed: u32| {
            let mixed = (task * 31 + method * 17 + seed * 11 + 1).wrapping_mul(2_654_435_769);
            f64::from((mixed ^ (mixed >> 15)).wrapping_mul(2_246_822_519) >> 30)
        };
        let scores = |unit: f64| -> Vec<Vec<f64>> {
            let mean = |task: u32, method: u32| {
                let sum: f64 = (0..3).map(|seed| value(task, method, seed) / unit).sum();
                sum / 3.0
            };
            let on_task = |task| (0..4).map(|method| mean(task, method)).collect();
            (0..20).map(on_task).collect()
        };
        let expected = wilcoxon_pairs(&scores(1.0), 4);
        assert!(expected.iter().all(|pair| pair.ties > 0));
        for unit in [10.0, 3.0, 1e-7] {
            let found = wilcoxon_pairs(&scores(unit), 4);
            assert_ne!(scores(unit), scores(1.0));
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "with unit {unit}");
            }
        }
    }

    #[test]
    fn five_wins_out_of_five_are_the_least_probable_outcome() {
        let found = test(&[1.0, 2.0, 3.0, 4.0, 5.0], &[0.0; 5]);
        assert_eq!(
            (found.statistic, found.p_value, found.exact),
            (0.0, 2.0 / 32.0, true)
        );
    }

    #[test]
    fn equal_methods_do_not_differ() {
        for pairs in [1, 14, 60] {
            let scores = vec![0.5; pairs];
            let found = test(&scores, &scores);
            assert_eq!((found.statistic, found.p_value), (0.0, 1.0));
        }
    }
}
