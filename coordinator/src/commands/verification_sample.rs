//! Which finished traces `loto verify` computes again, and what such a sample finds.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};

use loto_proto::job::{Job, MethodSpec};

/// In the method that a sample is to find, one trace in so many differs.
const ONE_IN: usize = 100;

/// The probability with which the recommended sample finds it.
const CERTAINTY: f64 = 0.95;

/// What rounding may take from a probability.
const ROUNDING: f64 = 1e-12;

/// How much of the finished traces is computed again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum SampleSize {
    /// This part of all traces, above 0 and at most 1.
    Part(f64),
    /// As many of each method as it takes to find one that answers differently in 1 % of its traces with a probability
    /// of 0.95.
    Recommended,
}

impl SampleSize {
    /// Reads an option's value.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if text == "recommended" {
            return Ok(Self::Recommended);
        }
        let number = text.parse().ok();
        number
            .filter(|part| *part > 0.0 && *part <= 1.0)
            .map(Self::Part)
            .ok_or("expected a number above 0 and at most 1, or the word recommended")
    }
}

/// A sample of finished traces.
pub(super) struct Sample {
    /// In random order.
    pub(super) jobs: Vec<Job>,
    /// The number of all finished traces.
    pub(super) finished: usize,
    /// The size of the recommended sample.
    recommended: usize,
    /// The probability that it finds a method that answers differently in 1 % of its traces, if that is the method for
    /// which the sample is the least.
    certainty: f64,
}

impl Sample {
    /// Draws a sample of these traces at random, at least one of each method.
    pub(super) fn draw(finished: impl Iterator<Item = Job>, size: SampleSize) -> Self {
        let random = RandomState::new();
        let mut jobs: Vec<Job> = finished.collect();
        jobs.sort_by_cached_key(|job| random.hash_one(job));
        let finished = jobs.len();
        let all = count(&jobs);
        let recommended: BTreeMap<_, _> = all
            .iter()
            .map(|(method, &traces)| (method.clone(), recommended_size(traces)))
            .collect();
        match size {
            SampleSize::Part(part) => {
                // A trace of each method first, so that none goes unseen.
                let mut seen = BTreeSet::new();
                let is_first = |job: &Job| seen.insert(job.series.method.clone());
                let (first, others): (Vec<_>, Vec<_>) = jobs.into_iter().partition(is_first);
                jobs = first.into_iter().chain(others).collect();
                let wanted = (finished as f64 * part).ceil() as usize;
                jobs.truncate(wanted.max(all.len()));
            }
            SampleSize::Recommended => {
                let mut left = recommended.clone();
                jobs.retain(|job| match left.get_mut(&job.series.method) {
                    Some(left @ 1..) => {
                        *left -= 1;
                        true
                    }
                    _ => false,
                });
            }
        }
        let drawn = count(&jobs);
        let certainty = all.iter().map(|(method, &traces)| {
            detection(traces, drawn.get(method).copied().unwrap_or_default())
        });
        Self {
            certainty: certainty.fold(1.0, f64::min),
            recommended: recommended.values().sum(),
            jobs,
            finished,
        }
    }

    /// What the sample finds, and what the recommended one would.
    pub(super) fn in_words(&self) -> String {
        let certainty = self.certainty;
        let found = format!(
            "a method that answers differently in 1 % of its traces is found by such a sample with a probability of \
             {certainty:.2} or more"
        );
        if certainty >= CERTAINTY - ROUNDING {
            return found;
        }
        format!(
            "{found}; with --fraction recommended, which computes {} traces, with {CERTAINTY}",
            self.recommended
        )
    }
}

/// The number of traces of each method.
fn count(jobs: &[Job]) -> BTreeMap<MethodSpec, usize> {
    let mut counts = BTreeMap::new();
    for job in jobs {
        *counts.entry(job.series.method.clone()).or_default() += 1;
    }
    counts
}

/// The probability that `sample` traces drawn from `traces` without replacement hold one of the 1 % that differ: the
/// hypergeometric distribution. At least one trace differs.
fn detection(traces: usize, sample: usize) -> f64 {
    let differing = (traces / ONE_IN).max(1);
    let missed = (0..sample).map(|drawn| {
        let left = (traces - drawn) as f64;
        ((left - differing as f64) / left).max(0.0)
    });
    1.0 - missed.product::<f64>()
}

/// The least sample that finds such a method with the wanted probability.
fn recommended_size(traces: usize) -> usize {
    // Every size finds at least as much as those below it.
    let sizes: Vec<usize> = (0..=traces).collect();
    sizes.partition_point(|&size| detection(traces, size) < CERTAINTY - ROUNDING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, SweepSource};

    #[test]
    fn a_sample_has_the_wanted_size_and_each_job_once() {
        let sweep = Plan::read(&SweepSource::BuiltIn, None).unwrap().sweep;
        let all = sweep.job_count() as usize;
        let methods = count(&sweep.jobs().collect::<Vec<_>>()).len();
        for (wanted, size) in [(1.0, all), (0.5, all.div_ceil(2)), (1e-9, methods)] {
            let sample = Sample::draw(sweep.jobs(), SampleSize::Part(wanted));
            assert_eq!((sample.jobs.len(), sample.finished), (size, all));
            assert_eq!(sample.jobs.iter().collect::<BTreeSet<_>>().len(), size);
            assert_eq!(count(&sample.jobs).len(), methods);
        }
        let draw = || Sample::draw(sweep.jobs(), SampleSize::Part(1.0)).jobs;
        assert_ne!(draw(), draw());
    }

    #[test]
    fn the_size_is_a_part_or_the_recommended_one() {
        for wrong in ["0", "1.1", "NaN", "most"] {
            assert!(SampleSize::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(SampleSize::parse("1"), Ok(SampleSize::Part(1.0)));
        assert_eq!(
            SampleSize::parse("recommended"),
            Ok(SampleSize::Recommended)
        );
    }

    #[test]
    fn the_recommended_size_is_that_of_the_hypergeometric_distribution() {
        // scipy.stats.hypergeom(traces, max(1, traces // 100), size).sf(0), least size with at least .95.
        for (traces, size) in [
            (1, 1),
            (10, 10),
            (99, 95),
            (100, 95),
            (200, 155),
            (1000, 258),
            (100_000, 298),
        ] {
            assert_eq!(recommended_size(traces), size, "{traces}");
        }
        assert!(
            (detection(1000, 258) - 0.950_204_196_7).abs() < 1e-9,
            "{}",
            detection(1000, 258)
        );
    }

    #[test]
    fn the_recommended_sample_finds_one_percent_of_a_method() {
        let sweep = Plan::read(&SweepSource::BuiltIn, None).unwrap().sweep;
        let jobs: Vec<Job> = sweep.jobs().filter(|job| job.seed < 4).collect();
        let method = jobs[0].series.method.clone();
        let own: BTreeSet<&Job> = jobs
            .iter()
            .filter(|job| job.series.method == method)
            .collect();
        let differing: BTreeSet<&Job> = own.iter().copied().take(own.len() / 100).collect();
        assert_eq!((own.len(), differing.len()), (124, 1));
        let finds = || {
            let sample = Sample::draw(jobs.iter().cloned(), SampleSize::Recommended);
            assert_eq!(sample.jobs.len(), sample.recommended);
            sample.jobs.iter().any(|job| differing.contains(job))
        };
        let found = (0..400).filter(|_| finds()).count();
        // Four standard deviations below 0.95 of 400.
        assert!(found >= 363, "{found} of 400");
        let few = Sample::draw(jobs.iter().cloned(), SampleSize::Part(0.05));
        assert!(
            few.in_words().contains("--fraction recommended"),
            "{}",
            few.in_words()
        );
        let all = Sample::draw(jobs.iter().cloned(), SampleSize::Part(1.0));
        assert!(
            all.in_words().ends_with("1.00 or more"),
            "{}",
            all.in_words()
        );
    }
}
