//! The transform Delta: z = (y - mean) / max(std_dev, 1e-3), with the standard deviation of the
//! population.

/// The least divisor, for values that are (almost) all equal.
const LEAST_STD_DEV: f64 = 1e-3;

pub(super) fn apply(values: &[f64], transformed: &mut Vec<f64>) {
    assert!(!values.is_empty(), "the standardisation needs a value");
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|value| (value - mean).powi(2));
    let variance = squares.sum::<f64>() / count;
    let std_dev = variance.sqrt().max(LEAST_STD_DEV);
    transformed.extend(values.iter().map(|value| (value - mean) / std_dev));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_zero_and_std_dev_one() {
        let mut found = Vec::new();
        apply(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], &mut found);
        // The textbook example: mean 5, standard deviation 2.
        assert_eq!(found, [-1.5, -0.5, -0.5, -0.5, 0.0, 0.0, 1.0, 2.0]);
    }

    #[test]
    fn equal_values_do_not_blow_up() {
        let mut found = Vec::new();
        apply(&[0.5, 0.5 + 1e-6], &mut found);
        assert!((found[1] - 0.5e-3).abs() < 1e-9, "{found:?}");
    }
}
