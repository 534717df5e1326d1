//! A plot: curves in a frame, with their names at their ends.

use super::palette::MethodStyle;
use super::picture::{Anchor, Picture, Point, Stroke, TextStyle, shorten, text_width};
use super::scale::{Axis, Label, Linear, Logarithmic, spread};

pub(crate) const FRAME: Stroke = Stroke::solid("#444444", 1.0);
pub(crate) const GRID: Stroke = Stroke::solid("#e6e6e6", 1.0);
const TEXT_SIZE: f64 = 12.0;
const LABEL_GAP: f64 = 15.0;
/// Names that are nearer to each other than this cover each other.
const LEAST_LABEL_GAP: f64 = 13.0;

/// What is above the frame, and below it.
const TOP: f64 = 30.0;
const BOTTOM: f64 = 42.0;
/// How far below the frame the name of a curve may be.
const NAMES_BELOW: f64 = 14.0;
/// How far below the top of the frame the first of listed names is.
const FIRST_LISTED: f64 = 8.0;

/// Where the vertical axis is.
const LEFT: f64 = 58.0;

/// Pixels of a horizontal axis for each tick, and of a vertical one.
const TICK_WIDTH: f64 = 55.0;
const TICK_HEIGHT: f64 = 45.0;

/// How many characters of a title and of a name are shown at most.
const MOST_TITLE_CHARACTERS: f64 = 60.0;
const MOST_NAME_CHARACTERS: usize = 26;

/// One curve and how it is drawn.
pub(crate) struct Curve<'a> {
    /// Empty for a curve whose end has no name.
    pub(crate) name: String,
    /// Where its values are; at 1, 2, 3 and so on if this is absent.
    pub(crate) x: Option<&'a [f64]>,
    pub(crate) y: &'a [f64],
    /// Lower and upper limits of a band.
    pub(crate) band: Option<(&'a [f64], &'a [f64])>,
    pub(crate) stroke: Stroke,
    /// The style of its method, which has the markers; absent for a curve of no method.
    pub(crate) style: Option<MethodStyle>,
}

impl<'a> Curve<'a> {
    /// The curve of a method.
    pub(crate) fn of_method(method: &str, style: MethodStyle, y: &'a [f64]) -> Self {
        Self {
            name: shorten(method, MOST_NAME_CHARACTERS),
            x: None,
            y,
            band: None,
            stroke: style.stroke(2.0),
            style: Some(style),
        }
    }
}

/// The vertical axis, from its least to its greatest value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Vertical {
    /// The greatest value at the top.
    Upwards(f64, f64),
    /// The least value at the top, for ranks.
    Downwards(f64, f64),
    /// Powers of ten; the least value is above 0. A curve that falls to 0 ends where it meets the axis.
    Logarithmic(f64, f64),
}

impl Vertical {
    fn axis(self, bottom: f64, top: f64) -> Axis {
        let linear = |lower, upper, start, end| {
            Axis::Linear(Linear {
                lower,
                upper,
                start,
                end,
            })
        };
        match self {
            Self::Upwards(lower, upper) => linear(lower, upper, bottom, top),
            Self::Downwards(lower, upper) => linear(lower, upper, top, bottom),
            Self::Logarithmic(lower, upper) => Axis::Logarithmic(Logarithmic {
                lower,
                upper,
                start: bottom,
                end: top,
            }),
        }
    }

    /// Values below this are not on the axis, and end a curve.
    fn floor(self) -> f64 {
        match self {
            Self::Logarithmic(lower, _) => lower,
            Self::Upwards(..) | Self::Downwards(..) => f64::NEG_INFINITY,
        }
    }
}

/// Curves to be drawn.
pub(crate) struct Plot<'a> {
    pub(crate) title: &'a str,
    pub(crate) x_label: &'a str,
    pub(crate) y_label: &'a str,
    /// The least and the greatest value of the horizontal axis.
    pub(crate) x: (f64, f64),
    /// Whether the horizontal axis counts something, such as evaluations or tasks, so that its ticks are at whole numbers.
    pub(crate) x_counts: bool,
    pub(crate) y: Vertical,
    pub(crate) curves: Vec<Curve<'a>>,
    pub(crate) names: Names,
}

/// Where the names of curves are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// Where the curves end, moved apart.
    AtEnds,
    /// Beside the plot, the curve that is the highest on average at the top: for curves that end at one point.
    Listed,
}

impl Plot<'_> {
    /// Draws the plot, higher where the names of its curves need that.
    pub(crate) fn draw(&self, (width, height): (f64, f64)) -> Picture {
        let height = height.max(self.least_height());
        let names = self.curves.iter().map(|curve| &curve.name);
        let name_widths = names.map(|name| text_width(name, TEXT_SIZE));
        let name_width = name_widths.fold(40.0, f64::max);
        let (lower, upper) = self.x;
        let (bottom, top) = (height - BOTTOM, TOP);
        let axes = Axes {
            x: Linear {
                lower,
                upper: upper.max(lower + 1e-9),
                start: LEFT + 6.0,
                end: width - name_width - 46.0,
            },
            x_counts: self.x_counts,
            y: self.y.axis(bottom, top),
            floor: self.y.floor(),
            bottom,
            top,
        };
        let mut picture = Picture::new(width, height);
        axes.draw(&mut picture, self.x_label, self.y_label);
        let title = TextStyle::new(14.0, Anchor::Start).bold();
        let fitting = ((width - LEFT) / 8.5).min(MOST_TITLE_CHARACTERS) as usize;
        picture.text((LEFT, 18.0), &shorten(self.title, fitting), title);
        for curve in &self.curves {
            axes.draw_band(&mut picture, curve);
        }
        for (index, curve) in self.curves.iter().enumerate() {
            axes.draw_curve(&mut picture, curve, index);
        }
        match self.names {
            Names::AtEnds => axes.draw_names_at_ends(&mut picture, &self.curves),
            Names::Listed => axes.list_names(&mut picture, &self.curves),
        }
        picture
    }

    /// The height at which no name covers another.
    fn least_height(&self) -> f64 {
        let names = self.curves.iter().filter(|curve| !curve.name.is_empty());
        let gaps = LEAST_LABEL_GAP * names.count().saturating_sub(1) as f64;
        match self.names {
            Names::AtEnds => TOP + gaps - NAMES_BELOW + BOTTOM,
            Names::Listed => TOP + gaps + FIRST_LISTED + BOTTOM,
        }
    }
}

/// The axes that frame the curves.
struct Axes {
    x: Linear,
    x_counts: bool,
    y: Axis,
    /// Values below are where a curve ends.
    floor: f64,
    bottom: f64,
    top: f64,
}

impl Axes {
    fn draw(&self, picture: &mut Picture, x_label: &str, y_label: &str) {
        let (right, bottom, top) = (self.x.end, self.bottom, self.top);
        let axis_text = TextStyle::new(TEXT_SIZE - 1.0, Anchor::End).coloured("#444444");
        for tick in self.y.ticks(((bottom - top) / TICK_HEIGHT) as usize) {
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
        let most = ((right - LEFT) / TICK_WIDTH) as usize;
        let ticks = if self.x_counts {
            self.x.whole_ticks(most)
        } else {
            self.x.ticks(most)
        };
        for tick in ticks {
            let pixel = self.x.pixel(tick.value);
            picture.line((pixel, top), (pixel, bottom), GRID);
            picture.line((pixel, bottom), (pixel, bottom + 4.0), FRAME);
            if let Label::Number(number) = &tick.label {
                picture.text((pixel, bottom + 17.0), number, axis_text.centred());
            }
        }
        picture.line((LEFT, top), (LEFT, bottom), FRAME);
        picture.line((LEFT, bottom), (right, bottom), FRAME);
        let centred = TextStyle::new(TEXT_SIZE, Anchor::Middle);
        picture.text(((LEFT + right) / 2.0, bottom + 35.0), x_label, centred);
        picture.text_upwards((14.0, (top + bottom) / 2.0), y_label, centred);
    }

    fn draw_band(&self, picture: &mut Picture, curve: &Curve<'_>) {
        let Some((lower, upper)) = curve.band else {
            return;
        };
        let mut outline = self.points(curve, upper);
        outline.extend(self.points(curve, lower).into_iter().rev());
        picture.area(&outline, curve.stroke.colour, 0.13);
    }

    fn draw_curve(&self, picture: &mut Picture, curve: &Curve<'_>, index: usize) {
        let below = curve.y.iter().position(|value| *value < self.floor);
        let shown = below.map_or(curve.y.len(), |below| below + 1);
        let points = self.points(curve, &curve.y[..shown]);
        picture.polyline(&points, curve.stroke);
        let Some(style) = curve.style else { return };
        // Markers of different curves are put at different places, so that none hides another.
        let every = (curve.y.len() / 8).max(1);
        let first = (index * every * 3 / 8) % every;
        for point in points.iter().skip(first).step_by(every) {
            picture.marker(style.marker, *point, 3.2, style.colour, None);
        }
    }

    /// Writes each curve's name at its end, moved apart, with a line from the one to the other.
    fn draw_names_at_ends<'a>(&self, picture: &mut Picture, curves: &'a [Curve<'a>]) {
        let with_end = |curve: &'a Curve<'a>| Some((self.y.pixel(*curve.y.last()?), curve));
        let named = curves.iter().filter(|curve| !curve.name.is_empty());
        let mut ends: Vec<(f64, &Curve<'a>)> = named.filter_map(with_end).collect();
        ends.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let wanted: Vec<f64> = ends.iter().map(|(pixel, _)| *pixel).collect();
        let places = spread(&wanted, LABEL_GAP, self.top, self.bottom + NAMES_BELOW);
        let (start, end) = (self.x.end + 2.0, self.x.end + 30.0);
        for ((pixel, curve), place) in ends.into_iter().zip(places) {
            let leader = [(start, pixel), (start + 12.0, place), (end, place)];
            draw_name(picture, curve, &leader);
        }
    }

    /// Writes the curves' names one below the other.
    fn list_names(&self, picture: &mut Picture, curves: &[Curve<'_>]) {
        let mean = |curve: &Curve<'_>| curve.y.iter().sum::<f64>() / curve.y.len() as f64;
        let mut ordered: Vec<(f64, &Curve<'_>)> =
            curves.iter().map(|curve| (mean(curve), curve)).collect();
        ordered.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let wanted: Vec<f64> = (0..ordered.len())
            .map(|line| self.top + FIRST_LISTED + LABEL_GAP * line as f64)
            .collect();
        let places = spread(&wanted, LABEL_GAP, self.top, self.bottom);
        let (start, end) = (self.x.end + 8.0, self.x.end + 30.0);
        for ((_, curve), place) in ordered.into_iter().zip(places) {
            draw_name(picture, curve, &[(start, place), (end, place)]);
        }
    }

    /// The pixels of values where those of the curve are.
    fn points(&self, curve: &Curve<'_>, values: &[f64]) -> Vec<Point> {
        let place = |index: usize| curve.x.map_or(index as f64 + 1.0, |x| x[index]);
        let numbered = values.iter().enumerate();
        numbered
            .map(|(index, value)| (self.x.pixel(place(index)), self.y.pixel(*value)))
            .collect()
    }
}

/// Draws a piece of a curve, and its name where that ends.
fn draw_name(picture: &mut Picture, curve: &Curve<'_>, line: &[Point]) {
    let Some(&(end, place)) = line.last() else {
        return;
    };
    let stroke = Stroke {
        width: curve.stroke.width.min(1.4),
        ..curve.stroke
    };
    picture.polyline(line, stroke);
    if let Some(style) = curve.style {
        picture.marker(style.marker, (end - 6.0, place), 3.6, style.colour, None);
    }
    let style = TextStyle::new(TEXT_SIZE, Anchor::Start);
    picture.text((end + 4.0, place + 4.0), &curve.name, style);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::HALF_SIZE;
    use crate::charts::picture::{Marker, Shape};

    /// Curves that end at one point, with their names.
    fn drawn(methods: usize, names: Names) -> Picture {
        let style = MethodStyle {
            colour: "#0072b2",
            dash: "",
            marker: Marker::Circle,
        };
        let curve =
            |index: usize| Curve::of_method(&format!("method {index}"), style, &[0.5, 0.25]);
        let plot = Plot {
            title: "box",
            x_label: "evaluations",
            y_label: "share",
            x: (1.0, 2.0),
            x_counts: true,
            y: Vertical::Upwards(0.0, 1.0),
            curves: (0..methods).map(curve).collect(),
            names,
        };
        plot.draw(HALF_SIZE)
    }

    /// Where the names of the methods are, from the top.
    fn places_of_names(picture: &Picture) -> Vec<f64> {
        let place = |shape: &Shape| match shape {
            Shape::Text { position, text, .. } if text.starts_with("method ") => Some(position.1),
            _ => None,
        };
        let mut places: Vec<f64> = picture.shapes.iter().filter_map(place).collect();
        places.sort_by(f64::total_cmp);
        places
    }

    #[test]
    fn no_name_covers_another_however_many_there_are() {
        for names in [Names::AtEnds, Names::Listed] {
            for methods in [2, 20, 43, 200] {
                let picture = drawn(methods, names);
                let places = places_of_names(&picture);
                assert_eq!(places.len(), methods);
                let is_apart = |pair: &[f64]| pair[1] - pair[0] >= TEXT_SIZE;
                assert!(places.windows(2).all(is_apart), "{names:?}: {places:?}");
                assert!(places[0] > 0.0 && places[methods - 1] < picture.height);
            }
            assert_eq!(drawn(14, names).height, HALF_SIZE.1);
        }
    }
}
