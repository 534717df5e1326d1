//! Which values are marked as the best.

use loto_statistics::ranks::are_equal;

/// Whether each value is one of the two greatest, or equal to one of them but for rounding.
pub(crate) fn best_two(values: impl Iterator<Item = Option<f64>>) -> Vec<bool> {
    let values: Vec<Option<f64>> = values.collect();
    let mut known: Vec<f64> = values.iter().flatten().copied().collect();
    known.sort_by(|one, other| other.total_cmp(one));
    let threshold = known.get(1).or(known.first()).copied();
    let is_best = |value: &Option<f64>| match (value, threshold) {
        (Some(value), Some(threshold)) => *value >= threshold || are_equal(*value, threshold),
        _ => false,
    };
    values.iter().map(is_best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_are_best_and_ties_share() {
        let best = |values: &[f64]| best_two(values.iter().copied().map(Some));
        assert_eq!(best(&[0.1, 0.3, 0.2]), [false, true, true]);
        assert_eq!(best(&[0.3, 0.3, 0.3]), [true, true, true]);
        assert_eq!(best(&[0.2, 0.1 + 0.2, 0.3]), [false, true, true]);
        assert_eq!(best(&[0.3, 0.1 + 0.2, 0.4]), [true, true, true]);
        assert_eq!(best_two([None, Some(-1.0)].into_iter()), [false, true]);
    }
}
