//! The row of greatest expected improvement under predictions that are cheap for each row.

use crate::acquisition::expected_improvement::log_expected_improvement;
use crate::error::{EngineError, ImpossibleJob};
use crate::search::Observations;

/// The open row of greatest expected improvement over the least of the transformed `values` observed, `predict` giving the
/// mean and standard deviation of a row; before there is an observation, that of least mean. Of equal ones it is the row of
/// least `priority`.
///
/// # Errors
/// [`ImpossibleJob::NoRow`] if every row is evaluated.
pub(crate) fn greatest_improvement(
    observations: &Observations,
    values: &[f64],
    priority: &[u32],
    mut predict: impl FnMut(usize) -> (f64, f64),
) -> Result<u32, EngineError> {
    let incumbent = values.iter().copied().reduce(f64::min);
    let open = (0..priority.len()).filter(|&row| !observations.evaluated[row]);
    let scored = open.map(|row| {
        let (mean, std_dev) = predict(row);
        let score = match incumbent {
            Some(incumbent) => log_expected_improvement(mean, std_dev, incumbent),
            None => -mean,
        };
        (score, row)
    });
    let best = scored.max_by(|left, right| {
        let by_score = left.0.total_cmp(&right.0);
        by_score.then(priority[right.1].cmp(&priority[left.1]))
    });
    let row = best.map(|(_, row)| row as u32);
    row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
}
