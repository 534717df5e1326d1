//! What is true of the jobs of a simulation, whatever the product believes.

use std::collections::{BTreeMap, BTreeSet};

use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::identity::JobId;
use loto_proto::job::Job;
use loto_proto::lifecycle::AttemptLimits;
use loto_proto::trace::Trace;
use loto_worker::consumer::ConsumerOptions;

use super::chance::mixed;

/// What is true of the jobs.
#[derive(Debug, Default)]
pub(crate) struct Truth {
    computations: BTreeMap<JobId, u32>,
    /// Computations that failed because of the job itself.
    failures: BTreeMap<JobId, u32>,
    /// Workers that died or were asked to end while they had begun the job.
    deaths: BTreeMap<JobId, u32>,
    begun: BTreeMap<String, BTreeSet<JobId>>,
    /// Jobs of which somebody published a message that names no store.
    unaddressed: BTreeSet<JobId>,
}

impl Truth {
    /// Whether the job fails this time by its own fault. Each such failure counts.
    pub(crate) fn fails(&mut self, job: &Job) -> bool {
        let id = job.id();
        let computations = self.computations.entry(id).or_default();
        *computations += 1;
        let fails = *computations <= failures(job);
        if fails {
            *self.failures.entry(id).or_default() += 1;
        }
        fails
    }

    /// Somebody published a message of the job that names no store.
    pub(crate) fn published_for_anybody(&mut self, job: &Job) {
        self.unaddressed.insert(job.id());
    }

    /// A worker of another store recorded an attempt there. Says what is wrong with it, if anything.
    pub(crate) fn recorded_elsewhere(&self, job: &Job) -> Option<String> {
        let id = job.id();
        (!self.unaddressed.contains(&id)).then(|| format!("job {id} is run for another store"))
    }

    /// A worker replaced how the attempts at a job stand. Says what is wrong with it, if anything.
    pub(crate) fn recorded(
        &mut self,
        job: &Job,
        before: Option<&Attempt>,
        attempt: &Attempt,
    ) -> Option<String> {
        let id = job.id();
        let failed = self.failures.get(&id).copied().unwrap_or(0);
        if attempt.failures > failed {
            let told = attempt.failures;
            return Some(format!(
                "job {id} failed {failed} times, {told} are counted"
            ));
        }
        let running = |attempt: &&Attempt| attempt.state == AttemptState::Running;
        if let Some(before) = before.filter(running)
            && running(&attempt)
            && before.worker == attempt.worker
            && before.count < attempt.count
        {
            let worker = &attempt.worker;
            return Some(format!(
                "job {id} is charged with a death of {worker}, which lives"
            ));
        }
        match attempt.state {
            AttemptState::Running => {
                let begun = self.begun.entry(attempt.worker.clone()).or_default();
                begun.insert(id);
                None
            }
            AttemptState::Queued | AttemptState::Failed => None,
            AttemptState::Poisoned => self.is_blamed(job, attempt),
        }
    }

    /// A poisoned job has failed, or its workers have died, as often as it takes.
    fn is_blamed(&self, job: &Job, attempt: &Attempt) -> Option<String> {
        let AttemptLimits { failures, vanished } = ConsumerOptions::default().attempt_limits;
        let of = |counts: &BTreeMap<JobId, u32>| counts.get(&job.id()).copied().unwrap_or(0);
        let (failed, died) = (of(&self.failures), of(&self.deaths));
        (failed < failures && died < vanished).then(|| {
            format!(
                "job {} is blamed for another's fault: it failed {failed} times and {died} workers died over it, \
                 yet it is poisoned: {}",
                job.id(),
                attempt.error
            )
        })
    }

    /// A worker died or ended.
    pub(crate) fn ended(&mut self, worker: &str) {
        for job in self.begun.remove(worker).into_iter().flatten() {
            *self.deaths.entry(job).or_default() += 1;
        }
    }
}

/// How often a job fails before it works: most never, a few always.
pub(crate) fn failures(job: &Job) -> u32 {
    match fingerprint(job) % 16 {
        0 | 1 => 1,
        2 => 2,
        3 => u32::MAX,
        _ => 0,
    }
}

/// The trace of a job.
pub(crate) fn trace(job: &Job) -> Trace {
    let length = u64::from(job.series.iterations);
    let first = fingerprint(job);
    Trace {
        rows: (0..length)
            .map(|row| ((first + row) % length) as u32)
            .collect(),
        values: (0..length)
            .map(|row| super::plans::VALUES[((first + row) % length) as usize])
            .collect(),
        further_values: Vec::new(),
        microseconds: vec![1000; length as usize],
        preparation_microseconds: 0,
        linear_algebra: "simulated".into(),
        program: Default::default(),
    }
}

fn fingerprint(job: &Job) -> u64 {
    let bytes = job.id().0;
    let number = bytes
        .iter()
        .fold(0_u64, |number, &byte| (number << 4) ^ u64::from(byte));
    mixed(number) >> 8
}
