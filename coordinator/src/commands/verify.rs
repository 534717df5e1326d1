//! `loto verify`: whether finished traces are what their jobs give.

use std::hash::{BuildHasher, RandomState};

use clap::Args;
use futures::StreamExt;
use loto_process::shutdown;
use loto_proto::job::Job;
use loto_proto::untrusted_text::escape;
use loto_worker::isolation::ProcessPool;
use loto_worker::job_options::JobOptions;

use super::error::CommandError;
use super::find_sweep::{find_sweep, scanned};
use super::options::StoreOption;
use super::output::print;
use crate::embedded::recomputation::{recompute, tables_of};

const EXAMPLES: &str = "\
Examples:
  loto verify demo --store loto-results/demo/sweep.loto
  loto verify 3fa9 --store redis://localhost --fraction 1     every finished trace

A sample is drawn at random and computed anew, in random order, in processes that have the
tables from the store and nothing else. A trace depends on nothing but its job and its table,
so one that differs was not computed by this release: it was changed in the store, or the
workers' linear algebra is another. Nothing in the store is changed.";

/// Computes a sample of a sweep's finished traces again and compares.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyCommand {
    /// Id of the sweep, the first digits of its id, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    store: StoreOption,

    /// Part of the finished traces that is computed again, above 0 and at most 1.
    #[arg(
        long,
        env = "LOTO_FRACTION",
        value_name = "FRACTION",
        default_value_t = 0.05,
        value_parser = fraction
    )]
    fraction: f64,

    #[command(flatten)]
    jobs: JobOptions,
}

fn fraction(text: &str) -> Result<f64, &'static str> {
    let number = text.parse().ok();
    number
        .filter(|fraction| *fraction > 0.0 && *fraction <= 1.0)
        .ok_or("expected a number above 0 and at most 1")
}

impl VerifyCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let shutdown = shutdown::on_signal()?;
        let store = self.store.open().await?;
        let (id, sweep) = find_sweep(store.as_ref(), &self.sweep).await?;
        let tracker = scanned(&sweep, store.as_ref()).await?;
        let finished = tracker.follower().series().iter().flat_map(|followed| {
            let job = move |seed| Job {
                series: followed.series.clone(),
                seed,
            };
            followed.done().map(job)
        });
        let (sample, finished) = draw(finished, self.fraction);
        let size = sample.len();
        let tables = tables_of(&sample, store.as_ref()).await?;
        let compute = ProcessPool::new(tables, self.jobs.limits());
        let verified = recompute(sample, store.as_ref(), &compute, self.jobs.number());
        let mut verified = std::pin::pin!(verified.take_until(shutdown.cancelled()));
        let (mut count, mut doubtful) = (0, 0);
        while let Some(verdict) = verified.next().await {
            let (job, doubt) = verdict?;
            count += 1;
            if let Some(doubt) = doubt {
                doubtful += 1;
                // The stored trace says itself what computed it.
                let doubt = doubt.to_string();
                let texts = [job.series.method.label(), &job.series.task, &doubt];
                let [method, task, doubt] = texts.map(escape);
                let (job, seed) = (job.id(), job.seed);
                print(&format!(
                    "job {job} ({method} on {task}, seed {seed}): {doubt}\n"
                ))?;
            }
        }
        print(&format!(
            "sweep {id}: computed {count} of {finished} finished traces again, {doubtful} are not confirmed\n"
        ))?;
        if doubtful > 0 {
            return Err(CommandError::Doubtful(doubtful));
        }
        if count < size {
            return Err(CommandError::VerifyInterrupted { count, size });
        }
        Ok(())
    }
}

/// A random part of the jobs in random order, at least one, and the number of all.
fn draw(jobs: impl Iterator<Item = Job>, fraction: f64) -> (Vec<Job>, usize) {
    let random = RandomState::new();
    let mut jobs: Vec<Job> = jobs.collect();
    jobs.sort_by_cached_key(|job| random.hash_one(job));
    let all = jobs.len();
    jobs.truncate((all as f64 * fraction).ceil() as usize);
    (jobs, all)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::plan::{Plan, SweepSource};

    use super::*;

    #[test]
    fn a_sample_has_the_wanted_size_and_each_job_once() {
        let sweep = Plan::read(&SweepSource::BuiltIn, None).unwrap().sweep;
        let all = sweep.job_count() as usize;
        for (wanted, size) in [(1.0, all), (0.5, all.div_ceil(2)), (1e-9, 1)] {
            let (sample, finished) = draw(sweep.jobs(), wanted);
            assert_eq!((sample.len(), finished), (size, all));
            assert_eq!(sample.iter().collect::<BTreeSet<_>>().len(), size);
        }
        let (first, _) = draw(sweep.jobs(), 1.0);
        let (second, _) = draw(sweep.jobs(), 1.0);
        assert_ne!(first, second);
        assert!(fraction("0").is_err() && fraction("1.1").is_err() && fraction("NaN").is_err());
        assert_eq!(fraction("1"), Ok(1.0));
    }
}
