//! Bootstrap bands of all curves of a black box.

use super::AnalysisOptions;
use super::output::{Band, TaskAnalysis};
use super::task::TaskCurves;
use crate::results::BlackboxResults;
use crate::statistics::bootstrap::{PercentileLimits, ResampledMeans, random_stream};
use crate::statistics::dtm::mean_of_curves;

/// Fills in the limits of the DTM bands of all tasks, and returns the ADTM band
/// over the `averaged` tasks of each method that has finished traces on all of them.
pub(super) fn fill_bands(
    blackbox: &BlackboxResults,
    curves: &[TaskCurves],
    averaged: &[usize],
    options: &AnalysisOptions,
    tasks: &mut [TaskAnalysis],
) -> Vec<Option<Band>> {
    let mut is_averaged = vec![false; tasks.len()];
    for &task in averaged {
        is_averaged[task] = true;
    }
    let mut limits = PercentileLimits::new(options.confidence);
    let mut adtm_bands = Vec::with_capacity(blackbox.methods.len());
    for (method, name) in blackbox.methods.iter().enumerate() {
        let mut series = resampled_series(blackbox, name, method, curves, &is_averaged, options);
        let bands = band_limits(&mut series, blackbox.iterations, options, &mut limits);
        let SeriesLimits {
            tasks: task_limits,
            adtm,
        } = bands;
        for (series, (lower, upper)) in series.iter().zip(task_limits) {
            if let Some(band) = &mut tasks[series.task].methods[method].dtm {
                band.lower = lower;
                band.upper = upper;
            }
        }
        let averaged_series = series.iter().filter(|series| series.averaged).count();
        let complete = averaged_series == averaged.len() && !averaged.is_empty();
        adtm_bands.push(complete.then(|| {
            let bands = averaged
                .iter()
                .filter_map(|&task| tasks[task].methods[method].dtm.as_ref());
            Band {
                mean: mean_of_curves(bands.map(|band| band.mean.as_slice())),
                lower: adtm.0,
                upper: adtm.1,
            }
        }));
    }
    adtm_bands
}

/// One method on one task, resampled.
struct ResampledSeries<'curves> {
    task: usize,
    averaged: bool,
    means: ResampledMeans<'curves>,
}

fn resampled_series<'curves>(
    blackbox: &BlackboxResults,
    name: &str,
    method: usize,
    curves: &'curves [TaskCurves],
    is_averaged: &[bool],
    options: &AnalysisOptions,
) -> Vec<ResampledSeries<'curves>> {
    let mut series = Vec::new();
    for (task, task_curves) in curves.iter().enumerate() {
        let Some(own) = &task_curves.methods[method] else {
            continue;
        };
        if task_curves.is_constant() {
            continue;
        }
        let task_name = &blackbox.tasks[task].name;
        let mut random = random_stream(options.seed, &blackbox.name, task_name, name);
        let resamples = options.bootstrap_resamples;
        series.push(ResampledSeries {
            task,
            averaged: is_averaged[task],
            means: ResampledMeans::new(own, task_curves.range, resamples, &mut random),
        });
    }
    series
}

/// Lower and upper limits over the iterations.
type LimitCurves = (Vec<f64>, Vec<f64>);

/// Limits of one method's bands.
struct SeriesLimits {
    /// Of DTM on each resampled task.
    tasks: Vec<LimitCurves>,
    /// Of ADTM over the averaged tasks.
    adtm: LimitCurves,
}

fn band_limits(
    series: &mut [ResampledSeries<'_>],
    iterations: usize,
    options: &AnalysisOptions,
    limits: &mut PercentileLimits,
) -> SeriesLimits {
    let empty = (vec![0.0; iterations], vec![0.0; iterations]);
    let mut task_limits = vec![empty.clone(); series.len()];
    let mut adtm_limits = empty;
    let mut adtm = vec![0.0; options.bootstrap_resamples];
    let averaged = series.iter().filter(|series| series.averaged).count() as f64;
    for index in (0..iterations).rev() {
        let mut adtm_changed = false;
        for (series, curves) in series.iter_mut().zip(&mut task_limits) {
            let changed = series.means.step_back(index);
            let at_index = changed.then(|| limits.of(series.means.means()));
            set_limits(curves, index, at_index);
            adtm_changed |= changed && series.averaged;
        }
        let at_index = adtm_changed.then(|| {
            adtm.fill(0.0);
            for series in series.iter().filter(|series| series.averaged) {
                for (sum, mean) in adtm.iter_mut().zip(series.means.means()) {
                    *sum += mean;
                }
            }
            adtm.iter_mut().for_each(|sum| *sum /= averaged);
            limits.of(&adtm)
        });
        set_limits(&mut adtm_limits, index, at_index);
    }
    SeriesLimits {
        tasks: task_limits,
        adtm: adtm_limits,
    }
}

/// Sets the limits at an index; without new ones, those of the next iteration hold.
fn set_limits(curves: &mut LimitCurves, index: usize, at_index: Option<(f64, f64)>) {
    let next = index + 1;
    let carried = || {
        let lower = curves.0.get(next).copied().unwrap_or_default();
        (lower, curves.1.get(next).copied().unwrap_or_default())
    };
    let (lower, upper) = at_index.unwrap_or_else(carried);
    curves.0[index] = lower;
    curves.1[index] = upper;
}
