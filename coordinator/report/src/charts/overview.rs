//! All black boxes at a glance: their curves and the overall comparison on one sheet.

use loto_statistics::analysis::SweepAnalysis;

use super::adtm::adtm;
use super::critical_difference::critical_difference;
use super::palette::Palette;
use super::picture::Picture;
use super::size::CURVES_SIZE;

/// Width and height of one chart where several share a sheet.
const PANEL: (f64, f64) = (560.0, 330.0);

/// The ADTM curves of every black box, two in a row, above the overall
/// critical-difference diagram; `None` if there is nothing to draw.
pub fn overview(analysis: &SweepAnalysis, palette: &Palette, baseline: bool) -> Option<Picture> {
    let (columns, size) = match analysis.blackboxes.len() {
        0 | 1 => (1, CURVES_SIZE),
        _ => (2, PANEL),
    };
    let drawn = |blackbox| adtm(blackbox, palette, baseline, size);
    let curves: Vec<Picture> = analysis.blackboxes.iter().filter_map(drawn).collect();
    let width = size.0 * columns as f64;
    let comparison = analysis.comparison.computed().map(|comparison| {
        let title = format!("Average ranks over {} tasks", comparison.tasks.len());
        critical_difference(comparison, &title, palette, width.min(CURVES_SIZE.0))
    });
    if curves.is_empty() && comparison.is_none() {
        return None;
    }
    let top = curves.len().div_ceil(columns) as f64 * size.1;
    let bottom = comparison
        .as_ref()
        .map_or(0.0, |picture| picture.height + 10.0);
    let mut sheet = Picture::new(width, top + bottom);
    for (index, picture) in curves.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        sheet.place((column as f64 * size.0, row as f64 * size.1), picture);
    }
    if let Some(picture) = &comparison {
        sheet.place(((width - picture.width) / 2.0, top + 10.0), picture);
    }
    Some(sheet)
}
