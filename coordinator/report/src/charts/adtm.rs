//! ADTM over the evaluations, with bootstrap bands.

use loto_statistics::analysis::BlackboxAnalysis;
use loto_statistics::means::mean_of_curves;

use super::palette::Palette;
use super::picture::{Picture, Stroke};
use super::plot::{Curve, Names, Plot, Vertical};

/// What the curve of the baseline is called in the chart.
const BASELINE_NAME: &str = "random search, exact";

pub(crate) const BASELINE_STROKE: Stroke = Stroke {
    colour: "#222222",
    width: 1.2,
    dash: "1.5 2.5",
};

/// The widest range of ADTM that is drawn, in powers of ten.
const MOST_DECADES: f64 = 12.0;

/// ADTM of every method over the evaluations, on a logarithmic axis; `None`
/// if no method has averages or all are at 0.
///
/// `baseline` adds the exact expectation of random search.
pub fn adtm(
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
    baseline: bool,
    size: (f64, f64),
) -> Option<Picture> {
    let mut methods = blackbox.methods.iter();
    methods.find(|method| method.averages.is_some())?;
    let baseline = baseline.then(|| baseline_adtm(blackbox)).flatten();
    let curves = curves(blackbox, palette, baseline.as_deref());
    let (lower, upper) = range(&curves)?;
    let plot = Plot {
        title: &blackbox.name,
        x_label: "evaluations",
        y_label: blackbox.measure.name_of_average(),
        x: (1.0, (blackbox.iterations as f64).max(2.0)),
        x_counts: true,
        y: Vertical::Logarithmic(lower, upper),
        curves,
        names: Names::AtEnds,
    };
    Some(plot.draw(size))
}

/// The baseline's DTM, averaged over the tasks that the methods are averaged over.
fn baseline_adtm(blackbox: &BlackboxAnalysis) -> Option<Vec<f64>> {
    let is_averaged = |name: &str| blackbox.excluded_tasks.iter().all(|task| task.task != name);
    let tasks = blackbox.tasks.iter().filter(|task| is_averaged(&task.name));
    let baselines = tasks.map(|task| task.baseline.as_ref()?.dtm.as_deref());
    let curves: Vec<&[f64]> = baselines.collect::<Option<_>>()?;
    (!curves.is_empty()).then(|| mean_of_curves(curves))
}

fn curves<'a>(
    blackbox: &'a BlackboxAnalysis,
    palette: &Palette,
    baseline: Option<&'a [f64]>,
) -> Vec<Curve<'a>> {
    let baseline = baseline.map(|mean| Curve {
        name: BASELINE_NAME.into(),
        x: None,
        y: mean,
        band: None,
        stroke: BASELINE_STROKE,
        style: None,
    });
    let methods = blackbox.methods.iter().filter_map(|method| {
        let band = &method.averages.as_ref()?.adtm;
        let style = palette.style(&method.method);
        Some(Curve {
            band: (!band.lower.is_empty()).then_some((&band.lower[..], &band.upper[..])),
            ..Curve::of_method(&method.method, style, &band.mean)
        })
    });
    baseline.into_iter().chain(methods).collect()
}

/// The range of the axis: all positive means, and bands as far as they keep the means apart.
pub(crate) fn range(curves: &[Curve<'_>]) -> Option<(f64, f64)> {
    fn positive(values: &[f64]) -> impl Iterator<Item = f64> {
        let finite = values.iter().copied().filter(|value| value.is_finite());
        finite.filter(|value| *value > 0.0)
    }
    let means = || curves.iter().flat_map(|curve| positive(curve.y));
    let bands = || curves.iter().filter_map(|curve| curve.band);
    let least_mean = means().reduce(f64::min)?;
    let uppers = bands().flat_map(|(_, upper)| positive(upper));
    let greatest = uppers.chain(means()).reduce(f64::max)?;
    let lowers = bands().flat_map(|(lower, _)| positive(lower));
    let lower = lowers
        .fold(least_mean, f64::min)
        .max(least_mean / 3.0)
        .max(greatest / 10f64.powf(MOST_DECADES));
    Some((lower * 0.8, greatest * 1.2))
}
