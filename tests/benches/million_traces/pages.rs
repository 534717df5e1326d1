//! What the pages for browsers cost: their size, the time until something is on them, and many who look at them.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use loto_proto::job::Job;
use loto_tests::http::{self, Events};
use loto_tests::programs::{self, Process};
use loto_tests::synthetic_sweep::SyntheticSweep;
use loto_transport::store::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{arrive, processor_time};

/// Browsers that look while nothing happens, and while traces arrive.
const IDLE_VIEWERS: usize = 20;
const WATCHERS: usize = 500;

/// Far longer than a page takes to have its results.
const LONGEST_READING: Duration = Duration::from_secs(600);

/// How long they look while nothing happens, and how often the processor time is read while traces arrive.
const LOOKING: Duration = Duration::from_secs(20);

/// How long they look while traces arrive.
pub(crate) const WATCHING: Duration = Duration::from_secs(3 * LOOKING.as_secs());

/// Time in which what happened before has been shown, and viewers that are there have all of the page.
const SETTLING: Duration = Duration::from_secs(15);

/// Opens the pages of a sweep, then lets traces arrive.
pub(crate) async fn measure(
    url: &str,
    store: &Arc<dyn Store>,
    sweep: &Arc<SyntheticSweep>,
    arriving: Vec<Job>,
) {
    let (service, address) = serve(url);
    let page = format!("/sweeps/{}", sweep.sweep.id());
    let begin = Instant::now();
    for (name, path) in [("list", "/"), ("sweep", page.as_str())] {
        let opened = Instant::now();
        let (status, body) = http::get(&address, path).expect("an answer");
        assert_eq!(status, 200, "{body}");
        println!(
            "  page, nothing read yet: {name}, {:.0} ms, {:.1} kB",
            milliseconds(opened),
            body.len() as f64 / 1000.0
        );
    }
    let mut events = Events::of(&address, &format!("{page}/events"), &[]).expect("events");
    let deadline = Instant::now() + LONGEST_READING;
    for (what, part, sign) in [
        ("the counts", "standing", "<progress"),
        ("the results", "results-0", "/results/0/pairs"),
    ] {
        loop {
            let event = events.read(deadline).expect("an event").data;
            if event.contains(&format!("id=\"{part}\"")) && event.contains(sign) {
                break;
            }
        }
        println!(
            "  {what} are on the page after {:.1} s",
            begin.elapsed().as_secs_f64()
        );
    }
    drop(events);
    let parts = ["scores", "evaluations", "tasks", "pairs"];
    let parts = parts.map(|part| format!("{page}/results/0/{part}"));
    for path in &parts {
        // Whoever opens it first has it made.
        http::get(&address, path).expect("an answer");
    }
    tokio::time::sleep(SETTLING).await;
    let mut all = (0, 0);
    for path in ["/live.js", "/style.css", "/", &page] {
        let sizes = print_size(&address, path);
        all = (all.0 + sizes.0, all.1 + sizes.1);
    }
    println!(
        "  all four: {:.1} kB, {:.1} kB with gzip",
        all.0 as f64 / 1000.0,
        all.1 as f64 / 1000.0
    );
    for path in &parts {
        print_size(&address, path);
    }
    let browser = std::env::var_os("LOTO_BENCH_BROWSER");
    if let Some(program) = browser {
        let mut paint = std::process::Command::new(program);
        paint.args([
            format!("http://{address}/"),
            format!("http://{address}{page}"),
        ]);
        let painted = paint.status().expect("it runs");
        assert!(painted.success(), "the browser shows the pages");
    }

    // What the last traces gave is computed on after it was first shown: intervals and bands.
    let begin = Instant::now();
    while share_of(&service).await > 0.05 {
        assert!(
            begin.elapsed() < LONGEST_READING,
            "it does not come to rest"
        );
    }
    let (viewers, received) = look(&address, &page, IDLE_VIEWERS).await;
    let share = share_of(&service).await;
    println!(
        "  {IDLE_VIEWERS} viewers, nothing new: {:.1} % of a processor, {} bytes sent",
        100.0 * share,
        received.load(Ordering::Relaxed)
    );
    viewers.into_iter().for_each(|viewer| viewer.abort());

    let (viewers, received) = look(&address, &page, WATCHERS).await;
    let arriving = tokio::spawn(arrive(Arc::clone(store), Arc::clone(sweep), arriving));
    while !arriving.is_finished() {
        let before = received.load(Ordering::Relaxed);
        let share = share_of(&service).await;
        let sent = received.load(Ordering::Relaxed) - before;
        println!(
            "  {WATCHERS} viewers, traces arrive: {:.0} % of a processor, {:.1} MB/s sent",
            100.0 * share,
            sent as f64 / 1e6 / LOOKING.as_secs_f64()
        );
    }
    arriving.await.expect("traces are stored");
    viewers.into_iter().for_each(|viewer| viewer.abort());
}

/// Prints how large a page is, as it is and with gzip.
fn print_size(address: &str, path: &str) -> (usize, usize) {
    let opened = Instant::now();
    let plain = sent(address, path, "identity").len();
    let took = milliseconds(opened);
    let packed = sent(address, path, "gzip").len();
    println!(
        "  {path}: {took:.0} ms, {:.1} kB, {:.1} kB with gzip",
        plain as f64 / 1000.0,
        packed as f64 / 1000.0
    );
    (plain, packed)
}

/// The body of an answer as it is sent to a browser that reads this encoding.
fn sent(address: &str, path: &str, encoding: &str) -> Vec<u8> {
    let mut connection = std::net::TcpStream::connect(address).expect("it listens");
    let request =
        format!("GET {path} HTTP/1.0\r\nHost: {address}\r\nAccept-Encoding: {encoding}\r\n\r\n");
    connection
        .write_all(request.as_bytes())
        .expect("it reads the request");
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).expect("an answer");
    let head = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    answer.split_off(head.expect("an answer has a head") + 4)
}

/// `loto serve --http`, with the address of the pages.
fn serve(store: &str) -> (Process, String) {
    let mut serve = programs::command("loto");
    serve.args(["serve", "--store", store, "--listen", "127.0.0.1:0"]);
    serve.args(["--http", "127.0.0.1:0"]);
    programs::start_and_read(serve, "showing sweeps on http://")
}

/// Browsers that have all of the page and wait for more; counts the bytes that they get from then on.
async fn look(
    address: &str,
    page: &str,
    number: usize,
) -> (Vec<tokio::task::JoinHandle<()>>, Arc<AtomicU64>) {
    let received = Arc::new(AtomicU64::new(0));
    let mut viewers = Vec::new();
    for _ in 0..number {
        let received = Arc::clone(&received);
        let mut connection = TcpStream::connect(address).await.expect("it listens");
        let request = format!("GET {page}/events HTTP/1.1\r\nHost: {address}\r\n\r\n");
        let sent = connection.write_all(request.as_bytes()).await;
        sent.expect("it reads");
        viewers.push(tokio::spawn(async move {
            let mut buffer = vec![0; 1 << 16];
            while let Ok(bytes @ 1..) = connection.read(&mut buffer).await {
                received.fetch_add(bytes as u64, Ordering::Relaxed);
            }
        }));
    }
    tokio::time::sleep(SETTLING).await;
    received.store(0, Ordering::Relaxed);
    (viewers, received)
}

/// The share of a processor that the service takes for a while.
async fn share_of(service: &Process) -> f64 {
    let (used, begin) = (processor_time(service), Instant::now());
    tokio::time::sleep(LOOKING).await;
    (processor_time(service) - used) / begin.elapsed().as_secs_f64()
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
