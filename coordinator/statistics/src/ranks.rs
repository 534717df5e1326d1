//! Ranks with ties: 1 is the least value, equal values share their mean rank.
//!
//! Means of the same numbers that are added up in another order, or in another unit, differ in their last digits. Values that
//! differ by that alone are equal, or ranks and tests would depend on the unit.

/// The share of a value that may be rounding.
const ROUNDING: f64 = 1e-12;

/// By how much a value may be off because of rounding.
pub(crate) fn rounding_of(value: f64) -> f64 {
    ROUNDING * value.abs()
}

/// Whether two values are equal but for rounding: they differ by at most 10^-12 of the smaller one.
pub fn are_equal(left: f64, right: f64) -> bool {
    let rounding = rounding_of(left).min(rounding_of(right));
    left == right || (left - right).abs() <= rounding
}

/// The rank of each value, and the sum of `g^3 - g` over the groups of `g` values that are equal but for rounding, which
/// the corrections for ties need.
pub fn rank(values: &[f64]) -> (Vec<f64>, f64) {
    rank_where(values, |left, right| are_equal(values[left], values[right]))
}

/// As [`rank`]; `are_tied` says whether the values at two positions are equal.
pub(crate) fn rank_where(
    values: &[f64],
    are_tied: impl Fn(usize, usize) -> bool,
) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&left, &right| values[left].total_cmp(&values[right]));
    let mut ranks = vec![0.0; values.len()];
    let mut ties = 0.0;
    let mut below = 0;
    for group in order.chunk_by(|&left, &right| are_tied(left, right)) {
        let size = group.len() as f64;
        for &position in group {
            ranks[position] = below as f64 + (size + 1.0) / 2.0;
        }
        ties += size * (size * size - 1.0);
        below += group.len();
    }
    (ranks, ties)
}

/// Methods ranked on each task: what the tests of Friedman and Nemenyi look at.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedMethods {
    /// Number of tasks, N.
    pub tasks: usize,
    /// Mean rank of each method over the tasks; their number is k.
    pub average_ranks: Vec<f64>,
    /// Sum over the tasks of the sum of `g^3 - g` over groups of `g` tied methods.
    pub ties: f64,
}

impl RankedMethods {
    /// Ranks the methods of every task by their scores; the highest score gets rank 1.
    pub fn by_highest_score(scores: &[Vec<f64>]) -> Self {
        let mut average_ranks = vec![0.0; scores.first().map_or(0, Vec::len)];
        let mut ties = 0.0;
        for on_task in scores {
            let negated: Vec<f64> = on_task.iter().map(|score| -score).collect();
            let (ranks, ties_on_task) = rank(&negated);
            ties += ties_on_task;
            for (sum, rank) in average_ranks.iter_mut().zip(ranks) {
                *sum += rank;
            }
        }
        for sum in &mut average_ranks {
            *sum /= scores.len() as f64;
        }
        Self {
            tasks: scores.len(),
            average_ranks,
            ties,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_their_mean_rank() {
        let (ranks, ties) = rank(&[3.0, 1.0, 3.0, -0.0, 0.0, 3.0]);
        assert_eq!(ranks, [5.0, 3.0, 5.0, 1.5, 1.5, 5.0]);
        assert_eq!(ties, (27.0 - 3.0) + (8.0 - 2.0));
    }

    #[test]
    fn values_that_differ_by_rounding_alone_are_tied() {
        let sums = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1];
        assert_ne!(sums[0], sums[1]);
        assert_eq!(rank(&sums).0, [1.5, 1.5]);
        assert_eq!(
            rank(&[1.0, 1.0 + 1e-9, -1e-300, 0.0]).0,
            [3.0, 4.0, 1.0, 2.0]
        );
        assert_eq!(
            rank(&[f64::INFINITY, 1.0, f64::INFINITY]).0,
            [2.5, 1.0, 2.5]
        );
    }

    #[test]
    fn the_highest_score_on_a_task_gets_rank_one() {
        let ranked = RankedMethods::by_highest_score(&[vec![0.9, 0.1, 0.5], vec![0.2, 0.2, 0.7]]);
        assert_eq!(
            ranked.average_ranks,
            [(1.0 + 2.5) / 2.0, (3.0 + 2.5) / 2.0, 1.5]
        );
        assert_eq!((ranked.tasks, ranked.ties), (2, 6.0));
    }

    #[test]
    fn nothing_has_no_ranks() {
        assert_eq!(rank(&[]), (Vec::new(), 0.0));
        let ranked = RankedMethods::by_highest_score(&[]);
        assert!(ranked.average_ranks.is_empty());
    }
}
