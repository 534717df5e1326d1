//! `loto check`: is a sweep file right, and what will it cost?

use std::path::PathBuf;

use clap::Args;
use loto_proto::sweep::{Blackbox, Sweep};

use super::error::CommandError;
use super::options::DataOption;
use super::output::print;
use super::text_table::lay_out;
use crate::embedded::trial;
use crate::plan::{Plan, SweepSource};
use crate::progress::describe_duration;

const EXAMPLES: &str = "\
Examples:
  loto check sweep.toml --data tables
  loto check sweep.toml --data tables --time    also run a few traces and time them";

/// Checks a sweep file and its tables, and says what running it takes.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct CheckCommand {
    /// Sweep file.
    #[arg(value_name = "SWEEP")]
    sweep: PathBuf,

    #[command(flatten)]
    data: DataOption,

    /// Run one trace per black box and method, on the first target, and estimate
    /// the CPU time of the sweep from them.
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
    let heading = [
        "black box",
        "tasks",
        "targets",
        "rows",
        "iterations",
        "traces",
        "evaluations",
        "table",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    let mut evaluations = 0;
    for blackbox in &sweep.blackboxes {
        let Some(table) = plan.table(blackbox.table) else {
            continue;
        };
        let tasks = &table.table.tasks;
        let table_rows: usize = tasks.iter().map(|task| task.objective.len()).sum();
        let series = blackbox.methods.len() as u64 * blackbox.targets.len() as u64;
        let jobs = series * u64::from(sweep.seeds);
        let blackbox_evaluations = jobs * u64::from(blackbox.iterations);
        evaluations += blackbox_evaluations;
        rows.push(vec![
            blackbox.name.clone(),
            tasks.len().to_string(),
            blackbox.targets.len().to_string(),
            table_rows.to_string(),
            blackbox.iterations.to_string(),
            jobs.to_string(),
            blackbox_evaluations.to_string(),
            table.path.display().to_string(),
        ]);
    }
    let methods = plan.method_ids().len();
    format!(
        "sweep {} is valid; its id is {}\n\
         {methods} methods, {} seeds: {} traces, {evaluations} evaluations\n{}\n{}",
        sweep.name,
        sweep.id(),
        sweep.seeds,
        sweep.job_count(),
        describe_methods(sweep),
        lay_out(&rows)
    )
}

/// Which methods run where: in one line if it is the same everywhere.
fn describe_methods(sweep: &Sweep) -> String {
    let ids = |blackbox: &Blackbox| -> Vec<String> {
        let methods = blackbox.methods.iter();
        methods.map(|method| method.id.clone()).collect()
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

fn describe_trials(plan: &Plan, outcome: &trial::Outcome) -> String {
    let mut rows = vec![
        ["black box", "method", "CPU seconds", "traces"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for trial in &outcome.trials {
        rows.push(vec![
            trial.blackbox.clone(),
            trial.method.clone(),
            format!("{:.3}", trial.one_trace.as_secs_f64()),
            trial.traces.to_string(),
        ]);
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{}\nabout {} of CPU time for sweep {}, {} on this machine's {cores} cores\n",
        lay_out(&rows),
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
            id: (*id).into(),
            version: 1,
            parameters: BTreeMap::new(),
        };
        let blackbox = |(name, methods): &(&str, &[&str])| Blackbox {
            name: (*name).into(),
            table: Fingerprint([1; 16]),
            targets: vec!["one".into()],
            iterations: 1,
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
