//! The transform Delta: z = (y - mean) / std_dev, with the standard deviation of the population.
//!
//! The values are first multiplied by a power of two that takes the largest to about 1. That is exact, so no square overflows
//! or underflows, and the result has the same bits in units that differ by a power of two; in others it differs by rounding.

/// Standard deviations below this share of the largest magnitude are rounding errors of values that are
/// all equal. Such values become 0.
const ROUNDING: f64 = 1e-14;

pub(super) fn apply(values: &[f64]) -> Vec<f64> {
    assert!(!values.is_empty(), "the standardisation needs a value");
    let largest = values
        .iter()
        .fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let (share, exponent) = libm::frexp(largest);
    let scaled = values.iter().map(|value| libm::scalbn(*value, -exponent));
    let mut scaled: Vec<f64> = scaled.collect();
    let count = scaled.len() as f64;
    let mean = scaled.iter().sum::<f64>() / count;
    let squares = scaled.iter().map(|value| (value - mean).powi(2));
    let std_dev = (squares.sum::<f64>() / count).sqrt();
    for value in &mut scaled {
        *value = match std_dev > ROUNDING * share {
            true => (*value - mean) / std_dev,
            false => 0.0,
        };
    }
    scaled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_zero_and_std_dev_one() {
        // The textbook example: mean 5, standard deviation 2.
        let found = apply(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(found, [-1.5, -0.5, -0.5, -0.5, 0.0, 0.0, 1.0, 2.0]);
    }

    #[test]
    fn the_unit_of_the_objective_does_not_matter() {
        let values = [0.31, 0.295, 0.5, 0.302, -0.1];
        let expected = apply(&values);
        for exponent in [-1000, -100, -10, 3, 100, 1000] {
            let scaled = values.map(|value| libm::scalbn(value, exponent));
            assert_eq!(apply(&scaled), expected, "2^{exponent}");
        }
    }

    #[test]
    fn close_values_are_told_apart_and_equal_ones_are_zero() {
        let found = apply(&[0.5, 0.5 + 1e-9]);
        assert!((found[0] + 1.0).abs() < 1e-6 && (found[1] - 1.0).abs() < 1e-6);
        // The mean of three times 0.1 is not 0.1 in double precision.
        assert_eq!(apply(&[0.1; 3]), [0.0; 3]);
        assert_eq!(apply(&[0.0; 2]), [0.0; 2]);
    }
}
