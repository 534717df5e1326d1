//! The binaries of this workspace as processes, to be run, watched and killed.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// The path of a binary of this workspace, `loto` or `loto-worker`, of the same
/// profile as the running test.
///
/// # Panics
/// If it was not built: `cargo test` alone builds only what it runs itself.
pub fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    // The test is target/PROFILE/deps/NAME-HASH.
    let profile = test
        .ancestors()
        .nth(2)
        .expect("a test lives in target/PROFILE/deps");
    let binary = profile.join(name);
    assert!(
        binary.is_file(),
        "{} is missing: run cargo build with the same profile first, or make test",
        binary.display()
    );
    binary
}

/// A command that runs a binary of this workspace, free of the caller's LOTO_ variables.
pub fn command(name: &str) -> Command {
    command_at(&binary(name))
}

/// A command that runs a program, free of the caller's LOTO_ variables.
pub fn command_at(program: &Path) -> Command {
    let mut command = Command::new(program);
    let ours = std::env::vars_os().map(|(variable, _)| variable);
    for variable in ours.filter(|variable| variable.to_string_lossy().starts_with("LOTO_")) {
        command.env_remove(variable);
    }
    command
}

/// Runs a binary of this workspace to its end.
///
/// # Panics
/// If it cannot be run.
pub fn run<Argument: AsRef<OsStr>>(
    name: &str,
    arguments: impl IntoIterator<Item = Argument>,
) -> Output {
    command(name)
        .args(arguments)
        .output()
        .expect("the binary runs")
}

/// `loto serve` on a free port, with its address.
///
/// # Panics
/// If it does not serve.
pub fn serve(store: &str) -> (Process, String) {
    serve_at(store, "127.0.0.1:0")
}

/// `loto serve` on an address, which it tells.
///
/// # Panics
/// If it does not serve.
pub fn serve_at(store: &str, listen: &str) -> (Process, String) {
    let mut serve = command("loto");
    serve.args(["serve", "--store", store, "--listen", listen]);
    start_and_read(serve, "serving loto.v1.Aggregator on ")
}

/// Starts a command in the background, and returns what its log tells behind these words.
///
/// # Panics
/// If it cannot be run, or ends before it tells that.
pub fn start_and_read(mut command: Command, words: &str) -> (Process, String) {
    command.stderr(Stdio::piped());
    let mut process = Process::start(command);
    let log = process.child().stderr.take().expect("it is piped");
    let mut lines = BufReader::new(log).lines().map_while(Result::ok);
    let told = |line: String| {
        let (_, told) = line.split_once(words)?;
        Some(told.to_owned())
    };
    let told = lines.find_map(told).expect("it tells its address");
    // Read on, or the process would block on a full pipe.
    std::thread::spawn(move || lines.for_each(|line| eprintln!("{line}")));
    (process, told)
}

/// A process that is killed when this value is dropped.
pub struct Process(Child);

impl Process {
    /// Starts a command in the background; its output goes to the test's standard error.
    ///
    /// # Panics
    /// If it cannot be run.
    pub fn start(mut command: Command) -> Self {
        Self(
            command
                .stdin(Stdio::null())
                .spawn()
                .expect("the program runs"),
        )
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// The child process, for its output.
    pub fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    /// Ends it with SIGKILL, as in a crash, and waits until it is gone.
    pub fn kill(&mut self) {
        // An error means that it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Sends it SIGTERM, as an orderly shutdown does.
    ///
    /// # Panics
    /// If it cannot be sent.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends it a signal: `STOP`, `CONT`, `TERM` and so on.
    ///
    /// # Panics
    /// If it cannot be sent.
    pub fn signal(&self, signal: &str) {
        let mut kill = Command::new("kill");
        let sent = kill
            .args(["-s", signal, "--"])
            .arg(self.id().to_string())
            .status();
        assert!(sent.expect("kill runs").success());
    }

    /// How it ended, if it has.
    ///
    /// # Panics
    /// If the operating system does not know it.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().expect("a child can be waited for")
    }

    /// Waits for its end, at most so long.
    ///
    /// # Panics
    /// If it does not end in time.
    pub fn wait(&mut self, at_most: Duration) -> ExitStatus {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.ended() {
                return status;
            }
            assert!(
                begin.elapsed() < at_most,
                "it did not end within {at_most:?}"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
