//! Which tables there are, and what is in them.

use std::collections::BTreeSet;

use loto_proto::table_spec::Direction;
use loto_statistics::analysis::{BlackboxAnalysis, MethodAverages, SweepAnalysis};
use loto_statistics::interval::Interval;

use super::escape::{comment, number, text};
use super::table::Table;
use crate::best::best_two;
use crate::charts::Palette;
use crate::file_name::file_name;
use crate::report::Report;
use crate::{numbers, over_seeds};

/// Black boxes side by side in one table: more do not fit on a page.
const SIDE_BY_SIDE: usize = 4;

const USE: &str = "Input this file, or copy a table from it; the package booktabs is needed.";

/// The content of the file.
pub(crate) fn tables(report: &Report<'_>) -> String {
    let analysis = report.analysis;
    let about = report.about;
    let mut content = comment(&format!("Tables of {}.", analysis.name));
    content.push_str(&comment(USE));
    if let Some(sweep) = report.sweep {
        content.push_str(&comment(&format!("Sweep {sweep}, loto {}.", about.loto)));
    }
    if !about.made.at.is_empty() {
        let made = format!("Written {} by: {}", about.made.at, about.made.command);
        content.push_str(&comment(&made));
    }
    for blackbox in &about.blackboxes {
        let objective = blackbox.objective_in_words();
        let told = format!("{}: {objective}, table {}", blackbox.name, blackbox.table);
        content.push_str(&comment(&told));
    }
    let mut taken = BTreeSet::new();
    let mut tables = Vec::new();
    if analysis.blackboxes.len() > 1 {
        let parts = analysis.blackboxes.chunks(SIDE_BY_SIDE);
        tables.extend(
            (1..)
                .zip(parts)
                .map(|(part, blackboxes)| summary(analysis, part, blackboxes)),
        );
    }
    for blackbox in &analysis.blackboxes {
        let label = file_name(&blackbox.name, &mut taken);
        tables.push(scores(report, blackbox, &label));
        tables.push(differences(report, blackbox, &label));
    }
    tables.push(data(report));
    tables.push(methods(report));
    for table in tables.iter().filter(|table| !table.is_empty()) {
        content.push('\n');
        content.push_str(&table.float());
    }
    content
}

/// Ranks and improvements on some of the black boxes: a row per method.
fn summary(analysis: &SweepAnalysis, part: usize, blackboxes: &[BlackboxAnalysis]) -> Table {
    let mut header = vec!["Method"];
    header.extend(blackboxes.iter().flat_map(|_| ["Rank", "Mean"]));
    let caption = "Average rank over the tasks of each black box, the best two in bold, and mean improvement over \
                   random search.";
    let label = match part {
        1 => "tab:summary".to_owned(),
        part => format!("tab:summary-{part}"),
    };
    let groups = blackboxes.iter().map(|blackbox| (text(&blackbox.name), 2));
    let mut table = Table::new(caption.into(), label, 1, &header).grouped(groups.collect());
    let palette = Palette::new(analysis);
    let methods = palette.methods();
    let columns = blackboxes.iter().map(|blackbox| {
        let averages = methods.iter().map(|name| {
            let mut known = blackbox.methods.iter();
            known.find(|entry| entry.method == *name)?.averages.as_ref()
        });
        let averages: Vec<Option<&MethodAverages>> = averages.collect();
        let ranks = averages.iter().map(|own| Some(-(*own)?.average_rank));
        let best = best_two(ranks);
        let cells = averages.into_iter().zip(best);
        cells
            .map(|(own, best)| {
                let rank = own.map(|own| numbers::score(own.average_rank));
                let improvement = own.map(|own| numbers::score(own.improvement));
                [cell(rank, best), cell(improvement, false)]
            })
            .collect::<Vec<_>>()
    });
    let columns: Vec<Vec<[String; 2]>> = columns.collect();
    for (index, method) in methods.iter().enumerate() {
        let cells = columns.iter().flat_map(|column| column[index].clone());
        table.push(std::iter::once(text(method)).chain(cells).collect());
    }
    table
}

/// The scores of a black box: a row per method.
fn scores(report: &Report<'_>, blackbox: &BlackboxAnalysis, label: &str) -> Table {
    let confidence = text(&numbers::percentage(report.analysis.confidence));
    let average = blackbox.measure.name_of_average();
    let has_intervals = over_seeds::has_intervals(report.analysis);
    let intervals = match has_intervals {
        true => "intervals over the seeds and over the tasks",
        false => "intervals over the tasks",
    };
    let caption = format!(
        "Scores on {} ({}{}, {}): average rank with its standard error over the tasks, the best two in bold; \
         improvement over random search as mean, median and interquartile mean (IQM) over the tasks, the mean with \
         {confidence} {intervals}; {} ({average}) after {}, and \
         area under {average}.",
        text(&blackbox.name),
        objective(report, blackbox),
        numbers::count(blackbox.averaged_tasks as u64, "task"),
        numbers::count(report.analysis.planned_seeds.into(), "seed"),
        blackbox.measure.words(),
        numbers::count(blackbox.iterations as u64, "evaluation"),
    );
    let mut header = vec!["Method", "Rank", "Mean"];
    header.extend(has_intervals.then_some("over seeds"));
    header.extend(["over tasks", "Median", "IQM", average, "Area"]);
    let mut table = Table::new(caption, format!("tab:scores-{label}"), 1, &header);
    let ranks = blackbox
        .methods
        .iter()
        .map(|method| Some(-method.averages.as_ref()?.average_rank));
    for (method, best) in blackbox.methods.iter().zip(best_two(ranks)) {
        let own = method.averages.as_ref();
        let score = |of: fn(&MethodAverages) -> f64| cell(own.map(of).map(numbers::score), false);
        let magnitude =
            |of: fn(&MethodAverages) -> f64| cell(own.map(of).map(numbers::magnitude), false);
        let interval = |limits: Option<Interval>| cell(limits.map(numbers::interval), false);
        let error = own.and_then(|own| own.average_rank_standard_error);
        let error = error.map(|error| format!(r" $\pm$ {}", numbers::score(error)));
        let rank = cell(own.map(|own| numbers::score(own.average_rank)), best);
        let mut cells = vec![
            text(&method.method),
            rank + &error.unwrap_or_default(),
            score(|own| own.improvement),
        ];
        if has_intervals {
            cells.push(interval(own.and_then(|own| own.improvement_interval)));
        }
        cells.extend([
            interval(own.and_then(|own| Some(own.over_tasks?.improvement))),
            score(|own| own.median_improvement),
            score(|own| own.interquartile_mean_improvement),
            magnitude(|own| own.final_adtm),
            magnitude(|own| own.area_under_adtm),
        ]);
        table.push(cells);
    }
    table
}

/// The objective with its direction, and a comma; nothing if it is not known.
fn objective(report: &Report<'_>, blackbox: &BlackboxAnalysis) -> String {
    let known = report.about.blackbox(&blackbox.name);
    known.map_or_else(String::new, |known| {
        format!(r"{} {}, ", text(&known.objective), arrow(known.direction))
    })
}

fn arrow(direction: Direction) -> &'static str {
    match direction {
        Direction::Minimise => r"$\downarrow$",
        Direction::Maximise => r"$\uparrow$",
    }
}

/// The differences of a black box's methods to one of them.
fn differences(report: &Report<'_>, blackbox: &BlackboxAnalysis, label: &str) -> Table {
    let against = text(blackbox.against.as_deref().unwrap_or_default());
    let confidence = text(&numbers::percentage(report.analysis.confidence));
    let has_intervals = over_seeds::has_intervals(report.analysis);
    let intervals = match has_intervals {
        true => format!(" with {confidence} intervals over the seeds"),
        false => String::new(),
    };
    let caption = format!(
        "Improvement minus that of {against} on {}, from traces of the same task and seed, as mean and median over \
         the tasks{intervals}.",
        text(&blackbox.name)
    );
    let mut header = vec!["Method", "Pairs"];
    for average in ["Mean", "Median"] {
        header.push(average);
        header.extend(has_intervals.then_some("interval"));
    }
    let mut table = Table::new(caption, format!("tab:differences-{label}"), 1, &header);
    for method in &blackbox.methods {
        let averages = method.averages.as_ref();
        let Some(own) = averages.and_then(|averages| averages.difference.as_ref()) else {
            continue;
        };
        let shown = |value: f64| cell(Some(numbers::difference(value)), false);
        let interval =
            |limits: Option<Interval>| cell(limits.map(numbers::difference_interval), false);
        let mut cells = vec![text(&method.method), own.pairs.to_string()];
        for (value, limits) in [
            (own.mean, own.mean_interval),
            (own.median, own.median_interval),
        ] {
            cells.push(shown(value));
            cells.extend(has_intervals.then(|| interval(limits)));
        }
        table.push(cells);
    }
    table
}

/// The black boxes with their tables.
fn data(report: &Report<'_>) -> Table {
    let caption = "Black boxes: what is optimised ($\\downarrow$ minimised, $\\uparrow$ maximised), target tasks, tasks \
                   and rows of the table, hyperparameters, evaluations per run, and the table's fingerprint.";
    let header = [
        "Black box",
        "Objective",
        "Targets",
        "Tasks",
        "Rows",
        "Hyperparameters",
        "Evaluations",
        "Fingerprint",
    ];
    let mut table = Table::new(caption.into(), "tab:data".into(), 2, &header);
    for blackbox in &report.analysis.blackboxes {
        let Some(known) = report.about.blackbox(&blackbox.name) else {
            continue;
        };
        table.push(vec![
            text(&blackbox.name),
            format!("{} {}", text(&known.objective), arrow(known.direction)),
            blackbox.tasks.len().to_string(),
            known.table_tasks.to_string(),
            known.table_rows.to_string(),
            known.hyperparameters.len().to_string(),
            blackbox.iterations.to_string(),
            format!(
                r"\texttt{{{}}}",
                text(&known.table[..known.table.len().min(8)])
            ),
        ]);
    }
    table
}

/// The methods with versions and parameters.
fn methods(report: &Report<'_>) -> Table {
    let caption = "Methods with the version of their code and their parameters.";
    let header = ["Method", "Id", "Parameters", "Version"];
    let mut table = Table::new(caption.into(), "tab:methods".into(), 3, &header);
    for method in &report.about.methods {
        table.push(vec![
            text(&method.name),
            text(method.id.as_deref().unwrap_or("--")),
            format!(
                r"\begin{{tabular}}[t]{{@{{}}p{{.6\linewidth}}@{{}}}}{}\end{{tabular}}",
                text(&method.parameters_in_words())
            ),
            method
                .version
                .map_or("--".into(), |version| version.to_string()),
        ]);
    }
    table
}

/// A number, in bold if it is one of the best; a dash if there is none.
fn cell(shown: Option<String>, is_best: bool) -> String {
    match shown {
        None => "--".into(),
        Some(shown) if is_best => format!(r"\textbf{{{}}}", shown),
        Some(shown) => number(&shown),
    }
}
