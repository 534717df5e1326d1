//! The fronts that methods attain on a task with two objectives, as staircases.

use super::adtm::BASELINE_STROKE;
use super::palette::Palette;
use super::picture::{Picture, shorten};
use super::plot::{Curve, Names, Plot, Vertical};
use crate::attained::TaskFronts;

/// What the front of the table is called.
const TABLE_NAME: &str = "table";

/// Characters of the name of an axis.
const LABEL: usize = 40;

/// The front of the table, dotted, and of each method the front that at least half of its seeds attain; `None` without a method.
///
/// The axes show what any of these fronts spans.
pub(crate) fn fronts(
    fronts: &TaskFronts<'_>,
    palette: &Palette,
    size: (f64, f64),
) -> Option<Picture> {
    let points = || {
        let methods = fronts.methods.iter().flat_map(|(_, front)| front);
        methods.chain(&fronts.table).copied()
    };
    if fronts.methods.is_empty() {
        return None;
    }
    let limits = [0, 1].map(|objective| {
        let values = || points().map(|point| point[objective]);
        let least = values().fold(f64::INFINITY, f64::min);
        let greatest = values().fold(f64::NEG_INFINITY, f64::max);
        with_margins(least, greatest)
    });
    let corner = limits.map(|(_, greatest)| greatest);
    let table = staircase(&fronts.table, corner);
    let methods = fronts.methods.iter();
    let methods: Vec<_> = methods
        .map(|(method, front)| (*method, staircase(front, corner)))
        .collect();
    let of_table = Curve {
        name: TABLE_NAME.into(),
        x: Some(&table.0),
        y: &table.1,
        band: None,
        stroke: BASELINE_STROKE,
        style: None,
    };
    let of_methods = methods.iter().map(|(method, (x, y))| {
        let style = palette.style(method);
        Curve {
            x: Some(x),
            style: None,
            ..Curve::of_method(method, style, y)
        }
    });
    let objectives = fronts.objectives.map(|name| shorten(name, LABEL));
    let plot = Plot {
        title: fronts.task,
        x_label: &objectives[0],
        y_label: &objectives[1],
        x: limits[0],
        x_counts: false,
        y: Vertical::Upwards(limits[1].0, limits[1].1),
        curves: std::iter::once(of_table).chain(of_methods).collect(),
        names: Names::AtEnds,
    };
    Some(plot.draw(size))
}

/// The limits of an axis that shows these values. Where one row dominates all others, they are the same.
fn with_margins(least: f64, greatest: f64) -> (f64, f64) {
    let (spread, size) = (greatest - least, least.abs().max(greatest.abs()));
    let margin = match spread > 1e-9 * size {
        // Too small for a margin: drawn as 0.
        _ if size < 1e-300 => 1.0,
        true => 0.05 * spread,
        false => 0.05 * size,
    };
    (least - margin, greatest + margin)
}

/// The boundary of what a front dominates, up to a corner.
fn staircase(front: &[[f64; 2]], corner: [f64; 2]) -> (Vec<f64>, Vec<f64>) {
    let mut height = corner[1];
    let mut path = Vec::with_capacity(2 * front.len() + 1);
    for &[first, second] in front {
        path.extend([[first, height], [first, second]]);
        height = second;
    }
    path.push([corner[0], height]);
    path.into_iter().map(|[x, y]| (x, y)).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::CURVES_SIZE;

    #[test]
    fn a_front_of_one_row_is_in_the_middle() {
        for [first, second] in [[0.25, 0.0], [1e100, -1e-90], [-3.0, 5e-324]] {
            let known = TaskFronts {
                blackbox: "net",
                task: "wine",
                objectives: ["metric_error", "metric_latency"],
                table: vec![[first, second]],
                methods: vec![("gp + MO", vec![[first, second]])],
            };
            let palette = Palette::of(vec!["gp + MO".into()]);
            let svg = fronts(&known, &palette, CURVES_SIZE).unwrap().svg("fronts");
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
        let (lower, upper) = with_margins(0.25, 0.25);
        assert!(lower < 0.25 && upper > 0.25 && (lower + upper - 0.5).abs() < 1e-15);
        assert_eq!(with_margins(1.0, 2.0), (0.95, 2.05));
    }

    #[test]
    fn objectives_above_one_have_ticks_between_whole_numbers() {
        let known = TaskFronts {
            blackbox: "net",
            task: "wine",
            objectives: ["metric_error", "metric_latency"],
            table: vec![[5.2, 3.0], [5.8, 1.0]],
            methods: vec![("gp + MO", vec![[5.4, 3.0]])],
        };
        let palette = Palette::of(vec!["gp + MO".into()]);
        let svg = fronts(&known, &palette, CURVES_SIZE).unwrap().svg("fronts");
        // The other axis ends at 3.1.
        assert!(svg.contains(">5.3<") && svg.contains(">5.8<"), "{svg}");
    }

    #[test]
    fn every_front_is_a_staircase_with_its_name() {
        let (x, y) = staircase(&[[1.0, 3.0], [2.0, 1.0]], [4.0, 5.0]);
        assert_eq!(x, [1.0, 1.0, 2.0, 2.0, 4.0]);
        assert_eq!(y, [5.0, 3.0, 3.0, 1.0, 1.0]);
        let known = TaskFronts {
            blackbox: "net",
            task: "wine",
            objectives: ["metric_error", "metric_latency"],
            table: vec![[1.0, 3.0], [2.0, 1.0]],
            methods: vec![("gp + MO", vec![[2.0, 3.0]])],
        };
        let palette = Palette::of(vec!["gp + MO".into()]);
        let svg = fronts(&known, &palette, CURVES_SIZE).unwrap().svg("fronts");
        assert!(
            svg.contains(">gp + MO<") && svg.contains(">table<"),
            "{svg}"
        );
        assert!(
            svg.contains(">metric_error<") && svg.contains(">metric_latency<"),
            "{svg}"
        );
        let none = TaskFronts {
            methods: Vec::new(),
            ..known
        };
        assert!(fronts(&none, &palette, CURVES_SIZE).is_none());
    }
}
