//! Attempts and conflicts in an SQLite file.

use async_trait::async_trait;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;
use loto_proto::seal::{Key, check_text, seal_json, seal_text};

use super::failure::Failure;
use super::queries::{execute, find, list};
use super::store::EmbeddedStore;
use super::traces::{decode_trace, find_trace};
use crate::error::TransportError;
use crate::store::attempts::{Attempts, Conflict, decode_attempt, told_attempt};
use crate::store::damage::Hidden;

/// Series, seed and text of a conflict.
type RawConflict = ([u8; 16], u32, String);

#[async_trait]
impl Attempts for EmbeddedStore {
    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, TransportError> {
        self.call(move |connection| {
            // All three at one moment.
            let transaction = connection.transaction()?;
            let trace = find_trace(&transaction, series, seed)?;
            let select = "SELECT attempt FROM attempts WHERE series = ?1 AND seed = ?2";
            let attempt: Option<String> =
                find(&transaction, select, (series.0, seed), |row| row.get(0))?;
            let select = "SELECT 1 FROM stopped WHERE series = ?1";
            let stopped = find(&transaction, select, [series.0], |_| Ok(()))?;
            if let Some(bytes) = &trace {
                decode_trace(series, seed, bytes)?;
            }
            let text = attempt.map(String::into_bytes);
            Ok(JobRecord {
                done: trace.is_some(),
                stopped: stopped.is_some(),
                attempt: told_attempt(series, seed, text.as_deref()),
                version: AttemptVersion(text),
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
        let (series, seed) = (job.series.id(), job.seed);
        let text = seal_json(Key::Attempt(series, seed), &attempt.encode());
        let expected = expected.0.clone().map(String::from_utf8).transpose();
        let expected = expected.unwrap_or_default();
        self.call(move |connection| {
            let insert = "INSERT OR REPLACE INTO attempts (series, seed, attempt) SELECT ?1, ?2, ?3
                 WHERE NOT EXISTS (SELECT 1 FROM traces WHERE series = ?1 AND seed = ?2)
                 AND ((SELECT attempt FROM attempts WHERE series = ?1 AND seed = ?2) IS ?4
                      OR (SELECT attempt FROM attempts WHERE series = ?1 AND seed = ?2) IS ?3)";
            let replaced = execute(connection, insert, (series.0, seed, &text, expected))?;
            Ok((replaced > 0).then(|| AttemptVersion(Some(text.into_bytes()))))
        })
        .await
    }

    async fn attempts(
        &self,
        series: &[SeriesId],
    ) -> Result<Vec<Vec<(u32, Attempt)>>, TransportError> {
        let ids = series.to_owned();
        let call = self.call(move |connection| {
            let select = "SELECT seed, attempt FROM attempts WHERE series = ?1 ORDER BY seed";
            let attempts = ids.into_iter().map(|series| {
                let read = |row: &rusqlite::Row| Ok((row.get(0)?, row.get::<_, String>(1)?));
                let stored = list(connection, select, [series.0], read)?.into_iter();
                let attempts =
                    stored.map(|(seed, text)| Ok((seed, decode(series, seed, text.as_bytes())?)));
                Ok(attempts.collect())
            });
            attempts.collect::<Result<Vec<_>, Failure>>()
        });
        let attempts = series.iter().zip(call.await?);
        let sound = attempts.map(|(&series, attempts)| {
            let list = format!("attempts of series {series}");
            self.sound(&list, Hidden::Attempt(series), attempts)
        });
        Ok(sound.collect())
    }

    async fn put_conflict(&self, job: &Job, problem: &str) -> Result<(), TransportError> {
        let (series, seed) = (job.series.id(), job.seed);
        let problem = seal_text(Key::Conflict(series, seed), problem);
        self.execute(
            "INSERT OR REPLACE INTO conflicts (series, seed, problem) VALUES (?1, ?2, ?3)",
            (series.0, seed, problem),
        )
        .await
    }

    async fn conflicts(&self) -> Result<Vec<Conflict>, TransportError> {
        let call = self.call(|connection| {
            let select = "SELECT series, seed, problem FROM conflicts ORDER BY series, seed";
            let read = |row: &rusqlite::Row| row.try_into();
            let stored: Vec<RawConflict> = list(connection, select, [], read)?;
            let conflicts = stored.into_iter().map(|(series, seed, problem)| {
                let series = SeriesId(series);
                let key = || format!("conflict of series {series}, seed {seed}");
                let problem = check_text(Key::Conflict(series, seed), problem.as_bytes())
                    .map_err(|error| Failure::corrupt(key(), error))?;
                Ok(Conflict {
                    series,
                    seed,
                    problem: String::from_utf8_lossy(problem).into_owned(),
                })
            });
            Ok(conflicts.collect())
        });
        let conflicts = call.await?;
        Ok(self.sound("conflicts", Hidden::Conflict, conflicts))
    }

    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        let forget = "DELETE FROM conflicts WHERE series = ?1 AND seed = ?2";
        self.execute(forget, (series.0, seed)).await
    }
}

fn decode(series: SeriesId, seed: u32, text: &[u8]) -> Result<Attempt, Failure> {
    let key = || format!("attempt of series {series}, seed {seed}");
    decode_attempt(series, seed, text).map_err(|reason| Failure::corrupt(key(), reason))
}
