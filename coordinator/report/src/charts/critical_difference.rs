//! Critical-difference diagrams (Demsar 2006, figure 1).

use loto_statistics::analysis::Comparison;

use super::palette::Palette;
use super::picture::{Anchor, Picture, Stroke, TextStyle, shorten, text_width};
use super::scale::Linear;

const TEXT_SIZE: f64 = 12.5;
const NUMBER_SIZE: f64 = TEXT_SIZE - 1.5;
/// What is left between the numbers of ranks at least.
const NUMBER_GAP: f64 = 4.0;
const LINE_HEIGHT: f64 = 19.0;
const BAR_GAP: f64 = 8.0;
const AXIS: Stroke = Stroke::solid("#222222", 1.2);
const TICK: Stroke = Stroke::solid("#222222", 1.0);
const BAR: Stroke = Stroke::solid("#222222", 4.0);
const DIFFERENCE: Stroke = Stroke::solid("#222222", 1.6);
const LEADER_WIDTH: f64 = 1.4;

/// The methods on an axis of average ranks, the best on the left; thick bars
/// join methods that do not differ significantly (Nemenyi), unless over so few tasks none could.
pub fn critical_difference(
    comparison: &Comparison,
    title: &str,
    palette: &Palette,
    width: f64,
) -> Picture {
    let count = comparison.methods.len();
    let mut order: Vec<usize> = (0..count).collect();
    let average_ranks = &comparison.average_ranks;
    order.sort_by(|&one, &other| average_ranks[one].total_cmp(&average_ranks[other]));
    let label = |index: usize| shorten(&comparison.methods[index], 26);
    let label_widths = (0..count).map(|index| text_width(&label(index), TEXT_SIZE));
    let label_width = label_widths.fold(40.0, f64::max);
    let margin = label_width + 80.0;
    let nemenyi = Some(&comparison.nemenyi).filter(|_| comparison.nemenyi_can_reject());
    let difference = nemenyi.map(|nemenyi| nemenyi.critical_difference);
    let ranks = Linear {
        lower: 1.0,
        upper: count as f64,
        start: margin,
        end: width - margin,
    };

    let mut groups: Vec<&Vec<usize>> = nemenyi.iter().flat_map(|test| &test.groups).collect();
    groups.sort_by_key(|group| order.iter().position(|method| group.contains(method)));
    let axis = 82.0;
    let first_label = axis + 16.0 + BAR_GAP * groups.len() as f64 + 10.0;
    let left = count.div_ceil(2);
    let height = first_label + LINE_HEIGHT * left as f64 + 6.0;

    let mut picture = Picture::new(width, height);
    let heading = TextStyle::new(14.0, Anchor::Start).bold();
    picture.text((10.0, 18.0), &shorten(title, 90), heading);
    draw_axis(&mut picture, &ranks, count, difference, axis);
    for (level, group) in groups.iter().enumerate() {
        let y = axis + 14.0 + BAR_GAP * level as f64;
        let pixel = |method: &usize| ranks.pixel(average_ranks[*method]);
        // By ascending average rank.
        let ends = group.first().map(pixel).zip(group.last().map(pixel));
        if let Some((first, last)) = ends {
            picture.line((first - 3.0, y), (last + 3.0, y), BAR);
        }
    }
    for (position, &method) in order.iter().enumerate() {
        // On both sides the outermost method has the uppermost label, so that no two lines cross.
        let (line, end, anchor, outward) = if position < left {
            (position, margin - 24.0, Anchor::End, -1.0)
        } else {
            let end = width - margin + 24.0;
            (count - 1 - position, end, Anchor::Start, 1.0)
        };
        let y = first_label + LINE_HEIGHT * line as f64;
        let rank = average_ranks[method];
        let pixel = ranks.pixel(rank);
        let style = palette.style(&comparison.methods[method]);
        let leader = Stroke::solid(style.colour, LEADER_WIDTH);
        picture.polyline(&[(pixel, axis), (pixel, y), (end, y)], leader);
        let name = TextStyle::new(TEXT_SIZE, anchor);
        picture.text((end + outward * 47.0, y + 4.0), &label(method), name);
        let number = TextStyle::new(NUMBER_SIZE, anchor).coloured("#444444");
        let rank_text = format!("{rank:.2}");
        picture.text((end + outward * 6.0, y + 4.0), &rank_text, number);
        picture.marker(style.marker, (pixel, axis), 3.6, style.colour, None);
    }
    picture
}

/// Every how many ranks one has room for its number.
fn labelled_every(ranks: &Linear, count: usize) -> usize {
    let room = ranks.pixel(2.0) - ranks.pixel(1.0);
    let needed = text_width(&count.to_string(), NUMBER_SIZE) + NUMBER_GAP;
    // Ranks without any room still get a number at the first.
    let every = (needed / room.max(1e-3)).ceil() as usize;
    every.clamp(1, count.max(1))
}

fn draw_axis(picture: &mut Picture, ranks: &Linear, count: usize, difference: Option<f64>, y: f64) {
    let number = TextStyle::new(NUMBER_SIZE, Anchor::Middle).coloured("#444444");
    let every = labelled_every(ranks, count);
    picture.line((ranks.start, y), (ranks.pixel(count as f64), y), AXIS);
    for rank in 1..=count {
        let pixel = ranks.pixel(rank as f64);
        let is_labelled = (rank - 1).is_multiple_of(every);
        let length = if is_labelled { 6.0 } else { 3.0 };
        picture.line((pixel, y - length), (pixel, y), TICK);
        if is_labelled {
            picture.text((pixel, y - 10.0), &rank.to_string(), number);
        }
        if rank < count && every == 1 {
            let half = ranks.pixel(rank as f64 + 0.5);
            picture.line((half, y - 3.0), (half, y), TICK);
        }
    }
    let caption = TextStyle::new(NUMBER_SIZE, Anchor::End).coloured("#444444");
    picture.text((ranks.start - 10.0, y + 4.0), "average rank", caption);
    let Some(difference) = difference else {
        return;
    };
    let (start, end) = (ranks.start, ranks.pixel(1.0 + difference));
    let level = y - 32.0;
    picture.line((start, level), (end, level), DIFFERENCE);
    for pixel in [start, end] {
        picture.line((pixel, level - 4.0), (pixel, level + 4.0), DIFFERENCE);
    }
    let text = format!("critical difference {difference:.2}");
    let style = TextStyle::new(TEXT_SIZE - 1.0, Anchor::Start);
    picture.text((start, level - 8.0), &text, style);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::picture::Shape;

    /// The places of the numbers of so many ranks on an axis of 300 pixels, and the number of ticks.
    fn axis(count: usize) -> (Vec<(usize, f64)>, usize) {
        let ranks = Linear {
            lower: 1.0,
            upper: count as f64,
            start: 278.0,
            end: 578.0,
        };
        let mut picture = Picture::new(860.0, 200.0);
        draw_axis(&mut picture, &ranks, count, None, 82.0);
        let number = |shape: &Shape| match shape {
            Shape::Text { position, text, .. } => Some((text.parse().ok()?, position.0)),
            _ => None,
        };
        let is_line = |shape: &&Shape| matches!(shape, Shape::Line { .. });
        let lines = picture.shapes.iter().filter(is_line).count();
        // One of the lines is the axis.
        let numbers = picture.shapes.iter().filter_map(number).collect();
        (numbers, lines - 1)
    }

    #[test]
    fn numbers_of_ranks_do_not_cover_each_other() {
        for count in [9, 45, 120, 1000] {
            let (numbers, ticks) = axis(count);
            assert!(numbers.len() > 4, "{count}: {numbers:?}");
            for pair in numbers.windows(2) {
                // Digits are narrower than six tenths of their height.
                let width = 0.6 * 11.0 * pair[1].0.to_string().len() as f64;
                assert!(pair[1].1 - pair[0].1 > width, "{count}: {numbers:?}");
            }
            assert!(ticks >= count);
        }
        assert_eq!(axis(45).1, 45);
    }

    #[test]
    fn few_ranks_have_a_number_each_and_halves() {
        let (numbers, ticks) = axis(4);
        assert_eq!(numbers, [(1, 278.0), (2, 378.0), (3, 478.0), (4, 578.0)]);
        assert_eq!(ticks, 7);
    }
}
