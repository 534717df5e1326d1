//! Traces in Redis, with the history of new ones.
//!
//! Events are numbered without gaps, so that a reader sees when it missed some. A server
//! that loses its last second gives the numbers of lost events to others: by the random
//! mark of the last event it has seen, a reader sees that, too.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use loto_proto::excerpt::excerpt;
use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use redis::Cmd;

use super::keys::{EVENTS, attempts_key, traces_key};
use super::store::RedisStore;
use crate::error::TransportError;
use crate::store::damage::{Hidden, sound};
use crate::store::traces::{Cursor, Event, Events, Stored, Traces, compare};

/// How many events are kept, about: the reader of an older one looks at whole series again.
const MOST_EVENTS: usize = 1_000_000;

/// Id and fields of a stream's entry.
type RawEvent = (String, HashMap<Vec<u8>, Vec<u8>>);

/// The trace that was there before, and why no event tells of the new one.
type PutTrace = (Option<Vec<u8>>, Option<Vec<u8>>);

/// Numbers of events end below: the script that gives them counts in floating point.
const END_OF_EVENTS: u64 = 1 << 53;

/// Where a reader of the history stands.
#[derive(Default)]
struct Position {
    /// The number of the last event it has seen, 0 if none.
    number: u64,
    /// That event's mark.
    mark: String,
}

impl Position {
    fn cursor(&self) -> Cursor {
        Cursor(format!("{}:{}", self.number, self.mark))
    }

    fn of(cursor: &Cursor) -> Result<Self, TransportError> {
        if cursor.0.is_empty() {
            return Ok(Self::default());
        }
        let parts = cursor.0.split_once(':');
        let position = parts.and_then(|(number, mark)| {
            let number = number.parse().ok();
            Some(Self {
                number: number.filter(|number| *number < END_OF_EVENTS)?,
                mark: mark.to_owned(),
            })
        });
        position.ok_or_else(|| TransportError::InvalidCursor {
            cursor: excerpt(&cursor.0),
            store: "a Redis store",
        })
    }
}

#[async_trait]
impl Traces for RedisStore {
    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, TransportError> {
        let series = job.series.id();
        let (traces, attempts) = (traces_key(series), attempts_key(series));
        let mut script = self.scripts.put_trace.key(&traces);
        script
            .key(&attempts)
            .key(EVENTS)
            .arg(job.seed)
            .arg(trace.encode_for(series, job.seed))
            .arg(series.to_string())
            .arg(MOST_EVENTS)
            .arg(format!("{:x}", rand::random::<u64>()));
        let keys = format!("{traces}, {attempts} or {EVENTS}");
        let (stored, problem): PutTrace = self.invoke(&keys, &script).await?;
        self.tell_of_lost_event(problem);
        match stored {
            None => Ok(Stored::New),
            Some(bytes) => compare(job, &self.decode_trace(series, job.seed, &bytes)?, trace),
        }
    }

    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, TransportError> {
        let key = traces_key(series);
        let bytes: Option<Vec<u8>> = self.ask(&key, &Cmd::hget(&key, seed)).await?;
        bytes
            .map(|bytes| self.decode_trace(series, seed, &bytes))
            .transpose()
    }

    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, TransportError> {
        let key = traces_key(series);
        let fields: Vec<(Vec<u8>, Vec<u8>)> = self.ask(&key, &Cmd::hgetall(&key)).await?;
        let mut traces = Vec::with_capacity(fields.len());
        for (field, bytes) in fields {
            let seed = self.decode_seed(&key, &field)?;
            traces.push((seed, self.decode_trace(series, seed, &bytes)?));
        }
        traces.sort_unstable_by_key(|(seed, _)| *seed);
        Ok(traces)
    }

    async fn traces_of(
        &self,
        series: SeriesId,
        seeds: &[u32],
    ) -> Result<Vec<(u32, Trace)>, TransportError> {
        if seeds.is_empty() {
            return Ok(Vec::new());
        }
        let key = traces_key(series);
        let mut command = redis::cmd("HMGET");
        command.arg(&key).arg(seeds);
        let found: Vec<Option<Vec<u8>>> = self.ask(&key, &command).await?;
        let finished = seeds.iter().zip(found);
        finished
            .filter_map(|(&seed, bytes)| Some((seed, bytes?)))
            .map(|(seed, bytes)| Ok((seed, self.decode_trace(series, seed, &bytes)?)))
            .collect()
    }

    async fn discard_trace(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        let key = traces_key(series);
        let _: u32 = self.ask(&key, &Cmd::hdel(&key, seed)).await?;
        Ok(())
    }

    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, TransportError> {
        let keys: Vec<_> = series.iter().copied().map(traces_key).collect();
        let fields: Vec<Vec<Vec<u8>>> = self.ask_each("HKEYS", &keys).await?;
        let seeds = keys.iter().zip(fields).map(|(key, fields)| {
            let seeds = fields.iter().map(|field| self.decode_seed(key, field));
            let mut seeds = sound(&self.damage, key, Hidden::Nothing, seeds);
            seeds.sort_unstable();
            seeds
        });
        Ok(seeds.collect())
    }

    async fn latest_cursor(&self) -> Result<Cursor, TransportError> {
        let newest = Cmd::xrevrange_count(EVENTS, "+", "-", 1);
        let newest: Vec<RawEvent> = self.ask(EVENTS, &newest).await?;
        let newest = newest.first().map(|entry| self.position(entry));
        Ok(newest.transpose()?.unwrap_or_default().cursor())
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, TransportError> {
        let mut seen = Position::of(cursor)?;
        // The last one it has seen once more: is it still the same?
        let one_more = limit.saturating_add(1);
        let mut entries = self.events_from(seen.number, one_more).await?;
        let is_lost = match entries.first() {
            Some((first, _)) if first.number == seen.number => first.mark != seen.mark,
            Some(_) => false,
            None => seen.number > 0,
        };
        if is_lost {
            // The server counts them again: so does its reader.
            seen = Position::default();
            entries = self.events_from(0, limit).await?;
        }
        entries.retain(|(position, _)| position.number > seen.number);
        entries.truncate(limit);
        let first = entries.first().map(|(position, _)| position.number);
        let is_trimmed = first.is_some_and(|first| first != seen.number + 1);
        let mut events = Vec::with_capacity(entries.len());
        for (position, event) in entries {
            seen = position;
            events.push(event);
        }
        Ok(Events {
            events,
            next: seen.cursor(),
            incomplete: is_lost || is_trimmed,
        })
    }
}

impl RedisStore {
    /// Warns at the first of several traces in a row that could not be told of.
    fn tell_of_lost_event(&self, problem: Option<Vec<u8>>) {
        let was_lost = self.events_lost.swap(problem.is_some(), Ordering::Relaxed);
        if let Some(problem) = problem
            && !was_lost
        {
            let problem = String::from_utf8_lossy(&problem).into_owned();
            tracing::warn!(
                "a trace is stored, but {EVENTS} takes no event of it ({}): readers look at all series \
                 instead, which takes longer; delete the key {EVENTS} to mend it, no trace is lost by that",
                excerpt(&problem)
            );
        }
    }

    /// Reads a stored trace; one that is damaged is named.
    pub(super) fn decode_trace(
        &self,
        series: SeriesId,
        seed: u32,
        bytes: &[u8],
    ) -> Result<Trace, TransportError> {
        Trace::decode_for(series, seed, bytes).map_err(|error| {
            let key = traces_key(series);
            self.corrupt(format!("{key}, field {seed}"), error)
        })
    }

    /// At most `limit` events from that number on.
    async fn events_from(
        &self,
        number: u64,
        limit: usize,
    ) -> Result<Vec<(Position, Event)>, TransportError> {
        let begin = format!("{number}-0");
        let entries: Vec<RawEvent> = self
            .ask(EVENTS, &Cmd::xrange_count(EVENTS, begin, "+", limit))
            .await?;
        let entries = entries.iter().map(|entry| self.decode_event(entry));
        entries.collect()
    }

    fn decode_event(&self, entry: &RawEvent) -> Result<(Position, Event), TransportError> {
        let (id, fields) = entry;
        let field = |name: &str| {
            let value = fields.get(name.as_bytes())?;
            std::str::from_utf8(value).ok()
        };
        let position = self.position(entry)?;
        let series = field("series").and_then(|series| series.parse().ok());
        let seed = field("seed").and_then(|seed| seed.parse().ok());
        match (series, seed) {
            (Some(series), Some(seed)) => Ok((position, Event { series, seed })),
            _ => Err(self.corrupt(
                format!("{EVENTS}, entry {id}"),
                "it names no series and seed",
            )),
        }
    }

    fn position(&self, (id, fields): &RawEvent) -> Result<Position, TransportError> {
        let number = id.strip_suffix("-0").and_then(|number| number.parse().ok());
        let number = number.filter(|number| *number < END_OF_EVENTS);
        let number = number.ok_or_else(|| {
            self.corrupt(
                format!("{EVENTS}, entry {id}"),
                "its id is not of the form NUMBER-0, with a number below 2^53",
            )
        })?;
        let mark = fields.get("mark".as_bytes());
        let mark = mark.map(|mark| String::from_utf8_lossy(mark).into_owned());
        Ok(Position {
            number,
            mark: mark.unwrap_or_default(),
        })
    }
}
