//! The service itself: finds the sweep, then hands over to the file of each question.

use std::sync::Arc;

use loto_service::wire;
use loto_service::wire::aggregator_server::Aggregator;
use loto_transport::store::Store;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::status::to_status;
use super::watched_sweep::WatchedSweep;
use super::watched_sweeps::WatchedSweeps;
use super::{
    comparison, curves, improvement, preparation, progress_stream, request, sweep_list, traces,
};
use crate::metrics::measured;

/// Answers the requests; [`super::serve`] puts it behind a socket.
pub struct AggregatorService {
    store: Arc<dyn Store>,
    sweeps: Arc<WatchedSweeps>,
    /// Cancelled when the service stops: answers without an end have to end.
    stopping: CancellationToken,
}

impl AggregatorService {
    /// Answers from `store` until `stopping` is cancelled, and prepares the answers about the recent sweeps. Others may
    /// watch its `sweeps` as well.
    pub fn start(
        store: Arc<dyn Store>,
        sweeps: Arc<WatchedSweeps>,
        stopping: CancellationToken,
    ) -> Self {
        let preparing = preparation::prepare(Arc::clone(&store), Arc::clone(&sweeps));
        tokio::spawn(stopping.clone().run_until_cancelled_owned(preparing));
        Self {
            sweeps,
            store,
            stopping,
        }
    }

    async fn sweep(&self, id: &str) -> Result<Arc<WatchedSweep>, Status> {
        let id = request::sweep_id("sweep_id", id)?;
        self.sweeps.get(id).await.map_err(to_status)
    }
}

/// Measures how an answer is computed.
async fn answer<Answer>(
    rpc: &'static str,
    computing: impl Future<Output = Result<Answer, Status>>,
) -> Result<Response<Answer>, Status> {
    measured(rpc, computing).await.map(Response::new)
}

#[tonic::async_trait]
impl Aggregator for AggregatorService {
    async fn list_sweeps(
        &self,
        request: Request<wire::ListSweepsRequest>,
    ) -> Result<Response<wire::ListSweepsResponse>, Status> {
        let page = sweep_list::page(self.store.as_ref(), request.get_ref());
        answer("ListSweeps", page).await
    }

    async fn get_progress(
        &self,
        request: Request<wire::GetProgressRequest>,
    ) -> Result<Response<wire::Progress>, Status> {
        let progress = async {
            let sweep = self.sweep(&request.get_ref().sweep_id).await?;
            Ok(wire::Progress::clone(&*sweep.progress().await?))
        };
        answer("GetProgress", progress).await
    }

    type WatchProgressStream = ReceiverStream<Result<wire::Progress, Status>>;

    async fn watch_progress(
        &self,
        request: Request<wire::WatchProgressRequest>,
    ) -> Result<Response<Self::WatchProgressStream>, Status> {
        let stream = async {
            let request = request.into_inner();
            let sweep = self.sweep(&request.sweep_id).await?;
            progress_stream::watch(sweep, request.resume_token, self.stopping.clone())
        };
        answer("WatchProgress", stream).await
    }

    async fn get_curves(
        &self,
        request: Request<wire::GetCurvesRequest>,
    ) -> Result<Response<wire::GetCurvesResponse>, Status> {
        let curves = async {
            let sweep = self.sweep(&request.get_ref().sweep_id).await?;
            curves::curves(&sweep, request.into_inner()).await
        };
        answer("GetCurves", curves).await
    }

    async fn get_improvement(
        &self,
        request: Request<wire::GetImprovementRequest>,
    ) -> Result<Response<wire::GetImprovementResponse>, Status> {
        let improvement = async {
            let sweep = self.sweep(&request.get_ref().sweep_id).await?;
            improvement::improvement(&sweep, request.into_inner()).await
        };
        answer("GetImprovement", improvement).await
    }

    async fn compare_methods(
        &self,
        request: Request<wire::CompareMethodsRequest>,
    ) -> Result<Response<wire::CompareMethodsResponse>, Status> {
        let comparison = async {
            let sweep = self.sweep(&request.get_ref().sweep_id).await?;
            comparison::compare(&sweep, request.into_inner()).await
        };
        answer("CompareMethods", comparison).await
    }

    type StreamTracesStream = ReceiverStream<Result<wire::FinishedTrace, Status>>;

    async fn stream_traces(
        &self,
        request: Request<wire::StreamTracesRequest>,
    ) -> Result<Response<Self::StreamTracesStream>, Status> {
        let stream = async {
            let sweep = self.sweep(&request.get_ref().sweep_id).await?;
            let followed = Arc::clone(&sweep.followed);
            traces::stream(followed, request.into_inner(), self.stopping.clone()).await
        };
        answer("StreamTraces", stream).await
    }
}
