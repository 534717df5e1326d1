//! Average ranks over the tasks of a stream, as they arrive.

use loto_statistics::analysis::BlackboxAnalysis;

use super::palette::Palette;
use super::picture::Picture;
use super::plot::{Curve, Names, Plot, Vertical};

/// The average rank over the tasks so far, the best at the top; `None` if the tasks are no stream.
pub fn ranks_by_arrival(
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
    size: (f64, f64),
) -> Option<Picture> {
    let methods = &blackbox.stream.as_ref()?.methods;
    let curves = methods.iter().map(|known| {
        let style = palette.style(&known.method);
        Curve::of_method(&known.method, style, &known.by_arrival)
    });
    let values = || methods.iter().flat_map(|known| &known.by_arrival).copied();
    let (least, greatest) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    let plot = Plot {
        title: &blackbox.name,
        x_label: "tasks so far",
        y_label: "average rank",
        x: (1.0, (blackbox.tasks.len() as f64).max(2.0)),
        x_counts: true,
        y: Vertical::Downwards((least - 0.2).max(0.8), greatest + 0.2),
        curves: curves.collect(),
        names: Names::AtEnds,
    };
    Some(plot.draw(size))
}
