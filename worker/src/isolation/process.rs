//! One child process, seen from the worker.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_proto::wire::{
    BlobAnswer, FromComputing, JobFailure, PutBlob, ToComputing, from_computing, to_computing,
};
use loto_transport::TransportError;
use loto_transport::retry::{RetryPolicy, retry_transient};
use loto_transport::store::Store;
use tokio::io::{AsyncReadExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use super::{child, frame};
use crate::metrics::{self, Lookup};

/// Bytes of what a process said last that are kept.
const LAST_WORDS: usize = 4096;

/// Variables that hold a secret, or a URL that may: a method has no business with them.
const SECRETS: [&str; 4] = [
    "LOTO_BROKER",
    "LOTO_BROKER_PASSWORD",
    "LOTO_STORE",
    "LOTO_STORE_PASSWORD",
];

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

/// Why a process cannot go on.
#[derive(Debug)]
pub(super) enum Ended {
    /// The job took too long.
    Deadline,
    /// The process died.
    Died { how: String, last_words: String },
    /// What it sent is no message.
    Garbled(String),
    /// The store is out of reach for too long, or holds what cannot be handed on.
    Store(TransportError),
}

impl ComputingProcess {
    /// Starts this program anew in its role as a computing process.
    pub(super) fn start(memory: u64) -> io::Result<Self> {
        // The file that runs, even if another one has taken its place since.
        let mut command = Command::new("/proc/self/exe");
        for variable in SECRETS {
            command.env_remove(variable);
        }
        command
            .arg0(std::env::args_os().next().unwrap_or_default())
            .args([child::ARGUMENT, &memory.to_string()])
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

    /// Computes a job. The inner error is the job's own; after the outer one the process is of no use.
    pub(super) async fn compute(
        &mut self,
        job: &Job,
        store: &dyn Store,
        deadline: Duration,
    ) -> Result<Result<Trace, JobFailure>, Ended> {
        use from_computing::Message;
        self.has_begun = false;
        lock(&self.last_words).clear();
        self.send(to_computing::Message::Job(job.encode())).await?;
        let mut left = deadline;
        loop {
            let begin = Instant::now();
            let receiving = frame::receive::<FromComputing>(&mut self.output);
            let Ok(received) = tokio::time::timeout(left, receiving).await else {
                // It may not even have begun: a job that is too slow all the same.
                self.has_begun = true;
                return Err(Ended::Deadline);
            };
            // Only the process's own time counts, not the store's.
            left = left.saturating_sub(begin.elapsed());
            let message = match received {
                Ok(Some(message)) => message.message,
                Ok(None) => return Err(self.death().await),
                Err(error) => return Err(Ended::Garbled(error.to_string())),
            };
            match message {
                Some(Message::Begun(_)) => self.has_begun = true,
                Some(Message::GetBlob(name)) => {
                    let reading =
                        retry_transient(RetryPolicy::BRIEF, "reading a blob", || store.blob(&name));
                    let bytes = reading.await.map_err(Ended::Store)?;
                    let found = bytes.is_some();
                    metrics::looked_up(
                        if found {
                            Lookup::HitStore
                        } else {
                            Lookup::Miss
                        },
                        1,
                    );
                    self.answer(bytes).await?;
                }
                Some(Message::PutBlob(PutBlob { name, bytes })) => {
                    let writing = retry_transient(RetryPolicy::BRIEF, "keeping a blob", || {
                        store.put_blob(&name, &bytes)
                    });
                    writing.await.map_err(Ended::Store)?;
                    self.answer(None).await?;
                }
                Some(Message::Computed(computed)) => {
                    metrics::looked_up(Lookup::HitMemory, computed.memory_hits);
                    let trace = Trace::decode(&computed.trace);
                    return trace
                        .map(Ok)
                        .map_err(|error| Ended::Garbled(error.to_string()));
                }
                Some(Message::Failure(failure)) => return Ok(Err(failure)),
                None => return Err(Ended::Garbled("an empty message".into())),
            }
        }
    }

    async fn answer(&mut self, bytes: Option<Vec<u8>>) -> Result<(), Ended> {
        self.send(to_computing::Message::Blob(BlobAnswer { bytes }))
            .await
    }

    async fn send(&mut self, message: to_computing::Message) -> Result<(), Ended> {
        let message = ToComputing {
            message: Some(message),
        };
        match frame::send(&mut self.input, &message).await {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(Ended::Garbled(error.to_string()))
            }
            Err(_) => Err(self.death().await),
        }
    }

    /// How the process died, whose pipe is closed.
    async fn death(&mut self) -> Ended {
        let status = tokio::time::timeout(DEATH, self.child.wait()).await;
        if let Some(listening) = self.listening.take() {
            // A grandchild may hold the pipe open: what was heard until then has to do.
            let _heard_out = tokio::time::timeout(DEATH, listening).await;
        }
        let how = match status {
            Ok(Ok(status)) => match (status.signal(), status.code()) {
                (Some(_), _) => status.to_string(),
                (None, code) => format!("exit status {}", code.unwrap_or_default()),
            },
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it closed its pipe but lives on".into(),
        };
        let last_words = lock(&self.last_words).clone();
        Ended::Died { how, last_words }
    }
}

fn lock(words: &Mutex<String>) -> MutexGuard<'_, String> {
    words.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the end of what a process says.
fn remember(last_words: &Mutex<String>, words: &str) {
    tracing::debug!("a computing process says: {}", words.trim_end());
    let mut kept = lock(last_words);
    kept.push_str(words);
    if kept.len() > LAST_WORDS {
        let mut cut = kept.len() - LAST_WORDS;
        while !kept.is_char_boundary(cut) {
            cut += 1;
        }
        kept.drain(..cut);
    }
}
