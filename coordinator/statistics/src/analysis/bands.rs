//! Bootstrap bands of all curves of a black box.

use super::options::{AnalysisOptions, Bands};
use super::output::{Band, TaskAnalysis};
use super::task::TaskGaps;
use crate::bootstrap::{PercentileLimits, ResampledMeans, random_stream};
use crate::means::mean_of_curves;
use crate::results::BlackboxCurves;

/// Fills in the limits of the DTM bands of all tasks, and returns the ADTM band
/// over the `averaged` tasks of each method that has finished traces on all of them;
/// limits that were not asked for are empty.
pub(crate) fn fill_bands(
    blackbox: &BlackboxCurves,
    curves: &[TaskGaps<'_>],
    averaged: &[usize],
    options: &AnalysisOptions,
    tasks: &mut [TaskAnalysis],
) -> Vec<Option<Band>> {
    let mut resampling = Resampling::new(blackbox.iterations, options);
    let mut adtm_bands = Vec::with_capacity(blackbox.methods.len());
    for (method, name) in blackbox.methods.iter().enumerate() {
        resampling.adtm.fill(0.0);
        resampling.adtm_changed.fill(false);
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
            let task_name = &blackbox.tasks[task].name;
            let mut random = random_stream(options.seed, &blackbox.name, task_name, name);
            resampling.means.resample(own, curves.range, &mut random);
            if options.bands == Bands::All
                && let Some(band) = &mut tasks[task].methods[method].dtm
            {
                (band.lower, band.upper) = resampling.limits_of_task();
            }
            if is_averaged {
                resampling.add_to_adtm();
            }
        }
        let mean_on = |&task: &usize| {
            let band = tasks[task].methods[method].dtm.as_ref()?;
            Some(band.mean.as_slice())
        };
        let means: Option<Vec<&[f64]>> = averaged.iter().map(mean_on).collect();
        let means = means.filter(|means| !means.is_empty());
        adtm_bands.push(means.map(|means| {
            let (lower, upper) = match options.bands {
                Bands::None => (Vec::new(), Vec::new()),
                Bands::All | Bands::Averages => resampling.limits_of_adtm(averaged.len()),
            };
            let mean = mean_of_curves(means);
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
    /// Of the series that was resampled last.
    means: ResampledMeans,
    /// Sums of the means over the averaged tasks of a method, by iteration, then resample.
    adtm: Vec<f64>,
    /// By iteration: whether a sum differs from that at the next one.
    adtm_changed: Vec<bool>,
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
            means: ResampledMeans::new(resamples, iterations),
            adtm: vec![0.0; resamples * iterations],
            adtm_changed: vec![false; iterations],
        }
    }

    fn limits_of_task(&mut self) -> LimitCurves {
        let Self { limits, means, .. } = self;
        let iterations = self.adtm_changed.len();
        limit_curves(iterations, |index| {
            means.changed(index).then(|| limits.of(means.at(index)))
        })
    }

    fn add_to_adtm(&mut self) {
        for (index, changed) in self.adtm_changed.iter_mut().enumerate() {
            let sums = &mut self.adtm[index * self.resamples..][..self.resamples];
            for (sum, mean) in sums.iter_mut().zip(self.means.at(index)) {
                *sum += mean;
            }
            *changed |= self.means.changed(index);
        }
    }

    /// The limits of the sums over so many tasks, divided by their number.
    fn limits_of_adtm(&mut self, tasks: usize) -> LimitCurves {
        let Self { limits, adtm, .. } = self;
        adtm.iter_mut().for_each(|sum| *sum /= tasks as f64);
        let (changed, resamples) = (&self.adtm_changed, self.resamples);
        limit_curves(changed.len(), |index| {
            let means = &adtm[index * resamples..][..resamples];
            changed[index].then(|| limits.of(means))
        })
    }
}

/// Limits at every iteration; without new ones, those of the next iteration hold.
fn limit_curves(
    iterations: usize,
    mut limits_at: impl FnMut(usize) -> Option<(f64, f64)>,
) -> LimitCurves {
    let (mut lower, mut upper) = (vec![0.0; iterations], vec![0.0; iterations]);
    let mut limits = (0.0, 0.0);
    for index in (0..iterations).rev() {
        limits = limits_at(index).unwrap_or(limits);
        (lower[index], upper[index]) = limits;
    }
    (lower, upper)
}
