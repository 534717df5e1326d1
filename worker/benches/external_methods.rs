//! What loto adds to an external method's own time: per evaluation, and to hand over a table.
//!
//!     LOTO_DATA=DIR cargo bench -p loto-worker --bench external_methods
//!
//! The program is this one, in a role of its own: it answers random search's rows, so that nearly all of the time is loto's.
//! Each figure is given as time on the clock and as processor time of the thread that runs the job, which other work on
//! the machine does not lengthen. The table that is handed over is FCNET in `LOTO_DATA`, the largest public one.

use std::collections::BTreeMap;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use loto_engine::ProgramError;
use loto_engine::blobs::MemoryBlobs;
use loto_engine::external::caller::{Choices, Programs};
use loto_engine::external::handover::Handover;
use loto_engine::runner::TraceRunner;
use loto_engine::table::Table;
use loto_proto::external_program::{ExternalProgram, PROTOCOL, ProgramFile, ProposalRule};
use loto_proto::job::{Job, MethodSpec, Series};
use loto_proto::table_spec::{Categorical, TableSpec};
use loto_worker::external::{self, MethodProcesses};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Mutex;

/// The argument with which this program is the external method.
const ROLE: &str = "answer-random-rows";

const SVM: &[u8] = include_bytes!("../../coordinator/sweeps/svm-sklearn.csv.zip");

/// How often each figure is measured.
const REPETITIONS: usize = 9;

/// Time on the clock, and processor time of the calling thread.
#[derive(Debug, Clone, Copy)]
struct Times {
    clock: Duration,
    processor: Duration,
}

impl Times {
    fn of<R>(work: impl FnOnce() -> R) -> (Self, R) {
        let (clock, processor) = (Instant::now(), processor_time());
        let result = work();
        let times = Self {
            clock: clock.elapsed(),
            processor: processor_time() - processor,
        };
        (times, result)
    }

    /// The medians of several.
    fn median(all: &[Self]) -> Self {
        let median = |mut times: Vec<Duration>| {
            times.sort();
            times[times.len() / 2]
        };
        Self {
            clock: median(all.iter().map(|times| times.clock).collect()),
            processor: median(all.iter().map(|times| times.processor).collect()),
        }
    }

    fn print(all: &[Self], what: &str, count: u32) {
        let Self { clock, processor } = Self::median(all);
        println!(
            "{what}: {:?} on the clock, {:?} of the processor (medians of {})",
            clock / count,
            processor / count,
            all.len()
        );
    }
}

fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Measures how long processes take to be told of a job.
struct Measured {
    processes: MethodProcesses,
    last: Mutex<Option<Times>>,
}

impl Programs for Measured {
    fn start<'a>(
        &'a self,
        program: &Arc<ExternalProgram>,
        handover: &Handover<'_>,
    ) -> Result<Box<dyn Choices + 'a>, ProgramError> {
        let (times, choices) = Times::of(|| self.processes.start(program, handover));
        *self.last.lock().unwrap() = Some(times);
        choices
    }
}

/// A table with how it is read.
struct Given {
    spec: TableSpec,
    file: Vec<u8>,
    task: String,
}

impl Given {
    fn new(file: Vec<u8>, categorical: Categorical, task: &str) -> Self {
        let spec = TableSpec {
            objective: "metric_error".into(),
            categorical,
            ..TableSpec::default()
        };
        let task = task.to_owned();
        Self { spec, file, task }
    }

    fn job(&self, program: &ExternalProgram, iterations: u32, seed: u32) -> Job {
        let method = MethodSpec {
            name: None,
            id: program.method_id(),
            version: PROTOCOL,
            parameters: BTreeMap::new(),
            program: Some(program.encode().0),
        };
        let series = Series {
            method,
            table: self.spec.fingerprint(&self.file),
            task: self.task.clone(),
            iterations,
        };
        Job { series, seed }
    }
}

fn program() -> ExternalProgram {
    let own = std::env::current_exe().unwrap();
    ExternalProgram {
        name: "random".into(),
        command: vec![own.to_str().unwrap().into(), ROLE.into()],
        files: vec![ProgramFile {
            path: "nothing".into(),
            content: Vec::new(),
        }],
        version: None,
        off_table: ProposalRule::Refuse,
        repeats: ProposalRule::Refuse,
        start_deadline: 60,
        choice_deadline: 60,
    }
}

/// A worker's slot that was not asked for anything yet.
fn slot(program: &ExternalProgram, tables: &[&Given]) -> (TraceRunner, Arc<Measured>) {
    let table = |given: &&Given| {
        let name = given.spec.fingerprint(&given.file).blob_name();
        (name, given.spec.encode_with(&given.file))
    };
    let (id, bytes) = program.encode();
    let blobs = tables.iter().map(table).chain([(id.blob_name(), bytes)]);
    let measured = Arc::new(Measured {
        processes: MethodProcesses::new(Vec::new()),
        last: Mutex::new(None),
    });
    let runner = TraceRunner::new(Arc::new(MemoryBlobs::from_iter(blobs)));
    let programs = Arc::clone(&measured) as Arc<dyn Programs>;
    (runner.with_programs(programs), measured)
}

/// A slot's whole trace of all rows, by evaluation, once its process runs.
fn evaluations(program: &ExternalProgram, svm: &Given, rows: u32) {
    let (runner, _) = slot(program, &[svm]);
    let all: Vec<Times> = (0..=REPETITIONS as u32)
        .map(|seed| {
            let job = svm.job(program, rows, seed);
            Times::of(|| runner.run(&job).unwrap()).0
        })
        .collect();
    Times::print(
        &all[1..],
        "an evaluation, start and end of the job included",
        rows,
    );
}

/// What a slot whose process runs takes until a job on another table is begun, and then one on another target of it.
fn hand_over(program: &ExternalProgram, svm: &Given, given: &[Given]) {
    let mut all = vec![Vec::new(); given.len()];
    for _ in 0..REPETITIONS {
        let tables: Vec<&Given> = given.iter().chain([svm]).collect();
        let (runner, measured) = slot(program, &tables);
        runner.run(&svm.job(program, 1, 0)).unwrap();
        for (times, given) in all.iter_mut().zip(given) {
            runner.run(&given.job(program, 1, 0)).unwrap();
            times.extend(*measured.last.lock().unwrap());
        }
    }
    for (times, what) in all.iter().zip(["FCNET handed over", "its next target"]) {
        Times::print(times, what, 1);
    }
}

/// Answers random search's rows, with little more than the reading of lines.
fn answer() -> std::io::Result<()> {
    let mut rows: Vec<String> = Vec::new();
    let mut output = stdout().lock();
    for line in stdin().lock().lines() {
        let line = line?;
        let kind = line.strip_prefix(r#"{"type":""#).unwrap_or_default();
        if kind.starts_with("next") {
            let (_, rest) = line.split_once(r#""iteration":"#).unwrap_or_default();
            let iteration = rest.split(',').next().unwrap_or_default();
            let row = rows.pop().unwrap_or_default();
            writeln!(
                output,
                r#"{{"type":"row","iteration":{iteration},"row":{row}}}"#
            )?;
        } else if kind.starts_with("start") {
            let (_, rest) = line.split_once(r#""random_rows":["#).unwrap_or_default();
            let list = rest.split(']').next().unwrap_or_default();
            rows = list.split(',').rev().map(str::to_owned).collect();
            writeln!(output, r#"{{"type":"started"}}"#)?;
        } else if kind.starts_with("hello") {
            writeln!(output, r#"{{"type":"ready","protocol":1}}"#)?;
        } else if kind.starts_with("end") {
            writeln!(output, r#"{{"type":"ended"}}"#)?;
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    if let Some(code) = external::enter() {
        return code;
    }
    if std::env::args().nth(1).as_deref() == Some(ROLE) {
        return match answer() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let program = program();
    let numeric = || Categorical::Columns(Default::default());
    let mut svm = Given::new(SVM.to_vec(), numeric(), "");
    let table = Table::read(SVM, &svm.spec, "svm-sklearn.csv.zip").unwrap();
    svm.task = table.tasks[0].name.clone();
    evaluations(&program, &svm, table.tasks[0].rows() as u32);
    let Some(folder) = std::env::var_os("LOTO_DATA").map(PathBuf::from) else {
        println!("FCNET handed over: not measured, there is no LOTO_DATA");
        return ExitCode::SUCCESS;
    };
    let file = std::fs::read(Path::new(&folder).join("FCNET.csv.zip")).unwrap();
    let tasks = ["naval", "protein"];
    let given = tasks.map(|task| Given::new(file.clone(), Categorical::All, task));
    hand_over(&program, &svm, &given);
    ExitCode::SUCCESS
}
