//! Who may ask: guesses of tokens, and a service that anybody could reach.

use std::net::IpAddr;
use std::time::Duration;

use loto_service::wire::ListSweepsRequest;
use loto_service::wire::aggregator_client::AggregatorClient;
use loto_tests::programs::{self, Process};
use loto_tests::security::secret_file::write_secret;
use loto_transport::store;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request};

use crate::connections::Service;

/// How long a refusal may take.
const PATIENCE: Duration = Duration::from_secs(20);

const TOKEN: &str = "4f1dc9a2e77b40c3a6f0";

async fn channel(address: &str, from: IpAddr) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    endpoint.local_address(Some(from)).connect().await.unwrap()
}

async fn ask(channel: &Channel, token: &str) -> Code {
    let mut request = Request::new(ListSweepsRequest::default());
    let authorization = format!("Bearer {token}").parse().unwrap();
    request
        .metadata_mut()
        .insert("authorization", authorization);
    let mut client = AggregatorClient::new(channel.clone());
    let answer = client.list_sweeps(request).await;
    answer.map_or_else(|status| status.code(), |_| Code::Ok)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_cannot_be_found_by_trying() {
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    write_secret(&tokens, &format!("ann {TOKEN}\n"));
    let service = Service::start(1000, &["--tokens", tokens.to_str().unwrap()]).await;
    let attacker = channel(&service.address, IpAddr::from([127, 0, 0, 1])).await;
    assert_eq!(ask(&attacker, TOKEN).await, Code::Ok);
    let mut answers = Vec::new();
    for number in 0..300 {
        answers.push(ask(&attacker, &format!("guess-{number}")).await);
    }
    let looked_at = answers
        .iter()
        .filter(|code| **code == Code::Unauthenticated);
    assert!((10..=12).contains(&looked_at.count()), "{answers:?}");
    let refused = answers.last();
    assert_eq!(refused, Some(&Code::ResourceExhausted));
    assert_eq!(ask(&attacker, TOKEN).await, Code::ResourceExhausted);
    let other = channel(&service.address, IpAddr::from([127, 0, 0, 2])).await;
    assert_eq!(ask(&other, TOKEN).await, Code::Ok);
    let log = service.log();
    let told = log.matches("127.0.0.1 sent a token that is not known");
    assert!((1..=3).contains(&told.count()), "{log}");
    assert!(!log.contains("guess-") && !log.contains(TOKEN), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_anybody_could_ask_starts_only_if_that_is_meant() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("sweep.loto");
    store::open(store.to_str().unwrap()).await.unwrap();
    let tokens = folder.path().join("tokens");
    write_secret(&tokens, &format!("ann {TOKEN}\n"));
    let serve = |options: &[&str]| {
        let mut serve = programs::command("loto");
        serve.arg("serve").arg("--store").arg(&store).args(options);
        serve
    };
    for address in ["0.0.0.0:0", "[::]:0"] {
        let log = folder.path().join("log");
        let mut refused = serve(&["--listen", address]);
        refused.stderr(std::fs::File::create(&log).unwrap());
        let status = Process::start(refused).wait(PATIENCE);
        let error = std::fs::read_to_string(log).unwrap();
        assert_eq!(status.code(), Some(2), "{error}");
        for part in ["--tokens", "--client-ca", "--allow-anyone", address] {
            assert!(error.contains(part), "no `{part}` in {error}");
        }
    }
    let tokens = tokens.display().to_string();
    for options in [
        ["--listen", "0.0.0.0:0", "--allow-anyone"].as_slice(),
        &["--listen", "0.0.0.0:0", "--tokens", &tokens],
        &["--listen", "127.0.0.1:0"],
    ] {
        let mut serving = Process::start(serve(options));
        tokio::time::sleep(Duration::from_millis(700)).await;
        assert_eq!(serving.ended(), None, "{options:?}");
    }
}
