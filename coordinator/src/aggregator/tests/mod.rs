//! The service as clients see it: over a socket, on a store that fails on demand.

mod answers;
mod live;
mod refusals;

use std::sync::Arc;

use loto_service::wire;
use loto_service::wire::aggregator_client::AggregatorClient;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::Channel;

use crate::CoordinatorError;
use crate::aggregator::WatchedSweeps;
use crate::results::tests::faulty_store::FaultyStore;
use crate::results::tests::sample_sweep::{SampleSweep, Shape};

const SHAPE: Shape = Shape {
    blackboxes: 2,
    tasks: 4,
    methods: 3,
    seeds: 5,
    iterations: 12,
};

/// A submitted sweep and the service in front of its store.
struct Served {
    sample: SampleSweep,
    sweep_id: String,
    store: Arc<FaultyStore>,
    channel: Channel,
    client: AggregatorClient<Channel>,
    stopping: CancellationToken,
    serving: JoinHandle<Result<(), CoordinatorError>>,
}

impl Served {
    async fn new() -> Self {
        Self::of(SHAPE).await
    }

    async fn of(shape: Shape) -> Self {
        Self::on(FaultyStore::new().await, shape).await
    }

    async fn on(store: FaultyStore, shape: Shape) -> Self {
        let sample = SampleSweep::new(shape);
        let store = Arc::new(store);
        sample.submit(store.as_ref()).await.unwrap();
        let listener = super::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let stopping = CancellationToken::new();
        let serving = tokio::spawn(super::serve(
            store.clone(),
            Arc::new(WatchedSweeps::new(store.clone())),
            listener,
            super::Guard::default(),
            stopping.clone(),
        ));
        let channel = Channel::from_shared(address)
            .unwrap()
            .connect()
            .await
            .unwrap();
        Self {
            sweep_id: sample.sweep.id().to_string(),
            sample,
            store,
            client: AggregatorClient::new(channel.clone()),
            channel,
            stopping,
            serving,
        }
    }

    /// The same with every job done.
    async fn finished() -> Self {
        let served = Self::new().await;
        let jobs = served.sample.sweep.jobs();
        served
            .sample
            .run(served.store.as_ref(), jobs)
            .await
            .unwrap();
        served
    }

    /// A choice of black boxes and methods.
    fn only(blackboxes: &[&str], methods: &[&str]) -> Option<wire::Selection> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Some(wire::Selection {
            blackboxes: owned(blackboxes),
            methods: owned(methods),
        })
    }

    async fn progress(&mut self) -> Result<wire::Progress, tonic::Status> {
        let sweep_id = self.sweep_id.clone();
        let request = wire::GetProgressRequest { sweep_id };
        Ok(self.client.get_progress(request).await?.into_inner())
    }

    async fn watch(&mut self) -> tonic::Streaming<wire::Progress> {
        self.resume("").await
    }

    /// Watches on after the message with that token.
    async fn resume(&mut self, resume_token: &str) -> tonic::Streaming<wire::Progress> {
        let request = wire::WatchProgressRequest {
            sweep_id: self.sweep_id.clone(),
            resume_token: resume_token.to_owned(),
        };
        let answer = self.client.watch_progress(request).await.unwrap();
        answer.into_inner()
    }

    async fn curves(&mut self) -> Result<wire::GetCurvesResponse, tonic::Status> {
        let request = wire::GetCurvesRequest {
            sweep_id: self.sweep_id.clone(),
            ..Default::default()
        };
        Ok(self.client.get_curves(request).await?.into_inner())
    }

    /// The curves without the time as of which they are.
    async fn timeless_curves(&mut self) -> wire::GetCurvesResponse {
        let mut curves = self.curves().await.unwrap();
        curves.completeness.as_mut().unwrap().as_of_milliseconds = 0;
        curves
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stopping.cancel();
    }
}
