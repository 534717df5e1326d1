//! What the host's store says to one call.

use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::heartbeat::Heartbeat;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::Job;
use loto_proto::message_error::MessageError;
use loto_proto::sweep::Sweep;
use loto_proto::trace::Trace;
use tonic::Status;

use crate::error::TransportError;
use crate::host::problem;
use crate::host::protocol::MAX_HOST_MESSAGE_BYTES;
use crate::host::protocol::wire::passed_over_entry::Hides;
use crate::host::protocol::wire::store_answer::Answer;
use crate::host::protocol::wire::store_call::Call;
use crate::host::protocol::wire::{self, Nothing, StoreAnswer, StoreCall};
use crate::store::{Cursor, Deletion, Hidden, PassedOver, Store, Stored};
use crate::store::{decode_attempt, encode_attempt};

/// Most entries of the history in one answer.
const MOST_EVENTS: usize = 100_000;

/// Attempts are added to an answer until it has so many bytes; another half may follow.
const FULL_ANSWER_BYTES: usize = MAX_HOST_MESSAGE_BYTES / 2;

/// Why there is no answer.
enum Failure {
    /// The call is not one.
    Call(Status),
    /// The store failed.
    Store(TransportError),
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Self {
        Self::Store(error)
    }
}

impl From<MessageError> for Failure {
    fn from(error: MessageError) -> Self {
        Self::Call(Status::invalid_argument(error.to_string()))
    }
}

/// Asks the store.
///
/// # Errors
/// A status if the call is not one of this release, or its values are not what they should be.
pub(super) async fn answer(store: &dyn Store, call: StoreCall) -> Result<StoreAnswer, Status> {
    let call = call
        .call
        .ok_or_else(|| Status::unimplemented("the call is of another release"))?;
    let answer = match ask(store, call).await {
        Ok(answer) => answer,
        Err(Failure::Call(status)) => return Err(status),
        Err(Failure::Store(error)) => {
            if error.is_transient() {
                // Clients wait until it works again. Whoever runs the host can do something about it, about a full disk for example.
                tracing::warn!("{error}");
            }
            Answer::Problem(problem::to_wire(error))
        }
    };
    Ok(StoreAnswer {
        answer: Some(answer),
        passed_over: store.passed_over().into_iter().map(passed_over).collect(),
    })
}

async fn ask(store: &dyn Store, call: Call) -> Result<Answer, Failure> {
    let done = Answer::Done(Nothing {});
    Ok(match call {
        Call::PutSweep(wire::Kept { id, value }) => {
            let sweep = Sweep::decode(&value, SweepId(identifier(&id)?))?;
            store.put_sweep(&sweep).await?;
            done
        }
        Call::Sweep(id) => {
            let sweep = store.sweep(SweepId(identifier(&id)?)).await?;
            found(sweep.map(|sweep| sweep.encode_for_store()))
        }
        Call::Sweeps(_) => {
            let ids = store.sweeps().await?.into_iter();
            Answer::Ids(wire::IdList {
                ids: ids.map(|id| id.0.to_vec()).collect(),
            })
        }
        Call::SweepState(id) => {
            let state = store.sweep_state(SweepId(identifier(&id)?)).await?;
            Answer::SweepState(wire::KeptSweepState {
                published_seeds: state.published_seeds,
                cancelled: state.cancelled,
            })
        }
        Call::MarkPublished(wire::PublishedSeeds { sweep, seeds }) => {
            let id = SweepId(identifier(&sweep)?);
            store.mark_published(id, seeds).await?;
            done
        }
        Call::CancelSweep(of) => {
            let (id, series) = sweep_series(&of)?;
            store.cancel_sweep(id, &series).await?;
            done
        }
        Call::ResumeSweep(of) => {
            let (id, series) = sweep_series(&of)?;
            store.resume_sweep(id, &series).await?;
            done
        }
        Call::ReleaseSeries(of) => {
            let (id, series) = sweep_series(&of)?;
            store.release_series(id, &series).await?;
            done
        }
        Call::DeleteSweep(wire::SweepDeletion { sweep, jobs, blobs }) => {
            let jobs = jobs.iter().map(|seeds| {
                let series = SeriesId(identifier(&seeds.series)?);
                Ok((series, seeds.first..seeds.end))
            });
            let deletion = Deletion {
                id: SweepId(identifier(&sweep)?),
                jobs: jobs.collect::<Result<_, Failure>>()?,
                blobs,
            };
            store.delete_sweep(&deletion).await?;
            done
        }
        Call::PutTrace(wire::FinishedJob { job, trace }) => {
            let job = Job::decode(&job)?;
            let trace = Trace::decode_for(job.series.id(), job.seed, &trace)?;
            Answer::Whether(store.put_trace(&job, &trace).await? == Stored::New)
        }
        Call::Trace(place) => {
            let (series, seed) = job_place(&place)?;
            let trace = store.trace(series, seed).await?;
            found(trace.map(|trace| trace.encode_for(series, seed)))
        }
        Call::TracesOf(wire::SeriesSeeds { series, seeds }) => {
            let series = SeriesId(identifier(&series)?);
            let traces = store.traces_of(series, &seeds).await?.into_iter();
            let traces = traces.map(|(seed, trace)| wire::SeedValue {
                seed,
                value: trace.encode_for(series, seed),
            });
            Answer::Traces(wire::SeedValues {
                values: traces.collect(),
            })
        }
        Call::DiscardTrace(place) => {
            let (series, seed) = job_place(&place)?;
            store.discard_trace(series, seed).await?;
            done
        }
        Call::SeedsDone(list) => {
            let lists = store.seeds_done(&series_list(&list.series)?).await?;
            let lists = lists.into_iter().map(|seeds| wire::SeedList { seeds });
            Answer::SeedsDone(wire::SeedLists {
                lists: lists.collect(),
            })
        }
        Call::LatestCursor(_) => Answer::Cursor(store.latest_cursor().await?.0),
        Call::EventsAfter(wire::EventsAfter { cursor, limit }) => {
            let limit = (limit as usize).min(MOST_EVENTS);
            let history = store.events_after(&Cursor(cursor), limit).await?;
            let events = history.events.into_iter();
            let events = events.map(|event| to_place(event.series, event.seed));
            Answer::Events(wire::HistoryPart {
                events: events.collect(),
                next: history.next.0,
                incomplete: history.incomplete,
            })
        }
        Call::JobRecord(place) => {
            let (series, seed) = job_place(&place)?;
            let record = store.job_record(series, seed).await?;
            let attempt = record.attempt.as_ref();
            Answer::JobRecord(wire::KeptJobRecord {
                done: record.done,
                stopped: record.stopped,
                attempt: attempt.map(|attempt| encode_attempt(series, seed, attempt)),
                version: record.version.0,
            })
        }
        Call::PutAttempt(replacement) => {
            let job = Job::decode(&replacement.job)?;
            let attempt = attempt_of(&job, &replacement.attempt)?;
            let expected = AttemptVersion(replacement.expected);
            let version = store.put_attempt(&job, &expected, &attempt).await?;
            found(version.and_then(|version| version.0))
        }
        Call::Attempts(wire::AttemptsFrom { series, first_seed }) => {
            let series = series_list(&series)?;
            let attempts = store.attempts(&series).await?;
            Answer::Attempts(attempts_part(&series, first_seed, &attempts))
        }
        Call::PutConflict(wire::JobProblem { job, problem }) => {
            store.put_conflict(&Job::decode(&job)?, &problem).await?;
            done
        }
        Call::Conflicts(_) => {
            let conflicts = store.conflicts().await?.into_iter();
            let conflicts = conflicts.map(|conflict| wire::KeptConflict {
                job: Some(to_place(conflict.series, conflict.seed)),
                problem: conflict.problem,
            });
            Answer::Conflicts(wire::KeptConflicts {
                conflicts: conflicts.collect(),
            })
        }
        Call::ForgetConflict(place) => {
            let (series, seed) = job_place(&place)?;
            store.forget_conflict(series, seed).await?;
            done
        }
        Call::PutHeartbeat(wire::NamedBytes { name, value }) => {
            store
                .put_heartbeat(&name, &Heartbeat::decode(&value)?)
                .await?;
            done
        }
        Call::Heartbeats(_) => {
            let heartbeats = store.heartbeats().await?.into_iter();
            let heartbeats = heartbeats.map(|(name, heartbeat)| wire::NamedBytes {
                name,
                value: heartbeat.encode().into_bytes(),
            });
            Answer::Heartbeats(wire::NamedValues {
                values: heartbeats.collect(),
            })
        }
        Call::ForgetWorker(name) => {
            store.forget_worker(&name).await?;
            done
        }
        Call::PutBlob(wire::NamedBytes { name, value }) => {
            store.put_blob(&name, &value).await?;
            done
        }
        Call::Blob(name) => found(store.blob(&name).await?),
        Call::DiscardBlob(name) => {
            store.discard_blob(&name).await?;
            done
        }
        Call::HasBlob(name) => Answer::Whether(store.has_blob(&name).await?),
    })
}

fn found(value: Option<Vec<u8>>) -> Answer {
    Answer::Found(wire::FoundBytes { value })
}

fn identifier(bytes: &[u8]) -> Result<[u8; 16], Failure> {
    let status = || Status::invalid_argument("an id has 16 bytes");
    bytes.try_into().map_err(|_| Failure::Call(status()))
}

fn series_list(list: &[Vec<u8>]) -> Result<Vec<SeriesId>, Failure> {
    let series = list.iter().map(|series| Ok(SeriesId(identifier(series)?)));
    series.collect()
}

fn sweep_series(of: &wire::SweepSeries) -> Result<(SweepId, Vec<SeriesId>), Failure> {
    Ok((SweepId(identifier(&of.sweep)?), series_list(&of.series)?))
}

fn job_place(place: &wire::JobPlace) -> Result<(SeriesId, u32), Failure> {
    Ok((SeriesId(identifier(&place.series)?), place.seed))
}

fn to_place(series: SeriesId, seed: u32) -> wire::JobPlace {
    wire::JobPlace {
        series: series.0.to_vec(),
        seed,
    }
}

/// The attempts from `first_seed` of the first series on, until an answer is full.
fn attempts_part(
    series: &[SeriesId],
    first_seed: u32,
    attempts: &[Vec<(u32, Attempt)>],
) -> wire::AttemptsPart {
    let mut part = wire::AttemptsPart::default();
    let mut bytes = 0;
    for (position, (&series, attempts)) in series.iter().zip(attempts).enumerate() {
        let first_seed = if position == 0 { first_seed } else { 0 };
        let mut list = wire::SeedValues::default();
        for (seed, attempt) in attempts.iter().filter(|(seed, _)| *seed >= first_seed) {
            if bytes >= FULL_ANSWER_BYTES {
                part.next_seed = Some(*seed);
                part.lists.push(list);
                return part;
            }
            let value = encode_attempt(series, *seed, attempt);
            bytes += value.len();
            list.values.push(wire::SeedValue { seed: *seed, value });
        }
        part.lists.push(list);
    }
    part
}

fn attempt_of(job: &Job, text: &[u8]) -> Result<Attempt, Failure> {
    let attempt = decode_attempt(job.series.id(), job.seed, text);
    attempt.map_err(|problem| Failure::Call(Status::invalid_argument(problem.to_string())))
}

fn passed_over(entry: PassedOver) -> wire::PassedOverEntry {
    let hides = match entry.hides {
        Hidden::Nothing => Hides::Nothing(Nothing {}),
        Hidden::Sweep => Hides::Sweep(Nothing {}),
        Hidden::Attempt(series) => Hides::AttemptsOf(series.0.to_vec()),
        Hidden::Conflict => Hides::Conflict(Nothing {}),
    };
    wire::PassedOverEntry {
        problem: entry.problem,
        hides: Some(hides),
    }
}
