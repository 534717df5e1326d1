//! Means over tasks: of curves, and of values that some tasks lack.

/// Mean at every entry of curves of one length; empty without any curve. Of DTM over tasks it is ADTM.
pub fn mean_of_curves<'curve>(curves: impl IntoIterator<Item = &'curve [f64]>) -> Vec<f64> {
    let mut mean = Vec::new();
    let mut count = 0.0;
    for curve in curves {
        mean.resize(curve.len(), 0.0);
        for (sum, value) in mean.iter_mut().zip(curve) {
            *sum += value;
        }
        count += 1.0;
    }
    mean.iter_mut().for_each(|sum| *sum /= count);
    mean
}

/// Mean of the values, of which there must be one.
pub fn mean_of(values: &mut [f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Mean of the values that are there, if there are any.
pub fn mean_of_known(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let (sum, count) = values
        .flatten()
        .fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_curves_is_taken_entry_by_entry() {
        assert_eq!(
            mean_of_curves([[1.0, 2.0].as_slice(), &[3.0, 6.0]]),
            [2.0, 4.0]
        );
    }

    #[test]
    fn values_that_are_not_there_do_not_count() {
        let mean = mean_of_known([Some(1.0), None, Some(4.0)].into_iter());
        assert_eq!(mean, Some(2.5));
        assert_eq!(mean_of_known([None].into_iter()), None);
    }
}
