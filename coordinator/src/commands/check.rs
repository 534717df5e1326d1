//! `loto check`: whether a sweep file is right, and what the sweep will cost.

use std::path::PathBuf;

use clap::Args;
use loto_engine::methods::stand_in::OnStream;
use loto_engine::table::Task;
use loto_proto::excerpt::excerpt;
use loto_proto::protocol::Protocol;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::table_spec::{Direction, TableSpec};
use loto_report::numbers;
use loto_worker::external::Gap;

use super::columns::describe_columns;
use super::error::CommandError;
use super::options::DataOption;
use super::output::print;
use super::text_table::TextTable;
use crate::embedded::trial;
use crate::plan::{Plan, SweepSource};
use crate::progress::describe_duration;

const EXAMPLES: &str = "\
Examples:
  loto check sweep.toml --data tables
  loto check sweep.toml --data tables --time    also run a few traces and time them";

/// Checks a sweep file and its tables.
///
/// Shows how large the sweep is, what each column of hyperparameters holds and on which scale it is
/// searched, and what is probably not meant.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckCommand {
    /// Sweep file.
    #[arg(value_name = "SWEEP")]
    sweep: PathBuf,

    #[command(flatten)]
    data: DataOption,

    /// Also run one trace per black box and method, on the first target, and estimate
    /// the CPU time of the whole sweep from them.
    #[arg(long, env = "LOTO_TIME")]
    time: bool,
}

impl CheckCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let source = SweepSource::File(self.sweep.clone());
        let plan = Plan::read(&source, self.data.data.as_deref())?;
        print(&describe(&plan))?;
        if !self.time {
            return Ok(());
        }
        print("\nCPU seconds of one trace, on the first target:\n")?;
        // Nothing else runs in this process, so it may block this thread.
        let outcome = trial::run(&plan)?;
        print(&describe_trials(&plan, &outcome))
    }
}

fn describe(plan: &Plan) -> String {
    let sweep = &plan.sweep;
    let mut table = TextTable::new(&[
        "black box",
        "tasks",
        "targets",
        "rows",
        "iterations",
        "traces",
        "evaluations",
        "objective",
        "table",
    ]);
    let mut evaluations = 0;
    for blackbox in &sweep.blackboxes {
        let Some(planned) = plan.table(blackbox.table) else {
            continue;
        };
        let tasks = &planned.table.tasks;
        let series = blackbox.methods.len() as u64 * blackbox.series_per_method() as u64;
        let traces = series * u64::from(sweep.seeds);
        let per_seed = blackbox.methods.len() as u64 * blackbox.targets.len() as u64;
        let blackbox_evaluations =
            per_seed * u64::from(sweep.seeds) * u64::from(blackbox.iterations);
        evaluations += blackbox_evaluations;
        table.push(&[
            &blackbox.name,
            &tasks.len(),
            &blackbox.targets.len(),
            &tasks.iter().map(Task::rows).sum::<usize>(),
            &blackbox.iterations,
            &traces,
            &blackbox_evaluations,
            &describe_objective(&planned.spec),
            &planned.path.display(),
        ]);
    }
    format!(
        "sweep {} is valid; its id is {}\n\
         {}, {}: {} traces, {evaluations} evaluations\n{}{}{}\n{table}\n{}{}{}",
        sweep.name,
        sweep.id(),
        numbers::count(plan.method_names().len() as u64, "method"),
        numbers::count(sweep.seeds.into(), "seed"),
        sweep.job_count(),
        describe_methods(sweep),
        describe_streams(sweep),
        describe_programs(plan),
        describe_columns(plan),
        describe_experience(plan),
        describe_warnings(plan),
    )
}

/// What is declared about sources, a line for each table; nothing if nothing is.
fn describe_experience(plan: &Plan) -> String {
    let lines = plan.tables.iter().filter_map(|planned| {
        let table = &planned.table;
        let features = table.tasks.first().map_or(0, |task| task.features.len());
        let source_rows: usize = table.thinned.iter().map(Task::rows).sum();
        let described = match features {
            0 => None,
            count => Some(format!("tasks are described by {count} features")),
        };
        let thinned = match source_rows {
            0 => None,
            count => Some(format!(
                "methods learn from {count} rows of all tasks together"
            )),
        };
        let parts: Vec<String> = described.into_iter().chain(thinned).collect();
        let path = planned.path.display();
        (!parts.is_empty()).then(|| format!("{path}: {}\n", parts.join("; ")))
    });
    match lines.collect::<String>() {
        lines if lines.is_empty() => lines,
        lines => format!("\n{lines}"),
    }
}

/// The warnings, one line each; nothing if there are none.
fn describe_warnings(plan: &Plan) -> String {
    let warnings = plan.warnings.iter();
    let lines: Vec<String> = warnings
        .map(|warning| format!("warning: {warning}\n"))
        .collect();
    match lines.as_slice() {
        [] => String::new(),
        lines => format!("\n{}", lines.concat()),
    }
}

fn describe_objective(spec: &TableSpec) -> String {
    let direction = match spec.direction {
        Direction::Minimise => "minimised",
        Direction::Maximise => "maximised",
    };
    let objectives: Vec<String> = spec.objectives().map(excerpt).collect();
    format!("{}, {direction}", objectives.join(" and "))
}

/// Which methods run where: in one line if it is the same everywhere.
fn describe_methods(sweep: &Sweep) -> String {
    let ids = |blackbox: &Blackbox| -> Vec<String> {
        let methods = blackbox.methods.iter();
        methods.map(|method| method.label().to_owned()).collect()
    };
    let Some((first, others)) = sweep.blackboxes.split_first() else {
        return String::new();
    };
    let mut everywhere = ids(first);
    for blackbox in others {
        everywhere.retain(|id| ids(blackbox).contains(id));
    }
    let mut text = match everywhere.as_slice() {
        [] => "no method runs on all black boxes\n".to_owned(),
        all => format!("on every black box: {}\n", all.join(", ")),
    };
    for blackbox in &sweep.blackboxes {
        let mut own = ids(blackbox);
        own.retain(|id| !everywhere.contains(id));
        if !own.is_empty() {
            let also = if everywhere.is_empty() { "" } else { "also " };
            text.push_str(&format!("{also}on {}: {}\n", blackbox.name, own.join(", ")));
        }
    }
    text
}

/// The streams, with what runs on their first tasks; nothing if there are none.
fn describe_streams(sweep: &Sweep) -> String {
    let is_stream = |blackbox: &&Blackbox| blackbox.protocol == Protocol::Stream;
    let described = sweep.blackboxes.iter().filter(is_stream).map(|blackbox| {
        let stand_ins = blackbox.methods.iter().filter_map(|method| {
            let stand_in = OnStream::of(method).ok()?.stand_in.id;
            (stand_in != method.id).then(|| format!("{} runs as {stand_in}", method.label()))
        });
        let stand_ins: Vec<String> = stand_ins.collect();
        let stand_ins = match stand_ins.as_slice() {
            [] => String::new(),
            listed => format!("; on the first, which has no source, {}", listed.join(", ")),
        };
        format!(
            "{} is a stream: its {} tasks arrive in an order that the seed draws, and a trace has {} evaluations on \
             each{stand_ins}\n",
            blackbox.name,
            blackbox.targets.len(),
            blackbox.iterations
        )
    });
    described.collect()
}

/// The external methods, with what names their jobs and what is not enforced; nothing if there are none.
fn describe_programs(plan: &Plan) -> String {
    let mut text = String::new();
    for planned in &plan.programs {
        let program = &planned.program;
        let bytes: usize = program.files.iter().map(|file| file.content.len()).sum();
        let files = match program.files.len() {
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        };
        let identity = match program.version {
            Some(version) => format!("version {version}"),
            None => "the content of its files".to_owned(),
        };
        text.push_str(&format!(
            "external method {}: {}; {files}, {bytes} bytes; its jobs are named by {identity}; \
             off_table {}, repeats {}\n",
            program.name,
            program.command_line(),
            program.off_table.word(),
            program.repeats.word(),
        ));
    }
    if !plan.programs.is_empty() {
        text.push_str(&describe_gaps(&Gap::of_this_host()));
    }
    text
}

/// What external methods are kept from on this host, and what not.
fn describe_gaps(gaps: &[Gap]) -> String {
    let gaps: Vec<&str> = gaps.iter().map(|gap| gap.in_words()).collect();
    match gaps.as_slice() {
        [] => "external methods run as your user, kept from tables, stores, passwords and TCP by Landlock\n".to_owned(),
        gaps => format!(
            "external methods run as your user; the kernel of this host has no Landlock that enforces {}\n",
            gaps.join(", ")
        ),
    }
}

fn describe_trials(plan: &Plan, outcome: &trial::Outcome) -> String {
    let mut table = TextTable::new(&["black box", "method", "CPU seconds", "traces"]);
    for trial in &outcome.trials {
        let seconds = format!("{:.3}", trial.one_trace.as_secs_f64());
        table.push(&[&trial.blackbox, &trial.method, &seconds, &trial.traces]);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{table}\nabout {} of CPU time for sweep {}, {} on this machine's {cores} cores\n",
        describe_duration(outcome.total),
        plan.sweep.name,
        describe_duration(outcome.total / u32::try_from(cores).unwrap_or(1)),
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use loto_proto::identity::Fingerprint;
    use loto_proto::job::MethodSpec;

    use super::*;

    fn sweep(methods: &[(&str, &[&str])]) -> Sweep {
        let method = |id: &&str| MethodSpec {
            name: None,
            id: (*id).into(),
            version: 1,
            parameters: BTreeMap::new(),
            program: None,
        };
        let blackbox = |(name, methods): &(&str, &[&str])| Blackbox {
            name: (*name).into(),
            table: Fingerprint([1; 16]),
            table_file: None,
            targets: vec!["one".into()],
            iterations: 1,
            protocol: Default::default(),
            cost: None,
            methods: methods.iter().map(method).collect(),
        };
        Sweep {
            name: "test".into(),
            blackboxes: methods.iter().map(blackbox).collect(),
            seeds: 1,
        }
    }

    #[test]
    fn methods_are_told_once_where_they_are_the_same() {
        let same = sweep(&[("A", &["rs", "gp"]), ("B", &["rs", "gp"])]);
        assert_eq!(describe_methods(&same), "on every black box: rs, gp\n");
        let more = sweep(&[("A", &["rs", "gp"]), ("B", &["gp", "rea", "rs"])]);
        assert_eq!(
            describe_methods(&more),
            "on every black box: rs, gp\nalso on B: rea\n"
        );
        let apart = sweep(&[("A", &["gp"]), ("B", &["rea"])]);
        assert_eq!(
            describe_methods(&apart),
            "no method runs on all black boxes\non A: gp\non B: rea\n"
        );
    }
}
