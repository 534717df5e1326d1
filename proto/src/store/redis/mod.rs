//! The networked store: Redis 5 or later, one server (not a cluster).
//!
//! | key | type | content |
//! |---|---|---|
//! | `loto:sweep:{id}` | string | a sweep |
//! | `loto:sweeps` | list | the ids of all sweeps, in the order of recording |
//! | `loto:traces:{series}` | hash | finished traces: seed -> trace |
//! | `loto:attempts:{series}` | hash | attempts at unfinished jobs: seed -> JSON |
//! | `loto:events` | stream | the last million new traces, numbered `1-0`, `2-0`, ...: series, seed |
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
    ServerErrorKind,
};

use self::scripts::Scripts;
use super::{Attempt, Cursor, Event, Events, Store, Stored, check_blob_size, compare};
use crate::ProtoError;
use crate::address::without_password;
use crate::excerpt::excerpt;
use crate::identity::{SeriesId, SweepId};
use crate::job::Job;
use crate::limits::MAX_BLOB_BYTES;
use crate::sweep::Sweep;
use crate::trace::Trace;

/// List of all sweeps.
const SWEEPS: &str = "loto:sweeps";

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

    /// Says what an error of a command about `key` means.
    fn explain(&self, key: &str, error: RedisError) -> ProtoError {
        let wrong_type = error.code() == Some("WRONGTYPE")
            // A script passes the reply on in its own words.
            || (error.kind() == ErrorKind::Server(ServerErrorKind::ResponseError)
                && error.to_string().contains("WRONGTYPE"));
        match error.kind() {
            _ if wrong_type => self.corrupt(key, "it has the wrong type for this key"),
            ErrorKind::UnexpectedReturnType => self.corrupt(key, error),
            // The two ways in which XADD refuses a number after the last one there is.
            _ if ["specified in XADD", "Invalid stream ID"]
                .iter()
                .any(|refusal| error.to_string().contains(refusal)) =>
            {
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

    /// Numbers of the event and what it tells.
    fn decode_event(&self, entry: RawEvent) -> Result<(u64, Event), ProtoError> {
        let (id, fields) = entry;
        let field = |name: &str| {
            let value = fields.get(name.as_bytes())?;
            std::str::from_utf8(value).ok()
        };
        let number = self.event_number(&id)?;
        let series = field("series").and_then(|series| series.parse().ok());
        let seed = field("seed").and_then(|seed| seed.parse().ok());
        match (series, seed) {
            (Some(series), Some(seed)) => Ok((number, Event { series, seed })),
            _ => Err(self.corrupt(
                format!("{EVENTS}, entry {id}"),
                "it names no series and seed",
            )),
        }
    }

    /// Number of the newest event, 0 if there is none.
    async fn latest_event(&self) -> Result<u64, ProtoError> {
        let newest: Vec<RawEvent> = self
            .ask(EVENTS, &Cmd::xrevrange_count(EVENTS, "+", "-", 1))
            .await?;
        newest
            .first()
            .map_or(Ok(0), |(id, _)| self.event_number(id))
    }

    fn event_number(&self, id: &str) -> Result<u64, ProtoError> {
        let number = id.strip_suffix("-0").and_then(|number| number.parse().ok());
        let number = number.filter(|number| *number < END_OF_EVENTS);
        number.ok_or_else(|| {
            self.corrupt(
                format!("{EVENTS}, entry {id}"),
                "its id is not of the form NUMBER-0, with a number below 2^53",
            )
        })
    }
}

/// Id and fields of a stream's entry.
type RawEvent = (String, HashMap<Vec<u8>, Vec<u8>>);

fn sweep_key(id: SweepId) -> String {
    format!("loto:sweep:{id}")
}

fn traces_key(series: SeriesId) -> String {
    format!("loto:traces:{series}")
}

fn attempts_key(series: SeriesId) -> String {
    format!("loto:attempts:{series}")
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
            .arg(MOST_EVENTS);
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
        Ok(Cursor(self.latest_event().await?.to_string()))
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, ProtoError> {
        let seen: u64 = match cursor.0.as_str() {
            "" => 0,
            number => number.parse().map_err(|_| ProtoError::Malformed {
                what: "cursor".into(),
                problem: format!("`{number}` is no position in a Redis store"),
            })?,
        };
        let newest = self.latest_event().await?;
        // A server that lost its data counts from 1 again: so does its reader.
        let restarted = newest < seen;
        let seen = if restarted { 0 } else { seen };
        let begin = format!("{}-0", seen + 1);
        let entries: Vec<RawEvent> = self
            .ask(EVENTS, &Cmd::xrange_count(EVENTS, begin, "+", limit))
            .await?;
        let entries = entries.into_iter().map(|entry| self.decode_event(entry));
        let entries: Vec<_> = entries.collect::<Result<_, _>>()?;
        let trimmed = entries
            .first()
            .is_some_and(|(number, _)| *number != seen + 1);
        let end = entries.last().map_or(seen, |(number, _)| *number);
        Ok(Events {
            events: entries.into_iter().map(|(_, event)| event).collect(),
            next: Cursor(end.to_string()),
            incomplete: restarted || trimmed,
        })
    }

    async fn put_attempt(&self, job: &Job, attempt: &Attempt) -> Result<(), ProtoError> {
        let series = job.series.id();
        let (traces, attempts) = (traces_key(series), attempts_key(series));
        let mut invocation = self.scripts.put_attempt.prepare_invoke();
        invocation
            .key(&traces)
            .key(&attempts)
            .arg(job.seed)
            .arg(attempt.encode());
        let answer: RedisResult<()> = invocation.invoke_async(&mut self.connection.clone()).await;
        answer.map_err(|error| self.explain(&format!("{traces} or {attempts}"), error))
    }

    async fn attempts(&self, series: &[SeriesId]) -> Result<Vec<Vec<(u32, Attempt)>>, ProtoError> {
        let keys: Vec<_> = series.iter().copied().map(attempts_key).collect();
        let fields: Vec<Vec<(Vec<u8>, Vec<u8>)>> = self.ask_each("HGETALL", &keys).await?;
        let attempts = keys.iter().zip(fields).map(|(key, fields)| {
            let attempts = fields.iter().map(|(field, text)| {
                let seed = self.decode_seed(key, field)?;
                let attempt = Attempt::decode(text)
                    .map_err(|problem| self.corrupt(format!("{key}, field {seed}"), problem))?;
                Ok((seed, attempt))
            });
            let mut attempts: Vec<_> = attempts.collect::<Result<_, ProtoError>>()?;
            attempts.sort_unstable_by_key(|(seed, _)| *seed);
            Ok(attempts)
        });
        attempts.collect()
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
