//! The transforms of a task's objective values (ICML 2020, section 3).

use std::f64::consts::PI;

use super::normal;

/// What is done to the objective values of a task.
pub(crate) type Transform = fn(&[f64]) -> Vec<f64>;

/// Delta: (y - mean) / standard deviation, that of the population; 0 for values that are all equal.
pub(crate) fn standardised(values: &[f64]) -> Vec<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>() / count;
    let std_dev = match variance > 0.0 {
        true => variance.sqrt(),
        false => 1.0,
    };
    values.iter().map(|y| (y - mean) / std_dev).collect()
}

/// psi: Phi^-1(clip(F(y), d, 1 - d)), where F(y) is the share of values strictly below y and
/// d = 1 / (4 n^(1/4) sqrt(pi ln n)).
pub(crate) fn gaussian_quantiles(values: &[f64]) -> Vec<f64> {
    let count = values.len() as f64;
    let least = 1.0 / (4.0 * count.powf(0.25) * (PI * count.ln()).sqrt());
    let quantile = |y: &f64| {
        let below = values.iter().filter(|other| *other < y).count() as f64;
        normal::quantile((below / count).max(least).min(1.0 - least))
    };
    values.iter().map(quantile).collect()
}
