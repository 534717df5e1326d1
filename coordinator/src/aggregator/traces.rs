//! Sends finished traces one by one.

use std::collections::BTreeSet;
use std::sync::Arc;

use loto_proto::identity::JobId;
use loto_proto::job::Series;
use loto_proto::limits::MAX_REQUEST_SEEDS;
use loto_proto::sweep::Sweep;
use loto_proto::trace::Trace;
use loto_proto::wire;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::request;
use super::status::{stopping as stopping_status, to_status};
use super::watched_sweep::WatchedSweep;
use crate::CoordinatorError;

/// Traces that wait for a slow client.
const TRACES_AHEAD: usize = 16;

type Sender = mpsc::Sender<Result<wire::FinishedTrace, Status>>;

/// Which traces are sent; an empty set selects everything.
struct Filter {
    blackboxes: BTreeSet<String>,
    tasks: BTreeSet<String>,
    methods: BTreeSet<String>,
    seeds: BTreeSet<u32>,
}

/// The finished traces that a request asks for.
pub(super) async fn stream(
    sweep: Arc<WatchedSweep>,
    request: wire::StreamTracesRequest,
    stopping: CancellationToken,
) -> Result<ReceiverStream<Result<wire::FinishedTrace, Status>>, Status> {
    let filter = Filter::new(request, &sweep.sweep)?;
    // The tables that traces are checked against: their absence is told at once.
    sweep.results().await.map_err(to_status)?;
    let (sender, receiver) = mpsc::channel(TRACES_AHEAD);
    tokio::spawn(async move {
        let ended = tokio::select! {
            ended = send_all(&sweep, &filter, &sender) => ended.map_err(to_status),
            () = stopping.cancelled() => Err(stopping_status()),
        };
        if let Err(status) = ended {
            let _client_may_be_gone = sender.send(Err(status)).await;
        }
    });
    Ok(ReceiverStream::new(receiver))
}

impl Filter {
    fn new(request: wire::StreamTracesRequest, sweep: &Sweep) -> Result<Self, Status> {
        let blackboxes = || sweep.blackboxes.iter();
        let tasks = blackboxes()
            .flat_map(|blackbox| &blackbox.targets)
            .map(String::as_str);
        let methods = blackboxes().flat_map(|blackbox| &blackbox.methods);
        let methods = methods.map(|method| method.id.as_str());
        let names = blackboxes().map(|blackbox| blackbox.name.as_str());
        request::check_length("seeds", request.seeds.len(), MAX_REQUEST_SEEDS)?;
        if let Some(seed) = request.seeds.iter().find(|&&seed| seed >= sweep.seeds) {
            let problem = format!(
                "{seed} is out of range, the sweep has {} seeds, from 0",
                sweep.seeds
            );
            return Err(request::invalid("seeds", problem));
        }
        Ok(Self {
            blackboxes: request::names("blackboxes", request.blackboxes, &names.collect())?,
            tasks: request::names("tasks", request.tasks, &tasks.collect())?,
            methods: request::names("methods", request.methods, &methods.collect())?,
            seeds: request.seeds.into_iter().collect(),
        })
    }
}

fn selects(names: &BTreeSet<String>, name: &str) -> bool {
    names.is_empty() || names.contains(name)
}

/// Sends one series after the other, so that only one is in memory; ends early if the client is gone.
async fn send_all(
    sweep: &WatchedSweep,
    filter: &Filter,
    sender: &Sender,
) -> Result<(), CoordinatorError> {
    for blackbox in &sweep.sweep.blackboxes {
        if !selects(&filter.blackboxes, &blackbox.name) {
            continue;
        }
        for target in blackbox
            .targets
            .iter()
            .filter(|target| selects(&filter.tasks, target))
        {
            let methods = blackbox.methods.iter();
            for method in methods.filter(|method| selects(&filter.methods, &method.id)) {
                let series = blackbox.series(method, target);
                for (seed, trace) in fetch(sweep, filter, &series).await? {
                    let finished = wire::FinishedTrace {
                        blackbox: blackbox.name.clone(),
                        task: target.clone(),
                        method: method.id.clone(),
                        seed,
                        job_id: JobId::new(series.id(), seed).to_string(),
                        trace: Some(to_wire(trace)),
                    };
                    if sender.send(Ok(finished)).await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
    Ok(())
}

/// The selected traces of a series, each checked against the table.
async fn fetch(
    sweep: &WatchedSweep,
    filter: &Filter,
    series: &Series,
) -> Result<Vec<(u32, Trace)>, CoordinatorError> {
    let id = series.id();
    let mut traces = Vec::new();
    if filter.seeds.is_empty() {
        traces = sweep.store.traces(id).await?;
        // The store shares series among sweeps: another one may have more seeds.
        traces.retain(|(seed, _)| *seed < sweep.sweep.seeds);
    } else {
        for &seed in &filter.seeds {
            let trace = sweep.store.trace(id, seed).await?;
            traces.extend(trace.map(|trace| (seed, trace)));
        }
    }
    let collector = sweep.results().await?;
    for (seed, trace) in &traces {
        collector.check(id, *seed, trace)?;
    }
    Ok(traces)
}

fn to_wire(trace: Trace) -> wire::Trace {
    wire::Trace {
        rows: trace.rows,
        values: trace.values,
        microseconds: trace.microseconds,
        preparation_microseconds: trace.preparation_microseconds,
        linear_algebra: trace.linear_algebra,
    }
}
