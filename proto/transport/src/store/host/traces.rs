//! Traces at a host, and the events that tell of them.

use async_trait::async_trait;
use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use loto_proto::trace::Trace;

use super::messages::{SERIES_PER_CALL, job_place, series_list};
use super::store::HostStore;
use crate::error::TransportError;
use crate::host::protocol::wire::store_answer::Answer;
use crate::host::protocol::wire::store_call::Call;
use crate::host::protocol::wire::{self, Nothing};
use crate::store::traces::{Cursor, Event, Events, Stored, Traces};

/// Traces that are asked for at a time: the longest possible ones fit into a message.
const TRACES_PER_CALL: usize = 32;

#[async_trait]
impl Traces for HostStore {
    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, TransportError> {
        let finished = wire::FinishedJob {
            job: job.encode(),
            trace: trace.encode_for(job.series.id(), job.seed),
        };
        let is_new = self.ask_whether(Call::PutTrace(finished)).await?;
        Ok(if is_new { Stored::New } else { Stored::Already })
    }

    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, TransportError> {
        let bytes = self.find(Call::Trace(job_place(series, seed))).await?;
        bytes
            .map(|bytes| self.decode_trace(series, seed, &bytes))
            .transpose()
    }

    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, TransportError> {
        let seeds = self.seeds_done(&[series]).await?.concat();
        self.traces_of(series, &seeds).await
    }

    async fn traces_of(
        &self,
        series: SeriesId,
        seeds: &[u32],
    ) -> Result<Vec<(u32, Trace)>, TransportError> {
        let mut traces = Vec::with_capacity(seeds.len());
        for seeds in seeds.chunks(TRACES_PER_CALL) {
            let call = Call::TracesOf(wire::SeriesSeeds {
                series: series.0.to_vec(),
                seeds: seeds.to_vec(),
            });
            let Answer::Traces(found) = self.ask(call).await? else {
                return Err(self.garbled());
            };
            for wire::SeedValue { seed, value } in found.values {
                traces.push((seed, self.decode_trace(series, seed, &value)?));
            }
        }
        Ok(traces)
    }

    async fn discard_trace(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        self.tell(Call::DiscardTrace(job_place(series, seed))).await
    }

    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, TransportError> {
        let mut done = Vec::with_capacity(series.len());
        for series in series.chunks(SERIES_PER_CALL) {
            let Answer::SeedsDone(found) = self.ask(Call::SeedsDone(series_list(series))).await?
            else {
                return Err(self.garbled());
            };
            if found.lists.len() != series.len() {
                return Err(self.garbled());
            }
            done.extend(found.lists.into_iter().map(|list| list.seeds));
        }
        Ok(done)
    }

    async fn latest_cursor(&self) -> Result<Cursor, TransportError> {
        match self.ask(Call::LatestCursor(Nothing {})).await? {
            Answer::Cursor(cursor) => Ok(Cursor(cursor)),
            _ => Err(self.garbled()),
        }
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, TransportError> {
        let call = Call::EventsAfter(wire::EventsAfter {
            cursor: cursor.0.clone(),
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
        });
        let Answer::Events(part) = self.ask(call).await? else {
            return Err(self.garbled());
        };
        let events = part.events.iter().map(|place| {
            let (series, seed) = self.place_of(place)?;
            Ok(Event { series, seed })
        });
        Ok(Events {
            events: events.collect::<Result<_, TransportError>>()?,
            next: Cursor(part.next),
            incomplete: part.incomplete,
        })
    }
}
