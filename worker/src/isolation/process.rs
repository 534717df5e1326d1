//! One child process, seen from the worker.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_proto::wire::{
    BlobAnswer, FromComputing, JobFailure, PutBlob, ToComputing, from_computing, to_computing,
};
use loto_transport::TransportError;
use loto_transport::store::Store;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use super::{child, frame};
use crate::blobs;
use crate::metrics::{self, HIT_MEMORY, HIT_STORE, MISS};

/// Bytes of what a process said last that are kept.
const LAST_WORDS: usize = 4096;

/// Variables that hold a secret, or a URL that may: a method has no business with them.
const SECRETS: [&str; 6] = [
    "LOTO_BROKER",
    "LOTO_BROKER_PASSWORD",
    "LOTO_HOST",
    "LOTO_HOST_TOKEN",
    "LOTO_STORE",
    "LOTO_STORE_PASSWORD",
];

/// Variable of the C library: the length from which a block of memory goes back to the system once it is freed. Unless
/// it is set, that length grows to that of the longest block that was ever freed, and the memory that reading a table
/// took stays with the process.
const RETURNED_FROM: &str = "MALLOC_MMAP_THRESHOLD_";

/// The length of those blocks, in bytes: those that methods take and free in each choice are shorter on most tables.
const RETURNED_BYTES: usize = 1 << 20;

/// Variable of the C library: how much free memory may stay at the end of its heap before it goes back to the system. Unless it is
/// set, no more than 128 KB stay, and what a choice frees is taken from the system anew in the next one.
const KEPT_UP_TO: &str = "MALLOC_TRIM_THRESHOLD_";

/// The size of that memory, in bytes: with it the peak of a process stays what it is to a few percent, with 8 MB it grows by up to a fifth.
const KEPT_BYTES: usize = 2 << 20;

/// Variable of the C library: how many heaps there may be. Unless it is set, the thread that reads messages has one of its own, where the
/// memory that a table's file took stays unused once the table is read.
const HEAPS: &str = "MALLOC_ARENA_MAX";

/// How long a process whose pipe is closed may take to be gone.
const DEATH: Duration = Duration::from_secs(5);

/// A process that computes one job at a time. It is killed when this value is dropped.
pub(super) struct ComputingProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last_words: Arc<Mutex<String>>,
    listening: Option<JoinHandle<()>>,
    has_begun: bool,
}

/// What a process says a job came to.
pub(super) enum Answer {
    Trace(Trace),
    Failure(JobFailure),
}

/// Why a process is of no use any more.
#[derive(Debug)]
pub(super) enum Failure {
    /// The job took too long.
    Deadline,
    /// The process died; the status is an error if nobody knows how.
    Died {
        status: io::Result<ExitStatus>,
        last_words: String,
    },
    /// What it sent is not a message.
    Garbled(io::Error),
    /// The store is unavailable for too long, or holds what cannot be handed on.
    Store(TransportError),
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Self {
        Self::Store(error)
    }
}

impl ComputingProcess {
    /// Starts this program anew in its role as a computing process. External methods are kept from `withheld`.
    pub(super) fn start(memory: u64, withheld: &[PathBuf]) -> io::Result<Self> {
        // The file that runs, even if another one has taken its place since.
        let mut command = Command::new("/proc/self/exe");
        for variable in SECRETS {
            command.env_remove(variable);
        }
        let settings = [
            (RETURNED_FROM, RETURNED_BYTES),
            (KEPT_UP_TO, KEPT_BYTES),
            (HEAPS, 1),
        ];
        for (variable, value) in settings {
            if std::env::var_os(variable).is_none() {
                command.env(variable, value.to_string());
            }
        }
        command
            .arg0(std::env::args_os().next().unwrap_or_default())
            .args([child::ARGUMENT, &memory.to_string()])
            .args(withheld)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Out of reach of a terminal's Ctrl-C: the worker decides when it ends.
            .process_group(0)
            .kill_on_drop(true);
        let mut child = command.spawn()?;
        metrics::process_started();
        let lost = || io::Error::other("it has no pipes");
        let input = child.stdin.take().ok_or_else(lost)?;
        let output = child.stdout.take().ok_or_else(lost)?;
        let errors = child.stderr.take().ok_or_else(lost)?;
        let last_words = Arc::new(Mutex::default());
        let kept = Arc::clone(&last_words);
        let listening = tokio::spawn(async move {
            let mut errors = errors;
            let mut words = [0; 1024];
            while let Ok(length @ 1..) = errors.read(&mut words).await {
                remember(&kept, &String::from_utf8_lossy(&words[..length]));
            }
        });
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
            last_words,
            listening: Some(listening),
            has_begun: false,
        })
    }

    /// Whether it began with the job it was given last.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Computes a job. After an error the process is of no use any more.
    pub(super) async fn compute(
        &mut self,
        job: &Job,
        store: &dyn Store,
        deadline: Duration,
    ) -> Result<Answer, Failure> {
        use from_computing::Message;
        self.has_begun = false;
        self.last_words.lock().clear();
        self.send(to_computing::Message::Job(job.encode())).await?;
        let mut left = deadline;
        loop {
            let begin = Instant::now();
            let receiving = frame::receive::<FromComputing>(&mut self.output);
            let Ok(received) = tokio::time::timeout(left, receiving).await else {
                // It may not even have begun: a job that is too slow all the same.
                self.has_begun = true;
                return Err(Failure::Deadline);
            };
            // Only the process's own time counts, not the store's.
            left = left.saturating_sub(begin.elapsed());
            let Some(FromComputing { message }) = received.map_err(Failure::Garbled)? else {
                return Err(self.death().await);
            };
            match message {
                Some(Message::Begun(_)) => self.has_begun = true,
                Some(Message::GetBlob(name)) => {
                    let bytes = blobs::get(store, &name).await?;
                    metrics::looked_up(if bytes.is_some() { HIT_STORE } else { MISS }, 1);
                    self.answer(bytes).await?;
                }
                Some(Message::PutBlob(PutBlob { name, bytes })) => {
                    blobs::put(store, &name, &bytes).await?;
                    self.answer(None).await?;
                }
                Some(Message::Computed(computed)) => {
                    metrics::looked_up(HIT_MEMORY, computed.memory_hits);
                    let trace = Trace::decode(&computed.trace);
                    return trace.map(Answer::Trace).map_err(garbled);
                }
                Some(Message::Failure(failure)) => return Ok(Answer::Failure(failure)),
                None => return Err(garbled("an empty message")),
            }
        }
    }

    async fn answer(&mut self, bytes: Option<Vec<u8>>) -> Result<(), Failure> {
        self.send(to_computing::Message::Blob(BlobAnswer { bytes }))
            .await
    }

    async fn send(&mut self, message: to_computing::Message) -> Result<(), Failure> {
        let message = ToComputing {
            message: Some(message),
        };
        match frame::send(&mut self.input, &message).await {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(Failure::Garbled(error))
            }
            Err(_) => Err(self.death().await),
        }
    }

    /// How the process died, whose pipe is closed.
    async fn death(&mut self) -> Failure {
        let status = tokio::time::timeout(DEATH, self.child.wait()).await;
        if let Some(listening) = self.listening.take() {
            // A grandchild may hold the pipe open: what was heard until then has to do.
            let _heard_out = tokio::time::timeout(DEATH, listening).await;
        }
        let lives_on = |_| Err(io::Error::other("it closed its pipe but lives on"));
        Failure::Died {
            status: status.unwrap_or_else(lives_on),
            last_words: self.last_words.lock().clone(),
        }
    }
}

fn garbled(problem: impl Into<Box<dyn Error + Send + Sync>>) -> Failure {
    Failure::Garbled(io::Error::new(io::ErrorKind::InvalidData, problem))
}

/// Keeps the end of what a process says.
fn remember(last_words: &Mutex<String>, words: &str) {
    tracing::debug!("a computing process says: {}", words.trim_end());
    let mut kept = last_words.lock();
    kept.push_str(words);
    if kept.len() > LAST_WORDS {
        let mut cut = kept.len() - LAST_WORDS;
        while !kept.is_char_boundary(cut) {
            cut += 1;
        }
        kept.drain(..cut);
    }
}
