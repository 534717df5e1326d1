//! Attempts and conflicts in Redis.

use async_trait::async_trait;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::excerpt::excerpt;
use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;
use loto_proto::seal::{Key, check_text, seal_text};
use redis::{Cmd, Pipeline};

use super::keys::{CONFLICTS, STOPPED, attempts_key, conflict_field, traces_key};
use super::store::RedisStore;
use crate::error::TransportError;
use crate::store::attempts::{Attempts, Conflict, decode_attempt, encode_attempt, told_attempt};
use crate::store::damage::{Hidden, sound};

/// Trace and attempt of a job, and whether its series is stopped.
type RawRecord = (Option<Vec<u8>>, Option<Vec<u8>>, bool);

#[async_trait]
impl Attempts for RedisStore {
    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, TransportError> {
        let (traces, attempts) = (traces_key(series), attempts_key(series));
        let mut pipeline = Pipeline::with_capacity(3);
        pipeline.hget(&traces, seed).hget(&attempts, seed);
        pipeline.sismember(STOPPED, series.to_string());
        let keys = format!("{traces}, {attempts} or {STOPPED}");
        let (trace, text, stopped): RawRecord = self.ask_all(&keys, &pipeline).await?;
        if let Some(bytes) = &trace {
            self.decode_trace(series, seed, bytes)?;
        }
        Ok(JobRecord {
            done: trace.is_some(),
            stopped,
            attempt: told_attempt(series, seed, text.as_deref()),
            version: AttemptVersion(text),
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
        let text = encode_attempt(series, job.seed, attempt);
        let mut script = self.scripts.put_attempt.key(&traces);
        script
            .key(&attempts)
            .arg(job.seed)
            .arg(&text)
            .arg(expected.0.as_deref().unwrap_or_default());
        let keys = format!("{traces} or {attempts}");
        let replaced: bool = self.invoke(&keys, &script).await?;
        Ok(replaced.then_some(AttemptVersion(Some(text))))
    }

    async fn attempts(
        &self,
        series: &[SeriesId],
    ) -> Result<Vec<Vec<(u32, Attempt)>>, TransportError> {
        let keys: Vec<_> = series.iter().copied().map(attempts_key).collect();
        let fields: Vec<Vec<(Vec<u8>, Vec<u8>)>> = self.ask_each("HGETALL", &keys).await?;
        let attempts = series.iter().zip(fields).map(|(&series, fields)| {
            let attempts = fields.iter().map(|(field, text)| {
                let seed = self.decode_seed(&attempts_key(series), field)?;
                Ok((seed, self.decode_attempt(series, seed, text)?))
            });
            let list = attempts_key(series);
            let mut attempts = sound(&self.damage, &list, Hidden::Attempt(series), attempts);
            attempts.sort_unstable_by_key(|(seed, _)| *seed);
            attempts
        });
        Ok(attempts.collect())
    }

    async fn put_conflict(&self, job: &Job, problem: &str) -> Result<(), TransportError> {
        let series = job.series.id();
        let text = seal_text(Key::Conflict(series, job.seed), problem);
        let put = Cmd::hset(CONFLICTS, conflict_field(series, job.seed), text);
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
            let problem = check_text(Key::Conflict(series, seed), &problem)
                .map_err(|error| self.corrupt(format!("{CONFLICTS}, field {field}"), error))?;
            Ok(Conflict {
                series,
                seed,
                problem: String::from_utf8_lossy(problem).into_owned(),
            })
        });
        let mut conflicts = sound(&self.damage, CONFLICTS, Hidden::Conflict, conflicts);
        conflicts.sort_unstable();
        Ok(conflicts)
    }

    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        let forget = Cmd::hdel(CONFLICTS, conflict_field(series, seed));
        let _: u32 = self.ask(CONFLICTS, &forget).await?;
        Ok(())
    }
}

impl RedisStore {
    fn decode_attempt(
        &self,
        series: SeriesId,
        seed: u32,
        text: &[u8],
    ) -> Result<Attempt, TransportError> {
        decode_attempt(series, seed, text).map_err(|reason| {
            let key = attempts_key(series);
            self.corrupt(format!("{key}, field {seed}"), reason)
        })
    }
}
