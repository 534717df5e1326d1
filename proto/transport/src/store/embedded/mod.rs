//! The embedded store: one SQLite file.
//!
//! The file is in write-ahead mode with `synchronous = NORMAL`: what was reported
//! done survives the death of the process at any moment. A loss of power may take
//! the last traces with it, never the file; they are computed again on resuming.
//!
//! The history of new traces is the table of traces itself, in the order of
//! storing, so it is never incomplete.

mod calls;
mod file;

use async_trait::async_trait;
use rusqlite::{OptionalExtension, TransactionBehavior, params};

pub use self::calls::EmbeddedStore;
use super::{Conflict, Cursor, Event, Events, Store, Stored, check_blob_size, compare};
use crate::error::TransportError;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::excerpt::excerpt;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;
use loto_proto::trace::Trace;
use loto_proto::worker_report::WorkerReport;

/// Trace and attempt of a job, and whether its series is stopped.
type RawRecord = (Option<Vec<u8>>, Option<String>, bool);

#[async_trait]
impl Store for EmbeddedStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError> {
        let (id, bytes) = (sweep.id(), sweep.encode());
        self.call(move |file, connection| {
            connection
                .prepare_cached("INSERT OR IGNORE INTO sweeps (id, sweep) VALUES (?1, ?2)")
                .and_then(|mut insert| insert.execute(params![id.0, bytes]))
                .map_err(|error| file.failed(error))?;
            Ok(id)
        })
        .await
    }

    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, TransportError> {
        self.call(move |file, connection| {
            let bytes: Option<Vec<u8>> = connection
                .prepare_cached("SELECT sweep FROM sweeps WHERE id = ?1")
                .and_then(|mut select| select.query_row([id.0], |row| row.get(0)).optional())
                .map_err(|error| file.failed(error))?;
            bytes
                .map(|bytes| {
                    Sweep::decode(&bytes, id)
                        .map_err(|error| file.corrupt(format!("sweep {id}"), error))
                })
                .transpose()
        })
        .await
    }

    async fn sweeps(&self) -> Result<Vec<SweepId>, TransportError> {
        self.call(|file, connection| {
            connection
                .prepare_cached("SELECT id FROM sweeps ORDER BY position")
                .and_then(|mut select| {
                    select
                        .query_map([], |row| row.get(0).map(SweepId))?
                        .collect()
                })
                .map_err(|error| file.failed(error))
        })
        .await
    }

    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, TransportError> {
        let (job, trace) = (job.clone(), trace.clone());
        self.call(move |file, connection| {
            let (series, seed) = (job.series.id(), job.seed);
            let stored: rusqlite::Result<Option<Vec<u8>>> = (|| {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                transaction
                    .prepare_cached("DELETE FROM attempts WHERE series = ?1 AND seed = ?2")?
                    .execute(params![series.0, seed])?;
                let stored = transaction
                    .prepare_cached("SELECT trace FROM traces WHERE series = ?1 AND seed = ?2")?
                    .query_row(params![series.0, seed], |row| row.get(0))
                    .optional()?;
                if stored.is_none() {
                    transaction
                        .prepare_cached(
                            "INSERT INTO traces (series, seed, trace) VALUES (?1, ?2, ?3)",
                        )?
                        .execute(params![series.0, seed, trace.encode()])?;
                }
                transaction.commit()?;
                Ok(stored)
            })();
            match stored.map_err(|error| file.failed(error))? {
                None => Ok(Stored::New),
                Some(bytes) => compare(&job, &file.decode_trace(series, seed, &bytes)?, &trace),
            }
        })
        .await
    }

    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, TransportError> {
        self.call(move |file, connection| {
            let bytes: Option<Vec<u8>> = connection
                .prepare_cached("SELECT trace FROM traces WHERE series = ?1 AND seed = ?2")
                .and_then(|mut select| {
                    select
                        .query_row(params![series.0, seed], |row| row.get(0))
                        .optional()
                })
                .map_err(|error| file.failed(error))?;
            bytes
                .map(|bytes| file.decode_trace(series, seed, &bytes))
                .transpose()
        })
        .await
    }

    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, TransportError> {
        self.call(move |file, connection| {
            let stored: Vec<(u32, Vec<u8>)> = connection
                .prepare_cached("SELECT seed, trace FROM traces WHERE series = ?1 ORDER BY seed")
                .and_then(|mut select| {
                    let rows =
                        select.query_map([series.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
                    rows.collect()
                })
                .map_err(|error| file.failed(error))?;
            let traces = stored.into_iter();
            traces
                .map(|(seed, bytes)| Ok((seed, file.decode_trace(series, seed, &bytes)?)))
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
        self.call(move |file, connection| {
            let read = || -> rusqlite::Result<Vec<(u32, Vec<u8>)>> {
                let mut select = connection
                    .prepare_cached("SELECT trace FROM traces WHERE series = ?1 AND seed = ?2")?;
                let mut stored = Vec::with_capacity(seeds.len());
                for seed in seeds {
                    let bytes = select
                        .query_row(params![series.0, seed], |row| row.get(0))
                        .optional()?;
                    stored.extend(bytes.map(|bytes| (seed, bytes)));
                }
                Ok(stored)
            };
            let stored = read().map_err(|error| file.failed(error))?.into_iter();
            stored
                .map(|(seed, bytes)| Ok((seed, file.decode_trace(series, seed, &bytes)?)))
                .collect()
        })
        .await
    }

    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, TransportError> {
        let series = series.to_owned();
        self.call(move |file, connection| {
            let seeds = || -> rusqlite::Result<Vec<Vec<u32>>> {
                let mut select = connection
                    .prepare_cached("SELECT seed FROM traces WHERE series = ?1 ORDER BY seed")?;
                let seeds = series
                    .iter()
                    .map(|series| select.query_map([series.0], |row| row.get(0))?.collect());
                seeds.collect()
            };
            seeds().map_err(|error| file.failed(error))
        })
        .await
    }

    async fn latest_cursor(&self) -> Result<Cursor, TransportError> {
        self.call(|file, connection| {
            let position: i64 = connection
                .prepare_cached("SELECT COALESCE(MAX(position), 0) FROM traces")
                .and_then(|mut select| select.query_row([], |row| row.get(0)))
                .map_err(|error| file.failed(error))?;
            Ok(Cursor(position.to_string()))
        })
        .await
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, TransportError> {
        let begin = match cursor.0.as_str() {
            "" => 0,
            position => position
                .parse()
                .map_err(|_| TransportError::InvalidCursor {
                    cursor: excerpt(position),
                    store: "an embedded store",
                })?,
        };
        self.call(move |file, connection| {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let rows: Vec<(i64, [u8; 16], u32)> = connection
                .prepare_cached(
                    "SELECT position, series, seed FROM traces WHERE position > ?1
                     ORDER BY position LIMIT ?2",
                )
                .and_then(|mut select| {
                    let rows = select.query_map([begin, limit], |row| {
                        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                    })?;
                    rows.collect()
                })
                .map_err(|error| file.failed(error))?;
            let end = rows.last().map_or(begin, |(position, ..)| *position);
            let events = rows.into_iter().map(|(_, series, seed)| Event {
                series: SeriesId(series),
                seed,
            });
            Ok(Events {
                events: events.collect(),
                next: Cursor(end.to_string()),
                incomplete: false,
            })
        })
        .await
    }

    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, TransportError> {
        self.call(move |file, connection| {
            let (trace, attempt, stopped): RawRecord = connection
                .prepare_cached(
                    "SELECT (SELECT trace FROM traces WHERE series = ?1 AND seed = ?2),
                            (SELECT attempt FROM attempts WHERE series = ?1 AND seed = ?2),
                            EXISTS (SELECT 1 FROM stopped WHERE series = ?1)",
                )
                .and_then(|mut select| {
                    select.query_row(params![series.0, seed], |row| {
                        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                    })
                })
                .map_err(|error| file.failed(error))?;
            if let Some(bytes) = &trace {
                file.decode_trace(series, seed, bytes)?;
            }
            let attempt = attempt.map(String::into_bytes);
            Ok(JobRecord {
                done: trace.is_some(),
                stopped,
                attempt: attempt
                    .as_deref()
                    .map(|text| file.decode_attempt(series, seed, text))
                    .transpose()?,
                version: AttemptVersion(attempt),
            })
        })
        .await
    }

    async fn put_attempt(
        &self,
        job: &Job,
        expected: &AttemptVersion,
        attempt: &Attempt,
    ) -> Result<Option<AttemptVersion>, TransportError> {
        let (series, seed, attempt) = (job.series.id(), job.seed, attempt.encode());
        let expected = expected.0.clone().map(String::from_utf8).transpose();
        let expected = expected.unwrap_or_default();
        self.call(move |file, connection| {
            let replaced = connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO attempts (series, seed, attempt) SELECT ?1, ?2, ?3
                     WHERE NOT EXISTS (SELECT 1 FROM traces WHERE series = ?1 AND seed = ?2)
                     AND (SELECT attempt FROM attempts WHERE series = ?1 AND seed = ?2) IS ?4",
                )
                .and_then(|mut insert| insert.execute(params![series.0, seed, attempt, expected]))
                .map_err(|error| file.failed(error))?;
            Ok((replaced > 0).then(|| AttemptVersion(Some(attempt.into_bytes()))))
        })
        .await
    }

    async fn attempts(
        &self,
        series: &[SeriesId],
    ) -> Result<Vec<Vec<(u32, Attempt)>>, TransportError> {
        let series = series.to_owned();
        self.call(move |file, connection| {
            let stored = || -> rusqlite::Result<Vec<Vec<(u32, String)>>> {
                let mut select = connection.prepare_cached(
                    "SELECT seed, attempt FROM attempts WHERE series = ?1 ORDER BY seed",
                )?;
                let stored = series.iter().map(|series| {
                    let rows =
                        select.query_map([series.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
                    rows.collect()
                });
                stored.collect()
            };
            let stored = stored().map_err(|error| file.failed(error))?;
            let decode = |(series, attempts): (&SeriesId, Vec<(u32, String)>)| {
                let attempts = attempts.into_iter().map(|(seed, text)| {
                    Ok((seed, file.decode_attempt(*series, seed, text.as_bytes())?))
                });
                attempts.collect()
            };
            series.iter().zip(stored).map(decode).collect()
        })
        .await
    }

    async fn put_conflict(&self, job: &Job, problem: &str) -> Result<(), TransportError> {
        let (series, seed, problem) = (job.series.id(), job.seed, problem.to_owned());
        self.execute(
            "INSERT OR REPLACE INTO conflicts (series, seed, problem) VALUES (?1, ?2, ?3)",
            (series.0, seed, problem),
        )
        .await
    }

    async fn conflicts(&self) -> Result<Vec<Conflict>, TransportError> {
        self.call(|file, connection| {
            connection
                .prepare_cached("SELECT series, seed, problem FROM conflicts ORDER BY series, seed")
                .and_then(|mut select| {
                    let conflicts = select.query_map([], |row| {
                        Ok(Conflict {
                            series: SeriesId(row.get(0)?),
                            seed: row.get(1)?,
                            problem: row.get(2)?,
                        })
                    })?;
                    conflicts.collect()
                })
                .map_err(|error| file.failed(error))
        })
        .await
    }

    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        self.execute(
            "DELETE FROM conflicts WHERE series = ?1 AND seed = ?2",
            (series.0, seed),
        )
        .await
    }

    async fn sweep_state(&self, id: SweepId) -> Result<SweepState, TransportError> {
        self.call(move |file, connection| {
            let state = connection
                .prepare_cached("SELECT published, cancelled FROM sweep_states WHERE id = ?1")
                .and_then(|mut select| {
                    let state = select.query_row([id.0], |row| {
                        Ok(SweepState {
                            published_seeds: row.get(0)?,
                            cancelled: row.get(1)?,
                        })
                    });
                    state.optional()
                })
                .map_err(|error| file.failed(error))?;
            Ok(state.unwrap_or_default())
        })
        .await
    }

    async fn mark_published(&self, id: SweepId, seeds: u32) -> Result<(), TransportError> {
        self.execute(
            "INSERT INTO sweep_states (id, published) VALUES (?1, ?2)
             ON CONFLICT (id) DO UPDATE SET published = ?2",
            (id.0, seeds),
        )
        .await
    }

    async fn cancel_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        let stop = "INSERT OR IGNORE INTO stopped (series) VALUES (?1)";
        self.for_each_series(stop, series, (id, true)).await
    }

    async fn revive_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        let start = "DELETE FROM stopped WHERE series = ?1";
        self.for_each_series(start, series, (id, false)).await
    }

    async fn put_worker_report(
        &self,
        worker: &str,
        report: &WorkerReport,
    ) -> Result<(), TransportError> {
        self.execute(
            "INSERT OR REPLACE INTO workers (name, report) VALUES (?1, ?2)",
            (worker.to_owned(), report.encode()),
        )
        .await
    }

    async fn worker_reports(&self) -> Result<Vec<(String, WorkerReport)>, TransportError> {
        self.call(|file, connection| {
            let stored: Vec<(String, String)> = connection
                .prepare_cached("SELECT name, report FROM workers ORDER BY name")
                .and_then(|mut select| {
                    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
                    rows.collect()
                })
                .map_err(|error| file.failed(error))?;
            let reports = stored.into_iter().map(|(worker, text)| {
                let report = WorkerReport::decode(text.as_bytes()).map_err(|problem| {
                    file.corrupt(format!("report of worker {worker}"), problem)
                })?;
                Ok((worker, report))
            });
            reports.collect()
        })
        .await
    }

    async fn forget_worker(&self, worker: &str) -> Result<(), TransportError> {
        self.execute("DELETE FROM workers WHERE name = ?1", (worker.to_owned(),))
            .await
    }

    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), TransportError> {
        check_blob_size(name, bytes)?;
        let (name, bytes) = (name.to_owned(), bytes.to_owned());
        self.call(move |file, connection| {
            connection
                .prepare_cached("INSERT OR IGNORE INTO blobs (name, bytes) VALUES (?1, ?2)")
                .and_then(|mut insert| insert.execute(params![name, bytes]))
                .map_err(|error| file.failed(error))?;
            Ok(())
        })
        .await
    }

    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, TransportError> {
        let name = name.to_owned();
        self.call(move |file, connection| {
            connection
                .prepare_cached("SELECT bytes FROM blobs WHERE name = ?1")
                .and_then(|mut select| select.query_row([name], |row| row.get(0)).optional())
                .map_err(|error| file.failed(error))
        })
        .await
    }
}

#[cfg(test)]
mod tests;
