//! `loto verify`: whether finished traces are what their jobs give.

use clap::Args;
use futures::StreamExt;
use loto_process::shutdown;
use loto_proto::job::Job;
use loto_proto::untrusted_text::escape;
use loto_transport::store::embedded_files;
use loto_worker::isolation::ProcessPool;
use loto_worker::job_options::JobOptions;

use super::error::CommandError;
use super::find_sweep::{find_sweep, scanned};
use super::options::StoreOption;
use super::output::print;
use super::verification_sample::{Sample, SampleSize};
use crate::embedded::recomputation::{recompute, tables_of};

const EXAMPLES: &str = "\
Examples:
  loto verify demo --store loto-results/demo/sweep.loto
  loto verify 3fa9 --store redis://localhost --fraction 1     every finished trace
  loto verify mine --store loto-results/mine/sweep.loto --fraction recommended

A sample is drawn at random and computed anew, in random order, in processes that have the
tables from the store and nothing else. A trace depends on nothing but its job and its table,
so one that differs was not computed by this release: it was changed in the store, the
workers' linear algebra is another, or the method is a program that does not answer alike
twice. Nothing in the store is changed.";

/// Computes a sample of a sweep's finished traces again and compares.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct VerifyCommand {
    /// Id of the sweep, the first digits of its id, or its name.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    store: StoreOption,

    /// Part of the finished traces that is computed again, above 0 and at most 1, with a trace of each method; or `recommended`: so
    /// many of each method that one which answers differently in 1 % of its traces is found with a
    /// probability of 0.95.
    #[arg(
        long,
        env = "LOTO_FRACTION",
        value_name = "FRACTION",
        default_value = "0.05",
        value_parser = SampleSize::parse
    )]
    fraction: SampleSize,

    #[command(flatten)]
    jobs: JobOptions,
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
        let sample = Sample::draw(finished, self.fraction);
        let (size, finished) = (sample.jobs.len(), sample.finished);
        let strength = sample.in_words();
        let tables = tables_of(&sample.jobs, store.as_ref()).await?;
        let file = self.store.file()?;
        let withheld = file.iter().flat_map(|file| embedded_files(file));
        let compute = ProcessPool::new(tables, self.jobs.limits()).withholding(withheld);
        let verified = recompute(sample.jobs, store.as_ref(), &compute, self.jobs.number());
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
            "sweep {id}: computed {count} of {finished} finished traces again, {doubtful} are not confirmed\n{strength}\n"
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
