//! All black boxes at a glance: their curves and the overall comparison on one sheet.

use loto_statistics::analysis::{BlackboxAnalysis, SweepAnalysis};

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
    let drawn = |blackbox, height| adtm(blackbox, palette, baseline, (size.0, height));
    let shown = analysis.blackboxes.iter();
    let shown = shown.filter_map(|blackbox| Some((blackbox, drawn(blackbox, size.1)?)));
    let shown: Vec<(&BlackboxAnalysis, Picture)> = shown.collect();
    // The charts of a row are as high as that with the most names, so that their axes are side by side.
    let rows = shown.chunks(columns).map(|row| {
        let heights = row.iter().map(|(_, picture)| picture.height);
        let height = heights.fold(size.1, f64::max);
        let curves = row.iter();
        let curves = curves.filter_map(|(blackbox, _)| drawn(blackbox, height));
        (height, curves.collect())
    });
    let rows: Vec<(f64, Vec<Picture>)> = rows.collect();
    let width = size.0 * columns as f64;
    let comparison = analysis.comparison.computed().map(|comparison| {
        let title = format!("Average ranks over {} tasks", comparison.tasks.len());
        critical_difference(comparison, &title, palette, width.min(CURVES_SIZE.0))
    });
    if rows.is_empty() && comparison.is_none() {
        return None;
    }
    let top: f64 = rows.iter().map(|(height, _)| height).sum();
    let bottom = comparison
        .as_ref()
        .map_or(0.0, |picture| picture.height + 10.0);
    let mut sheet = Picture::new(width, top + bottom);
    let mut row_top = 0.0;
    for (height, curves) in &rows {
        for (column, picture) in curves.iter().enumerate() {
            sheet.place((column as f64 * size.0, row_top), picture);
        }
        row_top += height;
    }
    if let Some(picture) = &comparison {
        sheet.place(((width - picture.width) / 2.0, top + 10.0), picture);
    }
    Some(sheet)
}

#[cfg(test)]
mod tests {
    use loto_statistics::analysis::{AnalysisOptions, analyse};

    use super::*;
    use crate::charts::picture::Shape;
    use crate::tests::results;

    #[test]
    fn a_row_is_as_high_as_the_chart_with_the_most_names() {
        let mut results = results();
        let first = results.blackboxes[0].clone();
        for name in ["second", "third"] {
            let mut blackbox = first.clone();
            blackbox.name = name.into();
            results.blackboxes.push(blackbox);
        }
        // The second black box has many methods, the third is below the first.
        let second = &mut results.blackboxes[1];
        for index in 0..40 {
            second.methods.push(format!("m{index}"));
            for task in &mut second.tasks {
                let traces = task.traces[0].clone();
                task.traces.push(traces);
            }
        }
        let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
        let palette = Palette::new(&analysis);
        let alone = adtm(&analysis.blackboxes[1], &palette, true, PANEL).unwrap();
        assert!(alone.height > PANEL.1);
        let sheet = overview(&analysis, &palette, true).unwrap();
        let corner = |shape: &Shape| match shape {
            Shape::Group { corner, .. } => Some(*corner),
            _ => None,
        };
        let corners: Vec<_> = sheet.shapes.iter().filter_map(corner).collect();
        let expected = [(0.0, 0.0), (PANEL.0, 0.0), (0.0, alone.height)];
        assert_eq!(corners[..3], expected);
        assert!(sheet.height >= alone.height + PANEL.1);
    }
}
