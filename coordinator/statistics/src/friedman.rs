//! Friedman's test that all methods are equal, and the F statistic of Iman and
//! Davenport (Demsar 2006, section 3.2.2).

use serde::Serialize;

use crate::ranks::RankedMethods;
use crate::tail_probability::{chi_square_survival, f_survival};

/// Friedman's test and the F statistic of Iman and Davenport, plain and tie-corrected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Friedman {
    /// Without correction for ties (Demsar's equations).
    pub plain: FriedmanStatistics,
    /// With correction for ties (what SciPy computes); absent if on every task all methods tie.
    pub tie_corrected: Option<FriedmanStatistics>,
}

/// Friedman's chi-square with the F statistic that follows from it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FriedmanStatistics {
    /// Friedman's chi-square.
    pub chi_square: f64,
    /// Its degrees of freedom: methods - 1.
    pub degrees_of_freedom: usize,
    /// Probability of a larger chi-square if all methods are equal.
    pub p_value: f64,
    /// Iman and Davenport's F = (N - 1) chi2 / (N (k - 1) - chi2); infinite (`null` in JSON) if all
    /// tasks rank the methods alike.
    pub iman_davenport: f64,
    /// Degrees of freedom of F: k - 1 and (k - 1)(N - 1).
    pub iman_davenport_degrees_of_freedom: (usize, usize),
    /// Probability of a larger F if all methods are equal.
    pub iman_davenport_p_value: f64,
}

/// Friedman's test of at least two methods on at least two tasks.
pub fn friedman(ranked: &RankedMethods) -> Friedman {
    let tasks = ranked.tasks as f64;
    let methods = ranked.average_ranks.len() as f64;
    let expected_rank = (methods + 1.0) / 2.0;
    let deviations = ranked.average_ranks.iter().map(|rank| rank - expected_rank);
    let squares: f64 = deviations.map(|deviation| deviation.powi(2)).sum();
    let chi_square = 12.0 * tasks / (methods * (methods + 1.0)) * squares;
    let most_ties = tasks * methods * (methods * methods - 1.0);
    Friedman {
        plain: statistics(chi_square, ranked),
        tie_corrected: (ranked.ties < most_ties)
            .then(|| statistics(chi_square / (1.0 - ranked.ties / most_ties), ranked)),
    }
}

fn statistics(chi_square: f64, ranked: &RankedMethods) -> FriedmanStatistics {
    let degrees_of_freedom = ranked.average_ranks.len() - 1;
    let largest = (ranked.tasks * degrees_of_freedom) as f64;
    let remainder = largest - chi_square;
    // At the largest possible chi-square rounding may leave a remainder of either sign.
    let iman_davenport = if remainder <= 1e-12 * largest {
        f64::INFINITY
    } else {
        (ranked.tasks as f64 - 1.0) * chi_square / remainder
    };
    let (numerator, denominator) = (degrees_of_freedom, degrees_of_freedom * (ranked.tasks - 1));
    FriedmanStatistics {
        chi_square,
        degrees_of_freedom,
        p_value: chi_square_survival(chi_square, degrees_of_freedom),
        iman_davenport,
        iman_davenport_degrees_of_freedom: (numerator, denominator),
        iman_davenport_p_value: f_survival(iman_davenport, numerator, denominator),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_cases::{assert_close, demsar_table_6, reference};

    #[test]
    fn demsars_example() {
        let ranked = demsar_table_6();
        for (found, expected) in ranked.average_ranks.iter().zip([3.143, 2.0, 2.893, 1.964]) {
            assert!((found - expected).abs() < 5e-4, "{found}");
        }
        let found = friedman(&ranked);
        let close = |found: f64, expected: f64, digits: i32| {
            assert!(
                (found - expected).abs() < 0.5 * 10_f64.powi(-digits),
                "{found}"
            );
        };
        close(found.plain.chi_square, 9.2786, 4);
        close(found.plain.p_value, 0.025807, 6);
        close(found.plain.iman_davenport, 3.6863, 4);
        close(found.plain.iman_davenport_p_value, 0.019823, 6);
        assert_eq!(found.plain.iman_davenport_degrees_of_freedom, (3, 39));
        let corrected = found.tie_corrected.unwrap();
        close(corrected.chi_square, 10.2283, 4);
        close(corrected.iman_davenport, 4.1851, 4);
    }

    #[test]
    fn a_case_without_ties() {
        let found = friedman(&RankedMethods::by_highest_score(&[
            vec![84.5, 78.4, 83.1],
            vec![82.8, 79.1, 79.9],
            vec![79.1, 78.0, 77.8],
            vec![80.2, 76.0, 77.9],
        ]));
        assert!((found.plain.chi_square - 6.5).abs() < 1e-12);
        assert!((found.plain.p_value - 0.03877).abs() < 5e-6);
        assert_eq!(found.tie_corrected, Some(found.plain));
    }

    #[test]
    fn it_agrees_with_the_reference() {
        for case in &reference().friedman {
            let ranked = RankedMethods::by_highest_score(&case.scores);
            for (found, expected) in ranked.average_ranks.iter().zip(&case.average_ranks) {
                assert_close(*found, *expected, "average rank");
            }
            let found = friedman(&ranked);
            let corrected = found.tie_corrected.unwrap();
            for (found, expected) in [(found.plain, &case.plain), (corrected, &case.tie_corrected)]
            {
                assert_close(found.chi_square, expected.chi_square, "chi-square");
                assert_close(found.p_value, expected.p_value, "p of chi-square");
                assert_close(found.iman_davenport, expected.iman_davenport, "F");
                let p_value = found.iman_davenport_p_value;
                assert_close(p_value, expected.iman_davenport_p_value, "p of F");
            }
        }
    }

    #[test]
    fn perfect_agreement_and_perfect_ties() {
        let agreement = friedman(&RankedMethods::by_highest_score(&[
            vec![3.0, 2.0, 1.0],
            vec![9.0, 8.0, 7.0],
            vec![0.3, 0.2, 0.1],
        ]));
        assert_eq!(agreement.plain.iman_davenport, f64::INFINITY);
        assert_eq!(agreement.plain.iman_davenport_p_value, 0.0);
        let ties = friedman(&RankedMethods::by_highest_score(&[
            vec![1.0; 3],
            vec![2.0; 3],
        ]));
        assert_eq!((ties.plain.chi_square, ties.plain.p_value), (0.0, 1.0));
        assert_eq!(ties.plain.iman_davenport_p_value, 1.0);
        assert_eq!(ties.tie_corrected, None);
    }
}
