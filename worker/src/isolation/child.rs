//! The computing process: takes jobs from its standard input, writes traces to its
//! standard output, and ends when its worker does.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Stdin};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use loto_engine::blobs::{BlobError, Blobs};
use loto_engine::runner::TraceRunner;
use loto_engine::{EngineError, blas, cache};
use loto_process::{ExitStatus, ProcessError, program};
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_proto::wire::{
    Begun, BlobAnswer, Computed, FromComputing, JobFailure, PutBlob, ToComputing, from_computing,
    to_computing,
};

use parking_lot::Mutex;

use super::{frame, memory};
use crate::compute::panic_message;
use crate::external::{self, MethodProcesses};

/// First argument of a program that is to be a computing process; the second is its memory in bytes, others are paths
/// that are withheld from external methods.
pub const ARGUMENT: &str = "compute-jobs";

/// Computes the trace of a job.
pub type Run = Box<dyn FnMut(&Job) -> Result<Trace, EngineError>>;

/// Makes the function that computes, from where it reads and keeps what jobs share.
pub type MakeRun = fn(Arc<dyn Blobs>) -> Run;

/// Computes traces with the methods of this program.
pub fn methods(blobs: Arc<dyn Blobs>) -> Run {
    let withheld = std::env::args_os().skip(3).map(PathBuf::from).collect();
    let runner = TraceRunner::new(blobs).with_programs(Arc::new(MethodProcesses::new(withheld)));
    Box::new(move |job| runner.run(job))
}

/// Enters a program that starts itself anew for its jobs; to be called first in `main`.
///
/// Pins the kernels of the linear algebra. If this process was started to compute, does so to its
/// end, with the function that `run` makes, and returns its exit status; `None` if it was started
/// for something else.
pub fn enter(run: MakeRun) -> Option<ExitCode> {
    if let Some(code) = external::enter() {
        return Some(code);
    }
    // Before any thread starts: it runs the program anew, once.
    if let Err(source) = blas::pin_kernels() {
        let what = "start again with the kernels of the linear algebra pinned";
        return Some(program::fail(&ProcessError::CannotStart { what, source }).into());
    }
    let mut arguments = std::env::args().skip(1);
    if arguments.next()? != ARGUMENT {
        return None;
    }
    let memory = arguments.next().and_then(|bytes| bytes.parse().ok());
    let no_memory = || io::Error::other("its second argument is not a number of bytes");
    let served = memory
        .ok_or_else(no_memory)
        .and_then(|memory| serve(memory, run));
    Some(match served {
        Ok(()) => ExitStatus::Done.into(),
        Err(error) => {
            eprintln!("computing process: {error}");
            ExitStatus::Failed.into()
        }
    })
}

fn serve(memory: u64, run: MakeRun) -> io::Result<()> {
    memory::confine(memory)?;
    // Whatever a method prints must not get between the messages.
    let output = File::from(rustix::io::dup(io::stdout())?);
    rustix::stdio::dup2_stdout(io::stderr())?;
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::force_capture();
        PANIC.set(Some((describe(panic), backtrace.to_string())));
    }));
    let (jobs, answers) = listen(io::stdin());
    let pipe = Arc::new(Pipe {
        output: Mutex::new(BufWriter::new(output)),
        answers: Mutex::new(answers),
    });
    let mut run = run(Arc::clone(&pipe) as Arc<dyn Blobs>);
    for job in jobs {
        pipe.send(from_computing::Message::Begun(Begun {}))?;
        let answer = match Job::decode(&job) {
            Ok(job) => compute(&mut run, &job),
            Err(error) => failure(error),
        };
        pipe.send(answer)?;
    }
    Ok(())
}

/// Reads what the worker sends, on a thread of its own. The end of the pipe is the
/// end of the worker: the process then ends at once, whatever it computes.
fn listen(mut input: Stdin) -> (Receiver<Vec<u8>>, Receiver<BlobAnswer>) {
    let (new_jobs, jobs) = channel();
    let (new_answers, answers) = channel();
    std::thread::spawn(move || {
        loop {
            let taken = match frame::read::<ToComputing>(&mut input) {
                Ok(Some(ToComputing { message })) => match message {
                    Some(to_computing::Message::Job(job)) => new_jobs.send(job).is_ok(),
                    Some(to_computing::Message::Blob(blob)) => new_answers.send(blob).is_ok(),
                    None => false,
                },
                Ok(None) => std::process::exit(0),
                Err(error) => {
                    eprintln!("computing process: {error}");
                    false
                }
            };
            if !taken {
                std::process::exit(1);
            }
        }
    });
    (jobs, answers)
}

thread_local! {
    /// What the last panic of this thread said, and where.
    static PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// What a panic says, and where, in one line.
fn describe(panic: &PanicHookInfo) -> String {
    let place = panic.location().map(ToString::to_string);
    let place = place.as_deref().unwrap_or("an unknown place");
    let message = panic_message(panic.payload());
    format!("{message} (at {place})")
}

fn compute(run: &mut Run, job: &Job) -> from_computing::Message {
    // After a panic the worker uses another process: nobody sees a broken state.
    match catch_unwind(AssertUnwindSafe(|| run(job))) {
        Ok(Ok(trace)) => from_computing::Message::Computed(Computed {
            trace: trace.encode(),
            memory_hits: cache::take_hits(),
        }),
        Ok(Err(error)) => from_computing::Message::Failure(JobFailure {
            other_release: error.is_of_another_release(),
            missing_table: matches!(
                error,
                EngineError::MissingTable(_) | EngineError::MissingProgram(_)
            ),
            error: error.to_string(),
            backtrace: error.details().to_owned(),
            ..JobFailure::default()
        }),
        Err(_) => {
            let (panic, backtrace) = PANIC.take().unwrap_or_default();
            from_computing::Message::Failure(JobFailure {
                error: format!("the method panicked: {panic}"),
                backtrace,
                panicked: true,
                ..JobFailure::default()
            })
        }
    }
}

fn failure(error: impl ToString) -> from_computing::Message {
    from_computing::Message::Failure(JobFailure {
        error: error.to_string(),
        ..JobFailure::default()
    })
}

/// The pipe to the worker broke: this process ends, too.
#[derive(Debug, thiserror::Error)]
#[error("the worker is gone: {0}")]
struct LostWorker(#[source] io::Error);

/// The pipes to the worker; also the store, as far as the job sees it.
struct Pipe {
    output: Mutex<BufWriter<File>>,
    answers: Mutex<Receiver<BlobAnswer>>,
}

impl Pipe {
    fn send(&self, message: from_computing::Message) -> io::Result<()> {
        let message = FromComputing {
            message: Some(message),
        };
        frame::write(&mut *self.output.lock(), &message)
    }

    /// Asks the worker and waits for its answer.
    fn ask(&self, question: from_computing::Message) -> Result<BlobAnswer, BlobError> {
        let lost = |error| BlobError {
            unavailable: false,
            source: Box::new(LostWorker(error)),
        };
        let answers = self.answers.lock();
        self.send(question).map_err(lost)?;
        answers
            .recv()
            .map_err(|error| lost(io::Error::other(error)))
    }
}

impl Blobs for Pipe {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        let answer = self.ask(from_computing::Message::GetBlob(name.to_owned()))?;
        Ok(answer.bytes)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), BlobError> {
        self.ask(from_computing::Message::PutBlob(PutBlob {
            name: name.to_owned(),
            bytes: bytes.to_vec(),
        }))?;
        Ok(())
    }
}
