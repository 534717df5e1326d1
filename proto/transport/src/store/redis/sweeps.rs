//! Sweeps in Redis.

use std::collections::HashMap;

use async_trait::async_trait;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;
use redis::{Cmd, Pipeline};

use super::keys::{CANCELLED, PUBLISHED, STOPPED, SWEEPS, sweep_key, sweep_state_key, texts};
use super::store::{RedisStore, SERIES_PER_PIPELINE};
use crate::error::TransportError;
use crate::store::sweeps::Sweeps;

#[async_trait]
impl Sweeps for RedisStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError> {
        let id = sweep.id();
        let key = sweep_key(id);
        let mut script = self.scripts.put_sweep.key(&key);
        script.key(SWEEPS).arg(id.to_string()).arg(sweep.encode());
        let () = self.invoke(&format!("{key} or {SWEEPS}"), &script).await?;
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
        self.ask_all(&key, &transaction).await
    }

    async fn resume_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        let key = sweep_state_key(id);
        let mut transaction = Pipeline::new();
        transaction.atomic();
        transaction.hdel(&key, CANCELLED);
        for batch in series.chunks(SERIES_PER_PIPELINE) {
            transaction.srem(STOPPED, texts(batch));
        }
        self.ask_all(&key, &transaction).await
    }
}
