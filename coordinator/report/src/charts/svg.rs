//! A small writer of SVG pictures: lines, areas, markers and text.
//!
//! The pictures carry their whole style in attributes, so each works alone as
//! a file and inside a page beside others. All text is escaped. This is own code because a chart
//! library brings fonts, colours and layout of its own, and because a report needs these few shapes only.

use std::fmt::Write;

use super::escape::escape;

/// Fonts of all pictures: what the reader's system reads best.
pub(crate) const FONT: &str =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

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
    /// The attribute of a bold text; empty otherwise.
    pub(crate) weight: &'static str,
}

impl TextStyle {
    /// Plain dark text of this size.
    pub(crate) const fn new(size: f64, anchor: Anchor) -> Self {
        Self {
            size,
            colour: "#222222",
            anchor,
            weight: "",
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
        let weight = r#" font-weight="600""#;
        Self { weight, ..self }
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

/// A picture under construction.
#[derive(Debug)]
pub struct Svg {
    /// In pixels, as all lengths.
    pub(crate) width: f64,
    pub(crate) height: f64,
    body: String,
}

impl Svg {
    /// An empty picture of this size.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        Self {
            width,
            height,
            body: String::new(),
        }
    }

    /// A straight line.
    pub(crate) fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.polyline(&[from, to], stroke);
    }

    /// A line through points.
    pub(crate) fn polyline(&mut self, points: &[Point], stroke: Stroke) {
        let dash = match stroke.dash {
            "" => String::new(),
            dash => format!(r#" stroke-dasharray="{dash}""#),
        };
        self.push(format_args!(
            r#"<path d="{}" fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round"{dash}/>"#,
            path(points.iter().copied()),
            stroke.colour,
            stroke.width,
        ));
    }

    /// A filled area without outline.
    pub(crate) fn area(&mut self, outline: &[Point], colour: &str, opacity: f64) {
        self.push(format_args!(
            r#"<path d="{}Z" fill="{colour}" fill-opacity="{opacity}" stroke="none"/>"#,
            path(outline.iter().copied())
        ));
    }

    /// A text whose base line is at `position`.
    pub(crate) fn text(&mut self, position: Point, text: &str, style: TextStyle) {
        self.text_markup(position, &escape(text), style, "");
    }

    /// A text that reads upwards.
    pub(crate) fn text_upwards(&mut self, (x, y): Point, text: &str, style: TextStyle) {
        let rotation = format!(r#" transform="rotate(-90 {x:.1} {y:.1})""#);
        self.text_markup((x, y), &escape(text), style, &rotation);
    }

    /// A multiple of a power of ten, with the exponent raised.
    pub(crate) fn scientific(
        &mut self,
        position: Point,
        multiple: u32,
        exponent: i32,
        style: TextStyle,
    ) {
        let factor = match multiple {
            1 => String::new(),
            _ => format!("{multiple}\u{d7}"),
        };
        let markup = format!(
            r#"{factor}10<tspan dy="{:.1}" font-size="{:.1}">{}</tspan>"#,
            -0.4 * style.size,
            0.75 * style.size,
            exponent.to_string().replace('-', "\u{2212}"),
        );
        self.text_markup(position, &markup, style, "");
    }

    fn text_markup(&mut self, (x, y): Point, markup: &str, style: TextStyle, extra: &str) {
        let anchor = match style.anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(format_args!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{}" fill="{}" text-anchor="{anchor}"{}{extra}>{markup}</text>"#,
            style.size, style.colour, style.weight,
        ));
    }

    /// A data point, with a text that browsers show when it is pointed at.
    pub(crate) fn marker(
        &mut self,
        marker: Marker,
        (x, y): Point,
        radius: f64,
        colour: &str,
        tooltip: Option<&str>,
    ) {
        let title = tooltip.map(title_element).unwrap_or_default();
        let corners: &[Point] = match marker {
            Marker::Circle => {
                return self.push(format_args!(
                    r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}">{title}</circle>"#
                ));
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
        let corners = corners.iter();
        let outline = path(corners.map(|(dx, dy)| (x + dx * radius, y + dy * radius)));
        self.push(format_args!(
            r#"<path d="{outline}Z" fill="{colour}">{title}</path>"#
        ));
    }

    /// Puts another picture into this one, its upper left corner at `position`.
    pub(crate) fn place(&mut self, (x, y): Point, picture: &Self) {
        self.push(format_args!(
            r#"<g transform="translate({x:.1} {y:.1})">{}</g>"#,
            picture.body
        ));
    }

    /// The finished picture; `title` says what it shows to those who cannot see it.
    pub fn finish(&self, title: &str) -> String {
        let (width, height) = (self.width.ceil(), self.height.ceil());
        format!(
            concat!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" "#,
                r#"viewBox="0 0 {width} {height}" role="img" font-family="{font}">"#,
                r##"{title}<rect width="{width}" height="{height}" fill="#ffffff"/>{body}</svg>"##,
            ),
            width = width,
            height = height,
            font = FONT,
            title = title_element(title),
            body = self.body,
        )
    }

    fn push(&mut self, element: std::fmt::Arguments<'_>) {
        self.body.push('\n');
        self.body
            .write_fmt(element)
            .expect("writing to a string cannot fail");
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

fn title_element(title: &str) -> String {
    format!("<title>{}</title>", escape(title))
}

fn path(points: impl Iterator<Item = Point>) -> String {
    let commands = std::iter::once('M').chain(std::iter::repeat('L'));
    let points = commands.zip(points);
    points
        .map(|(command, (x, y))| format!("{command}{x:.1} {y:.1}"))
        .collect()
}

/// Width of a text, estimated from above: system fonts differ.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    0.61 * size * text.chars().count() as f64
}

/// The text, cut to at most `most` characters.
pub(crate) fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most - 1).collect();
    kept + "\u{2026}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_text_cannot_become_markup() {
        let mut picture = Svg::new(10.0, 10.0);
        let evil = "</text><script>alert(\"1\")</script>&\u{1}";
        picture.text((0.0, 0.0), evil, TextStyle::new(10.0, Anchor::Start));
        picture.marker(Marker::Circle, (0.0, 0.0), 1.0, "#000000", Some(evil));
        let text = picture.finish(evil);
        assert!(!text.contains("<script"), "{text}");
        assert!(!text.contains('\u{1}'), "{text}");
        assert_eq!(text.matches("&lt;script&gt;").count(), 3, "{text}");
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(shorten("naval", 5), "naval");
        assert_eq!(shorten("\u{e9}\u{e9}\u{e9}", 2), "\u{e9}\u{2026}");
    }
}
