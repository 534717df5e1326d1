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

mod scripts;

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::io::tcp::TcpSettings;
use redis::{
    Client, Cmd, ErrorKind, FromRedisValue, IntoConnectionInfo, Pipeline, RedisError, RedisResult,
};

use self::scripts::Scripts;
use super::{Conflict, Cursor, Event, Events, Store, Stored, check_blob_size, compare};
use crate::ProtoError;
use crate::address::without_password;
use crate::attempt::{Attempt, AttemptVersion};
use crate::excerpt::excerpt;
use crate::identity::{SeriesId, SweepId};
use crate::job::Job;
use crate::lifecycle::JobRecord;
use crate::limits::MAX_BLOB_BYTES;
use crate::sweep::Sweep;
use crate::sweep_state::SweepState;
use crate::trace::Trace;
use crate::worker_report::WorkerReport;

/// List of all sweeps.
const SWEEPS: &str = "loto:sweeps";

/// Set of series of which nothing is begun.
const STOPPED: &str = "loto:stopped";

/// Hash of the outcomes that were not stored.
const CONFLICTS: &str = "loto:conflicts";

/// Hash of the workers' reports.
const WORKERS: &str = "loto:workers";

/// Fields of a sweep's state.
const PUBLISHED: &str = "published";
const CANCELLED: &str = "cancelled";

/// Stream of new traces.
const EVENTS: &str = "loto:events";

/// How many events are kept, about: the reader of an older one looks at whole series again.
const MOST_EVENTS: usize = 1_000_000;

/// Numbers of events end below: the script that gives them counts in floating point.
const END_OF_EVENTS: u64 = 1 << 53;

/// How long a connection may take.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an answer may take; a large table takes a while on a slow network.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// How many series one round trip asks for.
const SERIES_PER_PIPELINE: usize = 1000;

/// A store in Redis. Clones of the connection share one socket; a lost one is
/// opened again by the next call, which fails in the meantime.
pub struct RedisStore {
    name: String,
    connection: ConnectionManager,
    scripts: Scripts,
}

impl RedisStore {
    /// Connects to `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`.
    ///
    /// # Errors
    /// [`ProtoError::UnknownUrl`] if it is no such URL;
    /// [`ProtoError::Store`] if the server does not answer or refuses us.
    pub async fn connect(url: &str) -> Result<Self, ProtoError> {
        let name = without_password(url);
        let failed = |error: RedisError| ProtoError::Store {
            store: name.clone(),
            problem: error.to_string(),
        };
        let address = url
            .into_connection_info()
            .map_err(|_| ProtoError::UnknownUrl {
                url: name.clone(),
                what: "store",
                expected: "redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]",
            })?;
        let settings = TcpSettings::default().set_nodelay(true);
        // Without it a server that vanished is noticed only after a quarter of an hour.
        #[cfg(target_os = "linux")]
        let settings = settings.set_user_timeout(RESPONSE_TIMEOUT);
        let client = Client::open(address.set_tcp_settings(settings)).map_err(failed)?;
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(CONNECTION_TIMEOUT))
            .set_response_timeout(Some(RESPONSE_TIMEOUT))
            // Callers decide whether to wait for a server that is not there.
            .set_number_of_retries(0);
        let mut connection = ConnectionManager::new_with_config(client, config)
            .await
            .map_err(failed)?;
        let _: String = redis::cmd("PING")
            .query_async(&mut connection)
            .await
            .map_err(failed)?;
        Ok(Self {
            name,
            connection,
            scripts: Scripts::new(),
        })
    }

    /// Sends one command about `key`.
    async fn ask<Answer: FromRedisValue>(
        &self,
        key: &str,
        command: &Cmd,
    ) -> Result<Answer, ProtoError> {
        let answer = command.query_async(&mut self.connection.clone()).await;
        answer.map_err(|error| self.explain(key, error))
    }

    /// Sends one command per key, many at a time, and returns the answers in the order of the keys.
    async fn ask_each<Answer: FromRedisValue>(
        &self,
        command: &str,
        keys: &[String],
    ) -> Result<Vec<Answer>, ProtoError> {
        let mut answers = Vec::with_capacity(keys.len());
        for keys in keys.chunks(SERIES_PER_PIPELINE) {
            let mut pipeline = Pipeline::with_capacity(keys.len());
            for key in keys {
                pipeline.cmd(command).arg(key);
            }
            let found: Vec<RedisResult<Answer>> = pipeline
                .ignore_errors()
                .query_async(&mut self.connection.clone())
                .await
                .map_err(|error| self.explain(EVENTS, error))?;
            for (key, answer) in keys.iter().zip(found) {
                answers.push(answer.map_err(|error| self.explain(key, error))?);
            }
        }
        Ok(answers)
    }

    /// Sends commands about `key` that happen all at once.
    async fn transact(&self, key: &str, transaction: &Pipeline) -> Result<(), ProtoError> {
        let answer = transaction.query_async(&mut self.connection.clone()).await;
        answer.map_err(|error| self.explain(key, error))
    }

    /// Says what an error of a command about `key` means.
    fn explain(&self, key: &str, error: RedisError) -> ProtoError {
        // Scripts and pipelines pass the reply on in their own words.
        let wrong_type = error.to_string().contains("WRONGTYPE");
        match error.kind() {
            _ if wrong_type => self.corrupt(key, "it has the wrong type for this key"),
            ErrorKind::UnexpectedReturnType => self.corrupt(key, error),
            _ if error.to_string().contains("specified in XADD") => {
                self.corrupt(key, "the last event has a number that none may follow")
            }
            _ => ProtoError::Store {
                store: self.name.clone(),
                problem: error.to_string(),
            },
        }
    }

    fn corrupt(&self, key: impl ToString, problem: impl ToString) -> ProtoError {
        ProtoError::CorruptValue {
            store: self.name.clone(),
            key: key.to_string(),
            problem: problem.to_string(),
        }
    }

    fn decode_seed(&self, key: &str, field: &[u8]) -> Result<u32, ProtoError> {
        let seed = std::str::from_utf8(field)
            .ok()
            .and_then(|text| text.parse().ok());
        seed.ok_or_else(|| {
            let field = String::from_utf8_lossy(field);
            self.corrupt(key, format!("its field `{}` is no seed", excerpt(&field)))
        })
    }

    fn decode_trace(&self, key: &str, seed: u32, bytes: &[u8]) -> Result<Trace, ProtoError> {
        Trace::decode(bytes).map_err(|error| self.corrupt(format!("{key}, field {seed}"), error))
    }

    fn decode_attempt(&self, key: &str, seed: u32, text: &[u8]) -> Result<Attempt, ProtoError> {
        Attempt::decode(text)
            .map_err(|problem| self.corrupt(format!("{key}, field {seed}"), problem))
    }

    /// Position of the event and what it tells.
    fn decode_event(&self, entry: &RawEvent) -> Result<(Position, Event), ProtoError> {
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

    /// At most `limit` events from that number on, with their positions.
    async fn events_from(
        &self,
        number: u64,
        limit: usize,
    ) -> Result<Vec<(Position, Event)>, ProtoError> {
        let begin = format!("{number}-0");
        let entries: Vec<RawEvent> = self
            .ask(EVENTS, &Cmd::xrange_count(EVENTS, begin, "+", limit))
            .await?;
        let entries = entries.iter().map(|entry| self.decode_event(entry));
        entries.collect()
    }

    fn position(&self, (id, fields): &RawEvent) -> Result<Position, ProtoError> {
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

/// Where a reader of the history stands.
#[derive(Default)]
struct Position {
    /// The number of the last event it has seen, 0 if none.
    number: u64,
    /// That event's mark: another event may have got the number since.
    mark: String,
}

impl Position {
    fn cursor(&self) -> Cursor {
        Cursor(format!("{}:{}", self.number, self.mark))
    }

    fn of(cursor: &Cursor) -> Result<Self, ProtoError> {
        if cursor.0.is_empty() {
            return Ok(Self::default());
        }
        let parts = cursor.0.split_once(':');
        let position = parts.and_then(|(number, mark)| {
            Some(Self {
                number: number
                    .parse()
                    .ok()
                    .filter(|number| *number < END_OF_EVENTS)?,
                mark: mark.to_owned(),
            })
        });
        position.ok_or_else(|| ProtoError::Malformed {
            what: "cursor".into(),
            problem: format!("`{}` is no position in a Redis store", cursor.0),
        })
    }
}

/// Trace and attempt of a job, and whether its series is stopped.
type RawRecord = (Option<Vec<u8>>, Option<Vec<u8>>, bool);

/// Id and fields of a stream's entry.
type RawEvent = (String, HashMap<Vec<u8>, Vec<u8>>);

fn texts(series: &[SeriesId]) -> Vec<String> {
    series.iter().map(ToString::to_string).collect()
}

fn sweep_key(id: SweepId) -> String {
    format!("loto:sweep:{id}")
}

fn traces_key(series: SeriesId) -> String {
    format!("loto:traces:{series}")
}

fn attempts_key(series: SeriesId) -> String {
    format!("loto:attempts:{series}")
}

fn conflict_field(series: SeriesId, seed: u32) -> String {
    format!("{series}:{seed}")
}

fn sweep_state_key(id: SweepId) -> String {
    format!("loto:sweep-state:{id}")
}

fn blob_key(name: &str) -> String {
    format!("loto:blob:{name}")
}

#[async_trait]
impl Store for RedisStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, ProtoError> {
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

    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, ProtoError> {
        let key = sweep_key(id);
        let bytes: Option<Vec<u8>> = self.ask(&key, &Cmd::get(&key)).await?;
        let decode =
            |bytes: Vec<u8>| Sweep::decode(&bytes, id).map_err(|error| self.corrupt(&key, error));
        bytes.map(decode).transpose()
    }

    async fn sweeps(&self) -> Result<Vec<SweepId>, ProtoError> {
        let ids: Vec<Vec<u8>> = self.ask(SWEEPS, &Cmd::lrange(SWEEPS, 0, -1)).await?;
        let ids = ids.iter().map(|id| {
            let id = String::from_utf8_lossy(id).parse();
            id.map_err(|error| self.corrupt(SWEEPS, error))
        });
        ids.collect()
    }

    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, ProtoError> {
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

    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, ProtoError> {
        let key = traces_key(series);
        let bytes: Option<Vec<u8>> = self.ask(&key, &Cmd::hget(&key, seed)).await?;
        bytes
            .map(|bytes| self.decode_trace(&key, seed, &bytes))
            .transpose()
    }

    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, ProtoError> {
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
    ) -> Result<Vec<(u32, Trace)>, ProtoError> {
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

    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, ProtoError> {
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

    async fn latest_cursor(&self) -> Result<Cursor, ProtoError> {
        let newest: Vec<RawEvent> = self
            .ask(EVENTS, &Cmd::xrevrange_count(EVENTS, "+", "-", 1))
            .await?;
        let newest = newest.first().map(|entry| self.position(entry));
        Ok(newest.transpose()?.unwrap_or_default().cursor())
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, ProtoError> {
        let mut seen = Position::of(cursor)?;
        // The last one it has seen once more: is it still the same?
        let mut entries = self
            .events_from(seen.number, limit.saturating_add(1))
            .await?;
        let first = entries.first().map(|(position, _)| position);
        let is_lost = match first {
            Some(first) if first.number == seen.number => first.mark != seen.mark,
            Some(_) => false,
            None => seen.number > 0,
        };
        if is_lost {
            // A server that lost events, all or the last ones, counts them again: so does its reader.
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

    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, ProtoError> {
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
    ) -> Result<Option<AttemptVersion>, ProtoError> {
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

    async fn attempts(&self, series: &[SeriesId]) -> Result<Vec<Vec<(u32, Attempt)>>, ProtoError> {
        let keys: Vec<_> = series.iter().copied().map(attempts_key).collect();
        let fields: Vec<Vec<(Vec<u8>, Vec<u8>)>> = self.ask_each("HGETALL", &keys).await?;
        let attempts = keys.iter().zip(fields).map(|(key, fields)| {
            let attempts = fields.iter().map(|(field, text)| {
                let seed = self.decode_seed(key, field)?;
                Ok((seed, self.decode_attempt(key, seed, text)?))
            });
            let mut attempts: Vec<_> = attempts.collect::<Result<_, ProtoError>>()?;
            attempts.sort_unstable_by_key(|(seed, _)| *seed);
            Ok(attempts)
        });
        attempts.collect()
    }

    async fn put_conflict(&self, job: &Job, problem: &str) -> Result<(), ProtoError> {
        let put = Cmd::hset(
            CONFLICTS,
            conflict_field(job.series.id(), job.seed),
            problem,
        );
        let _: u32 = self.ask(CONFLICTS, &put).await?;
        Ok(())
    }

    async fn conflicts(&self) -> Result<Vec<Conflict>, ProtoError> {
        let fields: Vec<(String, Vec<u8>)> = self.ask(CONFLICTS, &Cmd::hgetall(CONFLICTS)).await?;
        let conflicts = fields.into_iter().map(|(field, problem)| {
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
        let mut conflicts: Vec<_> = conflicts.collect::<Result<_, ProtoError>>()?;
        conflicts.sort_unstable();
        Ok(conflicts)
    }

    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), ProtoError> {
        let forget = Cmd::hdel(CONFLICTS, conflict_field(series, seed));
        let _: u32 = self.ask(CONFLICTS, &forget).await?;
        Ok(())
    }

    async fn sweep_state(&self, id: SweepId) -> Result<SweepState, ProtoError> {
        let key = sweep_state_key(id);
        let fields: HashMap<String, u32> = self.ask(&key, &Cmd::hgetall(&key)).await?;
        let field = |name: &str| fields.get(name).copied().unwrap_or_default();
        Ok(SweepState {
            published_seeds: field(PUBLISHED),
            cancelled: field(CANCELLED) != 0,
        })
    }

    async fn mark_published(&self, id: SweepId, seeds: u32) -> Result<(), ProtoError> {
        let key = sweep_state_key(id);
        let _: u32 = self.ask(&key, &Cmd::hset(&key, PUBLISHED, seeds)).await?;
        Ok(())
    }

    async fn cancel_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), ProtoError> {
        let key = sweep_state_key(id);
        let mut transaction = Pipeline::new();
        transaction.atomic();
        transaction.hset_multiple(&key, &[(CANCELLED, 1), (PUBLISHED, 0)]);
        for batch in series.chunks(SERIES_PER_PIPELINE) {
            transaction.sadd(STOPPED, texts(batch));
        }
        self.transact(&key, &transaction).await
    }

    async fn revive_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), ProtoError> {
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
    ) -> Result<(), ProtoError> {
        let put = Cmd::hset(WORKERS, worker, report.encode());
        let _: u32 = self.ask(WORKERS, &put).await?;
        Ok(())
    }

    async fn worker_reports(&self) -> Result<Vec<(String, WorkerReport)>, ProtoError> {
        let fields: Vec<(String, Vec<u8>)> = self.ask(WORKERS, &Cmd::hgetall(WORKERS)).await?;
        let reports = fields.into_iter().map(|(worker, text)| {
            let report = WorkerReport::decode(&text)
                .map_err(|problem| self.corrupt(format!("{WORKERS}, field {worker}"), problem))?;
            Ok((worker, report))
        });
        reports.collect()
    }

    async fn forget_worker(&self, worker: &str) -> Result<(), ProtoError> {
        let _: u32 = self.ask(WORKERS, &Cmd::hdel(WORKERS, worker)).await?;
        Ok(())
    }

    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), ProtoError> {
        check_blob_size(name, bytes)?;
        let key = blob_key(name);
        let _: bool = self.ask(&key, &Cmd::set_nx(&key, bytes)).await?;
        Ok(())
    }

    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, ProtoError> {
        let key = blob_key(name);
        let length: usize = self.ask(&key, &Cmd::strlen(&key)).await?;
        if length > MAX_BLOB_BYTES {
            let problem = format!("it has {length} bytes, allowed are {MAX_BLOB_BYTES}");
            return Err(self.corrupt(&key, problem));
        }
        self.ask(&key, &Cmd::get(&key)).await
    }
}
