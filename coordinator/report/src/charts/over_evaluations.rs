//! Averages over the tasks at every evaluation other than ADTM: ranks, runs without success, targets.

use loto_statistics::analysis::{BlackboxAnalysis, MethodAverages};
use loto_statistics::by_iteration::{reached_targets, unsolved_fraction};

use super::palette::Palette;
use super::picture::Picture;
use super::plot::{Curve, Names, Plot, Vertical};

/// The average rank of the distance to the minimum, the best at the top; `None` without averages.
pub fn average_rank(
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
    size: (f64, f64),
) -> Option<Picture> {
    let curves = curves(blackbox, palette, |averages| &averages.average_rank_at);
    let values = || curves.iter().flat_map(|curve| curve.y).copied();
    let (least, greatest) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
    let y = Vertical::Downwards((least - 0.2).max(0.8), greatest + 0.2);
    Some(plot("average rank", blackbox, y, curves).draw(size))
}

/// The share of runs that have not found the best value of the table; `None` without averages.
pub fn unsolved(
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
    size: (f64, f64),
) -> Option<Picture> {
    let key = unsolved_fraction::STATISTIC.key;
    shares(blackbox, palette, "share of runs unsolved", key, size)
}

/// The share of targets that are reached; `None` without averages.
pub fn targets(
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
    size: (f64, f64),
) -> Option<Picture> {
    let key = reached_targets::STATISTIC.key;
    shares(blackbox, palette, "share of targets reached", key, size)
}

fn shares(
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
    label: &str,
    key: &str,
    size: (f64, f64),
) -> Option<Picture> {
    let curves = curves(blackbox, palette, |averages| &averages.by_iteration[key]);
    let is_empty = curves.is_empty();
    let y = Vertical::Upwards(0.0, 1.0);
    (!is_empty).then(|| plot(label, blackbox, y, curves).draw(size))
}

fn plot<'a>(
    label: &'a str,
    blackbox: &'a BlackboxAnalysis,
    y: Vertical,
    curves: Vec<Curve<'a>>,
) -> Plot<'a> {
    Plot {
        title: &blackbox.name,
        x_label: "evaluations",
        y_label: label,
        x: (1.0, (blackbox.iterations as f64).max(2.0)),
        x_counts: true,
        y,
        curves,
        names: Names::AtEnds,
    }
}

fn curves<'a>(
    blackbox: &'a BlackboxAnalysis,
    palette: &Palette,
    of: impl Fn(&'a MethodAverages) -> &'a Vec<f64>,
) -> Vec<Curve<'a>> {
    let curves = blackbox.methods.iter().filter_map(|method| {
        let style = palette.style(&method.method);
        let values = of(method.averages.as_ref()?);
        Some(Curve::of_method(&method.method, style, values))
    });
    curves.collect()
}
