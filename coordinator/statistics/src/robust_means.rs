//! Averages over tasks that a single task cannot turn: the median and the interquartile mean.
//!
//! A score such as the improvement is at most 1 and unbounded below, so that the mean over tasks can be
//! that of one task. The interquartile mean leaves out a quarter of the tasks at either end (Agarwal et al.,
//! "Deep reinforcement learning at the edge of the statistical precipice", NeurIPS 2021). A trimmed
//! mean that leaves out a tenth would not do: of fewer than ten tasks it leaves out none.

/// Share of the values that the interquartile mean leaves out at either end.
const LEFT_OUT: f64 = 0.25;

/// The middle of the sorted values, or the mean of the two in the middle; sorts them. There must be one.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => (values[middle - 1] + values[middle]) / 2.0,
        _ => values[middle],
    }
}

/// Mean of the sorted values without a quarter of them, rounded down, at either end; sorts
/// them. There must be one. Of up to three values it is the mean.
pub fn interquartile_mean(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let left_out = (values.len() as f64 * LEFT_OUT) as usize;
    let kept = &values[left_out..values.len() - left_out];
    kept.iter().sum::<f64>() / kept.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The scores of gcp-prior on eleven tasks, one of which failed.
    const SCORES: [f64; 11] = [
        0.86, 0.91, -13.8, 0.42, 0.97, 0.88, 0.93, 0.71, 0.99, 0.15, 0.67,
    ];

    #[test]
    fn they_agree_with_scipy() {
        // python3 -c "import numpy, scipy.stats as s; x = [.86, .91, -13.8, .42, .97, .88, .93, .71, .99, .15, .67];
        //   print([(n, repr(float(numpy.median(x[:n]))), repr(float(s.trim_mean(x[:n], .25)))) for n in (1, 2, 3, 4, 8, 11)])"
        // SciPy 1.17, NumPy 2.4
        let expected = [
            (1, 0.86, 0.86),
            (2, 0.885, 0.885),
            (3, 0.86, -4.01),
            (4, 0.64, 0.64),
            (8, 0.87, 0.84),
            (11, 0.86, 0.7685714285714286),
        ];
        for (count, median_of, interquartile) in expected {
            let close = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
            let found = median(&mut SCORES[..count].to_vec());
            assert!(close(found, median_of), "{count}: {found}");
            let found = interquartile_mean(&mut SCORES[..count].to_vec());
            assert!(close(found, interquartile), "{count}: {found}");
        }
    }
}
