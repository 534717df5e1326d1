//! Pictures: lines, areas, markers and text, whatever they are written as.
//!
//! `svg` writes a picture for pages and browsers, `pdf` for papers. This is own code because a chart
//! library brings fonts, colours and layout of its own, and because a report needs these few shapes only.

/// A point in pixels: x to the right, y down.
pub(crate) type Point = (f64, f64);

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stroke {
    pub(crate) colour: &'static str,
    pub(crate) width: f64,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub(crate) dash: &'static str,
}

impl Stroke {
    /// A solid line.
    pub(crate) const fn solid(colour: &'static str, width: f64) -> Self {
        Self {
            colour,
            width,
            dash: "",
        }
    }
}

/// Which part of a text is at its position.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextStyle {
    pub(crate) size: f64,
    pub(crate) colour: &'static str,
    pub(crate) anchor: Anchor,
    pub(crate) is_bold: bool,
}

impl TextStyle {
    /// Plain dark text of this size.
    pub(crate) const fn new(size: f64, anchor: Anchor) -> Self {
        Self {
            size,
            colour: "#222222",
            anchor,
            is_bold: false,
        }
    }

    /// The same in another colour.
    pub(crate) const fn coloured(self, colour: &'static str) -> Self {
        Self { colour, ..self }
    }

    /// The same with its middle at the position.
    pub(crate) const fn centred(self) -> Self {
        let anchor = Anchor::Middle;
        Self { anchor, ..self }
    }

    /// The same in bold.
    pub(crate) const fn bold(self) -> Self {
        let is_bold = true;
        Self { is_bold, ..self }
    }
}

/// The shape of a data point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    Circle,
    Square,
    TriangleUp,
    Diamond,
    TriangleDown,
    Cross,
    Plus,
    TriangleLeft,
    TriangleRight,
}

/// A part of a picture.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// A line through points.
    Line { points: Vec<Point>, stroke: Stroke },
    /// A filled area without outline, with a text that browsers show when it is pointed at.
    Area {
        outline: Vec<Point>,
        colour: &'static str,
        opacity: f64,
        tooltip: Option<String>,
    },
    /// A filled circle, with such a text.
    Circle {
        centre: Point,
        radius: f64,
        colour: &'static str,
        tooltip: Option<String>,
    },
    /// A text whose base line is at a point, with a raised exponent at its end.
    Text {
        position: Point,
        text: String,
        exponent: Option<String>,
        style: TextStyle,
        reads_upwards: bool,
    },
    /// Another picture, its upper left corner at a point.
    Group { corner: Point, shapes: Vec<Shape> },
}

/// A picture under construction.
#[derive(Debug)]
pub struct Picture {
    /// In pixels, as all lengths.
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) shapes: Vec<Shape>,
}

impl Picture {
    /// An empty picture of this size.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            shapes: Vec::new(),
        }
    }

    /// A straight line.
    pub(crate) fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.polyline(&[from, to], stroke);
    }

    /// A line through points.
    pub(crate) fn polyline(&mut self, points: &[Point], stroke: Stroke) {
        let points = points.to_vec();
        self.shapes.push(Shape::Line { points, stroke });
    }

    /// A filled area without outline.
    pub(crate) fn area(&mut self, outline: &[Point], colour: &'static str, opacity: f64) {
        self.shapes.push(Shape::Area {
            outline: outline.to_vec(),
            colour,
            opacity,
            tooltip: None,
        });
    }

    /// A text whose base line is at `position`.
    pub(crate) fn text(&mut self, position: Point, text: &str, style: TextStyle) {
        self.push_text(position, text, None, style, false);
    }

    /// A text that reads upwards.
    pub(crate) fn text_upwards(&mut self, position: Point, text: &str, style: TextStyle) {
        self.push_text(position, text, None, style, true);
    }

    /// A multiple of a power of ten, with the exponent raised.
    pub(crate) fn scientific(
        &mut self,
        position: Point,
        multiple: u32,
        exponent: i32,
        style: TextStyle,
    ) {
        let text = match multiple {
            1 => "10".to_owned(),
            _ => format!("{multiple}\u{d7}10"),
        };
        let exponent = exponent.to_string().replace('-', "\u{2212}");
        self.push_text(position, &text, Some(exponent), style, false);
    }

    fn push_text(
        &mut self,
        position: Point,
        text: &str,
        exponent: Option<String>,
        style: TextStyle,
        reads_upwards: bool,
    ) {
        self.shapes.push(Shape::Text {
            position,
            text: text.to_owned(),
            exponent,
            style,
            reads_upwards,
        });
    }

    /// A data point, with a text that browsers show when it is pointed at.
    pub(crate) fn marker(
        &mut self,
        marker: Marker,
        (x, y): Point,
        radius: f64,
        colour: &'static str,
        tooltip: Option<&str>,
    ) {
        let tooltip = tooltip.map(str::to_owned);
        let corners: &[Point] = match marker {
            Marker::Circle => {
                let centre = (x, y);
                return self.shapes.push(Shape::Circle {
                    centre,
                    radius,
                    colour,
                    tooltip,
                });
            }
            Marker::Square => &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
            Marker::TriangleUp => &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
            Marker::TriangleDown => &[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
            Marker::TriangleLeft => &[(-1.2, 0.0), (0.8, -1.1), (0.8, 1.1)],
            Marker::TriangleRight => &[(1.2, 0.0), (-0.8, -1.1), (-0.8, 1.1)],
            Marker::Diamond => &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
            Marker::Plus => &bars(0.0),
            Marker::Cross => &bars(std::f64::consts::FRAC_PI_4),
        };
        let outline = corners
            .iter()
            .map(|(dx, dy)| (x + dx * radius, y + dy * radius));
        self.shapes.push(Shape::Area {
            outline: outline.collect(),
            colour,
            opacity: 1.0,
            tooltip,
        });
    }

    /// Puts another picture into this one, its upper left corner at `position`.
    pub(crate) fn place(&mut self, position: Point, picture: &Self) {
        self.shapes.push(Shape::Group {
            corner: position,
            shapes: picture.shapes.clone(),
        });
    }
}

/// The twelve corners of a plus sign, turned by `angle`.
fn bars(angle: f64) -> Vec<Point> {
    let (long, short) = (1.25, 0.38);
    let mut corners = vec![(short, short), (short, long), (-short, long)];
    for corner in 0..9 {
        let (x, y) = corners[corner];
        corners.push((-y, x));
    }
    let (sine, cosine) = angle.sin_cos();
    let turned = corners.iter();
    turned
        .map(|(x, y)| (x * cosine - y * sine, x * sine + y * cosine))
        .collect()
}

/// Width of a text, estimated from above: system fonts differ.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    0.61 * size * text.chars().count() as f64
}

/// The text with at most `most` characters: of a longer one the middle is cut, since names that are alike at their beginning
/// often differ at their end.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let at_end = kept / 2;
    let beginning = text.chars().take(kept - at_end);
    let end = text.chars().skip(length - at_end);
    beginning.chain(['\u{2026}']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(shorten("naval", 5), "naval");
        assert_eq!(shorten("\u{e9}\u{e9}\u{e9}", 2), "\u{e9}\u{2026}");
        assert_eq!(shorten("abcd\u{e9}fgh", 6), "abc\u{2026}gh");
    }

    #[test]
    fn names_that_differ_at_the_end_still_differ_when_they_are_cut() {
        let names = (1..=42).map(|index| format!("my-external-optimiser-variant-{index}"));
        let cut: std::collections::BTreeSet<String> =
            names.map(|name| shorten(&name, 26)).collect();
        assert_eq!(cut.len(), 42);
        assert!(cut.iter().all(|name| name.chars().count() <= 26));
    }
}
