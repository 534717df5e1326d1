//! Probes follow the broker and the store.

use std::process::Stdio;

use loto_tests::http::{get, get_until};
use loto_tests::programs::{self, Process};
use loto_tests::servers::{PrivateServers, Server};

use crate::observed;

fn ready(status: u16, _body: &str) -> bool {
    status == 200
}

#[test]
fn a_worker_that_gets_no_jobs_is_not_ready_until_it_gets_some_again() {
    let servers = PrivateServers::start(&[Server::Broker, Server::Store]);
    let (mut command, address) = observed("loto-worker");
    command.args(["--broker", &servers.broker_url()]);
    command.args(["--store", &servers.store_url()]);
    let mut worker = Process::start(command);
    get_until(&address, "/readyz", ready);

    servers.kill(Server::Broker);
    let body = get_until(&address, "/readyz", |status, _| status == 503);
    assert_eq!(body, "waiting for jobs from the broker\n");
    let (alive, _) = get(&address, "/livez").unwrap();
    assert_eq!(alive, 200, "an outage is no reason to be started anew");
    let (_, metrics) = get(&address, "/metrics").unwrap();
    assert!(metrics.contains("\nloto_worker_consuming 0\n"), "{metrics}");

    servers.restart(Server::Broker);
    get_until(&address, "/readyz", ready);
    get_until(&address, "/metrics", |_, metrics| {
        metrics.contains("\nloto_reconnects_total{server=\"broker\"} 1\n")
            && metrics.contains("\nloto_worker_consuming 1\n")
    });

    servers.kill(Server::Store);
    get_until(&address, "/readyz", |status, body| {
        status == 503 && body == "waiting for the store\n"
    });
    servers.restart(Server::Store);
    get_until(&address, "/readyz", ready);
    worker.terminate();
    assert!(worker.wait(std::time::Duration::from_secs(30)).success());
}

#[test]
fn an_aggregator_is_ready_while_its_store_answers() {
    let servers = PrivateServers::start(&[Server::Store]);
    let (mut command, address) = observed("loto");
    command.args(["serve", "--listen", "127.0.0.1:0"]);
    command.args(["--store", &servers.store_url()]);
    let _serving = Process::start(command);
    get_until(&address, "/readyz", ready);
    servers.kill(Server::Store);
    get_until(&address, "/readyz", |status, body| {
        status == 503 && body == "waiting for the store\n"
    });
    servers.restart(Server::Store);
    get_until(&address, "/readyz", ready);
}

#[test]
fn an_address_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let nobody = [
        "--broker",
        "amqp://127.0.0.1:1",
        "--store",
        "redis://127.0.0.1:1",
    ];
    let mut worker = programs::command("loto-worker");
    worker.args(nobody).args(["--metrics", &address]);
    let output = worker.stderr(Stdio::piped()).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    let expected = format!("cannot offer metrics and probes on {address} (--metrics");
    assert!(message.contains(&expected), "{message}");
}
