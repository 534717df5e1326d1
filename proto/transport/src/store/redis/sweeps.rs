//! Sweeps in Redis.

use std::collections::HashMap;

use async_trait::async_trait;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::message_error::MessageProblem;
use loto_proto::seal::Key;
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;
use redis::{Cmd, Pipeline};

use super::keys::{
    CANCELLED, CONFLICTS, PUBLISHED, STOPPED, SWEEPS, attempts_key, blob_key, conflict_field,
    sweep_key, sweep_state_key, texts, traces_key,
};
use super::store::{RedisStore, SERIES_PER_PIPELINE};
use crate::error::TransportError;
use crate::store::damage::{Hidden, PassedOver, sound};
use crate::store::sweeps::{Deletion, Sweeps};

#[async_trait]
impl Sweeps for RedisStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError> {
        let id = sweep.id();
        let key = sweep_key(id);
        let mut script = self.scripts.put_sweep.key(&key);
        script
            .key(SWEEPS)
            .arg(id.to_string())
            .arg(sweep.encode_for_store());
        let keys = format!("{key} or {SWEEPS}");
        let stored: Option<Vec<u8>> = self.invoke(&keys, &script).await?;
        if stored.is_some_and(|bytes| Sweep::decode(&bytes, id).is_err()) {
            let set = Cmd::set(&key, sweep.encode_for_store());
            let () = self.ask(&key, &set).await?;
        }
        Ok(id)
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        self.damage.list()
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
        Ok(sound(&self.damage, SWEEPS, Hidden::Sweep, ids))
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
        let cancelled = match number(CANCELLED)? {
            0 => false,
            // As earlier releases marked it.
            1 => true,
            mark if mark == cancellation_mark(id) => true,
            _ => {
                let field = format!("{key}, field {CANCELLED}");
                return Err(self.corrupt(field, MessageProblem::OtherChecksum));
            }
        };
        Ok(SweepState {
            published_seeds: number(PUBLISHED)?,
            cancelled,
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
        transaction.hset_multiple(&key, &[(CANCELLED, cancellation_mark(id)), (PUBLISHED, 0)]);
        for batch in series.chunks(SERIES_PER_PIPELINE) {
            transaction.sadd(STOPPED, texts(batch));
        }
        self.ask_all(&key, &transaction).await
    }

    async fn resume_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        let key = sweep_state_key(id);
        let mut transaction = Pipeline::new();
        transaction.atomic();
        transaction.hdel(&key, CANCELLED);
        // Who published while it was cancelled may have noted how far it came; workers dropped these jobs.
        transaction.hset(&key, PUBLISHED, 0);
        for batch in series.chunks(SERIES_PER_PIPELINE) {
            transaction.srem(STOPPED, texts(batch));
        }
        self.ask_all(&key, &transaction).await
    }

    async fn release_series(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        let key = sweep_state_key(id);
        let keys = format!("{key} or {STOPPED}");
        for batch in series.chunks(SERIES_PER_PIPELINE) {
            let mut script = self.scripts.release_series.key(&key);
            script.key(STOPPED).arg(CANCELLED).arg(texts(batch));
            let _: u32 = self.invoke(&keys, &script).await?;
        }
        Ok(())
    }

    async fn delete_sweep(&self, deletion: &Deletion) -> Result<(), TransportError> {
        let Deletion { id, jobs, blobs } = deletion;
        for (series, seeds) in jobs {
            let seeds: Vec<u32> = seeds.clone().collect();
            for batch in seeds.chunks(SEEDS_PER_PIPELINE) {
                let conflicts: Vec<String> = batch
                    .iter()
                    .map(|&seed| conflict_field(*series, seed))
                    .collect();
                let mut pipeline = Pipeline::with_capacity(3);
                pipeline.hdel(traces_key(*series), batch).ignore();
                pipeline.hdel(attempts_key(*series), batch).ignore();
                pipeline.hdel(CONFLICTS, conflicts).ignore();
                let () = self.ask_all(&traces_key(*series), &pipeline).await?;
            }
        }
        for name in blobs {
            let key = blob_key(name);
            let _: u32 = self.ask(&key, &Cmd::del(&key)).await?;
        }
        let key = sweep_key(*id);
        let mut transaction = Pipeline::new();
        transaction.atomic();
        transaction.del(sweep_state_key(*id)).ignore();
        transaction.lrem(SWEEPS, 0, id.to_string()).ignore();
        transaction.del(&key).ignore();
        self.ask_all(&key, &transaction).await
    }
}

/// Seeds of a series whose fields are deleted at a time.
const SEEDS_PER_PIPELINE: usize = 1000;

/// What marks a cancelled sweep: a number above 1 that follows from its id, so that a damaged mark is
/// noticed. Any number but 0 means the same to earlier releases.
fn cancellation_mark(id: SweepId) -> u32 {
    Key::Cancelled(id).checksum(b"cancelled") as u32 | 2
}
