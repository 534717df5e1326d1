//! A legend: every method's marker and name, wrapped into lines.

use super::palette::Palette;
use super::svg::{Anchor, Svg, TextStyle, shorten, text_width};

const TEXT_SIZE: f64 = 12.0;
const LINE_HEIGHT: f64 = 18.0;

/// The legend of `methods` within `width`, and its height.
pub(crate) fn legend(methods: &[&str], palette: &Palette, width: f64) -> (Svg, f64) {
    let mut picture = Svg::new(width, 0.0);
    let (mut x, mut y) = (0.0, LINE_HEIGHT / 2.0);
    for method in methods {
        let name = shorten(method, 26);
        let entry = 14.0 + text_width(&name, TEXT_SIZE) + 14.0;
        if x > 0.0 && x + entry > width {
            (x, y) = (0.0, y + LINE_HEIGHT);
        }
        let style = palette.style(method);
        picture.marker(style.marker, (x + 5.0, y), 4.0, style.colour, None);
        let text = TextStyle::new(TEXT_SIZE, Anchor::Start);
        picture.text((x + 14.0, y + 4.0), &name, text);
        x += entry;
    }
    (picture, y - LINE_HEIGHT / 2.0)
}
