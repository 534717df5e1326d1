//! Requests to the aggregator over a finished sweep: decoded from bytes, then answered.
//!
//! The first byte chooses the question; if its highest bit is set, it is about the sweep that is there.

#![no_main]

use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use loto_coordinator::aggregator::{AggregatorService, WatchedSweeps};
use loto_fuzz::{block_on, check_error, fill, sweep};
use loto_service::wire;
use loto_service::wire::aggregator_server::Aggregator;
use loto_transport::store::{EmbeddedStore, Store};
use prost::Message;
use tokio_stream::StreamExt;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Status};

static SERVICE: LazyLock<AggregatorService> = LazyLock::new(|| {
    block_on(async {
        let store = EmbeddedStore::in_memory().await.unwrap();
        fill(&store).await;
        let store: Arc<dyn Store> = Arc::new(store);
        let sweeps = Arc::new(WatchedSweeps::new(Arc::clone(&store)));
        AggregatorService::start(store, sweeps, CancellationToken::new())
    })
});

static SWEEP_ID: LazyLock<String> = LazyLock::new(|| sweep().id().to_string());

/// The request in the bytes, if there is one, about the sweep that is there if it `is_known`.
macro_rules! request {
    ($kind:ident, $bytes:expr, $is_known:expr) => {{
        let Ok(mut request) = wire::$kind::decode($bytes) else {
            return Ok(());
        };
        if $is_known {
            request.sweep_id.clone_from(&SWEEP_ID);
        }
        Request::new(request)
    }};
}

async fn ask(question: u8, bytes: &[u8]) -> Result<(), Status> {
    let is_known = question & 128 != 0;
    match question % 7 {
        0 => {
            let Ok(request) = wire::ListSweepsRequest::decode(bytes) else {
                return Ok(());
            };
            let answer = SERVICE.list_sweeps(Request::new(request)).await?;
            assert_eq!(answer.get_ref().total, 1);
        }
        1 => {
            let request = request!(GetProgressRequest, bytes, is_known);
            let answer = SERVICE.get_progress(request).await?;
            assert!(answer.get_ref().complete);
        }
        2 => {
            let request = request!(WatchProgressRequest, bytes, is_known);
            let mut answers = SERVICE.watch_progress(request).await?.into_inner();
            while let Some(answer) = answers.next().await {
                answer?;
            }
        }
        3 => {
            let request = request!(GetCurvesRequest, bytes, is_known);
            SERVICE.get_curves(request).await?;
        }
        4 => {
            let request = request!(GetImprovementRequest, bytes, is_known);
            SERVICE.get_improvement(request).await?;
        }
        5 => {
            let request = request!(CompareMethodsRequest, bytes, is_known);
            SERVICE.compare_methods(request).await?;
        }
        _ => {
            let request = request!(StreamTracesRequest, bytes, is_known);
            let mut answers = SERVICE.stream_traces(request).await?.into_inner();
            while let Some(answer) = answers.next().await {
                answer?;
            }
        }
    }
    Ok(())
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&question, bytes)) = bytes.split_first() else {
        return;
    };
    // Before the runtime is entered, which it enters itself.
    LazyLock::force(&SERVICE);
    if let Err(status) = block_on(ask(question, bytes)) {
        check_error(status.message());
        // What the client did wrong or asked for in vain; never the service's own fault.
        let code = status.code();
        assert!(
            matches!(code, tonic::Code::InvalidArgument | tonic::Code::NotFound),
            "{status}"
        );
    }
});
