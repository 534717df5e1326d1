//! Performance profiles: the share of runs whose improvement is at least a threshold.

use loto_statistics::analysis::BlackboxAnalysis;

use super::palette::Palette;
use super::picture::Picture;
use super::plot::{Curve, Names, Plot, Vertical};

/// The profile of every method; `None` if none has one.
pub fn profile(
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
    size: (f64, f64),
) -> Option<Picture> {
    let curves = blackbox.methods.iter().filter_map(|method| {
        let profile = method.averages.as_ref()?.performance_profile.as_ref()?;
        let style = palette.style(&method.method);
        Some(Curve {
            x: Some(&profile.thresholds),
            ..Curve::of_method(&method.method, style, &profile.shares)
        })
    });
    let curves: Vec<Curve<'_>> = curves.collect();
    let thresholds = curves.first()?.x?;
    let plot = Plot {
        title: &blackbox.name,
        x_label: "improvement of at least",
        y_label: "share of runs",
        x: (*thresholds.first()?, *thresholds.last()?),
        x_counts: false,
        y: Vertical::Upwards(0.0, 1.0),
        curves,
        names: Names::Listed,
    };
    Some(plot.draw(size))
}
