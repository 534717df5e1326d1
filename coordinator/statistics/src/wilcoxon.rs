//! Wilcoxon's signed-rank test of two methods over the same data sets.
//!
//! Two-sided, zero differences dropped, no continuity correction; which distribution serves follows
//! `scipy.stats.wilcoxon(x, y, zero_method="wilcox", correction=False, method="auto")` of SciPy 1.17:
//! - no zeros, no ties, at most 50 pairs: the exact distribution;
//! - zeros or ties, at most 13 pairs: the exact distribution of the tied ranks over all signs;
//! - otherwise the normal approximation with correction for ties.

use super::ranks::Ranker;
use super::tail_probability::normal_two_sided;

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
    let mut count = 0;
    let mut differences = Vec::new();
    for (first, second) in pairs {
        count += 1;
        let difference = first - second;
        if difference != 0.0 {
            differences.push(difference);
        }
    }
    let sizes: Vec<f64> = differences
        .iter()
        .map(|difference| difference.abs())
        .collect();
    let mut ranks = vec![0.0; sizes.len()];
    let ties = Ranker::default().rank(&sizes, &mut ranks);
    let signed = differences.iter().zip(&ranks);
    let positive: f64 = signed
        .map(|(&difference, &rank)| if difference > 0.0 { rank } else { 0.0 })
        .sum();
    let used = ranks.len() as f64;
    let total = used * (used + 1.0) / 2.0;
    let statistic = positive.min(total - positive);

    let irregular = ties > 0.0 || ranks.len() < count;
    let most_exact = if irregular {
        MOST_EXACT_WITH_TIES
    } else {
        MOST_EXACT
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

/// Twice the share of all assignments of signs whose positive ranks sum to at most `statistic`.
fn exact_p_value(ranks: &[f64], statistic: f64) -> f64 {
    // Tied ranks are multiples of one half: doubled, every sum is an integer.
    let doubled = |rank: f64| (2.0 * rank).round() as usize;
    let total: usize = ranks.iter().map(|&rank| doubled(rank)).sum();
    let mut ways = vec![0.0_f64; total + 1];
    ways[0] = 1.0;
    let mut reached = 0;
    for &rank in ranks {
        let rank = doubled(rank);
        for sum in (0..=reached).rev() {
            ways[sum + rank] += ways[sum];
        }
        reached += rank;
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
