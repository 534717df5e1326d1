//! The best configuration of each source task.

use crate::error::EngineError;
use crate::setting::{Setting, Source};
use crate::surrogate::target::WarmPoint;
use crate::transform::Transform;

/// The row of least transformed objective, or of least average with several objectives, of equal ones the first; `None`
/// if there is no row.
pub(crate) fn best_row(source: &Source) -> Option<usize> {
    let rows = 0..source.targets.len();
    rows.min_by(|&left, &right| source.targets[left].total_cmp(&source.targets[right]))
}

/// The best configuration of every source with its transformed objective.
///
/// # Errors
/// Those of [`Setting::sources`].
pub(crate) fn best_points(
    setting: &Setting,
    transform: Transform,
) -> Result<Vec<WarmPoint>, EngineError> {
    let sources = setting.sources(transform)?;
    let point = |source: Source| {
        let row = best_row(&source)?;
        let mut point = vec![0.0; setting.space().width()];
        setting
            .space()
            .encode(&source.task.columns, row, &mut point);
        Some(WarmPoint {
            point,
            target: source.targets[row],
        })
    };
    Ok(sources.iter().filter_map(point).collect())
}
