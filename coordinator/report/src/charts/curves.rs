//! ADTM over the iterations, with bootstrap bands.

use loto_statistics::analysis::{Band, BlackboxAnalysis};
use loto_statistics::means::mean_of_curves;

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

/// Where the axis of ADTM is.
const LEFT: f64 = 58.0;

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
    let mut methods = blackbox.methods.iter();
    methods.find(|method| method.averages.is_some())?;
    let baseline = baseline.then(|| baseline_adtm(blackbox)).flatten();
    let curves = curves(blackbox, palette, baseline.as_deref());
    let (lower, upper) = range(&curves)?;
    let label_widths = curves
        .iter()
        .map(|curve| text_width(&curve.name, TEXT_SIZE));
    let label_width = label_widths.fold(40.0, f64::max);
    let axes = Axes {
        x: Linear {
            lower: 1.0,
            upper: (blackbox.iterations as f64).max(2.0),
            start: LEFT + 6.0,
            end: width - label_width - 46.0,
        },
        y: Logarithmic {
            lower,
            upper,
            start: height - 42.0,
            end: 30.0,
        },
    };
    let mut picture = Svg::new(width, height);
    axes.draw(&mut picture);
    let title = TextStyle::new(14.0, Anchor::Start).bold();
    picture.text((LEFT, 18.0), &shorten(&blackbox.name, 60), title);
    for curve in &curves {
        axes.draw_band(&mut picture, curve);
    }
    for (index, curve) in curves.iter().enumerate() {
        axes.draw_curve(&mut picture, curve, index);
    }
    axes.draw_names(&mut picture, &curves);
    Some(picture)
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
    fn positive(values: &[f64]) -> impl Iterator<Item = f64> {
        let finite = values.iter().copied().filter(|value| value.is_finite());
        finite.filter(|value| *value > 0.0)
    }
    let means = || curves.iter().flat_map(|curve| positive(curve.mean));
    let bands = || curves.iter().filter_map(|curve| curve.band);
    let least_mean = means().reduce(f64::min)?;
    let uppers = bands().flat_map(|band| positive(&band.upper));
    let greatest = uppers.chain(means()).reduce(f64::max)?;
    let lowers = bands().flat_map(|band| positive(&band.lower));
    let lower = lowers
        .fold(least_mean, f64::min)
        .max(least_mean / 3.0)
        .max(greatest / 10f64.powf(MOST_DECADES));
    Some((lower * 0.8, greatest * 1.2))
}

/// The axes that frame the curves; `y` begins at the bottom.
struct Axes {
    x: Linear,
    y: Logarithmic,
}

impl Axes {
    fn draw(&self, picture: &mut Svg) {
        let (right, bottom, top) = (self.x.end, self.y.start, self.y.end);
        let axis_text = TextStyle::new(TEXT_SIZE - 1.0, Anchor::End).coloured("#444444");
        for tick in self.y.ticks() {
            let pixel = self.y.pixel(tick.value);
            let position = (LEFT - 7.0, pixel + 4.0);
            match &tick.label {
                Label::None => {
                    picture.line((LEFT, pixel), (LEFT + 3.0, pixel), FRAME);
                    continue;
                }
                Label::Number(number) => picture.text(position, number, axis_text),
                Label::Scientific { multiple, exponent } => {
                    picture.scientific(position, *multiple, *exponent, axis_text);
                }
            }
            picture.line((LEFT, pixel), (right, pixel), GRID);
            picture.line((LEFT - 4.0, pixel), (LEFT, pixel), FRAME);
        }
        let ticks = self.x.ticks(((right - LEFT) / 55.0) as usize);
        let whole = |value: f64| value >= 1.0 && value.fract() == 0.0;
        for tick in ticks.iter().filter(|tick| whole(tick.value)) {
            let pixel = self.x.pixel(tick.value);
            picture.line((pixel, top), (pixel, bottom), GRID);
            picture.line((pixel, bottom), (pixel, bottom + 4.0), FRAME);
            let number = tick.value.to_string();
            picture.text((pixel, bottom + 17.0), &number, axis_text.centred());
        }
        picture.line((LEFT, top), (LEFT, bottom), FRAME);
        picture.line((LEFT, bottom), (right, bottom), FRAME);
        let centred = TextStyle::new(TEXT_SIZE, Anchor::Middle);
        picture.text(((LEFT + right) / 2.0, bottom + 35.0), "iteration", centred);
        picture.text_upwards((14.0, (top + bottom) / 2.0), "ADTM", centred);
    }

    fn draw_band(&self, picture: &mut Svg, curve: &Curve<'_>) {
        let Some(band) = curve.band else { return };
        let mut outline = self.points(&band.upper);
        outline.extend(self.points(&band.lower).into_iter().rev());
        picture.area(&outline, curve.stroke.colour, 0.13);
    }

    fn draw_curve(&self, picture: &mut Svg, curve: &Curve<'_>, index: usize) {
        // A curve that falls to 0 ends where it meets the axis.
        let below = curve.mean.iter().position(|value| *value < self.y.lower);
        let shown = below.map_or(curve.mean.len(), |below| below + 1);
        let points = self.points(&curve.mean[..shown]);
        picture.polyline(&points, curve.stroke);
        let Some(style) = curve.style else { return };
        // Markers of different curves are put at different iterations, so that none hides another.
        let every = (curve.mean.len() / 8).max(1);
        let first = (index * every * 3 / 8) % every;
        for point in points.iter().skip(first).step_by(every) {
            picture.marker(style.marker, *point, 3.2, style.colour, None);
        }
    }

    /// Writes each curve's name at its end, moved apart, with a line from the one to the other.
    fn draw_names<'a>(&self, picture: &mut Svg, curves: &'a [Curve<'a>]) {
        let with_end = |curve: &'a Curve<'a>| Some((self.y.pixel(*curve.mean.last()?), curve));
        let mut ends: Vec<(f64, &Curve<'a>)> = curves.iter().filter_map(with_end).collect();
        ends.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let wanted: Vec<f64> = ends.iter().map(|(pixel, _)| *pixel).collect();
        let places = spread(&wanted, LABEL_GAP, self.y.end, self.y.start + 14.0);
        let (start, end) = (self.x.end + 2.0, self.x.end + 30.0);
        for ((pixel, curve), place) in ends.into_iter().zip(places) {
            let width = curve.stroke.width.min(1.4);
            let leader = [(start, pixel), (start + 12.0, place), (end, place)];
            picture.polyline(
                &leader,
                Stroke {
                    width,
                    ..curve.stroke
                },
            );
            if let Some(style) = curve.style {
                picture.marker(style.marker, (end - 6.0, place), 3.6, style.colour, None);
            }
            let style = TextStyle::new(TEXT_SIZE, Anchor::Start);
            picture.text((end + 4.0, place + 4.0), &curve.name, style);
        }
    }

    fn points(&self, values: &[f64]) -> Vec<Point> {
        let numbered = values.iter().enumerate();
        numbered
            .map(|(index, value)| (self.x.pixel(index as f64 + 1.0), self.y.pixel(*value)))
            .collect()
    }
}
