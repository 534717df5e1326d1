//! A legend: every method's marker or line, and its name, wrapped into lines.

use super::palette::Palette;
use super::picture::{Anchor, Picture, TextStyle, shorten, text_width};

const TEXT_SIZE: f64 = 12.0;
const LINE_HEIGHT: f64 = 18.0;

/// How methods are drawn in the chart that a legend is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Marker,
    Line,
}

/// The legend of `methods` within `width`, and its height.
pub(crate) fn legend(
    methods: &[&str],
    palette: &Palette,
    width: f64,
    sign: Sign,
) -> (Picture, f64) {
    // What stands before a name.
    let sign_width = match sign {
        Sign::Marker => 14.0,
        Sign::Line => 30.0,
    };
    let mut picture = Picture::new(width, 0.0);
    let (mut x, mut y) = (0.0, LINE_HEIGHT / 2.0);
    for method in methods {
        let name = shorten(method, 26);
        let entry = sign_width + text_width(&name, TEXT_SIZE) + 14.0;
        if x > 0.0 && x + entry > width {
            (x, y) = (0.0, y + LINE_HEIGHT);
        }
        let style = palette.style(method);
        match sign {
            Sign::Marker => picture.marker(style.marker, (x + 5.0, y), 4.0, style.colour, None),
            Sign::Line => picture.line((x, y), (x + 25.0, y), style.stroke(1.6)),
        }
        let text = TextStyle::new(TEXT_SIZE, Anchor::Start);
        picture.text((x + sign_width, y + 4.0), &name, text);
        x += entry;
    }
    (picture, y - LINE_HEIGHT / 2.0)
}
