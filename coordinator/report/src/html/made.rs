//! How the report was made: the answers to what checklists on reproducibility ask.

use loto_proto::untrusted_text::escape;
use maud::{Markup, html};

use super::table::table;
use crate::about::{AboutBlackbox, AboutMethod, direction_arrow, direction_in_words};
use crate::report::Report;
use crate::{missing, numbers, over_seeds};

/// Most hyperparameters of a black box that are listed one by one.
const MOST_HYPERPARAMETERS: usize = 40;

/// The section with the data, the methods and everything else that the numbers depend on.
pub(crate) fn section(report: &Report<'_>) -> Markup {
    let about = report.about;
    html! {
        section {
            h2 { "How this was made" }
            dl.facts {
                @for (question, answer) in answers(report) {
                    dt { (question) } dd { (answer) }
                }
            }
            @if !about.blackboxes.is_empty() { (data(&about.blackboxes)) }
            @if !about.methods.is_empty() { (methods(&about.methods)) }
            @for sentence in about.proposals_in_words() { p.small { (escape(&sentence)) } }
        }
    }
}

/// What a checklist asks, and the answers.
fn answers(report: &Report<'_>) -> Vec<(&'static str, Markup)> {
    let (analysis, about) = (report.analysis, report.about);
    let mut answers = Vec::new();
    let mut answer = |question, answer: Markup| answers.push((question, answer));
    let [finished, planned] =
        [analysis.finished_traces, analysis.planned_traces].map(numbers::grouped);
    let missing = match missing::sentences(analysis).len() {
        0 => "Nothing is missing or left out.",
        _ => "What is missing or left out is listed at the top of the page.",
    };
    answer(
        "Complete?",
        html! { (finished) " of " (planned) " traces are finished. " (missing) },
    );
    let seeds = analysis.planned_seeds;
    answer(
        "Repetitions",
        html! {
            (numbers::count(seeds.into(), "seed")) " per method and task"
            @if seeds > 1 { ", numbered from 0 to " (seeds - 1) }
            ". A trace of a method of loto follows from its method, table, task and seed: computed again, it is the same."
        },
    );
    answer("Baseline", html! { (report.baseline_in_words()) });
    answer(
        "Uncertainty",
        html! {
            (numbers::percentage(analysis.confidence)) " intervals from "
            (numbers::count(analysis.bootstrap_resamples as u64, "bootstrap resample"))
            " (seed " (analysis.bootstrap_seed) "): "
            @if over_seeds::has_intervals(analysis) {
                "over the seeds within every task, and over the tasks where that is said."
            } @else {
                "over the tasks, where there are several and that is said; " (over_seeds::NO_INTERVALS) " over the seeds."
            }
        },
    );
    let (seconds, timed) = report.seconds_in_all();
    let has_external = about
        .methods
        .iter()
        .any(|method| method.proposals.is_some());
    answer(
        "Processor time",
        html! {
            @match timed {
                0 => { "It was not recorded." }
                _ => {
                    (numbers::seconds(seconds)) " seconds were spent on choosing the rows of "
                    (numbers::count(timed, "trace"))
                    @if has_external { ", those of external methods as they passed on the clock" }
                    ". The objective values come from tables: no model was trained for them."
                }
            }
        },
    );
    let kernels = analysis.linear_algebra.iter();
    let kernels = kernels.map(|known| {
        let traces = numbers::count(known.traces, "trace");
        format!("{} ({traces})", known.description)
    });
    let kernels: Vec<String> = kernels.collect();
    answer(
        "Linear algebra",
        html! {
            @if kernels.is_empty() { "It was not recorded." } @else { (escape(&kernels.join("; "))) }
        },
    );
    let or_unknown = |text: &str| match text {
        "" => "It is not known.".to_owned(),
        text => escape(text).into_owned(),
    };
    answer("Version of loto", html! { (or_unknown(&about.loto)) });
    answer("Report written", html! { (or_unknown(&about.made.at)) });
    answer(
        "Command",
        html! {
            @if about.made.command.is_empty() { "It is not known." }
            @else { code { (escape(&about.made.command)) } }
            @if let Some(sweep) = report.sweep {
                " The same sweep file, tables and version give the sweep the id " code { (sweep) } "."
            }
        },
    );
    answers
}

fn data(blackboxes: &[AboutBlackbox]) -> Markup {
    let head = html! {
        tr {
            th scope="col" { "black box" } th.text scope="col" { "objective" }
            th scope="col" { "tasks" } th scope="col" { "rows" }
            th.text scope="col" { "learnt from" } th.text scope="col" { "table" }
        }
    };
    let row = |known: &AboutBlackbox| {
        html! {
            th scope="row" { (escape(&known.name)) }
            td.text {
                (escape(&known.objectives())) " " (direction_arrow(known.direction)) " "
                (direction_in_words(known.direction))
            }
            td { (numbers::grouped(known.table_tasks as u64)) }
            td { (numbers::grouped(known.table_rows as u64)) }
            td.text { (sources(known)) }
            td.text {
                @if let Some(name) = &known.table_name { (escape(name)) ", " }
                code { (known.table) }
            }
        }
    };
    let caption = "Data. The last column names the table by a fingerprint of its bytes with all that is declared \
                   about it.";
    html! {
        (table(caption, None, &head, blackboxes.iter().map(row)))
        @for known in blackboxes { (space(known)) }
    }
}

/// What methods learn from, apart from the target itself.
fn sources(known: &AboutBlackbox) -> String {
    if known.protocol.is_some() {
        return "own evaluations on earlier tasks".to_owned();
    }
    let tasks = match known.sources.len() {
        0 => "every other task".to_owned(),
        named => numbers::count(named as u64, "named task"),
    };
    match known.most_sources {
        0 => tasks,
        most => format!("{tasks}, {most} of them drawn by target and seed"),
    }
}

/// The hyperparameters of a black box with their scales.
fn space(known: &AboutBlackbox) -> Markup {
    let shown = known.hyperparameters.iter().take(MOST_HYPERPARAMETERS);
    let listed = shown.map(|one| format!("{} ({})", one.column, one.scale));
    let listed: Vec<String> = listed.collect();
    let rest = known
        .hyperparameters
        .len()
        .saturating_sub(MOST_HYPERPARAMETERS);
    html! {
        p.small {
            "Search space of " (escape(&known.name)) ", "
            (numbers::count(known.hyperparameters.len() as u64, "hyperparameter")) " with their scales: "
            (escape(&listed.join(", ")))
            @if rest > 0 { " and " (rest) " more, which about.json lists" }
            "."
            @match known.repeats {
                Some("draw") => {
                    " Of repeated measurements of a configuration, methods are shown one, which the seed draws; the \
                     mean counts."
                }
                Some(_) => { " The mean of repeated measurements of a configuration counts." }
                None => {}
            }
            @match known.features.as_slice() {
                [] => {}
                [all] if all == "all" => { " Tasks are described by all of the table's features." }
                columns => { " Tasks are described by " (escape(&columns.join(", "))) "." }
            }
            @if let Some(column) = &known.source_rows {
                " Of a source task, methods learn from the rows that " (escape(column)) " marks."
            }
        }
    }
}

fn methods(methods: &[AboutMethod]) -> Markup {
    let head = html! {
        tr {
            th scope="col" { "method" } th.text scope="col" { "id" } th scope="col" { "version" }
            th.text scope="col" { "parameters" } th.text scope="col" { "source" }
        }
    };
    let row = |method: &AboutMethod| {
        html! {
            th scope="row" { (escape(&method.name)) }
            td.text {
                @if let Some(id) = &method.id { (escape(id)) }
                @if let Some(program) = &method.program { ", program " code { (program) } }
            }
            td { @if let Some(version) = method.version { (version) } }
            td.text { (escape(&method.parameters_in_words())) }
            td.text { @if let Some(source) = &method.source { (escape(source)) } }
        }
    };
    table(
        "Methods with the version of their code and their parameters.",
        Some("wrapped"),
        &head,
        methods.iter().map(row),
    )
}
