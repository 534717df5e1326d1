//! The smallest probabilities that tests over a few tasks can have at all, computed exactly.
//!
//! With few tasks even the most extreme outcome is not rare enough to be significant: five tasks on
//! which one method always wins have a signed-rank probability of 2 / 2^5 = .0625. The approximations
//! that the tests use may say otherwise there.

use serde::Serialize;

use crate::nemenyi::critical_difference;

/// Smallest probabilities of tests of some methods over some tasks, without ties.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SmallestPValues {
    /// Of Friedman's test: that all tasks rank the methods alike, (k!)^(1 - N).
    pub friedman: f64,
    /// Of Nemenyi's: that some method is first and another last on every task, (k (k - 1))^(1 - N).
    pub nemenyi: f64,
    /// Of Wilcoxon's signed-rank test of a pair: that one wins on every task, 2^(1 - N).
    pub wilcoxon: f64,
    /// The same after Holm's adjustment for all k (k - 1) / 2 pairs.
    pub wilcoxon_holm: f64,
}

impl SmallestPValues {
    /// Those of at least two methods on at least one task.
    pub fn of(methods: usize, tasks: usize) -> Self {
        let exponent = 1 - tasks as i32;
        let orders: f64 = (1..=methods).map(|method| method as f64).product();
        let ordered_pairs = (methods * (methods - 1)) as f64;
        let wilcoxon = 2_f64.powi(exponent);
        Self {
            friedman: orders.powi(exponent),
            nemenyi: ordered_pairs.powi(exponent),
            wilcoxon,
            wilcoxon_holm: (wilcoxon * ordered_pairs / 2.0).min(1.0),
        }
    }
}

/// Whether any outcome of Nemenyi's test is significant at level `alpha`: exactly, and by the
/// critical difference, which average ranks cannot exceed if it is above k - 1.
pub fn nemenyi_can_reject(alpha: f64, methods: usize, tasks: usize) -> bool {
    let exact = SmallestPValues::of(methods, tasks).nemenyi;
    exact <= alpha && critical_difference(alpha, methods, tasks) <= (methods - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friedman::friedman;
    use crate::ranks::RankedMethods;
    use crate::wilcoxon::wilcoxon;

    /// All orders of three methods, as scores.
    const ORDERS: [[f64; 3]; 6] = [
        [1.0, 2.0, 3.0],
        [1.0, 3.0, 2.0],
        [2.0, 1.0, 3.0],
        [2.0, 3.0, 1.0],
        [3.0, 1.0, 2.0],
        [3.0, 2.0, 1.0],
    ];

    #[test]
    fn they_are_those_of_the_enumerated_outcomes() {
        for tasks in 2..=4_u32 {
            let outcomes = 6_usize.pow(tasks);
            let ranked = (0..outcomes).map(|outcome| {
                let order = |task| ORDERS[outcome / 6_usize.pow(task) % 6].to_vec();
                RankedMethods::by_highest_score(&(0..tasks).map(order).collect::<Vec<_>>())
            });
            let ranked: Vec<RankedMethods> = ranked.collect();
            let share = |is_extreme: &dyn Fn(&RankedMethods) -> bool| {
                let count = ranked.iter().filter(|ranked| is_extreme(ranked)).count();
                count as f64 / outcomes as f64
            };
            let greatest = 2.0 * f64::from(tasks);
            let friedman = share(&|ranked| friedman(ranked).plain.chi_square > greatest - 1e-9);
            let nemenyi = share(&|ranked| {
                let ranks = ranked.average_ranks.iter().copied();
                ranks.clone().fold(0.0, f64::max) - ranks.fold(9.0, f64::min) > 2.0 - 1e-9
            });
            let found = SmallestPValues::of(3, tasks as usize);
            assert!((found.friedman - friedman).abs() < 1e-12, "{tasks}");
            assert!((found.nemenyi - nemenyi).abs() < 1e-12, "{tasks}");
        }
    }

    #[test]
    fn wilcoxons_is_that_of_a_method_that_always_wins() {
        for tasks in [3, 5, 9, 26] {
            let pairs = (1..=tasks).map(|task| (f64::from(task), 0.0));
            let found = SmallestPValues::of(13, tasks as usize);
            assert_eq!(found.wilcoxon, wilcoxon(pairs).p_value);
            assert_eq!(found.wilcoxon_holm, (78.0 * found.wilcoxon).min(1.0));
        }
    }

    #[test]
    fn nemenyi_needs_room_for_its_critical_difference() {
        // Two methods: 2^(1 - N), as a sign test.
        assert!(!nemenyi_can_reject(0.05, 2, 5));
        assert!(nemenyi_can_reject(0.05, 2, 6));
        assert!(!nemenyi_can_reject(0.05, 3, 2));
        assert!(nemenyi_can_reject(0.05, 3, 3));
        assert!(nemenyi_can_reject(0.05, 13, 3));
        // Exactly 1 / 90, but ten methods need a difference of 9.6 ranks.
        assert!(!nemenyi_can_reject(0.05, 10, 2));
    }
}
