//! External methods whose callers are written here, in the place of programs.

use std::collections::BTreeMap;
use std::sync::Arc;

use loto_proto::external_program::{ExternalProgram, PROTOCOL, ProgramFile, ProposalRule};
use loto_proto::identity::Fingerprint;
use loto_proto::job::{Job, MethodSpec, Series};
use loto_proto::table_spec::{Categorical, TableSpec};
use loto_proto::trace::Trace;
use parking_lot::Mutex;

use super::caller::{Choices, Programs, Proposal, ProposalProblem, Told};
use super::handover::Handover;
use crate::EngineError;
use crate::blobs::MemoryBlobs;
use crate::program_error::ProgramError;
use crate::runner::TraceRunner;

/// Twelve rows per task, worst first; `hp_kind` is categorical.
fn table() -> (TableSpec, Vec<u8>) {
    let mut file = String::from("hp_kind,hp_rate,metric_error,task\n");
    for task in ["one", "two"] {
        for row in 0..12_i32 {
            let kind = ["x", "y", "z"][(row % 3) as usize];
            let value = f64::from(12 - row) + if task == "one" { 0.5 } else { 0.0 };
            file += &format!("{kind},{},{value},{task}\n", 11 - row);
        }
    }
    let spec = TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::Columns(["hp_kind".to_owned()].into()),
        ..TableSpec::default()
    };
    (spec, file.into_bytes())
}

fn program(off_table: ProposalRule, repeats: ProposalRule) -> ExternalProgram {
    ExternalProgram {
        name: "mine".into(),
        command: vec!["mine".into()],
        files: vec![ProgramFile {
            path: "mine".into(),
            content: b"x".to_vec(),
        }],
        version: None,
        off_table,
        repeats,
        start_deadline: 1,
        choice_deadline: 1,
    }
}

/// What a caller was told, and what it proposes for the random rows.
type Script = fn(usize, &[u32]) -> Proposal;

struct Scripted {
    script: Script,
    told: Arc<Mutex<Vec<Told>>>,
}

struct Conversation {
    script: Script,
    random_rows: Vec<u32>,
    asked: usize,
    told: Arc<Mutex<Vec<Told>>>,
}

impl Programs for Scripted {
    fn start<'a>(
        &'a self,
        _program: &Arc<ExternalProgram>,
        handover: &Handover<'_>,
    ) -> Result<Box<dyn Choices + 'a>, ProgramError> {
        Ok(Box::new(Conversation {
            script: self.script,
            random_rows: handover.random_rows.clone(),
            asked: 0,
            told: Arc::clone(&self.told),
        }))
    }
}

impl Choices for Conversation {
    fn next(&mut self, told: &[Told]) -> Result<Proposal, ProgramError> {
        self.told.lock().extend_from_slice(told);
        self.asked += 1;
        Ok((self.script)(self.asked - 1, &self.random_rows))
    }

    fn end(&mut self, told: &[Told]) {
        self.told.lock().extend_from_slice(told);
    }

    fn versions(&self) -> &str {
        "python 3"
    }

    fn refuse(&mut self, problem: ProposalProblem) -> ProgramError {
        ProgramError {
            source: problem.into(),
            details: String::new(),
        }
    }
}

fn run(
    program: &ExternalProgram,
    script: Script,
    iterations: u32,
) -> (Result<Trace, EngineError>, Vec<Told>) {
    run_given(program, script, iterations, &[])
}

/// As `run`, on a table that gives these first rows.
fn run_given(
    program: &ExternalProgram,
    script: Script,
    iterations: u32,
    given: &[u32],
) -> (Result<Trace, EngineError>, Vec<Told>) {
    let (mut spec, file) = table();
    for &row in given {
        spec.initial.add("one", 3, row);
    }
    run_on((spec, file), program, script, iterations)
}

fn run_on(
    (spec, file): (TableSpec, Vec<u8>),
    program: &ExternalProgram,
    script: Script,
    iterations: u32,
) -> (Result<Trace, EngineError>, Vec<Told>) {
    let fingerprint = spec.fingerprint(&file);
    let (id, bytes) = program.encode();
    let blobs = MemoryBlobs::from_iter([
        (fingerprint.blob_name(), spec.encode_with(&file)),
        (id.blob_name(), bytes),
    ]);
    let told = Arc::default();
    let programs = Scripted {
        script,
        told: Arc::clone(&told),
    };
    let runner = TraceRunner::new(Arc::new(blobs)).with_programs(Arc::new(programs));
    let trace = runner.run(&job(program, fingerprint, iterations));
    let told = std::mem::take(&mut *told.lock());
    (trace, told)
}

fn job(program: &ExternalProgram, table: Fingerprint, iterations: u32) -> Job {
    Job {
        series: Series {
            method: MethodSpec {
                name: Some("mine".into()),
                id: program.method_id(),
                version: PROTOCOL,
                parameters: BTreeMap::new(),
                program: Some(program.encode().0),
            },
            table,
            task: "one".into(),
            iterations,
        },
        seed: 3,
    }
}

fn refused(result: Result<Trace, EngineError>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, EngineError::Program(_)), "{error}");
    error.to_string()
}

#[test]
fn the_random_rows_give_the_trace_of_random_search() {
    let program = program(ProposalRule::Nearest, ProposalRule::Refuse);
    let (trace, told) = run(
        &program,
        |asked, random_rows| Proposal::Row(random_rows[asked].into()),
        8,
    );
    let trace = trace.unwrap();
    let (spec, file) = table();
    let fingerprint = spec.fingerprint(&file);
    let blobs = MemoryBlobs::from_iter([(fingerprint.blob_name(), spec.encode_with(&file))]);
    let mut built_in = job(&program, fingerprint, 8);
    built_in.series.method.id = "rs".into();
    built_in.series.method.program = None;
    let expected = TraceRunner::new(Arc::new(blobs)).run(&built_in).unwrap();
    assert_eq!(trace.rows, expected.rows);
    assert_eq!(trace.values, expected.values);
    // Every observation is told, the last one at the end, with its value as the table has it.
    let values: Vec<f64> = told.iter().map(|told| told.value).collect();
    assert_eq!(values, expected.values);
}

#[test]
fn the_values_of_all_objectives_are_told() {
    let program = program(ProposalRule::Nearest, ProposalRule::Refuse);
    let (mut spec, file) = table();
    let lines = std::str::from_utf8(&file).unwrap().lines().enumerate();
    let wider = lines.map(|(number, line)| match number {
        0 => format!("{line},metric_time,metric_size\n"),
        number => format!("{line},{},{}\n", 100 + number, 2 * number),
    });
    spec.further_objectives = ["metric_time", "metric_size"].map(str::to_owned).into();
    let wider = wider.collect::<String>().into_bytes();
    let script: Script = |asked, _| Proposal::Row(asked as u64);
    let (trace, told) = run_on((spec, wider), &program, script, 2);
    let trace = trace.unwrap();
    // Rows 9 and 6 of the file, which are its lines 10 and 7 below the header.
    assert_eq!(trace.rows, [9, 6]);
    assert_eq!(trace.further_values, [110.0, 20.0, 107.0, 14.0]);
    assert_eq!(told[1].further, [107.0, 14.0]);
    assert_eq!(told[1].value, trace.values[1]);
}

#[test]
fn rows_are_known_in_the_order_of_their_configurations() {
    // Row 0 to a program is kind x with the least rate: of the rows 0, 3, 6, 9 of the file the last.
    let program = program(ProposalRule::Nearest, ProposalRule::Refuse);
    let (trace, _) = run(&program, |asked, _| Proposal::Row(asked as u64), 12);
    assert_eq!(trace.unwrap().rows, [9, 6, 3, 0, 10, 7, 4, 1, 11, 8, 5, 2]);
}

#[test]
fn a_configuration_is_the_row_that_it_is_or_the_nearest() {
    let nearest = program(ProposalRule::Nearest, ProposalRule::Nearest);
    let script: Script = |asked, _| {
        Proposal::Configuration(match asked {
            // Kind y, rate 1 of 0 to 11: row 10 of the file, within rounding.
            0 => vec![1.0, 1.0 / 11.0 + 1e-12],
            // The same again: row 7 of kind y is 3/11 away, no other kind is as near.
            1 => vec![1.0, 1.0 / 11.0],
            // Between 4 (row 7, evaluated) and 7 (row 4), nearer to the first.
            2 => vec![1.0, 5.0 / 11.0],
            // Kind z has the rates 0, 3, 6, 9, that are the rows 11, 8, 5, 2.
            _ => vec![2.0, 1.0],
        })
    };
    let (trace, _) = run(&nearest, script, 4);
    assert_eq!(trace.unwrap().rows, [10, 7, 4, 2]);

    let strict = program(ProposalRule::Refuse, ProposalRule::Nearest);
    let message = refused(run(&strict, |_, _| Proposal::Configuration(vec![1.0, 0.4]), 4).0);
    assert!(message.contains("not in the table"), "{message}");
    let strict = program(ProposalRule::Nearest, ProposalRule::Refuse);
    let message = refused(run(&strict, |_, _| Proposal::Row(7), 4).0);
    assert!(message.contains("row 7 again"), "{message}");
}

#[test]
fn a_repeated_row_moves_to_the_nearest_other_and_never_runs_out() {
    let program = program(ProposalRule::Nearest, ProposalRule::Nearest);
    let (trace, _) = run(&program, |_, _| Proposal::Row(0), 12);
    let mut rows = trace.unwrap().rows;
    // First all rows of the same kind, by their distance.
    assert_eq!(rows[..4], [9, 6, 3, 0]);
    rows.sort_unstable();
    assert!(rows.into_iter().eq(0..12));
}

#[test]
fn proposals_outside_of_the_space_are_refused() {
    let program = program(ProposalRule::Nearest, ProposalRule::Nearest);
    let cases: [(Script, &str); 6] = [
        (
            |_, _| Proposal::Row(12),
            "row 12, but the target has rows 0 to 11",
        ),
        (|_, _| Proposal::Row(u64::MAX), "rows 0 to 11"),
        (
            |_, _| Proposal::Configuration(vec![0.0]),
            "of 1 values, but there are 2",
        ),
        (
            |_, _| Proposal::Configuration(vec![0.5, 0.5]),
            "0.5 for hp_kind, allowed are whole numbers 0 to 2",
        ),
        (
            |_, _| Proposal::Configuration(vec![0.0, 1.5]),
            "1.5 for hp_rate, allowed are 0 to 1",
        ),
        (
            |_, _| Proposal::Configuration(vec![0.0, f64::NAN]),
            "NaN for hp_rate",
        ),
    ];
    for (script, expected) in cases {
        let message = refused(run(&program, script, 4).0);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn every_evaluation_that_a_sweep_gives_is_told() {
    let program = program(ProposalRule::Nearest, ProposalRule::Nearest);
    // The program knows the rows of this table by other numbers than the file.
    let (free, told_freely) = run(&program, |asked, _| Proposal::Row(asked as u64), 5);
    let free = free.unwrap();
    for (given, iterations) in [(3, 5), (5, 5)] {
        let rows = &free.rows[..given];
        let (trace, told) = run_given(
            &program,
            |asked, _| Proposal::Row(asked as u64 + 3),
            iterations,
            rows,
        );
        assert_eq!(trace.unwrap().rows, free.rows, "{given}");
        assert_eq!(told, told_freely, "{given}");
    }
}

#[test]
fn moved_proposals_are_counted_and_versions_kept() {
    let program = program(ProposalRule::Nearest, ProposalRule::Nearest);
    let (trace, _) = run(&program, |_, _| Proposal::Row(4), 3);
    let record = trace.unwrap().program;
    assert_eq!((record.moved, record.versions.as_str()), (2, "python 3"));
    // None of these rates is in the table, but the last.
    let off_table = |asked, _: &[u32]| Proposal::Configuration(vec![0.0, [0.01, 0.5, 1.0][asked]]);
    let (trace, _) = run(&program, off_table, 3);
    let trace = trace.unwrap();
    let rows: std::collections::BTreeSet<_> = trace.rows.iter().collect();
    assert_eq!(rows.len(), 3);
    assert!((2..=3).contains(&trace.program.moved), "{trace:?}");
}

#[test]
fn a_job_whose_program_is_missing_or_another_is_refused() {
    let (spec, file) = table();
    let fingerprint = spec.fingerprint(&file);
    let own = program(ProposalRule::Nearest, ProposalRule::Nearest);
    let (id, bytes) = own.encode();
    let table_blob = (fingerprint.blob_name(), spec.encode_with(&file));
    let run = |job: &Job, with_program: bool| {
        let mut blobs = vec![table_blob.clone()];
        if with_program {
            blobs.push((id.blob_name(), bytes.clone()));
        }
        let programs = Scripted {
            script: |_, _| Proposal::Row(0),
            told: Arc::default(),
        };
        let runner = TraceRunner::new(Arc::new(MemoryBlobs::from_iter(blobs)));
        let runner = runner.with_programs(Arc::new(programs));
        runner.run(job).unwrap_err()
    };
    let sound = job(&own, fingerprint, 2);
    let error = run(&sound, false);
    assert!(matches!(error, EngineError::MissingProgram(_)), "{error}");
    let mut renamed = sound.clone();
    renamed.series.method.id.push('0');
    let error = run(&renamed, true);
    assert!(error.to_string().contains("another program"), "{error}");
    let mut later = sound.clone();
    later.series.method.version += 1;
    assert!(run(&later, true).is_of_another_release());
    // Where no programs are started, no built-in method takes the job's place.
    let blobs = MemoryBlobs::from_iter([table_blob.clone()]);
    let error = TraceRunner::new(Arc::new(blobs)).run(&sound).unwrap_err();
    assert!(matches!(error, EngineError::NoPrograms { .. }), "{error}");
}
