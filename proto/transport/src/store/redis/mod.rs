//! The networked store: Redis 5 or later, one server (not a cluster).
//!
//! | key | type | content |
//! |---|---|---|
//! | `loto:sweep:{id}` | string | a sweep |
//! | `loto:sweeps` | list | the ids of all sweeps, in the order of recording |
//! | `loto:traces:{series}` | hash | finished traces: seed -> trace |
//! | `loto:attempts:{series}` | hash | attempts at unfinished jobs: seed -> JSON |
//! | `loto:conflicts` | hash | other outcomes than the stored one: series:seed -> text |
//! | `loto:sweep-state:{id}` | hash | `published` -> seeds, `cancelled` -> 1 |
//! | `loto:stopped` | set | the series of cancelled sweeps |
//! | `loto:workers` | hash | the last report of each worker: name -> text |
//! | `loto:events` | stream | the last million new traces, numbered `1-0`, `2-0`, ...: series, seed, random mark |
//! | `loto:blob:{name}` | string | tables and fitted priors |
//!
//! Finished work is only ever added. Redis must be set to keep it: an append-only
//! file, and no eviction (`maxmemory-policy noeviction`, the default).

mod connection;
mod history;
mod keys;
mod reconnection;
mod scripts;

use std::collections::HashMap;

use async_trait::async_trait;
use redis::{Cmd, Pipeline, RedisResult};

pub use self::connection::RedisStore;
use self::connection::SERIES_PER_PIPELINE;
use self::keys::*;
use super::{Conflict, Cursor, Events, Store, Stored, check_blob_size, compare};
use crate::error::TransportError;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::excerpt::excerpt;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;
use loto_proto::limits::MAX_BLOB_BYTES;
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;
use loto_proto::trace::Trace;
use loto_proto::worker_report::WorkerReport;

/// How many events are kept, about: the reader of an older one looks at whole series again.
const MOST_EVENTS: usize = 1_000_000;

/// Trace and attempt of a job, and whether its series is stopped.
type RawRecord = (Option<Vec<u8>>, Option<Vec<u8>>, bool);

#[async_trait]
impl Store for RedisStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError> {
        let id = sweep.id();
        let key = sweep_key(id);
        let mut invocation = self.scripts.put_sweep.prepare_invoke();
        invocation
            .key(&key)
            .key(SWEEPS)
            .arg(id.to_string())
            .arg(sweep.encode());
        let answer: RedisResult<()> = invocation.invoke_async(&mut self.connection.clone()).await;
        answer.map_err(|error| self.explain(&format!("{key} or {SWEEPS}"), error))?;
        Ok(id)
    }

    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, TransportError> {
        let key = sweep_key(id);
        let bytes: Option<Vec<u8>> = self.ask(&key, &Cmd::get(&key)).await?;
        let decode =
            |bytes: Vec<u8>| Sweep::decode(&bytes, id).map_err(|error| self.corrupt(&key, error));
        bytes.map(decode).transpose()
    }

    async fn sweeps(&self) -> Result<Vec<SweepId>, TransportError> {
        let ids: Vec<Vec<u8>> = self.ask(SWEEPS, &Cmd::lrange(SWEEPS, 0, -1)).await?;
        let ids = ids.iter().map(|id| {
            let id = String::from_utf8_lossy(id).parse();
            id.map_err(|error| self.corrupt(SWEEPS, error))
        });
        ids.collect()
    }

    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, TransportError> {
        let series = job.series.id();
        let (traces, attempts) = (traces_key(series), attempts_key(series));
        let mut invocation = self.scripts.put_trace.prepare_invoke();
        invocation
            .key(&traces)
            .key(&attempts)
            .key(EVENTS)
            .arg(job.seed)
            .arg(trace.encode())
            .arg(series.to_string())
            .arg(MOST_EVENTS)
            .arg(format!("{:x}", rand::random::<u64>()));
        let answer: RedisResult<Option<Vec<u8>>> =
            invocation.invoke_async(&mut self.connection.clone()).await;
        let keys = || format!("{traces}, {attempts} or {EVENTS}");
        match answer.map_err(|error| self.explain(&keys(), error))? {
            None => Ok(Stored::New),
            Some(bytes) => compare(job, &self.decode_trace(&traces, job.seed, &bytes)?, trace),
        }
    }

    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, TransportError> {
        let key = traces_key(series);
        let bytes: Option<Vec<u8>> = self.ask(&key, &Cmd::hget(&key, seed)).await?;
        bytes
            .map(|bytes| self.decode_trace(&key, seed, &bytes))
            .transpose()
    }

    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, TransportError> {
        let key = traces_key(series);
        let fields: Vec<(Vec<u8>, Vec<u8>)> = self.ask(&key, &Cmd::hgetall(&key)).await?;
        let mut traces = Vec::with_capacity(fields.len());
        for (field, bytes) in fields {
            let seed = self.decode_seed(&key, &field)?;
            traces.push((seed, self.decode_trace(&key, seed, &bytes)?));
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
            .map(|(seed, bytes)| Ok((seed, self.decode_trace(&key, seed, &bytes)?)))
            .collect()
    }

    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, TransportError> {
        let keys: Vec<_> = series.iter().copied().map(traces_key).collect();
        let fields: Vec<Vec<Vec<u8>>> = self.ask_each("HKEYS", &keys).await?;
        let seeds = keys.iter().zip(fields).map(|(key, fields)| {
            let seeds = fields.iter().map(|field| self.decode_seed(key, field));
            let mut seeds: Vec<_> = seeds.collect::<Result<_, _>>()?;
            seeds.sort_unstable();
            Ok(seeds)
        });
        seeds.collect()
    }

    async fn latest_cursor(&self) -> Result<Cursor, TransportError> {
        self.end_of_history().await
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, TransportError> {
        self.history_after(cursor, limit).await
    }

    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, TransportError> {
        let (traces, attempts) = (traces_key(series), attempts_key(series));
        let mut pipeline = Pipeline::with_capacity(3);
        pipeline.hget(&traces, seed).hget(&attempts, seed);
        pipeline.sismember(STOPPED, series.to_string());
        let answer: RedisResult<RawRecord> =
            pipeline.query_async(&mut self.connection.clone()).await;
        let keys = || format!("{traces}, {attempts} or {STOPPED}");
        let (trace, attempt, stopped) = answer.map_err(|error| self.explain(&keys(), error))?;
        if let Some(bytes) = &trace {
            self.decode_trace(&traces, seed, bytes)?;
        }
        Ok(JobRecord {
            done: trace.is_some(),
            stopped,
            attempt: attempt
                .as_deref()
                .map(|text| self.decode_attempt(&attempts, seed, text))
                .transpose()?,
            version: AttemptVersion(attempt),
        })
    }

    async fn put_attempt(
        &self,
        job: &Job,
        expected: &AttemptVersion,
        attempt: &Attempt,
    ) -> Result<Option<AttemptVersion>, TransportError> {
        let series = job.series.id();
        let (traces, attempts) = (traces_key(series), attempts_key(series));
        let text = attempt.encode().into_bytes();
        let mut invocation = self.scripts.put_attempt.prepare_invoke();
        invocation
            .key(&traces)
            .key(&attempts)
            .arg(job.seed)
            .arg(&text)
            .arg(expected.0.as_deref().unwrap_or_default());
        let answer: RedisResult<bool> = invocation.invoke_async(&mut self.connection.clone()).await;
        let replaced =
            answer.map_err(|error| self.explain(&format!("{traces} or {attempts}"), error))?;
        Ok(replaced.then_some(AttemptVersion(Some(text))))
    }

    async fn attempts(
        &self,
        series: &[SeriesId],
    ) -> Result<Vec<Vec<(u32, Attempt)>>, TransportError> {
        let keys: Vec<_> = series.iter().copied().map(attempts_key).collect();
        let fields: Vec<Vec<(Vec<u8>, Vec<u8>)>> = self.ask_each("HGETALL", &keys).await?;
        let attempts = keys.iter().zip(fields).map(|(key, fields)| {
            let attempts = fields.iter().map(|(field, text)| {
                let seed = self.decode_seed(key, field)?;
                Ok((seed, self.decode_attempt(key, seed, text)?))
            });
            let mut attempts: Vec<_> = attempts.collect::<Result<_, TransportError>>()?;
            attempts.sort_unstable_by_key(|(seed, _)| *seed);
            Ok(attempts)
        });
        attempts.collect()
    }

    async fn put_conflict(&self, job: &Job, problem: &str) -> Result<(), TransportError> {
        let put = Cmd::hset(
            CONFLICTS,
            conflict_field(job.series.id(), job.seed),
            problem,
        );
        let _: u32 = self.ask(CONFLICTS, &put).await?;
        Ok(())
    }

    async fn conflicts(&self) -> Result<Vec<Conflict>, TransportError> {
        let fields: Vec<(Vec<u8>, Vec<u8>)> = self.ask(CONFLICTS, &Cmd::hgetall(CONFLICTS)).await?;
        let conflicts = fields.into_iter().map(|(field, problem)| {
            let field = String::from_utf8_lossy(&field);
            let job = field
                .split_once(':')
                .and_then(|(series, seed)| Some((series.parse().ok()?, seed.parse().ok()?)));
            let (series, seed) = job.ok_or_else(|| {
                self.corrupt(
                    CONFLICTS,
                    format!("its field `{}` is no job", excerpt(&field)),
                )
            })?;
            let problem = String::from_utf8_lossy(&problem).into_owned();
            Ok(Conflict {
                series,
                seed,
                problem,
            })
        });
        let mut conflicts: Vec<_> = conflicts.collect::<Result<_, TransportError>>()?;
        conflicts.sort_unstable();
        Ok(conflicts)
    }

    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        let forget = Cmd::hdel(CONFLICTS, conflict_field(series, seed));
        let _: u32 = self.ask(CONFLICTS, &forget).await?;
        Ok(())
    }

    async fn sweep_state(&self, id: SweepId) -> Result<SweepState, TransportError> {
        let key = sweep_state_key(id);
        let fields: HashMap<Vec<u8>, Vec<u8>> = self.ask(&key, &Cmd::hgetall(&key)).await?;
        let number = |name: &str| -> Result<u32, TransportError> {
            let Some(text) = fields.get(name.as_bytes()) else {
                return Ok(0);
            };
            let number = std::str::from_utf8(text)
                .ok()
                .and_then(|text| text.parse().ok());
            number.ok_or_else(|| {
                let field = format!("{key}, field {name}");
                self.corrupt(field, "it is not a number")
            })
        };
        Ok(SweepState {
            published_seeds: number(PUBLISHED)?,
            cancelled: number(CANCELLED)? != 0,
        })
    }

    async fn mark_published(&self, id: SweepId, seeds: u32) -> Result<(), TransportError> {
        let key = sweep_state_key(id);
        let _: u32 = self.ask(&key, &Cmd::hset(&key, PUBLISHED, seeds)).await?;
        Ok(())
    }

    async fn cancel_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        let key = sweep_state_key(id);
        let mut transaction = Pipeline::new();
        transaction.atomic();
        transaction.hset_multiple(&key, &[(CANCELLED, 1), (PUBLISHED, 0)]);
        for batch in series.chunks(SERIES_PER_PIPELINE) {
            transaction.sadd(STOPPED, texts(batch));
        }
        self.transact(&key, &transaction).await
    }

    async fn revive_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        let key = sweep_state_key(id);
        let mut transaction = Pipeline::new();
        transaction.atomic();
        transaction.hdel(&key, CANCELLED);
        for batch in series.chunks(SERIES_PER_PIPELINE) {
            transaction.srem(STOPPED, texts(batch));
        }
        self.transact(&key, &transaction).await
    }

    async fn put_worker_report(
        &self,
        worker: &str,
        report: &WorkerReport,
    ) -> Result<(), TransportError> {
        let put = Cmd::hset(WORKERS, worker, report.encode());
        let _: u32 = self.ask(WORKERS, &put).await?;
        Ok(())
    }

    async fn worker_reports(&self) -> Result<Vec<(String, WorkerReport)>, TransportError> {
        let fields: Vec<(Vec<u8>, Vec<u8>)> = self.ask(WORKERS, &Cmd::hgetall(WORKERS)).await?;
        let reports = fields.into_iter().map(|(worker, text)| {
            let worker = String::from_utf8_lossy(&worker).into_owned();
            let report = WorkerReport::decode(&text)
                .map_err(|problem| self.corrupt(format!("{WORKERS}, field {worker}"), problem))?;
            Ok((worker, report))
        });
        reports.collect()
    }

    async fn forget_worker(&self, worker: &str) -> Result<(), TransportError> {
        let _: u32 = self.ask(WORKERS, &Cmd::hdel(WORKERS, worker)).await?;
        Ok(())
    }

    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), TransportError> {
        check_blob_size(name, bytes)?;
        let key = blob_key(name);
        let _: bool = self.ask(&key, &Cmd::set_nx(&key, bytes)).await?;
        Ok(())
    }

    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, TransportError> {
        let key = blob_key(name);
        let length: usize = self.ask(&key, &Cmd::strlen(&key)).await?;
        if length > MAX_BLOB_BYTES {
            let problem = format!("it has {length} bytes, allowed are {MAX_BLOB_BYTES}");
            return Err(self.corrupt(&key, problem));
        }
        self.ask(&key, &Cmd::get(&key)).await
    }
}
