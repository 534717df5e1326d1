//! Writes a picture as a page of PDF 1.4, for `\\includegraphics` in papers.
//!
//! Vector graphics with the standard font Helvetica, which every reader has, so that no font is part of the
//! file. The same picture gives the same bytes: there is no time and no identifier in it.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use loto_proto::untrusted_text::escape;

use super::helvetica;
use super::picture::{Anchor, Picture, Point, Shape, Stroke, TextStyle};

/// Points of PDF in a pixel of CSS.
const POINTS_PER_PIXEL: f64 = 0.75;

/// How far the control points of a quarter of a circle are from its ends, in radii.
const CIRCLE: f64 = 0.552_284_75;

impl Picture {
    /// The picture as PDF; `title` says what it shows.
    pub fn pdf(&self, title: &str) -> Vec<u8> {
        let (width, height) = (
            self.width.ceil() * POINTS_PER_PIXEL,
            self.height.ceil() * POINTS_PER_PIXEL,
        );
        let mut content = Content::default();
        // Pixels count from the upper left corner, and down.
        content.operate(format_args!(
            "{POINTS_PER_PIXEL} 0 0 -{POINTS_PER_PIXEL} 0 {height} cm 1 j"
        ));
        content.shapes(&self.shapes);
        let states = content.opacities.iter().enumerate();
        let states: String = states
            .map(|(index, opacity)| format!("/O{index} << /ca {opacity} >> "))
            .collect();
        let font = |name: &str| {
            format!(
                "<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
            )
        };
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R /Resources << \
             /Font << /F0 5 0 R /F1 6 0 R >> /ExtGState << {states}>> >> >>"
        );
        let objects = [
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
            page.into_bytes(),
            stream(content.operators.as_bytes()),
            font("Helvetica").into_bytes(),
            font("Helvetica-Bold").into_bytes(),
            information(title).into_bytes(),
        ];
        file(&objects)
    }
}

/// The whole file of these objects, numbered from 1: the first is its catalogue, the last its information.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(objects) {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend_from_slice(format!("{number} 0 obj\n").as_bytes());
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let end = format!(
        "{table}trailer\n<< /Size {} /Root 1 0 R /Info {} 0 R >>\nstartxref\n{}\n%%EOF\n",
        objects.len() + 1,
        objects.len(),
        file.len()
    );
    file.extend_from_slice(end.as_bytes());
    file
}

fn stream(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(content).and_then(|()| encoder.finish());
    let packed = packed.expect("writing to a vector cannot fail");
    let begin = format!(
        "<< /Length {} /Filter /FlateDecode >>\nstream\n",
        packed.len()
    );
    let mut stream = begin.into_bytes();
    stream.extend_from_slice(&packed);
    stream.extend_from_slice(b"\nendstream");
    stream
}

/// The title in UTF-16, as hexadecimal digits.
fn information(title: &str) -> String {
    let mut digits = String::from("FEFF");
    for unit in escape(title).encode_utf16() {
        let _infallible = write!(digits, "{unit:04X}");
    }
    format!("<< /Title <{digits}> /Producer (loto) >>")
}

/// The operators that draw a page.
#[derive(Default)]
struct Content {
    operators: String,
    /// Those that the page needs, each once.
    opacities: Vec<f64>,
}

impl Content {
    fn operate(&mut self, operators: fmt::Arguments<'_>) {
        let _infallible = self.operators.write_fmt(operators);
        self.operators.push('\n');
    }

    fn shapes(&mut self, shapes: &[Shape]) {
        for shape in shapes {
            match shape {
                Shape::Line { points, stroke } => self.line(points, *stroke),
                Shape::Area {
                    outline,
                    colour,
                    opacity,
                    ..
                } => {
                    self.begin_area(colour, *opacity);
                    self.path(outline);
                    self.operate(format_args!("h f Q"));
                }
                Shape::Circle {
                    centre,
                    radius,
                    colour,
                    ..
                } => self.circle(*centre, *radius, colour),
                Shape::Text {
                    position,
                    text,
                    exponent,
                    style,
                    reads_upwards,
                } => self.text(
                    *position,
                    (text, exponent.as_deref()),
                    *style,
                    *reads_upwards,
                ),
                Shape::Group {
                    corner: (x, y),
                    shapes,
                } => {
                    self.operate(format_args!("q 1 0 0 1 {x:.2} {y:.2} cm"));
                    self.shapes(shapes);
                    self.operate(format_args!("Q"));
                }
            }
        }
    }

    fn line(&mut self, points: &[Point], stroke: Stroke) {
        let colour = colour(stroke.colour);
        self.operate(format_args!(
            "{colour} RG {} w [{}] 0 d",
            stroke.width, stroke.dash
        ));
        self.path(points);
        self.operate(format_args!("S"));
    }

    fn begin_area(&mut self, fill: &str, opacity: f64) {
        let known = self.opacities.iter().position(|known| *known == opacity);
        let state = known.unwrap_or_else(|| {
            self.opacities.push(opacity);
            self.opacities.len() - 1
        });
        let fill = colour(fill);
        self.operate(format_args!("q /O{state} gs {fill} rg"));
    }

    fn path(&mut self, points: &[Point]) {
        for (index, (x, y)) in points.iter().enumerate() {
            let operator = if index == 0 { 'm' } else { 'l' };
            self.operate(format_args!("{x:.2} {y:.2} {operator}"));
        }
    }

    fn circle(&mut self, (x, y): Point, radius: f64, fill: &str) {
        self.begin_area(fill, 1.0);
        self.operate(format_args!("{:.2} {y:.2} m", x + radius));
        // The directions of the ends of each quarter.
        for ((ax, ay), (bx, by)) in [
            ((1.0, 0.0), (0.0, 1.0)),
            ((0.0, 1.0), (-1.0, 0.0)),
            ((-1.0, 0.0), (0.0, -1.0)),
            ((0.0, -1.0), (1.0, 0.0)),
        ] {
            let at = |dx: f64, dy: f64| format!("{:.2} {:.2}", x + radius * dx, y + radius * dy);
            let first = at(ax + CIRCLE * bx, ay + CIRCLE * by);
            let second = at(bx + CIRCLE * ax, by + CIRCLE * ay);
            let end = at(bx, by);
            self.operate(format_args!("{first} {second} {end} c"));
        }
        self.operate(format_args!("f Q"));
    }

    fn text(
        &mut self,
        (x, y): Point,
        (text, exponent): (&str, Option<&str>),
        style: TextStyle,
        reads_upwards: bool,
    ) {
        let base = helvetica::encode(text);
        let raised = exponent.map(helvetica::encode);
        let raised_size = 0.75 * style.size;
        let width = helvetica::width(&base) * style.size
            + raised.as_deref().map_or(0.0, helvetica::width) * raised_size;
        let back = match style.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        // Where the text begins, and which way its letters go.
        let matrix = match reads_upwards {
            false => format!("1 0 0 -1 {:.2} {y:.2}", x - back),
            true => format!("0 -1 -1 0 {x:.2} {:.2}", y + back),
        };
        let font = if style.is_bold { "F1" } else { "F0" };
        let fill = colour(style.colour);
        let size = style.size;
        let base = hexadecimal(&base);
        self.operate(format_args!(
            "{fill} rg BT /{font} {size} Tf {matrix} Tm <{base}> Tj"
        ));
        if let Some(raised) = raised {
            let rise = 0.4 * size;
            let raised = hexadecimal(&raised);
            self.operate(format_args!(
                "/{font} {raised_size:.2} Tf {rise:.2} Ts <{raised}> Tj 0 Ts"
            ));
        }
        self.operate(format_args!("ET"));
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// Red, green and blue from 0 to 1, of `#rrggbb`.
fn colour(name: &str) -> String {
    let part = |index: usize| {
        let digits = name.get(1 + 2 * index..3 + 2 * index).unwrap_or("00");
        f64::from(u8::from_str_radix(digits, 16).unwrap_or(0)) / 255.0
    };
    format!("{:.3} {:.3} {:.3}", part(0), part(1), part(2))
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::super::picture::Marker;
    use super::*;

    fn operators(file: &[u8]) -> String {
        let begin = b"stream\n";
        let start = file.windows(begin.len()).position(|part| part == begin);
        let packed = &file[start.unwrap() + begin.len()..];
        let mut text = String::new();
        flate2::read::ZlibDecoder::new(packed)
            .read_to_string(&mut text)
            .unwrap();
        text
    }

    #[test]
    fn shapes_become_operators_and_the_table_finds_the_objects() {
        let mut picture = Picture::new(100.0, 40.0);
        picture.line((0.0, 1.0), (10.0, 2.5), Stroke::solid("#ff0000", 2.0));
        picture.area(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)], "#00ff00", 0.25);
        picture.marker(Marker::Circle, (5.0, 5.0), 2.0, "#0000ff", Some("tip"));
        picture.text((50.0, 20.0), "ii", TextStyle::new(10.0, Anchor::End));
        picture.scientific((9.0, 9.0), 1, -3, TextStyle::new(10.0, Anchor::Start));
        let file = picture.pdf("a) title\u{3b1}");
        let text = operators(&file);
        for expected in [
            "0.75 0 0 -0.75 0 30 cm",
            "1.000 0.000 0.000 RG 2 w [] 0 d\n0.00 1.00 m\n10.00 2.50 l\nS",
            "q /O0 gs 0.000 1.000 0.000 rg",
            "q /O1 gs 0.000 0.000 1.000 rg\n7.00 5.00 m",
            // Helvetica's i is 222 thousandths wide.
            "1 0 0 -1 45.56 20.00 Tm <6969> Tj",
            "<3130> Tj\n/F0 7.50 Tf 4.00 Ts <9633> Tj 0 Ts",
        ] {
            assert!(text.contains(expected), "{expected} is not in {text}");
        }
        let whole = String::from_utf8_lossy(&file);
        assert!(whole.contains("/MediaBox [0 0 75 30]"), "{whole}");
        assert!(whole.contains("/O0 << /ca 0.25 >>"), "{whole}");
        assert!(whole.contains("/Title <FEFF0061002900200074"), "{whole}");
        // What readers do: find the table by its place, and each object by its place in the table.
        let after = |mark: &str| whole.rsplit_once(mark).unwrap().1.to_owned();
        let place: usize = after("startxref\n")
            .lines()
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let table = String::from_utf8(file[place..].to_vec()).unwrap();
        let mut lines = table.lines().skip(3);
        for number in 1..=7 {
            let offset: usize = lines.next().unwrap()[..10].parse().unwrap();
            let object = format!("{number} 0 obj\n");
            assert!(file[offset..].starts_with(object.as_bytes()), "{number}");
        }
    }

    #[test]
    fn a_text_cannot_become_an_operator() {
        let mut picture = Picture::new(10.0, 10.0);
        let evil = "> Tj ET Q (x) \n\u{202e}";
        picture.text((0.0, 0.0), evil, TextStyle::new(10.0, Anchor::Start));
        let text = operators(&picture.pdf(evil));
        assert_eq!(text.matches(" Tj").count(), 1, "{text}");
        assert_eq!(text.matches("ET").count(), 1, "{text}");
    }
}
