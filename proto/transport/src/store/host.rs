//! The store of `loto host`.

use std::mem;

use async_trait::async_trait;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::heartbeat::Heartbeat;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;
use loto_proto::trace::Trace;
use parking_lot::Mutex;

use super::attempts::{Attempts, Conflict, decode_attempt, encode_attempt};
use super::blobs::{Blobs, check_size};
use super::damage::{Hidden, PassedOver};
use super::health::Health;
use super::heartbeats::Heartbeats;
use super::sweeps::{Deletion, Sweeps};
use super::traces::{Cursor, Event, Events, Stored, Traces};
use crate::connection::Access;
use crate::error::{Reason, TransportError};
use crate::host::channel::HostChannel;
use crate::host::problem::{from_wire, garbled};
use crate::host::protocol::wire::passed_over_entry::Hides;
use crate::host::protocol::wire::store_answer::Answer;
use crate::host::protocol::wire::store_call::Call;
use crate::host::protocol::wire::{self, Nothing, StoreCall};
use crate::server::Server;

/// Traces that are asked for at a time: the longest possible ones fit into a message.
const TRACES_PER_CALL: usize = 32;

/// Series that are asked for at a time.
const SERIES_PER_CALL: usize = 1000;

/// A store in a process that runs `loto host`.
pub struct HostStore {
    channel: HostChannel,
    /// What the host told with its last answer.
    passed_over: Mutex<Vec<PassedOver>>,
}

impl HostStore {
    /// Connects to `loto[s]://[:TOKEN@]HOST[:PORT]`.
    ///
    /// # Errors
    /// [`TransportError::UnknownUrl`] if it is not such a URL; [`TransportError::Unavailable`] if the host does
    /// not answer; [`TransportError::Refused`] if it refuses us, or we do not trust it.
    pub async fn connect(access: impl Into<Access>) -> Result<Self, TransportError> {
        let store = Self {
            channel: HostChannel::connect(Server::Store, &access.into()).await?,
            passed_over: Mutex::default(),
        };
        // Whether it lets us in is told by an answer only.
        store.latest_cursor().await?;
        Ok(store)
    }

    async fn ask(&self, call: Call) -> Result<Answer, TransportError> {
        let place = self.channel.place();
        let call = StoreCall { call: Some(call) };
        let answer = self.channel.client().keep(call).await;
        let answer = answer.map_err(|status| place.failed(status))?.into_inner();
        *self.passed_over.lock() = answer.passed_over.into_iter().map(passed_over).collect();
        match answer.answer {
            Some(Answer::Problem(problem)) => Err(from_wire(problem, place)),
            Some(answer) => Ok(answer),
            None => Err(self.garbled()),
        }
    }

    async fn tell(&self, call: Call) -> Result<(), TransportError> {
        match self.ask(call).await? {
            Answer::Done(_) => Ok(()),
            _ => Err(self.garbled()),
        }
    }

    async fn find(&self, call: Call) -> Result<Option<Vec<u8>>, TransportError> {
        match self.ask(call).await? {
            Answer::Found(found) => Ok(found.value),
            _ => Err(self.garbled()),
        }
    }

    async fn ask_whether(&self, call: Call) -> Result<bool, TransportError> {
        match self.ask(call).await? {
            Answer::Whether(whether) => Ok(whether),
            _ => Err(self.garbled()),
        }
    }

    fn garbled(&self) -> TransportError {
        garbled(self.channel.place())
    }

    fn corrupt(&self, key: impl Into<String>, reason: impl Into<Reason>) -> TransportError {
        TransportError::CorruptValue {
            store: self.channel.place().name().to_owned(),
            key: key.into(),
            reason: reason.into(),
        }
    }

    fn identifier(&self, bytes: &[u8]) -> Result<[u8; 16], TransportError> {
        bytes.try_into().map_err(|_| self.garbled())
    }

    fn place_of(&self, place: &wire::JobPlace) -> Result<(SeriesId, u32), TransportError> {
        Ok((SeriesId(self.identifier(&place.series)?), place.seed))
    }

    fn decode_trace(
        &self,
        series: SeriesId,
        seed: u32,
        bytes: &[u8],
    ) -> Result<Trace, TransportError> {
        Trace::decode_for(series, seed, bytes)
            .map_err(|error| self.corrupt(format!("trace of series {series}, seed {seed}"), error))
    }

    fn decode_attempt(
        &self,
        series: SeriesId,
        seed: u32,
        text: &[u8],
    ) -> Result<Attempt, TransportError> {
        decode_attempt(series, seed, text).map_err(|error| {
            self.corrupt(format!("attempts at series {series}, seed {seed}"), error)
        })
    }
}

#[async_trait]
impl Sweeps for HostStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError> {
        let id = sweep.id();
        let kept = wire::Kept {
            id: id.0.to_vec(),
            value: sweep.encode_for_store(),
        };
        self.tell(Call::PutSweep(kept)).await?;
        Ok(id)
    }

    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, TransportError> {
        let bytes = self.find(Call::Sweep(id.0.to_vec())).await?;
        let sweep = bytes.map(|bytes| Sweep::decode(&bytes, id)).transpose();
        sweep.map_err(|error| self.corrupt(format!("sweep {id}"), error))
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        self.passed_over.lock().clone()
    }

    async fn sweeps(&self) -> Result<Vec<SweepId>, TransportError> {
        let Answer::Ids(list) = self.ask(Call::Sweeps(Nothing {})).await? else {
            return Err(self.garbled());
        };
        let ids = list.ids.iter().map(|id| Ok(SweepId(self.identifier(id)?)));
        ids.collect()
    }

    async fn sweep_state(&self, id: SweepId) -> Result<SweepState, TransportError> {
        match self.ask(Call::SweepState(id.0.to_vec())).await? {
            Answer::SweepState(state) => Ok(SweepState {
                published_seeds: state.published_seeds,
                cancelled: state.cancelled,
            }),
            _ => Err(self.garbled()),
        }
    }

    async fn mark_published(&self, id: SweepId, seeds: u32) -> Result<(), TransportError> {
        let sweep = id.0.to_vec();
        self.tell(Call::MarkPublished(wire::PublishedSeeds { sweep, seeds }))
            .await
    }

    async fn cancel_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.tell(Call::CancelSweep(sweep_series(id, series))).await
    }

    async fn resume_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.tell(Call::ResumeSweep(sweep_series(id, series))).await
    }

    async fn release_series(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.tell(Call::ReleaseSeries(sweep_series(id, series)))
            .await
    }

    async fn delete_sweep(&self, deletion: &Deletion) -> Result<(), TransportError> {
        let jobs = deletion.jobs.iter().map(|(series, seeds)| wire::SeedRange {
            series: series.0.to_vec(),
            first: seeds.start,
            end: seeds.end,
        });
        self.tell(Call::DeleteSweep(wire::SweepDeletion {
            sweep: deletion.id.0.to_vec(),
            jobs: jobs.collect(),
            blobs: deletion.blobs.clone(),
        }))
        .await
    }
}

#[async_trait]
impl Traces for HostStore {
    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, TransportError> {
        let finished = wire::FinishedJob {
            job: job.encode(),
            trace: trace.encode_for(job.series.id(), job.seed),
        };
        let is_new = self.ask_whether(Call::PutTrace(finished)).await?;
        Ok(if is_new { Stored::New } else { Stored::Already })
    }

    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, TransportError> {
        let bytes = self.find(Call::Trace(job_place(series, seed))).await?;
        bytes
            .map(|bytes| self.decode_trace(series, seed, &bytes))
            .transpose()
    }

    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, TransportError> {
        let seeds = self.seeds_done(&[series]).await?.concat();
        self.traces_of(series, &seeds).await
    }

    async fn traces_of(
        &self,
        series: SeriesId,
        seeds: &[u32],
    ) -> Result<Vec<(u32, Trace)>, TransportError> {
        let mut traces = Vec::with_capacity(seeds.len());
        for seeds in seeds.chunks(TRACES_PER_CALL) {
            let call = Call::TracesOf(wire::SeriesSeeds {
                series: series.0.to_vec(),
                seeds: seeds.to_vec(),
            });
            let Answer::Traces(found) = self.ask(call).await? else {
                return Err(self.garbled());
            };
            for wire::SeedValue { seed, value } in found.values {
                traces.push((seed, self.decode_trace(series, seed, &value)?));
            }
        }
        Ok(traces)
    }

    async fn discard_trace(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        self.tell(Call::DiscardTrace(job_place(series, seed))).await
    }

    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, TransportError> {
        let mut done = Vec::with_capacity(series.len());
        for series in series.chunks(SERIES_PER_CALL) {
            let Answer::SeedsDone(found) = self.ask(Call::SeedsDone(series_list(series))).await?
            else {
                return Err(self.garbled());
            };
            if found.lists.len() != series.len() {
                return Err(self.garbled());
            }
            done.extend(found.lists.into_iter().map(|list| list.seeds));
        }
        Ok(done)
    }

    async fn latest_cursor(&self) -> Result<Cursor, TransportError> {
        match self.ask(Call::LatestCursor(Nothing {})).await? {
            Answer::Cursor(cursor) => Ok(Cursor(cursor)),
            _ => Err(self.garbled()),
        }
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, TransportError> {
        let call = Call::EventsAfter(wire::EventsAfter {
            cursor: cursor.0.clone(),
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
        });
        let Answer::Events(part) = self.ask(call).await? else {
            return Err(self.garbled());
        };
        let events = part.events.iter().map(|place| {
            let (series, seed) = self.place_of(place)?;
            Ok(Event { series, seed })
        });
        Ok(Events {
            events: events.collect::<Result<_, TransportError>>()?,
            next: Cursor(part.next),
            incomplete: part.incomplete,
        })
    }
}

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

impl Health for HostStore {}

#[async_trait]
impl Heartbeats for HostStore {
    async fn put_heartbeat(
        &self,
        worker: &str,
        heartbeat: &Heartbeat,
    ) -> Result<(), TransportError> {
        let value = heartbeat.encode().into_bytes();
        self.tell(Call::PutHeartbeat(named(worker, value))).await
    }

    async fn heartbeats(&self) -> Result<Vec<(String, Heartbeat)>, TransportError> {
        let Answer::Heartbeats(found) = self.ask(Call::Heartbeats(Nothing {})).await? else {
            return Err(self.garbled());
        };
        let heartbeats = found
            .values
            .into_iter()
            .map(|wire::NamedBytes { name, value }| {
                let heartbeat = Heartbeat::decode(&value);
                let heartbeat = heartbeat
                    .map_err(|error| self.corrupt(format!("heartbeat of {name}"), error))?;
                Ok((name, heartbeat))
            });
        heartbeats.collect()
    }

    async fn forget_worker(&self, worker: &str) -> Result<(), TransportError> {
        self.tell(Call::ForgetWorker(worker.to_owned())).await
    }
}

#[async_trait]
impl Blobs for HostStore {
    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), TransportError> {
        check_size(name, bytes)?;
        self.tell(Call::PutBlob(named(name, bytes.to_vec()))).await
    }

    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, TransportError> {
        self.find(Call::Blob(name.to_owned())).await
    }

    async fn discard_blob(&self, name: &str) -> Result<(), TransportError> {
        self.tell(Call::DiscardBlob(name.to_owned())).await
    }

    fn corrupt_blob(&self, name: &str, reason: Reason) -> TransportError {
        self.corrupt(format!("blob {name}"), reason)
    }

    async fn has_blob(&self, name: &str) -> Result<bool, TransportError> {
        self.ask_whether(Call::HasBlob(name.to_owned())).await
    }
}

fn named(name: &str, value: Vec<u8>) -> wire::NamedBytes {
    wire::NamedBytes {
        name: name.to_owned(),
        value,
    }
}

fn job_place(series: SeriesId, seed: u32) -> wire::JobPlace {
    wire::JobPlace {
        series: series.0.to_vec(),
        seed,
    }
}

fn series_list(series: &[SeriesId]) -> wire::SeriesList {
    wire::SeriesList {
        series: series.iter().map(|series| series.0.to_vec()).collect(),
    }
}

fn sweep_series(id: SweepId, series: &[SeriesId]) -> wire::SweepSeries {
    wire::SweepSeries {
        sweep: id.0.to_vec(),
        series: series_list(series).series,
    }
}

/// What a host of a later release passed over hides nothing that is known here.
fn passed_over(entry: wire::PassedOverEntry) -> PassedOver {
    let hides = match entry.hides {
        Some(Hides::Sweep(_)) => Hidden::Sweep,
        Some(Hides::Conflict(_)) => Hidden::Conflict,
        Some(Hides::AttemptsOf(series)) => match series.try_into() {
            Ok(series) => Hidden::Attempt(SeriesId(series)),
            Err(_) => Hidden::Nothing,
        },
        Some(Hides::Nothing(_)) | None => Hidden::Nothing,
    };
    PassedOver {
        hides,
        problem: entry.problem,
    }
}
