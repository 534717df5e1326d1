//! Bootstrap bands of all curves of a black box.

use super::band::Band;
use super::options::{AnalysisOptions, Bands};
use super::task::TaskGaps;
use super::task_output::TaskAnalysis;
use crate::bootstrap::{PercentileLimits, ResampledMeans, random_stream};
use crate::dtm::{GapCurves, POSSIBLE_DISTANCES};
use crate::interval::Interval;
use crate::means::mean_of_curves;
use crate::results::BlackboxCurves;
use crate::small_samples::{LimitStretch, degrees_of_freedom, resampling_stretch};

/// Fills in the limits of the DTM bands of all tasks, and returns the ADTM band
/// over the `averaged` tasks of each method that has finished traces on all of them;
/// limits that were not asked for, or that one seed does not tell, are empty.
pub(crate) fn fill_bands(
    blackbox: &BlackboxCurves,
    curves: &[TaskGaps<'_>],
    averaged: &[usize],
    options: &AnalysisOptions,
    tasks: &mut [TaskAnalysis],
    rest: &mut dyn FnMut(),
) -> Vec<Option<Band>> {
    let mut resampling = Resampling::new(blackbox.iterations, options);
    let mut adtm_bands = Vec::with_capacity(blackbox.methods.len());
    for method in 0..blackbox.methods.len() {
        let name = blackbox.reported_name(method);
        resampling.begin_method();
        for (task, curves) in curves.iter().enumerate() {
            let Some(own) = &curves.methods[method] else {
                continue;
            };
            let is_averaged = averaged.contains(&task);
            let wanted = match options.bands {
                Bands::All => true,
                Bands::Averages => is_averaged,
                Bands::None => false,
            };
            if !wanted || curves.is_constant() {
                continue;
            }
            rest();
            let task_name = &blackbox.tasks[task].name;
            let mut random = random_stream(options.seed, &blackbox.name, task_name, &name);
            resampling.means.resample(own, curves.range, &mut random);
            let Some(band) = &mut tasks[task].methods[method].dtm else {
                continue;
            };
            if options.bands == Bands::All {
                (band.lower, band.upper) = resampling.limits_of_task(&band.mean, own.seeds());
            }
            if is_averaged {
                resampling.add_to_adtm(&band.mean, own, curves.range);
            }
        }
        let mean_on = |&task: &usize| {
            let band = tasks[task].methods[method].dtm.as_ref()?;
            Some(band.mean.as_slice())
        };
        let means: Option<Vec<&[f64]>> = averaged.iter().map(mean_on).collect();
        let means = means.filter(|means| !means.is_empty());
        adtm_bands.push(means.map(|means| {
            let tasks = means.len();
            let mean = mean_of_curves(means);
            let (lower, upper) = match options.bands {
                Bands::None => (Vec::new(), Vec::new()),
                Bands::All | Bands::Averages => resampling.limits_of_adtm(&mean, tasks),
            };
            Band { mean, lower, upper }
        }));
    }
    adtm_bands
}

/// Lower and upper limits over the iterations.
type LimitCurves = (Vec<f64>, Vec<f64>);

/// The memory of resampling, for one series after the other.
struct Resampling {
    resamples: usize,
    limits: PercentileLimits,
    stretch: LimitStretch,
    /// Of the series that was resampled last.
    means: ResampledMeans,
    /// Sums of the means over the averaged tasks of a method, by iteration, then resample; the
    /// deviations are corrected for the number of seeds.
    adtm: Vec<f64>,
    /// By iteration: whether a sum differs from that at the next one.
    adtm_changed: Vec<bool>,
    /// By iteration: the sum of the variances of the means.
    variances: Vec<f64>,
    /// By iteration: the sum of their squares over their degrees of freedom.
    squares: Vec<f64>,
    /// Whether all series of the method have several seeds: the limits of one that has not are not known.
    has_adtm_limits: bool,
    /// The least and the greatest distance that is possible, or was reached by values that were recorded elsewhere.
    reached: (f64, f64),
}

impl Resampling {
    fn new(iterations: usize, options: &AnalysisOptions) -> Self {
        let resamples = match options.bands {
            Bands::None => 0,
            Bands::All | Bands::Averages => options.bootstrap_resamples,
        };
        Self {
            resamples,
            limits: PercentileLimits::new(options.confidence),
            stretch: LimitStretch::new(options.confidence),
            means: ResampledMeans::new(resamples, iterations),
            adtm: vec![0.0; resamples * iterations],
            adtm_changed: vec![false; iterations],
            variances: vec![0.0; iterations],
            squares: vec![0.0; iterations],
            has_adtm_limits: true,
            reached: POSSIBLE_DISTANCES,
        }
    }

    fn begin_method(&mut self) {
        self.adtm.fill(0.0);
        self.adtm_changed.fill(false);
        self.variances.fill(0.0);
        self.squares.fill(0.0);
        self.has_adtm_limits = true;
        self.reached = POSSIBLE_DISTANCES;
    }

    /// The limits of the series that was resampled last, whose mean curve and number of seeds these are.
    fn limits_of_task(&mut self, mean: &[f64], seeds: usize) -> LimitCurves {
        if seeds < 2 {
            return LimitCurves::default();
        }
        let Self { limits, means, .. } = self;
        let factor = resampling_stretch(seeds) * self.stretch.at(seeds as f64 - 1.0);
        limit_curves(mean.len(), |index| {
            let found = means.changed(index).then(|| limits.of(means.at(index)));
            found.map(|limits| limits.stretched_within(mean[index], factor, POSSIBLE_DISTANCES))
        })
    }

    /// Adds the series that was resampled last to the sums over the tasks.
    fn add_to_adtm(&mut self, mean: &[f64], curves: &GapCurves<'_>, range: f64) {
        let seeds = curves.seeds();
        if seeds < 2 {
            self.has_adtm_limits = false;
            return;
        }
        let stretch = resampling_stretch(seeds);
        for (index, changed) in self.adtm_changed.iter_mut().enumerate() {
            let sums = &mut self.adtm[index * self.resamples..][..self.resamples];
            for (sum, resampled) in sums.iter_mut().zip(self.means.at(index)) {
                *sum += mean[index] + stretch * (resampled - mean[index]);
            }
            *changed |= self.means.changed(index);
        }
        for (.., gap) in curves.segments().flatten() {
            let (least, greatest) = self.reached;
            self.reached = (least.min(gap / range), greatest.max(gap / range));
        }
        let variances = curves.variance_of_mean();
        for (index, variance) in variances.into_iter().enumerate() {
            let variance = variance / (range * range);
            self.variances[index] += variance;
            self.squares[index] += variance * variance / (seeds as f64 - 1.0);
        }
    }

    /// The limits of the sums over so many tasks, divided by their number; `mean` is the average curve.
    fn limits_of_adtm(&mut self, mean: &[f64], tasks: usize) -> LimitCurves {
        if !self.has_adtm_limits {
            return LimitCurves::default();
        }
        let Self { limits, adtm, .. } = self;
        adtm.iter_mut().for_each(|sum| *sum /= tasks as f64);
        let (changed, resamples) = (&self.adtm_changed, self.resamples);
        limit_curves(changed.len(), |index| {
            let means = &adtm[index * resamples..][..resamples];
            let found = changed[index].then(|| limits.of(means));
            found.map(|limits| {
                let degrees = degrees_of_freedom(self.variances[index], self.squares[index]);
                let factor = self.stretch.at(degrees);
                // The resamples are stretched themselves, and may lie beyond what is possible.
                limits.stretched(mean[index], factor).within(self.reached)
            })
        })
    }
}

/// Limits at every iteration; without new ones, those of the next iteration hold.
fn limit_curves(
    iterations: usize,
    mut limits_at: impl FnMut(usize) -> Option<Interval>,
) -> LimitCurves {
    let (mut lower, mut upper) = (vec![0.0; iterations], vec![0.0; iterations]);
    let mut limits = Interval {
        lower: 0.0,
        upper: 0.0,
    };
    for index in (0..iterations).rev() {
        limits = limits_at(index).unwrap_or(limits);
        (lower[index], upper[index]) = (limits.lower, limits.upper);
    }
    (lower, upper)
}
