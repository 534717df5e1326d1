//! ADTM over the iterations, with bootstrap bands.

use loto_statistics::analysis::{Band, BlackboxAnalysis};

use super::palette::{MethodStyle, Palette};
use super::scale::{Label, Linear, Logarithmic, spread};
use super::svg::{Anchor, Point, Stroke, Svg, TextStyle, shorten, text_width};

/// What the curve of the baseline is called in the chart.
const BASELINE_NAME: &str = "random search, exact";

const BASELINE_STROKE: Stroke = Stroke {
    colour: "#222222",
    width: 1.2,
    dash: "1.5 2.5",
};
const FRAME: Stroke = Stroke::solid("#444444", 1.0);
const GRID: Stroke = Stroke::solid("#e6e6e6", 1.0);
const TEXT_SIZE: f64 = 12.0;
const LABEL_GAP: f64 = 15.0;

/// The widest range of ADTM that is drawn, in powers of ten.
const MOST_DECADES: f64 = 12.0;

/// One curve and how it is drawn.
struct Curve<'a> {
    name: String,
    mean: &'a [f64],
    band: Option<&'a Band>,
    stroke: Stroke,
    style: Option<MethodStyle>,
}

/// ADTM of every method over the iterations, on a logarithmic axis; `None`
/// if no method has averages or all are at 0.
///
/// `baseline` adds the exact expectation of random search.
pub fn adtm(
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
    baseline: bool,
    (width, height): (f64, f64),
) -> Option<Svg> {
    if blackbox
        .methods
        .iter()
        .all(|method| method.averages.is_none())
    {
        return None;
    }
    let baseline = baseline.then(|| baseline_adtm(blackbox)).flatten();
    let curves = curves(blackbox, palette, baseline.as_deref());
    let (lower, upper) = range(&curves)?;
    let label_width = curves
        .iter()
        .map(|curve| text_width(&curve.name, TEXT_SIZE))
        .fold(40.0, f64::max);
    let frame = Frame {
        left: 58.0,
        top: 30.0,
        right: width - label_width - 46.0,
        bottom: height - 42.0,
    };
    let x = Linear {
        lower: 1.0,
        upper: (blackbox.iterations as f64).max(2.0),
        start: frame.left + 6.0,
        end: frame.right,
    };
    let y = Logarithmic {
        lower,
        upper,
        start: frame.bottom,
        end: frame.top,
    };
    let mut picture = Svg::new(width, height);
    draw_axes(&mut picture, &frame, &x, &y);
    let title = TextStyle::new(14.0, Anchor::Start).bold();
    picture.text((frame.left, 18.0), &shorten(&blackbox.name, 60), title);
    for curve in &curves {
        draw_band(&mut picture, curve, &x, &y);
    }
    for (index, curve) in curves.iter().enumerate() {
        draw_curve(&mut picture, curve, index, &x, &y);
    }
    draw_names(&mut picture, &curves, &frame, &y);
    Some(picture)
}

/// Where the curves are drawn.
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// The baseline's DTM, averaged over the tasks that the methods are averaged over.
fn baseline_adtm(blackbox: &BlackboxAnalysis) -> Option<Vec<f64>> {
    let is_averaged = |name: &str| blackbox.excluded_tasks.iter().all(|task| task.task != name);
    let tasks = blackbox.tasks.iter().filter(|task| is_averaged(&task.name));
    let curves = tasks.map(|task| task.baseline.as_ref()?.dtm.as_deref());
    let curves: Vec<&[f64]> = curves.collect::<Option<_>>()?;
    let mean_at = |t: usize| -> Option<f64> {
        let values = curves.iter().map(|curve| curve.get(t));
        Some(values.sum::<Option<f64>>()? / curves.len() as f64)
    };
    (!curves.is_empty())
        .then(|| (0..blackbox.iterations).map(mean_at).collect())
        .flatten()
}

fn curves<'a>(
    blackbox: &'a BlackboxAnalysis,
    palette: &Palette,
    baseline: Option<&'a [f64]>,
) -> Vec<Curve<'a>> {
    let baseline = baseline.map(|mean| Curve {
        name: BASELINE_NAME.into(),
        mean,
        band: None,
        stroke: BASELINE_STROKE,
        style: None,
    });
    let methods = blackbox.methods.iter().filter_map(|method| {
        let band = &method.averages.as_ref()?.adtm;
        let style = palette.style(&method.method);
        Some(Curve {
            name: shorten(&method.method, 26),
            mean: &band.mean,
            band: Some(band),
            stroke: style.stroke(2.0),
            style: Some(style),
        })
    });
    baseline.into_iter().chain(methods).collect()
}

/// The range of the axis: all positive means, and bands as far as they keep the means apart.
fn range(curves: &[Curve<'_>]) -> Option<(f64, f64)> {
    let positive = |values: &[f64]| -> Vec<f64> {
        let values = values.iter().copied();
        values
            .filter(|value| value.is_finite() && *value > 0.0)
            .collect()
    };
    let means: Vec<f64> = curves
        .iter()
        .flat_map(|curve| positive(curve.mean))
        .collect();
    let least_mean = means.iter().copied().reduce(f64::min)?;
    let greatest = curves
        .iter()
        .filter_map(|curve| curve.band)
        .flat_map(|band| positive(&band.upper))
        .chain(means)
        .reduce(f64::max)?;
    let least_band = curves
        .iter()
        .filter_map(|curve| curve.band)
        .flat_map(|band| positive(&band.lower))
        .fold(least_mean, f64::min);
    let lower = least_band
        .max(least_mean / 3.0)
        .max(greatest / 10f64.powf(MOST_DECADES));
    Some((lower * 0.8, greatest * 1.2))
}

fn draw_axes(picture: &mut Svg, frame: &Frame, x: &Linear, y: &Logarithmic) {
    let axis_text = TextStyle::new(TEXT_SIZE - 1.0, Anchor::End).coloured("#444444");
    for tick in y.ticks() {
        let pixel = y.pixel(tick.value);
        let position = (frame.left - 7.0, pixel + 4.0);
        match &tick.label {
            Label::None => {
                picture.line((frame.left, pixel), (frame.left + 3.0, pixel), FRAME);
                continue;
            }
            Label::Number(number) => picture.text(position, number, axis_text),
            Label::Scientific { multiple, exponent } => {
                picture.scientific(position, *multiple, *exponent, axis_text);
            }
        }
        picture.line((frame.left, pixel), (frame.right, pixel), GRID);
        picture.line((frame.left - 4.0, pixel), (frame.left, pixel), FRAME);
    }
    let mut ticks = x.ticks(((frame.right - frame.left) / 55.0) as usize);
    ticks.retain(|tick| tick.value >= 1.0 && tick.value.fract() == 0.0);
    for tick in ticks {
        let pixel = x.pixel(tick.value);
        picture.line((pixel, frame.top), (pixel, frame.bottom), GRID);
        picture.line((pixel, frame.bottom), (pixel, frame.bottom + 4.0), FRAME);
        let centred = TextStyle {
            anchor: Anchor::Middle,
            ..axis_text
        };
        picture.text(
            (pixel, frame.bottom + 17.0),
            &format!("{}", tick.value),
            centred,
        );
    }
    picture.line((frame.left, frame.top), (frame.left, frame.bottom), FRAME);
    picture.line(
        (frame.left, frame.bottom),
        (frame.right, frame.bottom),
        FRAME,
    );
    let centred = TextStyle::new(TEXT_SIZE, Anchor::Middle);
    picture.text(
        ((frame.left + frame.right) / 2.0, frame.bottom + 35.0),
        "iteration",
        centred,
    );
    picture.text_upwards((14.0, (frame.top + frame.bottom) / 2.0), "ADTM", centred);
}

fn draw_band(picture: &mut Svg, curve: &Curve<'_>, x: &Linear, y: &Logarithmic) {
    let Some(band) = curve.band else { return };
    let mut outline = points(&band.upper, x, y);
    outline.extend(points(&band.lower, x, y).into_iter().rev());
    picture.area(&outline, curve.stroke.colour, 0.13);
}

fn draw_curve(picture: &mut Svg, curve: &Curve<'_>, index: usize, x: &Linear, y: &Logarithmic) {
    // A curve that falls to 0 ends where it meets the axis.
    let shown = curve.mean.iter().position(|value| *value < y.lower);
    let shown = shown.map_or(curve.mean.len(), |below| below + 1);
    let points = points(&curve.mean[..shown], x, y);
    picture.polyline(&points, curve.stroke);
    let Some(style) = curve.style else { return };
    // Markers of different curves are put at different iterations, so that none hides another.
    let every = (curve.mean.len() / 8).max(1);
    for point in points
        .iter()
        .skip((index * every * 3 / 8) % every)
        .step_by(every)
    {
        picture.marker(style.marker, *point, 3.2, style.colour, None);
    }
}

/// Writes each curve's name at its end, moved apart, with a line from the one to the other.
fn draw_names(picture: &mut Svg, curves: &[Curve<'_>], frame: &Frame, y: &Logarithmic) {
    let mut ends: Vec<(f64, &Curve<'_>)> = curves
        .iter()
        .filter_map(|curve| Some((y.pixel(*curve.mean.last()?), curve)))
        .collect();
    ends.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let wanted: Vec<f64> = ends.iter().map(|(pixel, _)| *pixel).collect();
    let places = spread(&wanted, LABEL_GAP, frame.top, frame.bottom + 14.0);
    for ((pixel, curve), place) in ends.into_iter().zip(places) {
        let (start, end) = (frame.right + 2.0, frame.right + 30.0);
        let leader = Stroke {
            width: curve.stroke.width.min(1.4),
            ..curve.stroke
        };
        picture.polyline(
            &[(start, pixel), (start + 12.0, place), (end, place)],
            leader,
        );
        if let Some(style) = curve.style {
            picture.marker(style.marker, (end - 6.0, place), 3.6, style.colour, None);
        }
        let style = TextStyle::new(TEXT_SIZE, Anchor::Start);
        picture.text((end + 4.0, place + 4.0), &curve.name, style);
    }
}

fn points(values: &[f64], x: &Linear, y: &Logarithmic) -> Vec<Point> {
    let point = |(index, value): (usize, &f64)| (x.pixel(index as f64 + 1.0), y.pixel(*value));
    values.iter().enumerate().map(point).collect()
}
