//! What a store keeps, read past the client of this project where that can be done.

use std::collections::{BTreeMap, BTreeSet};

use loto_proto::identity::SeriesId;
use loto_proto::message_error::MessageError;
use loto_proto::trace::Trace;
use loto_transport::host::is_host_url;
use loto_transport::store::{self, Cursor};
use redis::AsyncCommands;
use redis::streams::StreamRangeReply;

use crate::servers::connect_redis;

/// Entries of a host's history that are read at a time.
const EVENTS_AT_A_TIME: usize = 1000;

/// The outcomes in a store, those of jobs included that nobody planned.
pub(super) struct Kept {
    /// By series and seed; else why a trace cannot be read.
    pub(super) traces: BTreeMap<(SeriesId, u32), Result<Trace, MessageError>>,
    /// The history, in its order.
    pub(super) told: Vec<(SeriesId, u32)>,
    /// Jobs that had two outcomes, in words.
    pub(super) conflicts: Vec<String>,
}

impl Kept {
    /// Reads a store.
    ///
    /// # Panics
    /// If it does not answer.
    pub(super) async fn read(store: &str) -> Self {
        if is_host_url(store) {
            Self::of_host(store).await
        } else {
            Self::of_redis(store).await
        }
    }

    async fn of_redis(store: &str) -> Self {
        let mut redis = connect_redis(store).await;
        let keys: Vec<String> = redis.keys("loto:traces:*").await.expect("Redis answers");
        let mut traces = BTreeMap::new();
        for key in keys {
            let series = key.trim_start_matches("loto:traces:").parse();
            let series: SeriesId = series.expect("a series id");
            let fields: BTreeMap<u32, Vec<u8>> = redis.hgetall(key).await.expect("Redis answers");
            for (seed, bytes) in fields {
                traces.insert((series, seed), Trace::decode(&bytes));
            }
        }
        let history: StreamRangeReply = redis.xrange_all("loto:events").await.expect("a stream");
        let told = history.ids.iter().map(|event| {
            let series: String = event.get("series").expect("an event names a series");
            let seed = event.get("seed").expect("an event names a seed");
            (series.parse().expect("a series id"), seed)
        });
        let conflicts: Vec<String> = redis.keys("loto:conflicts*").await.expect("Redis answers");
        let conflicts = conflicts.into_iter().map(|key| format!("there is {key}"));
        Self {
            traces,
            told: told.collect(),
            conflicts: conflicts.collect(),
        }
    }

    /// The history of a host is the list of its traces, so that it tells of all.
    async fn of_host(store: &str) -> Self {
        let store = store::open(store).await.expect("the host answers");
        let mut told = Vec::new();
        let mut cursor = Cursor::default();
        loop {
            let read = store.events_after(&cursor, EVENTS_AT_A_TIME).await;
            let read = read.expect("the host answers");
            if read.events.is_empty() {
                break;
            }
            let events = read.events.iter().map(|event| (event.series, event.seed));
            told.extend(events);
            cursor = read.next;
        }
        let all_series: BTreeSet<SeriesId> = told.iter().map(|(series, _)| *series).collect();
        let mut traces = BTreeMap::new();
        for series in all_series {
            let of_series = store.traces(series).await.expect("the host answers");
            let of_series = of_series.into_iter();
            traces.extend(of_series.map(|(seed, trace)| ((series, seed), Ok(trace))));
        }
        let conflicts = store.conflicts().await.expect("the host answers");
        let conflicts = conflicts
            .into_iter()
            .map(|conflict| format!("there is {conflict:?}"));
        Self {
            traces,
            told,
            conflicts: conflicts.collect(),
        }
    }
}
