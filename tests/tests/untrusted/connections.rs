//! Clients that open connections and keep silent: others are answered, and the probes are.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use loto_service::wire::ListSweepsRequest;
use loto_service::wire::aggregator_client::AggregatorClient;
use loto_tests::http;
use loto_tests::programs::{self, Process};
use loto_transport::store;
use tempfile::TempDir;

/// How long the service may take to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long an answer may take while others flood the service.
const ANSWER: Duration = Duration::from_secs(5);

/// A service on an empty store, with few descriptors if wanted.
pub(super) struct Service {
    process: Process,
    folder: TempDir,
    pub(super) address: String,
    pub(super) probes: String,
}

impl Service {
    pub(super) async fn start(descriptors: u32, options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sweep.loto");
        store::open(path.to_str().unwrap()).await.unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -n \"$0\" && exec \"$@\""]);
        command.arg(descriptors.to_string());
        command.arg(programs::binary("loto")).arg("serve");
        command.arg("--store").arg(path).args(options);
        command.args(["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]);
        command.args(["--log", "info"]).env_clear();
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.stderr(fs::File::create(folder.path().join("log")).unwrap());
        let process = Process::start(command);
        let address = told(folder.path(), "serving loto.v1.Aggregator on ");
        let probes = told(folder.path(), "metrics and probes on http://");
        Self {
            process,
            folder,
            address,
            probes,
        }
    }

    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    async fn answers(&self) {
        let begin = Instant::now();
        let asking = async {
            let mut client = AggregatorClient::connect(format!("http://{}", self.address)).await?;
            let answer = client.list_sweeps(ListSweepsRequest::default()).await;
            Ok::<_, Box<dyn std::error::Error>>(answer?)
        };
        let answer = tokio::time::timeout(ANSWER, asking).await;
        assert!(matches!(answer, Ok(Ok(_))), "{answer:?}\n{}", self.log());
        let (status, _) =
            tokio::task::block_in_place(|| http::get(&self.probes, "/livez")).unwrap();
        assert_eq!(status, 200);
        assert!(begin.elapsed() < ANSWER, "{:?}", begin.elapsed());
    }

    /// CPU time that the process took so far, in hundredths of a second.
    fn cpu_time(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id())).unwrap();
        let (_, fields) = stat.rsplit_once(") ").unwrap();
        let field = |number: usize| {
            fields
                .split(' ')
                .nth(number)
                .unwrap()
                .parse::<u64>()
                .unwrap()
        };
        field(11) + field(12)
    }
}

fn told(folder: &Path, beginning: &str) -> String {
    let begin = Instant::now();
    loop {
        let log = fs::read_to_string(folder.join("log")).unwrap();
        let mut lines = log.lines().filter_map(|line| line.split_once(beginning));
        if let Some((_, rest)) = lines.next() {
            return rest.trim().to_owned();
        }
        assert!(begin.elapsed() < PATIENCE, "{log}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn connect(address: &str, sent: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(sent).unwrap();
    stream.set_nonblocking(true).unwrap();
    stream
}

/// Whether the other side has ended the connection; what it said before does not matter.
fn is_closed(stream: &mut TcpStream) -> bool {
    let mut buffer = [0; 256];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error.kind() != ErrorKind::WouldBlock,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_stop_neither_answers_nor_probes() {
    let service = Service::start(100, &[]).await;
    service.answers().await;
    for flooded in [&service.address, &service.probes] {
        let silent: Vec<TcpStream> = (0..120).map(|_| connect(flooded, b"")).collect();
        service.answers().await;
        let (cpu_before, begin) = (service.cpu_time(), Instant::now());
        tokio::time::sleep(Duration::from_secs(1)).await;
        let cpu = service.cpu_time() - cpu_before;
        assert!(
            cpu < 50,
            "{cpu} hundredths of a second in {:?}",
            begin.elapsed()
        );
        service.answers().await;
        drop(silent);
    }
    let log = service.log();
    let lines = log
        .lines()
        .filter(|line| line.contains("connections are taken"));
    assert!((1..=4).contains(&lines.count()), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn partial_prefaces_and_headers_time_out() {
    let service = Service::start(10_000, &[]).await;
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    // Settings, and the beginning of a header that never ends.
    let open_header = [
        preface.as_slice(),
        &[0, 0, 0, 4, 0, 0, 0, 0, 0],
        &[0, 0, 1, 1, 0, 0, 0, 0, 1, 0x83],
    ]
    .concat();
    let beginnings = [&preface[..9], preface.as_slice(), &open_header];
    let begin = Instant::now();
    let mut streams: Vec<TcpStream> = (0..3000)
        .map(|number| connect(&service.address, beginnings[number % beginnings.len()]))
        .collect();
    let http = b"GET /livez HTTP/1.1\r\nHost: ";
    streams.extend((0..20).map(|_| connect(&service.probes, http)));
    while !streams.is_empty() {
        streams.retain_mut(|stream| !is_closed(stream));
        let open = streams.len();
        assert!(begin.elapsed() < PATIENCE, "{open} are open");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    service.answers().await;
}
