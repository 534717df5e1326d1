//! The service while its Redis dies and comes back.

use std::time::{Duration, Instant};

use loto_proto::job::Job;
use loto_service::wire;
use loto_service::wire::aggregator_client::AggregatorClient;
use loto_tests::programs;
use loto_tests::servers::{PrivateServers, Server};
use loto_tests::synthetic_sweep::{Shape, SyntheticSweep};
use loto_transport::store;
use tonic::transport::Channel;
use tonic::{Code, Status};

/// Far longer than anything here takes.
const SOON: Duration = Duration::from_secs(60);

async fn finished(client: &mut AggregatorClient<Channel>, sweep_id: &str) -> Result<u64, Status> {
    let request = wire::GetImprovementRequest {
        sweep_id: sweep_id.to_owned(),
        ..Default::default()
    };
    let answer = client.get_improvement(request).await?.into_inner();
    Ok(answer.completeness.expect("it is always there").finished)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_fail_while_the_store_is_away_and_streams_wait_for_it() {
    let servers = PrivateServers::start(&[Server::Store]);
    let store = store::open(&servers.store_url()).await.unwrap();
    let sweep = SyntheticSweep::new(Shape::parse("2x3x4x5").unwrap(), 0);
    sweep.submit(store.as_ref()).await.unwrap();
    let jobs: Vec<Job> = sweep.jobs(0..4).collect();
    for job in &jobs[..20] {
        store.put_trace(job, &sweep.trace(job)).await.unwrap();
    }
    let (_service, address) = programs::serve(&servers.store_url());
    let client = AggregatorClient::connect(format!("http://{address}")).await;
    let mut client = client.unwrap();
    let sweep_id = sweep.sweep.id().to_string();
    assert_eq!(finished(&mut client, &sweep_id).await.unwrap(), 20);
    let request = wire::WatchProgressRequest {
        sweep_id: sweep_id.clone(),
        resume_token: String::new(),
    };
    let watch = client.watch_progress(request).await.unwrap();
    let mut watch = watch.into_inner();
    assert_eq!(watch.message().await.unwrap().unwrap().done, 20);

    servers.kill(Server::Store);
    let begin = Instant::now();
    let status = loop {
        match finished(&mut client, &sweep_id).await {
            Err(status) => break status,
            Ok(_) => assert!(begin.elapsed() < SOON, "an answer without a store"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(status.code(), Code::Unavailable, "{status}");
    let silence = tokio::time::timeout(Duration::from_secs(2), watch.message()).await;
    assert!(silence.is_err(), "{silence:?}");

    tokio::task::block_in_place(|| servers.restart(Server::Store));
    let store = store::open(&servers.store_url()).await.unwrap();
    // While its disk is busy, a server that is killed may lose what it confirmed in its last two seconds.
    for job in &jobs {
        store.put_trace(job, &sweep.trace(job)).await.unwrap();
    }
    let mut done = 20;
    while done < 24 {
        let pushed = tokio::time::timeout(SOON, watch.message()).await;
        done = pushed.expect("a push").unwrap().unwrap().done;
    }
    let begin = Instant::now();
    while finished(&mut client, &sweep_id).await.ok() != Some(24) {
        assert!(begin.elapsed() < SOON, "no answer after the restart");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
