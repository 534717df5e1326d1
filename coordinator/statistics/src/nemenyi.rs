//! Nemenyi's test of all pairs after Friedman's (Demsar 2006, section 3.2.2).

use std::f64::consts::SQRT_2;

use serde::Serialize;

use crate::ranks::RankedMethods;
use crate::studentized_range::{survival, upper_quantile};

/// Nemenyi's test of all pairs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nemenyi {
    /// Significance level of the critical difference and the groups.
    pub alpha: f64,
    /// Average ranks at least this far apart differ significantly.
    pub critical_difference: f64,
    /// Probability, for each pair, of average ranks at least so far apart if all methods are equal;
    /// symmetric, 1 on the diagonal.
    pub p_values: Vec<Vec<f64>>,
    /// The bars of a critical-difference diagram: the largest sets of at least two methods that do not
    /// differ significantly. Each lists the methods' indices, ordered by ascending average rank.
    pub groups: Vec<Vec<usize>>,
}

/// Nemenyi's test at significance level `alpha` of at least two methods on at least two tasks.
pub fn nemenyi(ranked: &RankedMethods, alpha: f64) -> Nemenyi {
    let ranks = &ranked.average_ranks;
    let critical_difference = critical_difference(alpha, ranks.len(), ranked.tasks);
    Nemenyi {
        alpha,
        critical_difference,
        p_values: p_values(ranked),
        groups: groups(ranks, critical_difference),
    }
}

/// Average ranks of `methods` on `tasks` that are at least this far apart differ
/// significantly: `q sqrt(k (k + 1) / (6 N))` with `q` the studentized range over the root of 2.
pub fn critical_difference(alpha: f64, methods: usize, tasks: usize) -> f64 {
    upper_quantile(alpha, methods) / SQRT_2 * standard_error(methods, tasks)
}

fn standard_error(methods: usize, tasks: usize) -> f64 {
    let methods = methods as f64;
    (methods * (methods + 1.0) / (6.0 * tasks as f64)).sqrt()
}

fn p_values(ranked: &RankedMethods) -> Vec<Vec<f64>> {
    let ranks = &ranked.average_ranks;
    let standard_error = standard_error(ranks.len(), ranked.tasks);
    let mut p_values = vec![vec![1.0; ranks.len()]; ranks.len()];
    for first in 0..ranks.len() {
        for second in first + 1..ranks.len() {
            let difference = (ranks[first] - ranks[second]).abs();
            let p_value = survival(difference / standard_error * SQRT_2, ranks.len());
            p_values[first][second] = p_value;
            p_values[second][first] = p_value;
        }
    }
    p_values
}

/// The largest sets of at least two methods whose average ranks all lie closer
/// together than the critical difference, best first; each lists its methods by ascending average rank.
pub fn groups(average_ranks: &[f64], critical_difference: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..average_ranks.len()).collect();
    order.sort_by(|&left, &right| average_ranks[left].total_cmp(&average_ranks[right]));
    let mut groups = Vec::new();
    let mut covered = 0;
    for start in 0..order.len() {
        let limit = average_ranks[order[start]] + critical_difference;
        let length = order[start..]
            .iter()
            .take_while(|&&method| average_ranks[method] < limit)
            .count();
        let end = start + length;
        // A set that ends where an earlier one ended is a part of it.
        if length > 1 && end > covered {
            groups.push(order[start..end].to_vec());
            covered = end;
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_cases::{
        assert_close, assert_close_to_quadrature, demsar_table_6, reference,
    };

    #[test]
    fn demsars_example() {
        let found = nemenyi(&demsar_table_6(), 0.05);
        assert!((found.critical_difference - 1.2536).abs() < 5e-5);
        assert!((critical_difference(0.10, 4, 14) - 1.1181).abs() < 5e-5);
        assert_eq!(found.groups, [vec![3, 1, 2, 0]]);
        // At .10 the first method (mean rank 3.143) differs from the second (2.000) and the fourth (1.964).
        let found = nemenyi(&demsar_table_6(), 0.10);
        assert_eq!(found.groups, [vec![3, 1, 2], vec![2, 0]]);
    }

    #[test]
    fn the_published_table_of_quantiles() {
        let published = [
            (
                0.05,
                [
                    1.959964, 2.343701, 2.569032, 2.727774, 2.849705, 2.948320, 3.030878, 3.101730,
                    3.163684,
                ],
            ),
            (
                0.10,
                [
                    1.644854, 2.052293, 2.291341, 2.459516, 2.588521, 2.692732, 2.779884, 2.854606,
                    2.919889,
                ],
            ),
        ];
        for (alpha, quantiles) in published {
            for (position, expected) in quantiles.into_iter().enumerate() {
                let found = upper_quantile(alpha, position + 2) / SQRT_2;
                assert!((found - expected).abs() < 5.1e-7, "{found} {expected}");
            }
        }
    }

    #[test]
    fn it_agrees_with_the_reference() {
        for case in &reference().friedman {
            let found = nemenyi(&RankedMethods::by_highest_score(&case.scores), 0.05);
            assert_close(
                found.critical_difference,
                case.critical_difference,
                "difference",
            );
            for (found, expected) in found.p_values.iter().zip(&case.nemenyi_p_values) {
                for (found, expected) in found.iter().zip(expected) {
                    assert_close_to_quadrature(*found, *expected, "Nemenyi");
                }
            }
        }
    }

    #[test]
    fn groups_are_maximal_and_may_overlap() {
        let ranks = [4.0, 1.0, 2.0, 3.0, 9.0];
        assert_eq!(groups(&ranks, 1.5), [vec![1, 2], vec![2, 3], vec![3, 0]]);
        assert_eq!(groups(&ranks, 2.5), [vec![1, 2, 3], vec![2, 3, 0]]);
        assert_eq!(groups(&ranks, 100.0), [vec![1, 2, 3, 0, 4]]);
        assert!(groups(&ranks, 0.5).is_empty());
        assert_eq!(groups(&[1.5, 1.5, 3.0], 0.5), [vec![0, 1]]);
    }

    #[test]
    fn p_values_and_critical_difference_agree() {
        for alpha in [0.01, 0.05, 0.3] {
            let ranks = vec![1.0, 1.0 + critical_difference(alpha, 3, 12), 3.0];
            let ranked = RankedMethods {
                tasks: 12,
                average_ranks: ranks,
                ties: 0.0,
            };
            assert!((p_values(&ranked)[0][1] / alpha - 1.0).abs() < 1e-10);
        }
    }
}
