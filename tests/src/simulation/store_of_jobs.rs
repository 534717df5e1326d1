//! What a simulated store keeps of jobs: their traces and the attempts at them, encoded as in Redis.

use std::sync::Arc;

use async_trait::async_trait;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;
use loto_proto::seal::{Key, check_json, check_text, seal_json, seal_text};
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::error::Reason;
use loto_transport::store::{Attempts, Conflict, Cursor, Events, Stored, Traces};

use super::events;
use super::store::{Outcome, SimulatedStore};

impl SimulatedStore {
    fn decode_trace(&self, series: SeriesId, seed: u32, bytes: &[u8]) -> Outcome<Trace> {
        Trace::decode_for(series, seed, bytes)
            .map_err(|error| self.corrupt(format!("traces of {series}, {seed}"), error))
    }

    fn decode_attempt(&self, series: SeriesId, seed: u32, text: &[u8]) -> Outcome<Attempt> {
        let attempt = check_json(Key::Attempt(series, seed), text)
            .map_err(Reason::from)
            .and_then(|()| Attempt::decode(text).map_err(Reason::from));
        attempt.map_err(|reason| self.corrupt(format!("attempts of {series}, {seed}"), reason))
    }
}

#[async_trait]
impl Traces for SimulatedStore {
    async fn put_trace(&self, job: &Job, trace: &Trace) -> Outcome<Stored> {
        let (series, seed) = (job.series.id(), job.seed);
        let bytes: Arc<[u8]> = match self.seals {
            true => Arc::from(trace.encode_for(series, seed)),
            false => Arc::from(trace.encode()),
        };
        let mark = self.process.world.draw(|chance| chance.number());
        let stored = self.change("storing a trace", move |data| {
            data.put_trace(series, seed, &bytes, mark)
        });
        match stored.await? {
            None => Ok(Stored::New),
            Some(bytes) => {
                let stored = self.decode_trace(series, seed, &bytes)?;
                match stored.first_difference(trace) {
                    None => Ok(Stored::Already),
                    Some(iteration) => Err(TransportError::Conflict {
                        job: job.id(),
                        iteration,
                        linear_algebra: format!(
                            "stored: {}, new: {}",
                            stored.linear_algebra, trace.linear_algebra
                        ),
                    }),
                }
            }
        }
    }

    async fn trace(&self, series: SeriesId, seed: u32) -> Outcome<Option<Trace>> {
        let bytes = self.read("trace", |data| data.trace(series, seed)).await?;
        bytes
            .map(|bytes| self.decode_trace(series, seed, &bytes))
            .transpose()
    }

    async fn traces(&self, series: SeriesId) -> Outcome<Vec<(u32, Trace)>> {
        let traces = self.read("traces", |data| data.traces.get(&series).cloned());
        let traces = traces.await?.unwrap_or_default().into_iter();
        traces
            .map(|(seed, bytes)| Ok((seed, self.decode_trace(series, seed, &bytes)?)))
            .collect()
    }

    async fn traces_of(&self, series: SeriesId, seeds: &[u32]) -> Outcome<Vec<(u32, Trace)>> {
        let found = self.read("traces", |data| {
            let traces = seeds.iter().map(|&seed| (seed, data.trace(series, seed)));
            traces.collect::<Vec<_>>()
        });
        let found = found.await?.into_iter();
        found
            .filter_map(|(seed, bytes)| Some((seed, bytes?)))
            .map(|(seed, bytes)| Ok((seed, self.decode_trace(series, seed, &bytes)?)))
            .collect()
    }

    async fn discard_trace(&self, series: SeriesId, seed: u32) -> Outcome<()> {
        self.change("discarding a trace", move |data| {
            if let Some(traces) = data.traces.get_mut(&series) {
                traces.remove(&seed);
            }
        })
        .await
    }

    async fn seeds_done(&self, series: &[SeriesId]) -> Outcome<Vec<Vec<u32>>> {
        self.read("seeds done", |data| {
            let seeds = series.iter().map(|series| {
                let traces = data.traces.get(series);
                traces.map_or(Vec::new(), |traces| traces.keys().copied().collect())
            });
            seeds.collect()
        })
        .await
    }

    async fn latest_cursor(&self) -> Outcome<Cursor> {
        let newest = self.read("latest event", |data| data.events.newest());
        Ok(events::cursor_at(newest.await?))
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Outcome<Events> {
        let seen = events::position(cursor);
        let entries = self.read("events", |data| data.events.from(seen.number, limit + 1));
        let entries = entries.await?;
        if !events::are_lost(seen, &entries) {
            return Ok(events::after(seen, entries, limit, false));
        }
        let entries = self.read("events", |data| data.events.from(0, limit));
        Ok(events::after(
            events::Position::default(),
            entries.await?,
            limit,
            true,
        ))
    }
}

#[async_trait]
impl Attempts for SimulatedStore {
    async fn job_record(&self, series: SeriesId, seed: u32) -> Outcome<JobRecord> {
        let record = self.read("job", |data| {
            let attempts = data.attempts.get(&series);
            let text = attempts.and_then(|attempts| attempts.get(&seed)).cloned();
            let stopped = data.stopped.contains(&series);
            (data.trace(series, seed), text, stopped)
        });
        let (trace, text, stopped) = record.await?;
        if let Some(bytes) = &trace {
            self.decode_trace(series, seed, bytes)?;
        }
        let attempt = text.as_deref();
        let attempt = attempt.map(|text| self.decode_attempt(series, seed, text));
        Ok(JobRecord {
            done: trace.is_some(),
            stopped,
            attempt: attempt.transpose()?,
            version: AttemptVersion(text),
        })
    }

    async fn put_attempt(
        &self,
        job: &Job,
        expected: &AttemptVersion,
        attempt: &Attempt,
    ) -> Outcome<Option<AttemptVersion>> {
        let (series, seed) = (job.series.id(), job.seed);
        let text = attempt.encode();
        let text = match self.seals {
            true => seal_json(Key::Attempt(series, seed), &text).into_bytes(),
            false => text.into_bytes(),
        };
        let expected = expected.0.clone().unwrap_or_default();
        let (world, job) = (Arc::clone(&self.process.world), job.clone());
        let (attempt, recorded) = (attempt.clone(), text.clone());
        let is_elsewhere = self.server.is_another;
        let replaced = self.change("recording an attempt", move |data| {
            let before = data.attempt(series, seed);
            let replaced = data.put_attempt(series, seed, &expected, &text);
            // It may be there already, told by a call whose answer was lost.
            if replaced && before.as_ref() != Some(&text) {
                let before = before.and_then(|text| Attempt::decode(&text).ok());
                let Attempt { state, count, .. } = attempt;
                if world.keeps_log() {
                    world.note(format_args!("{} is {state:?} ({count})", job.id()));
                }
                let mut truth = world.truth();
                let problem = truth.recorded(&job, before.as_ref(), &attempt);
                let problem =
                    problem.or_else(|| truth.recorded_elsewhere(&job).filter(|_| is_elsewhere));
                drop(truth);
                if let Some(problem) = problem {
                    world.violated(problem);
                }
            }
            replaced
        });
        Ok(replaced.await?.then_some(AttemptVersion(Some(recorded))))
    }

    async fn attempts(&self, series: &[SeriesId]) -> Outcome<Vec<Vec<(u32, Attempt)>>> {
        let found = self.read("attempts", |data| {
            let attempts = series
                .iter()
                .map(|id| (*id, data.attempts.get(id).cloned()));
            attempts.collect::<Vec<_>>()
        });
        let found = found.await?.into_iter().map(|(id, attempts)| {
            let attempts = attempts.unwrap_or_default().into_iter();
            attempts
                .map(|(seed, text)| Ok((seed, self.decode_attempt(id, seed, &text)?)))
                .collect()
        });
        found.collect()
    }

    async fn put_conflict(&self, job: &Job, problem: &str) -> Outcome<()> {
        let (series, seed) = (job.series.id(), job.seed);
        let (key, problem) = (
            (series, seed),
            seal_text(Key::Conflict(series, seed), problem),
        );
        self.change("recording a conflict", move |data| {
            data.conflicts.insert(key, problem.clone());
        })
        .await
    }

    async fn conflicts(&self) -> Outcome<Vec<Conflict>> {
        let found = self
            .read("conflicts", |data| data.conflicts.clone())
            .await?;
        let conflicts = found.into_iter().map(|((series, seed), problem)| {
            let problem = check_text(Key::Conflict(series, seed), problem.as_bytes())
                .map_err(|error| self.corrupt(format!("conflict of {series}, {seed}"), error))?;
            Ok(Conflict {
                series,
                seed,
                problem: String::from_utf8_lossy(problem).into_owned(),
            })
        });
        conflicts.collect()
    }

    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Outcome<()> {
        self.change("forgetting a conflict", move |data| {
            data.conflicts.remove(&(series, seed));
        })
        .await
    }
}
