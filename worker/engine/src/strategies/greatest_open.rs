//! The open row of greatest score.

use crate::error::{EngineError, ImpossibleJob};
use crate::search::Observations;

/// The row of greatest `score` among those that are not evaluated; of equal ones that of least `priority`.
///
/// # Errors
/// [`ImpossibleJob::NoRow`] if every row is evaluated.
pub(crate) fn greatest_open(
    observations: &Observations,
    priority: &[u32],
    mut score: impl FnMut(usize) -> f64,
) -> Result<u32, EngineError> {
    let open = (0..priority.len()).filter(|&row| !observations.evaluated[row]);
    let best = open.map(|row| (score(row), row)).max_by(|left, right| {
        let by_score = left.0.total_cmp(&right.0);
        by_score.then(priority[right.1].cmp(&priority[left.1]))
    });
    let row = best.map(|(_, row)| row as u32);
    row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
}
