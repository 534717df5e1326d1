//! Sweeps at a host.

use async_trait::async_trait;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;

use super::messages::sweep_series;
use super::store::HostStore;
use crate::error::TransportError;
use crate::host::protocol::wire::store_answer::Answer;
use crate::host::protocol::wire::store_call::Call;
use crate::host::protocol::wire::{self, Nothing};
use crate::store::damage::PassedOver;
use crate::store::sweeps::{Deletion, Sweeps};

#[async_trait]
impl Sweeps for HostStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError> {
        let id = sweep.id();
        let kept = wire::Kept {
            id: id.0.to_vec(),
            value: sweep.encode_for_store(),
        };
        self.tell(Call::PutSweep(kept)).await?;
        Ok(id)
    }

    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, TransportError> {
        let bytes = self.find(Call::Sweep(id.0.to_vec())).await?;
        let sweep = bytes.map(|bytes| Sweep::decode(&bytes, id)).transpose();
        sweep.map_err(|error| self.corrupt(format!("sweep {id}"), error))
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        self.passed_over.lock().clone()
    }

    async fn sweeps(&self) -> Result<Vec<SweepId>, TransportError> {
        let Answer::Ids(list) = self.ask(Call::Sweeps(Nothing {})).await? else {
            return Err(self.garbled());
        };
        let ids = list.ids.iter().map(|id| Ok(SweepId(self.identifier(id)?)));
        ids.collect()
    }

    async fn sweep_state(&self, id: SweepId) -> Result<SweepState, TransportError> {
        match self.ask(Call::SweepState(id.0.to_vec())).await? {
            Answer::SweepState(state) => Ok(SweepState {
                published_seeds: state.published_seeds,
                cancelled: state.cancelled,
            }),
            _ => Err(self.garbled()),
        }
    }

    async fn mark_published(&self, id: SweepId, seeds: u32) -> Result<(), TransportError> {
        let sweep = id.0.to_vec();
        self.tell(Call::MarkPublished(wire::PublishedSeeds { sweep, seeds }))
            .await
    }

    async fn cancel_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.tell(Call::CancelSweep(sweep_series(id, series))).await
    }

    async fn resume_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.tell(Call::ResumeSweep(sweep_series(id, series))).await
    }

    async fn release_series(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.tell(Call::ReleaseSeries(sweep_series(id, series)))
            .await
    }

    async fn delete_sweep(&self, deletion: &Deletion) -> Result<(), TransportError> {
        let jobs = deletion.jobs.iter().map(|(series, seeds)| wire::SeedRange {
            series: series.0.to_vec(),
            first: seeds.start,
            end: seeds.end,
        });
        self.tell(Call::DeleteSweep(wire::SweepDeletion {
            sweep: deletion.id.0.to_vec(),
            jobs: jobs.collect(),
            blobs: deletion.blobs.clone(),
        }))
        .await
    }
}
