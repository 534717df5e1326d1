//! Every run of some methods on one task, and the mean of each method.

use loto_statistics::dtm::{GapCurves, dtm};
use loto_statistics::results::Measure;

use super::adtm::range;
use super::palette::Palette;
use super::picture::Picture;
use super::plot::{Curve, Names, Plot, Vertical};

/// Width of the line of a single run.
const RUN_WIDTH: f64 = 0.7;

/// Most runs of a method that are drawn: more cover each other, and make the page large.
const MOST_RUNS: usize = 30;

/// The runs of a method on a task.
#[derive(Debug, Clone, Copy)]
pub struct Runs<'a> {
    /// What the sweep calls the method.
    pub method: &'a str,
    /// How far the best value so far of each run is above the least of the task; there must be a run.
    pub gaps: GapCurves<'a>,
}

/// What is measured of the runs over the evaluations on a logarithmic axis: a thin line for each of the first 30 of
/// every method, a thick one for the mean of all. Beside the measure is what a gap of its greatest value is: the greatest objective value of
/// the task less the least, or 1 for hypervolume errors.
/// `None` if all are at 0.
pub fn runs(
    task: &str,
    (measure, objective_range): (Measure, f64),
    methods: &[Runs<'_>],
    palette: &Palette,
    size: (f64, f64),
) -> Option<Picture> {
    let iterations = methods.iter().map(|runs| runs.gaps.iterations()).max()?;
    let single: Vec<(&str, Vec<Corners>)> = methods
        .iter()
        .map(|runs| (runs.method, corners(runs, objective_range)))
        .collect();
    let means: Vec<(&str, Vec<f64>)> = methods
        .iter()
        .map(|runs| (runs.method, dtm(&runs.gaps.mean(), objective_range)))
        .collect();
    let thin = single.iter().flat_map(|(method, runs)| {
        let stroke = palette.style(method).stroke(RUN_WIDTH);
        runs.iter().map(move |(x, y)| Curve {
            name: String::new(),
            x: Some(x),
            y,
            band: None,
            stroke,
            style: None,
        })
    });
    let thick = means
        .iter()
        .map(|(method, mean)| Curve::of_method(method, palette.style(method), mean));
    let curves: Vec<Curve<'_>> = thin.chain(thick).collect();
    let (lower, upper) = range(&curves)?;
    let plot = Plot {
        title: task,
        x_label: "evaluations",
        y_label: measure.words(),
        x: (1.0, (iterations as f64).max(2.0)),
        x_counts: true,
        y: Vertical::Logarithmic(lower, upper),
        curves,
        names: Names::AtEnds,
    };
    Some(plot.draw(size))
}

/// Where a line turns: its evaluations and its distances.
type Corners = (Vec<f64>, Vec<f64>);

/// The lines of the first runs, which are level between few steps.
fn corners(runs: &Runs<'_>, objective_range: f64) -> Vec<Corners> {
    let runs = runs.gaps.segments().take(MOST_RUNS);
    let lines = runs.map(|segments| {
        let ends = segments.flat_map(|(begin, end, gap)| {
            let distance = gap / objective_range;
            [(begin as f64 + 1.0, distance), (end as f64, distance)]
        });
        ends.unzip()
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use loto_statistics::results::BestCurves;

    use super::*;
    use crate::charts::CURVES_SIZE;

    #[test]
    fn each_run_and_each_mean_has_a_line_and_only_means_have_names() {
        let mut one = BestCurves::default();
        let mut other = BestCurves::default();
        for seed in 0..40 {
            one.insert(seed, &[5.0, 7.0, 2.0, 3.0]);
            other.insert(seed, &[4.0, 3.5, 3.0, 2.5]);
        }
        let methods = [("gp", &one), ("rs", &other)].map(|(method, curves)| Runs {
            method,
            gaps: GapCurves::new(curves, 4, 1.0),
        });
        let palette = Palette::of(vec!["gp".into(), "rs".into()]);
        let drawn = runs(
            "wine",
            (Measure::default(), 8.0),
            &methods,
            &palette,
            CURVES_SIZE,
        )
        .unwrap();
        let svg = drawn.svg("runs");
        let thin = svg.matches("stroke-width=\"0.7\"").count();
        assert_eq!(thin, 2 * MOST_RUNS);
        assert_eq!(svg.matches(">gp<").count(), 1, "{svg}");
        assert_eq!(svg.matches(">rs<").count(), 1);
        // Level until the third evaluation: four corners.
        let (x, y) = &corners(&methods[0], 8.0)[0];
        assert_eq!(x, &[1.0, 2.0, 3.0, 4.0]);
        assert_eq!(y, &[0.5, 0.5, 0.125, 0.125]);
        let mut solved = BestCurves::default();
        solved.insert(0, &[1.0]);
        let at_once = Runs {
            method: "gp",
            gaps: GapCurves::new(&solved, 1, 1.0),
        };
        assert!(
            runs(
                "wine",
                (Measure::default(), 8.0),
                &[at_once],
                &palette,
                CURVES_SIZE
            )
            .is_none()
        );
    }
}
