//! Improvement over random search per task: one dot per method, with its interval.

use crate::numbers;
use loto_statistics::analysis::{BlackboxAnalysis, TaskAnalysis, TaskMethodAnalysis};

use super::legend::{Sign, legend};
use super::palette::Palette;
use super::picture::{Anchor, Marker, Picture, Stroke, TextStyle, shorten, text_width};
use super::scale::{Label, Linear};

/// Improvements below this are drawn at the edge, with their values beside them.
const LEAST_SHOWN: f64 = -1.0;
/// Improvements cannot be above 1, unless there are values that are not in the table.
const GREATEST_SHOWN: f64 = 1.0;

const TEXT_SIZE: f64 = 12.0;
const TOP: f64 = 56.0;
const ZERO: Stroke = Stroke::solid("#444444", 1.2);
const GRID: Stroke = Stroke::solid("#e6e6e6", 1.0);
const SEPARATOR: Stroke = Stroke::solid("#d0d0d0", 1.0);

/// Draws the improvement of every method on every task that has one; `None` if none has. The tasks
/// are in ascending order of the RMSE of their prior, which stands in parentheses where it is
/// known (ICML 2020, figure 4).
pub fn improvement<'a>(
    blackbox: &'a BlackboxAnalysis,
    palette: &Palette,
    width: f64,
) -> Option<Picture> {
    let scored = |method: &&TaskMethodAnalysis| method.improvement.is_some();
    let scored_on =
        |task: &'a TaskAnalysis| (task, task.methods.iter().filter(scored).collect::<Vec<_>>());
    let ordered = blackbox.tasks_by_prior_rmse().into_iter();
    let mut tasks: Vec<_> = ordered.map(scored_on).collect();
    tasks.retain(|(_, methods)| !methods.is_empty());
    let scores = || tasks.iter().flat_map(|(_, methods)| methods);
    let improvements = scores().filter_map(|method| method.improvement);
    let least = improvements.reduce(f64::min)?;
    let dots = scores().count();
    // Each method has its own lane, never so narrow that its marker cannot be told from others of its colour.
    let lane = (1400.0 / dots as f64).clamp(6.0, 11.0);
    let gap = 12.0;

    let name_of = |(task, _): &(&TaskAnalysis, _)| {
        let name = shorten(&task.name, 26);
        match task.prior_rmse {
            Some(error) => format!("{name} ({error:.2})"),
            None => name,
        }
    };
    let names: Vec<String> = tasks.iter().map(name_of).collect();
    let name_widths = names.iter().map(|name| text_width(name, TEXT_SIZE));
    let name_width = name_widths.fold(60.0, f64::max);
    let planned = blackbox.methods.iter();
    let methods: Vec<&str> = planned.map(|entry| entry.method.as_str()).collect();
    let (legend, legend_height) =
        legend(&methods, palette, width - name_width - 20.0, Sign::Marker);
    let top = TOP + legend_height;
    let height = top + dots as f64 * lane + tasks.len() as f64 * gap + 44.0;
    let x = Linear {
        lower: (least - 0.05).clamp(LEAST_SHOWN, -0.1),
        upper: GREATEST_SHOWN,
        start: name_width + 34.0,
        end: width - 34.0,
    };

    let mut picture = Picture::new(width, height);
    let title = TextStyle::new(14.0, Anchor::Start).bold();
    picture.text((10.0, 18.0), &shorten(&blackbox.name, 60), title);
    picture.place((name_width + 14.0, 30.0), &legend);
    draw_axis(&mut picture, &x, top, height - 40.0);
    let mut y = top;
    for ((_, methods), name) in tasks.iter().zip(&names) {
        let row = methods.len() as f64 * lane + gap;
        let style = TextStyle::new(TEXT_SIZE, Anchor::End);
        picture.text((name_width + 12.0, y + row / 2.0 + 4.0), name, style);
        for (index, method) in methods.iter().enumerate() {
            let centre = y + gap / 2.0 + (index as f64 + 0.5) * lane;
            draw_dot(&mut picture, method, palette, &x, centre, lane);
        }
        y += row;
        picture.line((10.0, y), (width - 10.0, y), SEPARATOR);
    }
    Some(picture)
}

fn draw_axis(picture: &mut Picture, x: &Linear, top: f64, bottom: f64) {
    let style = TextStyle::new(TEXT_SIZE - 1.0, Anchor::Middle).coloured("#444444");
    picture.line((10.0, top), (x.end + 24.0, top), SEPARATOR);
    for tick in x.ticks(8) {
        let pixel = x.pixel(tick.value);
        let stroke = if tick.value.abs() < 1e-9 { ZERO } else { GRID };
        picture.line((pixel, top), (pixel, bottom), stroke);
        if let Label::Number(number) = &tick.label {
            picture.text((pixel, bottom + 16.0), number, style);
        }
    }
    let caption = TextStyle::new(TEXT_SIZE, Anchor::Middle);
    let text = "improvement over random search";
    picture.text(((x.start + x.end) / 2.0, bottom + 34.0), text, caption);
}

fn draw_dot(
    picture: &mut Picture,
    method: &TaskMethodAnalysis,
    palette: &Palette,
    x: &Linear,
    y: f64,
    lane: f64,
) {
    let Some(value) = method.improvement else {
        return;
    };
    let style = palette.style(&method.method);
    let score = numbers::typographic(&numbers::score(value));
    let tooltip = format!("{}: {score}", method.method);
    let radius = (lane * 0.45).min(3.6);
    let edge = if value < x.lower {
        Some((Marker::TriangleLeft, x.start - 8.0, Anchor::Start, 7.0))
    } else if value > x.upper {
        Some((Marker::TriangleRight, x.end + 8.0, Anchor::End, -7.0))
    } else {
        None
    };
    if let Some((marker, pixel, anchor, offset)) = edge {
        let position = (pixel, y);
        picture.marker(marker, position, radius + 0.6, style.colour, Some(&tooltip));
        if lane >= 8.0 {
            let text = TextStyle::new(lane - 1.0, anchor).coloured(style.colour);
            picture.text((pixel + offset, y + lane * 0.32), &tooltip, text);
        }
        return;
    }
    if let Some(interval) = method.improvement_interval {
        let within = |end: f64| (x.pixel(end.clamp(x.lower, x.upper)), y);
        let (from, to) = (within(interval.lower), within(interval.upper));
        picture.line(from, to, style.stroke(1.3));
    }
    let position = (x.pixel(value), y);
    picture.marker(style.marker, position, radius, style.colour, Some(&tooltip));
}
