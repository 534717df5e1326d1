//! Workers with their rates, and the troubles of broker and store, on the page of a sweep.

use std::collections::BTreeMap;

use loto_tests::cluster::Cluster;
use loto_tests::samples;
use loto_tests::servers::{PrivateServers, Server};

use super::browser::{Page, cells, serve};

/// Whether a part of the page contains a text.
fn says(part: &'static str, text: &'static str) -> impl Fn(&BTreeMap<String, String>) -> bool {
    move |page| page.get(part).is_some_and(|part| part.contains(text))
}

/// Whether a part of the page is there and does not contain a text.
fn is_silent(part: &'static str, text: &'static str) -> impl Fn(&BTreeMap<String, String>) -> bool {
    move |page| page.get(part).is_some_and(|part| !part.contains(text))
}

#[test]
fn a_page_shows_the_rates_of_workers_and_the_alarms_of_broker_and_store() {
    let servers = PrivateServers::start(&[Server::Broker, Server::Store]);
    let store = servers.store_url();
    let mut cluster = Cluster::new(&servers.broker_url(), &store);
    // More than a fast host computes in the time of a heartbeat.
    let targets = ["digits-3-vs-8", "wine-noisy"];
    let sweep = samples::built_in_sweep("watched", &["rs"], &targets, 5000, 20);
    let file = servers.folder().join("watched.toml");
    std::fs::write(&file, sweep).unwrap();
    let _submit = cluster.submit(&file);
    let (_service, address) = serve(&store, "127.0.0.1:0", &[]);
    let mut list = Page::open(&address, "/");
    list.until(says("sweeps", "/sweeps/"));
    let (_, link) = list.fragments["sweeps"].split_once("/sweeps/").unwrap();
    let mut page = Page::open(&address, &format!("/sweeps/{}", &link[..32]));
    page.until(says("workers", "No worker"));

    cluster.start_worker();
    page.until(|page| {
        let shown = cells(&page["workers"]);
        let rate = shown.get(1).and_then(|rate| rate.parse::<f64>().ok());
        rate.is_some_and(|rate| rate > 0.0)
    });
    page.until(says("workers", "heard"));

    servers.control_broker(&["set_vm_memory_high_watermark", "0.0000001"]);
    page.until(says("problems", "has an alarm"));
    servers.control_broker(&["set_vm_memory_high_watermark", "0.6"]);
    page.until(is_silent("problems", "has an alarm"));
    servers.kill(Server::Broker);
    page.until(says("problems", "gets no jobs"));
    servers.restart(Server::Broker);
    page.until(is_silent("problems", "gets no jobs"));

    let client = redis::Client::open(store.as_str()).unwrap();
    let mut redis = client.get_connection().unwrap();
    let mut allow = |bytes: u64| {
        let mut command = redis::cmd("CONFIG");
        command.arg("SET").arg("maxmemory").arg(bytes);
        let _: () = command.query(&mut redis).unwrap();
    };
    allow(1 << 20);
    page.until(says("problems", "memory is full"));
    allow(0);
    page.until(is_silent("problems", "memory is full"));
    servers.kill(Server::Store);
    page.until(says("standing", "The store does not answer"));
    servers.restart(Server::Store);
    page.until(says("standing", "traces"));
}
