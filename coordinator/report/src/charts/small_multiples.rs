//! The distance to the minimum over the evaluations, a small plot for each task.

use loto_statistics::analysis::{BlackboxAnalysis, TaskAnalysis};

use super::adtm::{BASELINE_STROKE, range};
use super::legend::{Sign, legend};
use super::palette::Palette;
use super::picture::{Anchor, Picture, Point, Stroke, TextStyle, shorten};
use super::plot::{Curve, FRAME, GRID};
use super::scale::{Label, Linear, Logarithmic};

/// Most tasks on one sheet: more are too many to look at, and make the page large.
pub(crate) const MOST_TASKS: usize = 36;

const COLUMNS: usize = 4;
const PANEL_HEIGHT: f64 = 150.0;
const TEXT_SIZE: f64 = 10.5;
/// What is left of a panel around its frame.
const LEFT: f64 = 40.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 22.0;

/// Points of a curve that are nearer to each other than so many pixels are drawn as one.
const LEAST_STEP: f64 = 2.0;

/// DTM of every method on each of the first tasks, on logarithmic axes that differ; `None` if there is nothing to
/// draw. `baseline` adds the exact expectation of random search.
pub fn small_multiples(
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
    baseline: bool,
    width: f64,
) -> Option<Picture> {
    let shown = blackbox.tasks.iter().take(MOST_TASKS);
    let panel_width = width / COLUMNS as f64;
    let panels = shown.filter_map(|task| panel(blackbox, task, palette, baseline, panel_width));
    let panels: Vec<Picture> = panels.collect();
    if panels.is_empty() {
        return None;
    }
    let methods = blackbox.methods.iter();
    let methods: Vec<&str> = methods.map(|method| method.method.as_str()).collect();
    let (legend, legend_height) = legend(&methods, palette, width - 20.0, Sign::Line);
    let top = 34.0 + legend_height + 18.0;
    let rows = panels.len().div_ceil(COLUMNS);
    let mut sheet = Picture::new(width, top + rows as f64 * PANEL_HEIGHT);
    let title = TextStyle::new(14.0, Anchor::Start).bold();
    let measure = blackbox.measure.name();
    let text = format!(
        "{}: {measure} over evaluations",
        shorten(&blackbox.name, 50)
    );
    sheet.text((10.0, 18.0), &text, title);
    sheet.place((10.0, 30.0), &legend);
    for (index, panel) in panels.iter().enumerate() {
        let (row, column) = (index / COLUMNS, index % COLUMNS);
        let corner = (column as f64 * panel_width, top + row as f64 * PANEL_HEIGHT);
        sheet.place(corner, panel);
    }
    Some(sheet)
}

/// The plot of one task; `None` if nothing is above 0.
fn panel(
    blackbox: &BlackboxAnalysis,
    task: &TaskAnalysis,
    palette: &Palette,
    baseline: bool,
    width: f64,
) -> Option<Picture> {
    let expected = task
        .baseline
        .as_ref()
        .and_then(|curve| curve.dtm.as_deref());
    let expected = expected.filter(|_| baseline).map(|y| Curve {
        name: String::new(),
        x: None,
        y,
        band: None,
        stroke: BASELINE_STROKE,
        style: None,
    });
    let methods = task.methods.iter().filter_map(|method| {
        let style = palette.style(&method.method);
        let curve = Curve::of_method(&method.method, style, &method.dtm.as_ref()?.mean);
        let stroke = style.stroke(1.3);
        Some(Curve { stroke, ..curve })
    });
    let curves: Vec<Curve<'_>> = expected.into_iter().chain(methods).collect();
    let (lower, upper) = range(&curves)?;
    let x = Linear {
        lower: 1.0,
        upper: (blackbox.iterations as f64).max(2.0),
        start: LEFT,
        end: width - RIGHT,
    };
    let y = Logarithmic {
        lower,
        upper,
        start: PANEL_HEIGHT - BOTTOM,
        end: TOP,
    };
    let mut picture = Picture::new(width, PANEL_HEIGHT);
    let title = TextStyle::new(TEXT_SIZE + 0.5, Anchor::Start);
    let fitting = ((width - LEFT) / 6.2) as usize;
    picture.text((LEFT, TOP - 6.0), &shorten(&task.name, fitting), title);
    draw_axes(&mut picture, &x, &y);
    for curve in &curves {
        let below = curve.y.iter().position(|value| *value < lower);
        let shown = below.map_or(curve.y.len(), |below| below + 1);
        let points = (1..).zip(&curve.y[..shown]);
        let points = points.map(|(at, value)| (x.pixel(f64::from(at)), y.pixel(*value)));
        picture.polyline(&thinned(points), curve.stroke);
    }
    Some(picture)
}

fn draw_axes(picture: &mut Picture, x: &Linear, y: &Logarithmic) {
    let text = TextStyle::new(TEXT_SIZE - 1.0, Anchor::End).coloured("#444444");
    let mut last_label = f64::INFINITY;
    for tick in y.ticks() {
        let pixel = y.pixel(tick.value);
        // Ticks ascend, hence go up; their labels keep a distance.
        if matches!(tick.label, Label::None) || last_label - pixel < 1.6 * TEXT_SIZE {
            continue;
        }
        last_label = pixel;
        let position = (x.start - 4.0, pixel + 3.5);
        match &tick.label {
            Label::Number(number) => picture.text(position, number, text),
            Label::Scientific { multiple, exponent } => {
                picture.scientific(position, *multiple, *exponent, text);
            }
            Label::None => {}
        }
        picture.line((x.start, pixel), (x.end, pixel), GRID);
    }
    for tick in x.whole_ticks(4) {
        let pixel = x.pixel(tick.value);
        picture.line((pixel, y.start), (pixel, y.start + 3.0), FRAME);
        if let Label::Number(number) = &tick.label {
            picture.text((pixel, y.start + 13.0), number, text.centred());
        }
    }
    let frame = Stroke {
        width: 0.8,
        ..FRAME
    };
    picture.line((x.start, y.end), (x.start, y.start), frame);
    picture.line((x.start, y.start), (x.end, y.start), frame);
}

/// The points without those that are hardly apart from the one before; the first and the last stay.
fn thinned(points: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    let mut skipped = None;
    for point in points {
        let is_near = |last: &Point| {
            (point.0 - last.0).abs() < LEAST_STEP && (point.1 - last.1).abs() < LEAST_STEP
        };
        skipped = match kept.last() {
            Some(last) if is_near(last) => Some(point),
            _ => {
                kept.push(point);
                None
            }
        };
    }
    kept.extend(skipped);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_cannot_be_told_apart_are_drawn_once() {
        let points = [(0.0, 0.0), (1.0, 0.5), (1.5, 9.0), (2.0, 9.5), (3.0, 9.5)];
        let expected = [(0.0, 0.0), (1.5, 9.0), (3.0, 9.5)];
        assert_eq!(thinned(points.into_iter()), expected);
    }
}
