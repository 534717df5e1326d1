//! Attempts at jobs, and conflicts, at a host.

use std::mem;

use async_trait::async_trait;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;

use super::messages::{SERIES_PER_CALL, job_place, series_list};
use super::store::HostStore;
use crate::error::TransportError;
use crate::host::protocol::wire::store_answer::Answer;
use crate::host::protocol::wire::store_call::Call;
use crate::host::protocol::wire::{self, Nothing};
use crate::store::attempts::{Attempts, Conflict, encode_attempt};

#[async_trait]
impl Attempts for HostStore {
    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, TransportError> {
        let call = Call::JobRecord(job_place(series, seed));
        let Answer::JobRecord(record) = self.ask(call).await? else {
            return Err(self.garbled());
        };
        let attempt = record.attempt.as_deref();
        let attempt = attempt.map(|text| self.decode_attempt(series, seed, text));
        Ok(JobRecord {
            done: record.done,
            stopped: record.stopped,
            attempt: attempt.transpose()?,
            version: AttemptVersion(record.version),
        })
    }

    async fn put_attempt(
        &self,
        job: &Job,
        expected: &AttemptVersion,
        attempt: &Attempt,
    ) -> Result<Option<AttemptVersion>, TransportError> {
        let replacement = wire::AttemptReplacement {
            job: job.encode(),
            expected: expected.0.clone(),
            attempt: encode_attempt(job.series.id(), job.seed, attempt),
        };
        let version = self.find(Call::PutAttempt(replacement)).await?;
        Ok(version.map(|version| AttemptVersion(Some(version))))
    }

    async fn attempts(
        &self,
        series: &[SeriesId],
    ) -> Result<Vec<Vec<(u32, Attempt)>>, TransportError> {
        let mut attempts = Vec::with_capacity(series.len());
        let mut first_seed = 0;
        let mut begun = Vec::new();
        while let Some(next) = series.get(attempts.len()..).filter(|rest| !rest.is_empty()) {
            let next = &next[..next.len().min(SERIES_PER_CALL)];
            let from = wire::AttemptsFrom {
                series: series_list(next).series,
                first_seed,
            };
            let Answer::Attempts(part) = self.ask(Call::Attempts(from)).await? else {
                return Err(self.garbled());
            };
            let asked_from = (attempts.len(), first_seed);
            if part.lists.len() > next.len() {
                return Err(self.garbled());
            }
            for (&series, list) in next.iter().zip(part.lists) {
                for wire::SeedValue { seed, value } in list.values {
                    begun.push((seed, self.decode_attempt(series, seed, &value)?));
                }
                attempts.push(mem::take(&mut begun));
            }
            first_seed = part.next_seed.unwrap_or(0);
            if part.next_seed.is_some() {
                begun = attempts.pop().unwrap_or_default();
            }
            // A host whose answers bring nothing would be asked for ever.
            if (attempts.len(), first_seed) <= asked_from {
                return Err(self.garbled());
            }
        }
        Ok(attempts)
    }

    async fn put_conflict(&self, job: &Job, problem: &str) -> Result<(), TransportError> {
        self.tell(Call::PutConflict(wire::JobProblem {
            job: job.encode(),
            problem: problem.to_owned(),
        }))
        .await
    }

    async fn conflicts(&self) -> Result<Vec<Conflict>, TransportError> {
        let Answer::Conflicts(found) = self.ask(Call::Conflicts(Nothing {})).await? else {
            return Err(self.garbled());
        };
        let conflicts = found.conflicts.into_iter().map(|conflict| {
            let job = conflict.job.ok_or_else(|| self.garbled())?;
            let (series, seed) = self.place_of(&job)?;
            Ok(Conflict {
                series,
                seed,
                problem: conflict.problem,
            })
        });
        conflicts.collect()
    }

    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        self.tell(Call::ForgetConflict(job_place(series, seed)))
            .await
    }
}
