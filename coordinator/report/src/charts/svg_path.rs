//! Lines of SVG in few bytes: a page has tens of thousands of points.

use std::fmt::Write;

use super::picture::Point;

/// How far a drawn line may be from its points, in pixels: nobody sees that.
const TOLERANCE: f64 = 0.25;

/// The data of a path through points, to a tenth of a pixel (SVG 1.1, section 8.3): steps from point to point, since they are
/// short, and without points that lie on the line between others.
pub(super) fn path(points: &[Point]) -> String {
    let mut data = String::new();
    // In tenths of a pixel, so that no step adds an error to those before.
    let mut last: Option<(i64, i64)> = None;
    for (x, y) in needed(points) {
        let place = (tenths(x), tenths(y));
        let Some(from) = last.replace(place) else {
            data.push('M');
            push_number(&mut data, place.0);
            push_next(&mut data, place.1);
            continue;
        };
        match (place.0 - from.0, place.1 - from.1) {
            (0, 0) => {}
            (right, 0) => {
                data.push('h');
                push_number(&mut data, right);
            }
            (0, down) => {
                data.push('v');
                push_number(&mut data, down);
            }
            (right, down) => {
                data.push('l');
                push_number(&mut data, right);
                push_next(&mut data, down);
            }
        }
    }
    data
}

fn tenths(pixels: f64) -> i64 {
    // No picture is so large; what is infinite or no number at all must not overflow.
    (pixels * 10.0).round().clamp(-1e9, 1e9) as i64
}

/// A number of tenths: 53 is 5.3, -4 is -.4, 20 is 2.
fn push_number(data: &mut String, tenths: i64) {
    if tenths < 0 {
        data.push('-');
    }
    let (whole, rest) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
    // Writing to a string does not fail.
    let _ = match (whole, rest) {
        (whole, 0) => write!(data, "{whole}"),
        (0, rest) => write!(data, ".{rest}"),
        (whole, rest) => write!(data, "{whole}.{rest}"),
    };
}

/// A number behind another one.
fn push_next(data: &mut String, tenths: i64) {
    if tenths >= 0 {
        data.push(' ');
    }
    push_number(data, tenths);
}

/// The points without those that are hardly off the line that the others make (Douglas and Peucker 1973).
fn needed(points: &[Point]) -> impl Iterator<Item = Point> {
    let mut is_needed = vec![false; points.len()];
    let mut pieces = Vec::new();
    if let Some(last) = points.len().checked_sub(1) {
        is_needed[0] = true;
        is_needed[last] = true;
        pieces.push((0, last));
    }
    while let Some((first, last)) = pieces.pop() {
        let between = first + 1..last;
        let distances =
            between.map(|index| (index, distance(points[index], points[first], points[last])));
        let farthest = distances.max_by(|(_, one), (_, other)| one.total_cmp(other));
        if let Some((index, distance)) = farthest
            && distance > TOLERANCE
        {
            is_needed[index] = true;
            pieces.extend([(first, index), (index, last)]);
        }
    }
    let needed = points.iter().zip(is_needed);
    needed.filter_map(|(point, is_needed)| is_needed.then_some(*point))
}

/// How far a point is from a piece of a line.
fn distance((x, y): Point, (from_x, from_y): Point, (to_x, to_y): Point) -> f64 {
    let (right, down) = (to_x - from_x, to_y - from_y);
    let length = right * right + down * down;
    let along = match length {
        0.0 => 0.0,
        _ => (((x - from_x) * right + (y - from_y) * down) / length).clamp(0.0, 1.0),
    };
    (x - from_x - along * right).hypot(y - from_y - along * down)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_short_and_exact() {
        let points = [
            (10.04, 20.0),
            (15.0, 20.0),
            (15.0, 7.96),
            (15.51, 7.5),
            (5.0, 27.5),
        ];
        assert_eq!(path(&points), "M10 20h5v-12l.5-.5l-10.5 20");
        assert_eq!(path(&[]), "");
        assert_eq!(path(&[(-0.5, 3.0)]), "M-.5 3");
        // Tenths add up: no step inherits the rounding of the one before.
        let stairs: Vec<Point> = (0..100)
            .map(|index| (f64::from(index) * 1.04, f64::from(index % 2) * 9.0))
            .collect();
        let right: f64 = path(&stairs)
            .split(['M', 'l'])
            .filter_map(|step| step.split([' ', '-']).next()?.parse::<f64>().ok())
            .sum();
        assert!((right - 103.0).abs() < 0.051, "{right}");
    }

    #[test]
    fn what_is_left_out_is_on_the_line() {
        let curve: Vec<Point> = (0..200)
            .map(|index| (f64::from(index) * 3.0, 300.0 / f64::from(index + 1)))
            .collect();
        let kept: Vec<Point> = needed(&curve).collect();
        assert!(kept.len() < 60, "{}", kept.len());
        for point in &curve {
            let near = kept
                .windows(2)
                .map(|piece| distance(*point, piece[0], piece[1]));
            assert!(near.fold(f64::INFINITY, f64::min) <= TOLERANCE);
        }
        // A line that goes back on itself keeps its ends.
        let back = [(0.0, 0.0), (9.0, 0.0), (3.0, 0.0)];
        assert_eq!(needed(&back).collect::<Vec<_>>(), back);
    }
}
