//! Critical-difference diagrams (Demsar 2006, figure 1).

use loto_statistics::analysis::Comparison;

use super::palette::Palette;
use super::picture::{Anchor, Picture, Stroke, TextStyle, shorten, text_width};
use super::scale::Linear;

const TEXT_SIZE: f64 = 12.5;
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
        let number = TextStyle::new(TEXT_SIZE - 1.5, anchor).coloured("#444444");
        let rank_text = format!("{rank:.2}");
        picture.text((end + outward * 6.0, y + 4.0), &rank_text, number);
        picture.marker(style.marker, (pixel, axis), 3.6, style.colour, None);
    }
    picture
}

fn draw_axis(picture: &mut Picture, ranks: &Linear, count: usize, difference: Option<f64>, y: f64) {
    let number = TextStyle::new(TEXT_SIZE - 1.5, Anchor::Middle).coloured("#444444");
    picture.line((ranks.start, y), (ranks.pixel(count as f64), y), AXIS);
    for rank in 1..=count {
        let pixel = ranks.pixel(rank as f64);
        picture.line((pixel, y - 6.0), (pixel, y), TICK);
        picture.text((pixel, y - 10.0), &rank.to_string(), number);
        if rank < count {
            let half = ranks.pixel(rank as f64 + 0.5);
            picture.line((half, y - 3.0), (half, y), TICK);
        }
    }
    let caption = TextStyle::new(TEXT_SIZE - 1.5, Anchor::End).coloured("#444444");
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
