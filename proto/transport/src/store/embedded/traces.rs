//! Traces in an SQLite file.

use async_trait::async_trait;
use loto_proto::excerpt::excerpt;
use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use rusqlite::{Connection, TransactionBehavior};

use super::failure::Failure;
use super::queries::{execute, find, list};
use super::store::EmbeddedStore;
use crate::error::TransportError;
use crate::store::traces::{Cursor, Event, Events, Stored, Traces, compare};

#[async_trait]
impl Traces for EmbeddedStore {
    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, TransportError> {
        let (series, seed) = (job.series.id(), job.seed);
        let bytes = trace.encode_for(series, seed);
        let stored = self.call(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let forget = "DELETE FROM attempts WHERE series = ?1 AND seed = ?2";
            execute(&transaction, forget, (series.0, seed))?;
            let stored = find_trace(&transaction, series, seed)?;
            if stored.is_none() {
                let insert = "INSERT INTO traces (series, seed, trace) VALUES (?1, ?2, ?3)";
                execute(&transaction, insert, (series.0, seed, bytes))?;
            }
            transaction.commit()?;
            decode(series, seed, stored)
        });
        match stored.await? {
            None => Ok(Stored::New),
            Some(stored) => compare(job, &stored, trace),
        }
    }

    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, TransportError> {
        self.call(move |connection| decode(series, seed, find_trace(connection, series, seed)?))
            .await
    }

    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, TransportError> {
        self.call(move |connection| {
            let select = "SELECT seed, trace FROM traces WHERE series = ?1 ORDER BY seed";
            let read = |row: &rusqlite::Row| Ok((row.get(0)?, row.get::<_, Vec<u8>>(1)?));
            let stored = list(connection, select, [series.0], read)?.into_iter();
            stored
                .map(|(seed, bytes)| Ok((seed, decode_trace(series, seed, &bytes)?)))
                .collect()
        })
        .await
    }

    async fn traces_of(
        &self,
        series: SeriesId,
        seeds: &[u32],
    ) -> Result<Vec<(u32, Trace)>, TransportError> {
        let seeds = seeds.to_owned();
        self.call(move |connection| {
            let mut traces = Vec::with_capacity(seeds.len());
            for seed in seeds {
                let trace = decode(series, seed, find_trace(connection, series, seed)?)?;
                traces.extend(trace.map(|trace| (seed, trace)));
            }
            Ok(traces)
        })
        .await
    }

    async fn discard_trace(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        let discard = "DELETE FROM traces WHERE series = ?1 AND seed = ?2";
        self.execute(discard, (series.0, seed)).await
    }

    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, TransportError> {
        let series = series.to_owned();
        self.call(move |connection| {
            let select = "SELECT seed FROM traces WHERE series = ?1 ORDER BY seed";
            let seeds = series
                .iter()
                .map(|series| list(connection, select, [series.0], |row| row.get(0)));
            seeds.collect()
        })
        .await
    }

    async fn latest_cursor(&self) -> Result<Cursor, TransportError> {
        self.call(|connection| {
            let select = "SELECT MAX(position) FROM traces";
            let position: Option<i64> = connection.query_row(select, [], |row| row.get(0))?;
            Ok(Cursor(position.unwrap_or_default().to_string()))
        })
        .await
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, TransportError> {
        let begin: i64 = match cursor.0.as_str() {
            "" => 0,
            position => position
                .parse()
                .map_err(|_| TransportError::InvalidCursor {
                    cursor: excerpt(position),
                    store: "an embedded store",
                })?,
        };
        self.call(move |connection| {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let select = "SELECT position, series, seed FROM traces WHERE position > ?1
                          ORDER BY position LIMIT ?2";
            let mut end = begin;
            let events = list(connection, select, [begin, limit], |row| {
                end = row.get(0)?;
                Ok(Event {
                    series: SeriesId(row.get(1)?),
                    seed: row.get(2)?,
                })
            })?;
            Ok(Events {
                events,
                next: Cursor(end.to_string()),
                incomplete: false,
            })
        })
        .await
    }
}

pub(super) fn find_trace(
    connection: &Connection,
    series: SeriesId,
    seed: u32,
) -> Result<Option<Vec<u8>>, Failure> {
    let select = "SELECT trace FROM traces WHERE series = ?1 AND seed = ?2";
    find(connection, select, (series.0, seed), |row| row.get(0))
}

fn decode(series: SeriesId, seed: u32, bytes: Option<Vec<u8>>) -> Result<Option<Trace>, Failure> {
    bytes
        .map(|bytes| decode_trace(series, seed, &bytes))
        .transpose()
}

/// Reads a stored trace; one that is damaged is named.
pub(super) fn decode_trace(series: SeriesId, seed: u32, bytes: &[u8]) -> Result<Trace, Failure> {
    let key = || format!("trace of series {series}, seed {seed}");
    Trace::decode_for(series, seed, bytes).map_err(|error| Failure::corrupt(key(), error))
}
