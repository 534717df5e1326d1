//! The finished runs of a method on one task: their distances to the minimum, and how pages show them.

use loto_proto::identity::SeriesId;
use loto_proto::sweep::Sweep;
use loto_proto::untrusted_text::escape;
use loto_report::charts::{CURVES_SIZE, Palette, Runs, runs};
use loto_report::live::framed;
use loto_report::numbers;
use loto_statistics::dtm::{GapCurves, dtm};
use loto_statistics::results::BestCurves;
use loto_transport::store::Store;
use maud::{Markup, html};

use super::error::PageError;
use crate::results::{PlannedTraces, TaskValues};

/// Most seeds of a method whose runs are read for a page.
pub(super) const MOST_SEEDS: usize = 1000;

/// The finished runs of a method on one task.
pub(super) struct MethodRuns {
    /// What the sweep calls the method.
    pub(super) method: String,
    /// The series that they are of.
    pub(super) series: SeriesId,
    /// Number of evaluations of a whole run.
    iterations: usize,
    values: Option<TaskValues>,
    best: BestCurves,
    /// What is wrong with the traces that are left out.
    pub(super) damaged: Vec<String>,
    /// Whether there are more finished runs than are read.
    pub(super) is_cut: bool,
}

impl MethodRuns {
    /// Reads them; the place is the positions of black box, task and method.
    ///
    /// # Errors
    /// [`PageError::Coordinator`] if the store fails.
    pub(super) async fn read(
        planned: &PlannedTraces,
        place: [usize; 3],
        store: &dyn Store,
    ) -> Result<Self, PageError> {
        let [blackbox, task, method] = place;
        let blackbox = &planned.sweep().blackboxes[blackbox];
        let series = blackbox.series(&blackbox.methods[method], &blackbox.targets[task]);
        let series = series.id();
        let done = store.seeds_done(&[series]).await?.into_iter().flatten();
        let mut seeds: Vec<u32> = done.filter(|&seed| seed < planned.sweep().seeds).collect();
        seeds.sort_unstable();
        let is_cut = seeds.len() > MOST_SEEDS;
        seeds.truncate(MOST_SEEDS);
        let traces = planned.traces_at(place, &seeds, store).await?;
        let mut best = BestCurves::default();
        for (seed, trace) in traces.sound {
            planned.add_to_curves(place, seed, trace, &mut best);
        }
        Ok(Self {
            method: blackbox.methods[method].label().to_owned(),
            series,
            iterations: blackbox.iterations as usize,
            values: planned.values_at(place),
            best,
            damaged: traces.damaged.iter().map(ToString::to_string).collect(),
            is_cut,
        })
    }

    /// Number of runs.
    pub(super) fn len(&self) -> usize {
        self.best.len()
    }

    fn gaps(&self) -> Option<(GapCurves<'_>, f64)> {
        let values = self.values.filter(|_| !self.best.is_empty())?;
        let gaps = GapCurves::new(&self.best, self.iterations, values.minimum);
        Some((gaps, values.range))
    }

    /// The distance to the minimum at every evaluation, the mean over the runs; nothing without a run.
    pub(super) fn mean(&self) -> Vec<f64> {
        let gaps = self.gaps();
        gaps.map_or_else(Vec::new, |(gaps, range)| dtm(&gaps.mean(), range))
    }

    /// The distance to the minimum of every run at its end, with its seed.
    pub(super) fn finals(&self) -> Vec<(u32, f64)> {
        let Some((gaps, range)) = self.gaps() else {
            return Vec::new();
        };
        let distances = dtm(&gaps.final_gaps(), range);
        self.best.seeds().iter().copied().zip(distances).collect()
    }
}

/// A distance to the minimum, with a dash where there is none.
pub(super) fn distance(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), numbers::value)
}

/// The chart of the runs of some methods of a sweep on a task.
pub(super) fn chart(sweep: &Sweep, task: &str, methods: &[&MethodRuns]) -> Markup {
    let mut labels: Vec<String> = Vec::new();
    let specs = sweep
        .blackboxes
        .iter()
        .flat_map(|blackbox| &blackbox.methods);
    for spec in specs {
        if !labels.iter().any(|label| label == spec.label()) {
            labels.push(spec.label().to_owned());
        }
    }
    let known = methods.iter().find_map(|runs| runs.gaps().and(runs.values));
    let words = known.map_or("", |values| values.measure.words());
    let drawn: Vec<Runs<'_>> = methods
        .iter()
        .filter_map(|runs| {
            let method = runs.method.as_str();
            Some(Runs {
                method,
                gaps: runs.gaps()?.0,
            })
        })
        .collect();
    let picture = known.and_then(|values| {
        let scale = (values.measure, values.range);
        runs(task, scale, &drawn, &Palette::of(labels), CURVES_SIZE)
    });
    html! {
        @match picture {
            None => p.muted { "There is no curve to draw: no run is finished, or all were at the minimum at once." },
            Some(picture) => figure {
                (framed(&picture, &format!("{} over evaluations on {task}", capitalised(words))))
                figcaption {
                    (capitalised(words)) " over the evaluations: a thin line for each run, of at most 30, and a thick one for the \
                     mean of all. A curve that meets the axis has reached 0."
                }
            },
        }
        @for runs in methods {
            @if runs.is_cut {
                p.muted { "Of " (escape(&runs.method)) ", the first " (numbers::grouped(MOST_SEEDS as u64)) " finished runs." }
            }
            @for problem in &runs.damaged { p { "Left out: " (escape(problem)) } }
        }
    }
}

/// The text with its first letter as a capital.
fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
