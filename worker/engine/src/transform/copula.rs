//! The transform psi: z = Phi^-1(clip(F(y), d, 1 - d)), with the empirical distribution F and
//! d = 1 / (4 n^(1/4) sqrt(pi ln n)) (ICML 2020, section 3).
//!
//! F(y) is the share of values strictly below y, as in the authors' public code,
//! not the share of values <= y as printed: it stretches the low end, where a
//! minimiser looks (n = 5: the least z is -1.44 instead of -0.84). Scores of the two
//! are within noise (DeepAR, 12 seeds, below and up to: cts .79 .79, gcp .50 .55,
//! gcp-prior .89 .89; nas_bench102, 6 seeds: .98 .99, .62 .66, .98 .97). Equal values
//! share their z.
//!
//! The least values share their z, too, where their shares are all below d: the best two of n
//! values from n = 32 on, the best three from n = 95 to 176 (d = .0208 at n = 100). The incumbent
//! of the acquisition is then the z of all of them. This is inherent in the cut-off of the paper.

use std::f64::consts::PI;

use crate::special::normal;

/// The cut-off d of the Winsorised distribution of n values.
fn cut_off(count: f64) -> f64 {
    1.0 / (4.0 * count.sqrt().sqrt() * (PI * libm::log(count)).sqrt())
}

pub(super) fn apply(values: &[f64]) -> Vec<f64> {
    let count = values.len();
    assert!(count >= 2, "the copula transform needs at least 2 values");
    let least = cut_off(count as f64);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_unstable_by(|&left, &right| values[left].total_cmp(&values[right]));
    let mut transformed = vec![0.0; count];
    let mut quantile = f64::NAN;
    let mut previous = f64::NAN;
    for (below, &index) in order.iter().enumerate() {
        if values[index] != previous {
            let share = below as f64 / count as f64;
            quantile = normal::quantile(share.clamp(least, 1.0 - least));
            previous = values[index];
        }
        transformed[index] = quantile;
    }
    transformed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_values_are_as_computed_with_scipy() {
        // scipy.stats.norm.ppf(clip([0, .2, .4, .6, .8], d, 1 - d)) with d from the formula.
        let found = apply(&[30.0, 10.0, 50.0, 20.0, 40.0]);
        let expected = [
            -0.253_347_103_135_799_7,
            -1.444_133_111_915_835_6,
            0.841_621_233_572_914_3,
            -0.841_621_233_572_914_3,
            0.253_347_103_135_799_7,
        ];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn ties_share_a_value_and_order_is_kept() {
        let found = apply(&[2.0, 1.0, 2.0, 3.0, 2.0, 0.0]);
        assert_eq!(found[0], found[2]);
        assert_eq!(found[0], found[4]);
        assert!(found[5] < found[1] && found[1] < found[0] && found[0] < found[3]);
        assert_eq!(apply(&[7.0, 7.0]), apply(&[1.0, 1.0]));
    }

    #[test]
    fn the_three_least_of_a_hundred_values_share_a_quantile() {
        let values: Vec<f64> = (0..100).map(|place| f64::from(place * 37 % 100)).collect();
        let mut found = apply(&values);
        found.sort_by(f64::total_cmp);
        assert_eq!(found[0], found[2]);
        assert!(found[2] < found[3]);
    }

    #[test]
    fn only_the_order_matters() {
        let values = [0.3, 0.1, 0.5, 0.2];
        let stretched = values.map(|value: f64| (20.0 * value).exp());
        assert_eq!(apply(&values), apply(&stretched));
    }
}
