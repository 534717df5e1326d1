//! Which task, if any, makes much of a method's mean over tasks.

/// A task whose share of the sum is greater than this is told.
const NOTABLE_SHARE: f64 = 0.25;

/// With few tasks each has a large share: one is told if it has more than so many times an equal one.
const NOTABLE_MULTIPLE: f64 = 2.0;

/// The value that makes more than a quarter of the sum of all values' sizes, and more than twice
/// an equal share: its index and its share. None does among one or two.
pub fn dominant(values: &[f64]) -> Option<(usize, f64)> {
    let total: f64 = values.iter().map(|value| value.abs()).sum();
    let sizes = values.iter().map(|value| value.abs());
    let (index, largest) = sizes
        .enumerate()
        .max_by(|(_, one), (_, other)| one.total_cmp(other))?;
    let share = largest / total;
    let notable = NOTABLE_SHARE.max(NOTABLE_MULTIPLE / values.len() as f64);
    (share > notable).then_some((index, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_task_of_many_is_told_if_it_makes_a_quarter() {
        let mut scores = vec![0.5; 49];
        scores.insert(7, -13.8);
        let (index, share) = dominant(&scores).unwrap();
        assert_eq!(index, 7);
        assert!((share - 13.8 / (13.8 + 24.5)).abs() < 1e-15);
        scores[7] = -8.0;
        assert_eq!(dominant(&scores), None);
    }

    #[test]
    fn few_tasks_have_large_shares_without_being_told() {
        assert_eq!(dominant(&[1.0, 0.9, 0.8, 0.9]), None);
        assert_eq!(dominant(&[1.0, 0.9, -0.9]), None);
        assert_eq!(dominant(&[0.1, -100.0]), None);
        assert_eq!(
            dominant(&[0.9, 0.5, -100.0]).map(|(index, _)| index),
            Some(2)
        );
        assert_eq!(dominant(&[0.0; 9]), None);
        assert_eq!(dominant(&[]), None);
    }
}
