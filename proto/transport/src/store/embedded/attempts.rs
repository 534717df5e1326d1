//! Attempts and conflicts in an SQLite file.

use async_trait::async_trait;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;

use super::failure::Failure;
use super::queries::{execute, list};
use super::store::EmbeddedStore;
use super::traces::decode_trace;
use crate::error::TransportError;
use crate::store::attempts::{Attempts, Conflict};

/// Trace and attempt of a job, and whether its series is stopped.
type RawRecord = (Option<Vec<u8>>, Option<String>, bool);

#[async_trait]
impl Attempts for EmbeddedStore {
    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, TransportError> {
        self.call(move |connection| {
            let mut select = connection.prepare_cached(
                "SELECT (SELECT trace FROM traces WHERE series = ?1 AND seed = ?2),
                        (SELECT attempt FROM attempts WHERE series = ?1 AND seed = ?2),
                        EXISTS (SELECT 1 FROM stopped WHERE series = ?1)",
            )?;
            let (trace, attempt, stopped): RawRecord =
                select.query_row((series.0, seed), |row| row.try_into())?;
            if let Some(bytes) = &trace {
                decode_trace(series, seed, bytes)?;
            }
            let text = attempt.map(String::into_bytes);
            let attempt = text.as_deref().map(|text| decode(series, seed, text));
            Ok(JobRecord {
                done: trace.is_some(),
                stopped,
                attempt: attempt.transpose()?,
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
        let (series, seed, text) = (job.series.id(), job.seed, attempt.encode());
        let expected = expected.0.clone().map(String::from_utf8).transpose();
        let expected = expected.unwrap_or_default();
        self.call(move |connection| {
            let insert = "INSERT OR REPLACE INTO attempts (series, seed, attempt) SELECT ?1, ?2, ?3
                 WHERE NOT EXISTS (SELECT 1 FROM traces WHERE series = ?1 AND seed = ?2)
                 AND (SELECT attempt FROM attempts WHERE series = ?1 AND seed = ?2) IS ?4";
            let replaced = execute(connection, insert, (series.0, seed, &text, expected))?;
            Ok((replaced > 0).then(|| AttemptVersion(Some(text.into_bytes()))))
        })
        .await
    }

    async fn attempts(
        &self,
        series: &[SeriesId],
    ) -> Result<Vec<Vec<(u32, Attempt)>>, TransportError> {
        let series = series.to_owned();
        self.call(move |connection| {
            let select = "SELECT seed, attempt FROM attempts WHERE series = ?1 ORDER BY seed";
            let attempts = series.into_iter().map(|series| {
                let read = |row: &rusqlite::Row| Ok((row.get(0)?, row.get::<_, String>(1)?));
                let stored = list(connection, select, [series.0], read)?.into_iter();
                stored
                    .map(|(seed, text)| Ok((seed, decode(series, seed, text.as_bytes())?)))
                    .collect()
            });
            attempts.collect()
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
        self.call(|connection| {
            let select = "SELECT series, seed, problem FROM conflicts ORDER BY series, seed";
            let conflicts = list(connection, select, [], |row| {
                Ok(Conflict {
                    series: SeriesId(row.get(0)?),
                    seed: row.get(1)?,
                    problem: row.get(2)?,
                })
            });
            Ok(conflicts?)
        })
        .await
    }

    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        let forget = "DELETE FROM conflicts WHERE series = ?1 AND seed = ?2";
        self.execute(forget, (series.0, seed)).await
    }
}

fn decode(series: SeriesId, seed: u32, text: &[u8]) -> Result<Attempt, Failure> {
    let key = || format!("attempt of series {series}, seed {seed}");
    Attempt::decode(text).map_err(|error| Failure::corrupt(key(), error))
}
