//! Writes a picture as SVG.
//!
//! It carries its whole style in attributes, so that it works alone as a file and inside a page
//! beside others. All text is escaped.

use std::fmt::{self, Display, Formatter};

use super::escape::escape;
use super::picture::{Anchor, Picture, Point, Shape};
use super::svg_path::path;

/// Fonts of all pictures: what the reader's system reads best.
const FONT: &str =
    "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

impl Picture {
    /// The picture as SVG; `title` says what it shows to those who cannot see it.
    pub fn svg(&self, title: &str) -> String {
        let (width, height) = (self.width.ceil(), self.height.ceil());
        format!(
            concat!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" "#,
                r#"viewBox="0 0 {width} {height}" role="img" font-family="{font}" "#,
                r##"stroke-linejoin="round">{title}<rect width="{width}" height="{height}" fill="#ffffff"/>{body}</svg>"##,
            ),
            width = width,
            height = height,
            font = FONT,
            title = title_element(title),
            body = Elements(&self.shapes),
        )
    }
}

/// Shapes as elements, one a line.
struct Elements<'a>(&'a [Shape]);

impl Display for Elements<'_> {
    fn fmt(&self, output: &mut Formatter<'_>) -> fmt::Result {
        let mut shapes = self.0.iter().peekable();
        while let Some(shape) = shapes.next() {
            output.write_str("\n")?;
            let Some((outline, colour)) = plain(shape) else {
                write_shape(shape, output)?;
                continue;
            };
            // The markers of a curve are one element.
            write!(output, r#"<path d="{}Z"#, path(outline))?;
            while let Some((outline, _)) = shapes
                .peek()
                .and_then(|next| plain(next))
                .filter(|(_, other)| *other == colour)
            {
                write!(output, "{}Z", path(outline))?;
                shapes.next();
            }
            write!(output, r#"" fill="{colour}"/>"#)?;
        }
        Ok(())
    }
}

/// The outline and colour of an area that says and lets through nothing.
fn plain(shape: &Shape) -> Option<(&[Point], &'static str)> {
    match shape {
        Shape::Area {
            outline,
            colour,
            opacity: 1.0,
            tooltip: None,
        } => Some((outline, colour)),
        _ => None,
    }
}

fn write_shape(shape: &Shape, output: &mut Formatter<'_>) -> fmt::Result {
    match shape {
        Shape::Line { points, stroke } => {
            let dash = match stroke.dash {
                "" => String::new(),
                dash => format!(r#" stroke-dasharray="{dash}""#),
            };
            write!(
                output,
                r#"<path d="{}" fill="none" stroke="{}" stroke-width="{}"{dash}/>"#,
                path(points),
                stroke.colour,
                stroke.width,
            )
        }
        Shape::Area {
            outline,
            colour,
            opacity,
            tooltip,
        } => {
            let outline = path(outline);
            let opacity = match opacity {
                1.0 => String::new(),
                part => format!(r#" fill-opacity="{part}""#),
            };
            match tooltip {
                Some(tooltip) => write!(
                    output,
                    r#"<path d="{outline}Z" fill="{colour}"{opacity}>{}</path>"#,
                    title_element(tooltip)
                ),
                None => write!(output, r#"<path d="{outline}Z" fill="{colour}"{opacity}/>"#),
            }
        }
        Shape::Circle {
            centre: (x, y),
            radius,
            colour,
            tooltip,
        } => {
            write!(
                output,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}" fill="{colour}""#
            )?;
            match tooltip {
                Some(tooltip) => write!(output, ">{}</circle>", title_element(tooltip)),
                None => output.write_str("/>"),
            }
        }
        Shape::Text {
            position: (x, y),
            text,
            exponent,
            style,
            reads_upwards,
        } => {
            let anchor = match style.anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            write!(
                output,
                r#"<text x="{x:.1}" y="{y:.1}" font-size="{}" fill="{}" text-anchor="{anchor}""#,
                style.size, style.colour,
            )?;
            if style.is_bold {
                output.write_str(r#" font-weight="600""#)?;
            }
            if *reads_upwards {
                write!(output, r#" transform="rotate(-90 {x:.1} {y:.1})""#)?;
            }
            write!(output, ">{}", escape(text))?;
            if let Some(exponent) = exponent {
                write!(
                    output,
                    r#"<tspan dy="{:.1}" font-size="{:.1}">{}</tspan>"#,
                    -0.4 * style.size,
                    0.75 * style.size,
                    escape(exponent),
                )?;
            }
            output.write_str("</text>")
        }
        Shape::Group {
            corner: (x, y),
            shapes,
        } => write!(
            output,
            r#"<g transform="translate({x:.1} {y:.1})">{}</g>"#,
            Elements(shapes)
        ),
    }
}

fn title_element(title: &str) -> String {
    format!("<title>{}</title>", escape(title))
}

#[cfg(test)]
mod tests {
    use super::super::picture::{Marker, TextStyle};
    use super::*;

    #[test]
    fn user_text_cannot_become_markup() {
        let mut picture = Picture::new(10.0, 10.0);
        let evil = "</text><script>alert(\"1\")</script>&\u{1}";
        picture.text((0.0, 0.0), evil, TextStyle::new(10.0, Anchor::Start));
        picture.marker(Marker::Circle, (0.0, 0.0), 1.0, "#000000", Some(evil));
        picture.marker(Marker::Square, (0.0, 0.0), 1.0, "#000000", Some(evil));
        let text = picture.svg(evil);
        assert!(!text.contains("<script"), "{text}");
        assert!(!text.contains('\u{1}'), "{text}");
        assert_eq!(text.matches("&lt;script&gt;").count(), 4, "{text}");
    }
}
