//! Sweeps in an SQLite file.

use async_trait::async_trait;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;
use rusqlite::{Connection, TransactionBehavior};

use super::failure::Failure;
use super::queries::{execute, find, list};
use super::store::EmbeddedStore;
use crate::error::TransportError;
use crate::store::damage::PassedOver;
use crate::store::sweeps::{Deletion, Sweeps};

#[async_trait]
impl Sweeps for EmbeddedStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError> {
        let id = sweep.id();
        let bytes = sweep.encode_for_store();
        self.call(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let insert = "INSERT INTO sweeps (id, sweep) VALUES (?1, ?2)
                          ON CONFLICT (id) DO UPDATE SET sweep = ?2";
            if find_sweep(&transaction, id).ok().flatten().is_none() {
                execute(&transaction, insert, (id.0, bytes))?;
            }
            Ok(transaction.commit()?)
        })
        .await?;
        Ok(id)
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        self.damage()
    }

    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, TransportError> {
        self.call(move |connection| find_sweep(connection, id))
            .await
    }

    async fn sweeps(&self) -> Result<Vec<SweepId>, TransportError> {
        self.call(|connection| {
            let select = "SELECT id FROM sweeps ORDER BY position";
            list(connection, select, [], |row| row.get(0).map(SweepId))
        })
        .await
    }

    async fn sweep_state(&self, id: SweepId) -> Result<SweepState, TransportError> {
        self.call(move |connection| {
            let select = "SELECT published, cancelled FROM sweep_states WHERE id = ?1";
            let state = find(connection, select, [id.0], |row| {
                Ok(SweepState {
                    published_seeds: row.get(0)?,
                    cancelled: row.get(1)?,
                })
            });
            Ok(state?.unwrap_or_default())
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

    async fn resume_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        let start = "DELETE FROM stopped WHERE series = ?1";
        self.for_each_series(start, series, (id, false)).await
    }

    async fn release_series(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        let series = series.to_owned();
        self.call(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let release = "DELETE FROM stopped WHERE series = ?1 AND NOT EXISTS
                           (SELECT 1 FROM sweep_states WHERE id = ?2 AND cancelled)";
            for series in series {
                execute(&transaction, release, (series.0, id.0))?;
            }
            Ok(transaction.commit()?)
        })
        .await
    }

    async fn delete_sweep(&self, deletion: &Deletion) -> Result<(), TransportError> {
        let Deletion { id, jobs, blobs } = deletion.clone();
        self.call(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let tables = [
                "DELETE FROM traces WHERE series = ?1 AND seed >= ?2 AND seed < ?3",
                "DELETE FROM attempts WHERE series = ?1 AND seed >= ?2 AND seed < ?3",
                "DELETE FROM conflicts WHERE series = ?1 AND seed >= ?2 AND seed < ?3",
            ];
            for (series, seeds) in jobs {
                for delete in tables {
                    execute(&transaction, delete, (series.0, seeds.start, seeds.end))?;
                }
            }
            for name in blobs {
                execute(&transaction, "DELETE FROM blobs WHERE name = ?1", [name])?;
            }
            execute(
                &transaction,
                "DELETE FROM sweep_states WHERE id = ?1",
                [id.0],
            )?;
            execute(&transaction, "DELETE FROM sweeps WHERE id = ?1", [id.0])?;
            Ok(transaction.commit()?)
        })
        .await
    }
}

fn find_sweep(connection: &Connection, id: SweepId) -> Result<Option<Sweep>, Failure> {
    let select = "SELECT sweep FROM sweeps WHERE id = ?1";
    let bytes = find(connection, select, [id.0], |row| row.get::<_, Vec<u8>>(0))?;
    let sweep = bytes.map(|bytes| Sweep::decode(&bytes, id)).transpose();
    sweep.map_err(|error| Failure::corrupt(format!("sweep {id}"), error))
}

impl EmbeddedStore {
    /// Runs a statement for each of these series and marks a sweep as cancelled or not, all at once.
    async fn for_each_series(
        &self,
        statement: &'static str,
        series: &[SeriesId],
        (id, cancelled): (SweepId, bool),
    ) -> Result<(), TransportError> {
        let series = series.to_owned();
        self.call(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            for series in series {
                execute(&transaction, statement, [series.0])?;
            }
            let mark = "INSERT OR REPLACE INTO sweep_states (id, published, cancelled)
                        VALUES (?1, 0, ?2)";
            execute(&transaction, mark, (id.0, cancelled))?;
            Ok(transaction.commit()?)
        })
        .await
    }
}
