//! The row of greatest expected improvement under predictions that are cheap for each row.

use super::greatest_open::greatest_open;
use crate::acquisition::expected_improvement::log_expected_improvement;
use crate::error::EngineError;
use crate::search::Observations;

/// The open row of greatest expected improvement over the least of the transformed `values` observed, `predict` giving the
/// mean and standard deviation of a row; before there is an observation, that of least mean. Of equal ones it is the row of
/// least `priority`.
///
/// # Errors
/// Those of [`greatest_open`].
pub(crate) fn greatest_improvement(
    observations: &Observations,
    values: &[f64],
    priority: &[u32],
    mut predict: impl FnMut(usize) -> (f64, f64),
) -> Result<u32, EngineError> {
    let incumbent = values.iter().copied().reduce(f64::min);
    greatest_open(observations, priority, |row| {
        let (mean, std_dev) = predict(row);
        match incumbent {
            Some(incumbent) => log_expected_improvement(mean, std_dev, incumbent),
            None => -mean,
        }
    })
}
