//! The report as aligned tables for a terminal.

use std::io::{self, Write};

use loto_proto::table_spec::Direction;
use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::{BlackboxAnalysis, Comparison, ComparisonOutcome, MethodAverages};

use crate::best::best_two;
use crate::published::{self, Figure};
use crate::report::Report;
use crate::text_table::write_table;
use crate::{dominant, missing, numbers, over_seeds, practical, withheld};

/// Most sentences on what is missing; the other formats have all of them.
const MOST_SENTENCES: usize = 20;

/// Writes the report.
pub(crate) fn write(report: &Report<'_>, output: &mut impl Write) -> io::Result<()> {
    let analysis = report.analysis;
    match report.sweep {
        Some(id) => writeln!(output, "{} ({id})", clean(&analysis.name))?,
        None => writeln!(output, "{}", clean(&analysis.name))?,
    }
    let intervals = match over_seeds::has_intervals(analysis) {
        true => ", intervals over the seeds".to_owned(),
        false => format!("; {}", over_seeds::NO_INTERVALS),
    };
    writeln!(
        output,
        "{} of {} finished; improvement over the {}\nmean, median and interquartile mean are over the \
         tasks{intervals}; * marks the best two average ranks",
        numbers::grouped(analysis.finished_traces),
        numbers::count(analysis.planned_traces, "trace"),
        report.baseline_in_words(),
    )?;
    for note in report.notes {
        writeln!(output, "note: {}", clean(note))?;
    }
    for sentence in report.about.proposals_in_words() {
        writeln!(output, "external method {}", clean(&sentence))?;
    }
    for blackbox in &analysis.blackboxes {
        write_blackbox(report, blackbox, output)?;
    }
    write_missing(report, output)?;
    match &analysis.comparison {
        ComparisonOutcome::Computed(comparison) => {
            write_ranks(comparison, &analysis.blackboxes, output)?;
        }
        ComparisonOutcome::Impossible { reason } => {
            writeln!(output, "\nno comparison of the methods: {}", clean(reason))?;
        }
    }
    write_published(report, output)?;
    write_published_by_task(report, output)
}

fn write_blackbox(
    report: &Report<'_>,
    blackbox: &BlackboxAnalysis,
    output: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        output,
        "\n{}: {}, {}{}",
        clean(&blackbox.name),
        numbers::count(blackbox.averaged_tasks as u64, "task"),
        numbers::count(blackbox.iterations as u64, "iteration"),
        objective(report, blackbox),
    )?;
    let confidence = numbers::percentage(report.analysis.confidence);
    let average = blackbox.measure.name_of_average();
    let has_intervals = over_seeds::has_intervals(report.analysis);
    let interval_heading = match has_intervals {
        true => format!("|{confidence} interval"),
        false => String::new(),
    };
    let header = format!(
        "method|average rank|mean{interval_heading}|median|interquartile mean|final {average}|CPU s/trace|traces"
    );
    let ranks = blackbox.methods.iter().map(|method| {
        let averages = method.averages.as_ref();
        averages.map(|averages| -averages.average_rank)
    });
    let rows = blackbox.methods.iter().zip(best_two(ranks));
    let rows = rows.map(|(method, is_best)| {
        let averages = method.averages.as_ref();
        let interval = averages.and_then(|averages| averages.improvement_interval);
        let score = |of: fn(&MethodAverages) -> f64| or_dash(averages.map(of).map(numbers::score));
        let mark = if is_best { "*" } else { " " };
        let seconds = report.seconds_per_trace(&blackbox.name, &method.method);
        let mut cells = vec![
            clean(&method.method),
            score(|averages| averages.average_rank) + mark,
            score(|averages| averages.improvement),
        ];
        cells.extend(has_intervals.then(|| or_dash(interval.map(numbers::interval))));
        cells.extend([
            score(|averages| averages.median_improvement),
            score(|averages| averages.interquartile_mean_improvement),
            or_dash(averages.map(|averages| numbers::magnitude(averages.final_adtm))),
            or_dash(seconds.map(numbers::seconds)),
            method.finished_traces.to_string(),
        ]);
        cells
    });
    write_table(&header, rows, output)?;
    for sentence in dominant::sentences(blackbox) {
        writeln!(output, "  note: {}", clean(&sentence))?;
    }
    write_differences(blackbox, &interval_heading, output)?;
    write_hierarchical(blackbox, output)?;
    write_over_cost(blackbox, output)?;
    write_stream(blackbox, output)
}

/// Scores over what the evaluations cost.
fn write_over_cost(blackbox: &BlackboxAnalysis, output: &mut impl Write) -> io::Result<()> {
    let Some(over_cost) = blackbox.over_cost.as_ref().filter(|known| known.is_known()) else {
        return Ok(());
    };
    writeln!(
        output,
        "  over cost, improvement over the method rs on {}:",
        numbers::count(over_cost.scored_tasks as u64, "task")
    )?;
    let average = blackbox.measure.name_of_average();
    let header = format!("method|improvement|relative improvement|last {average}");
    let rows = over_cost.methods.iter().map(|method| {
        let end = method.adtm.last().copied().flatten();
        vec![
            clean(&method.method),
            or_dash(method.improvement.map(numbers::score)),
            or_dash(method.relative_improvement.map(numbers::score)),
            or_dash(end.map(numbers::magnitude)),
        ]
    });
    write_table(&header, rows, output)
}

/// The ranks over the orders of a stream of tasks.
fn write_stream(blackbox: &BlackboxAnalysis, output: &mut impl Write) -> io::Result<()> {
    let Some(ranks) = &blackbox.stream else {
        return Ok(());
    };
    let orders = numbers::count(ranks.orders as u64, "order");
    writeln!(
        output,
        "  ranks of the best value found, over {orders} of the tasks:"
    )?;
    let rows = ranks.methods.iter().map(|known| {
        vec![
            clean(&known.method),
            numbers::score(known.average_rank),
            or_dash(known.standard_deviation.map(numbers::score)),
        ]
    });
    write_table("method|average rank|standard deviation", rows, output)
}

/// What is optimised, after a comma; nothing if that is not known.
fn objective(report: &Report<'_>, blackbox: &BlackboxAnalysis) -> String {
    match report.about.blackbox(&blackbox.name) {
        Some(known) => format!(", {}", clean(&known.objective_in_words())),
        None if blackbox.direction == Direction::Maximise => ", maximised".into(),
        None => String::new(),
    }
}

/// The improvement minus that of one method, from traces of the same tasks and seeds; without intervals if these have no heading.
fn write_differences(
    blackbox: &BlackboxAnalysis,
    interval_heading: &str,
    output: &mut impl Write,
) -> io::Result<()> {
    let differences = blackbox.methods.iter().filter_map(|method| {
        let difference = method.averages.as_ref()?.difference.as_ref()?;
        Some((clean(&method.method), difference))
    });
    let mut differences = differences.peekable();
    let (Some(against), Some(_)) = (&blackbox.against, differences.peek()) else {
        return Ok(());
    };
    writeln!(output, "  minus {}, trace by trace:", clean(against))?;
    let header = format!("method|pairs of traces|mean{interval_heading}|median{interval_heading}");
    let rows = differences.map(|(method, difference)| {
        let mut cells = vec![method, difference.pairs.to_string()];
        for (value, interval) in [
            (difference.mean, difference.mean_interval),
            (difference.median, difference.median_interval),
        ] {
            cells.push(numbers::difference(value));
            let interval = interval.map(numbers::difference_interval);
            cells.extend((!interval_heading.is_empty()).then(|| or_dash(interval)));
        }
        cells
    });
    write_table(&header, rows, output)
}

/// The hierarchical test against one method, if it was asked for.
fn write_hierarchical(blackbox: &BlackboxAnalysis, output: &mut impl Write) -> io::Result<()> {
    let Some(compared) = &blackbox.hierarchical else {
        return Ok(());
    };
    writeln!(
        output,
        "  hierarchical test, {} with a rope of {}: {} better / equivalent / method better",
        practical::unit_in_words(compared.unit, blackbox.measure),
        compared.rope,
        clean(&compared.against),
    )?;
    let iterations = compared.methods.iter().take(1).flat_map(|first| &first.at);
    let heads = iterations.map(|at| format!("|after {}", at.iteration));
    let header = format!("method{}", heads.collect::<String>());
    let rows = compared.methods.iter().map(|method| {
        let cells = method.at.iter().map(|at| {
            format!(
                "{:.2}/{:.2}/{:.2}",
                at.against_better, at.equivalent, at.method_better
            )
        });
        std::iter::once(clean(&method.method))
            .chain(cells)
            .collect()
    });
    write_table(&header, rows, output)?;
    for sentence in practical::tasks_left_out(blackbox) {
        writeln!(output, "  note: {}", clean(&sentence))?;
    }
    Ok(())
}

fn write_missing(report: &Report<'_>, output: &mut impl Write) -> io::Result<()> {
    let sentences = missing::sentences(report.analysis);
    if sentences.is_empty() {
        return Ok(());
    }
    writeln!(output, "\nmissing:")?;
    for sentence in sentences.iter().take(MOST_SENTENCES) {
        writeln!(output, "  {}", clean(sentence))?;
    }
    match sentences.len().saturating_sub(MOST_SENTENCES) {
        0 => Ok(()),
        rest => writeln!(output, "  and {rest} more"),
    }
}

fn write_ranks(
    comparison: &Comparison,
    blackboxes: &[BlackboxAnalysis],
    output: &mut impl Write,
) -> io::Result<()> {
    let plain = &comparison.friedman.plain;
    let (friedman, corrected) = match &comparison.friedman.tie_corrected {
        Some(corrected) if corrected != plain => (corrected, ", corrected for ties"),
        _ => (plain, ""),
    };
    write!(
        output,
        "\nall {}",
        numbers::count(comparison.tasks.len() as u64, "task"),
    )?;
    if comparison.friedman_can_reject() {
        write!(
            output,
            ": Friedman chi-square {} (p {}), Iman-Davenport F {} (p {}){corrected}",
            numbers::statistic(friedman.chi_square),
            numbers::probability(friedman.p_value),
            numbers::statistic(friedman.iman_davenport),
            numbers::probability(friedman.iman_davenport_p_value),
        )?;
    }
    if comparison.nemenyi_can_reject() {
        write!(
            output,
            "; Nemenyi critical difference {:.2} at {}",
            comparison.nemenyi.critical_difference, comparison.nemenyi.alpha,
        )?;
    }
    writeln!(output)?;
    for sentence in withheld::sentences(comparison) {
        writeln!(output, "  {sentence}")?;
    }
    let methods = comparison.methods.iter().map(|method| clean(method));
    let mut ranked: Vec<_> = methods.zip(&comparison.average_ranks).collect();
    ranked.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let rank_of = |(method, rank): &(String, &f64)| format!("{method} {rank:.2}");
    let ranks = listed(ranked.iter().map(rank_of));
    writeln!(output, "  average ranks: {}", ranks)?;
    if !comparison.excluded_methods.is_empty() {
        let names = listed(comparison.excluded_methods.iter().map(|name| clean(name)));
        writeln!(
            output,
            "  left out, because they are not finished or not planned on every black box: {names}"
        )?;
    }
    let groups = match comparison.nemenyi_can_reject() {
        true => &comparison.nemenyi.groups[..],
        false => &[],
    };
    for group in groups {
        let names = group
            .iter()
            .map(|&method| clean(&comparison.methods[method]));
        writeln!(output, "  no significant difference: {}", listed(names))?;
    }
    for sentence in practical::sentences(comparison, blackboxes) {
        writeln!(output, "  {}", clean(&sentence))?;
    }
    Ok(())
}

fn write_published(report: &Report<'_>, output: &mut impl Write) -> io::Result<()> {
    let blackboxes = published::compare(report.analysis, report.planned);
    if blackboxes.is_empty() {
        return Ok(());
    }
    writeln!(output, "\nbeside {}:", published::SOURCE)?;
    for blackbox in &blackboxes {
        writeln!(
            output,
            "\n{}: ranks among {} here, {} there",
            clean(&blackbox.blackbox),
            numbers::count(blackbox.ranked_here as u64, "method"),
            blackbox.ranked_there,
        )?;
        let header = "method|improvement|published|difference|average rank|published|difference";
        let cells = |figure: Figure, difference: Option<f64>| {
            [
                or_dash(figure.own.map(numbers::score)),
                numbers::score(figure.published),
                or_dash(difference.map(numbers::difference)),
            ]
        };
        let rows = blackbox.methods.iter().map(|method| {
            let difference = blackbox.improvement_difference(method);
            let improvement = cells(method.improvement, difference);
            let rank = cells(method.average_rank, blackbox.rank_difference(method));
            let name = std::iter::once(clean(&method.method));
            name.chain(improvement).chain(rank).collect()
        });
        write_table(header, rows, output)?;
        for sentence in blackbox.sentences() {
            writeln!(output, "  {}", clean(&sentence))?;
        }
    }
    Ok(())
}

/// Means over the tasks beside those of the tables that have figures of single tasks.
fn write_published_by_task(report: &Report<'_>, output: &mut impl Write) -> io::Result<()> {
    let tables = report.published_by_task();
    if tables.is_empty() {
        return Ok(());
    }
    writeln!(
        output,
        "\nbeside {}: means over the tasks, published in brackets; the page has every task",
        published::SOURCE_BY_TASK
    )?;
    for table in &tables {
        let figure = table.figure;
        let cells = table.columns.iter().enumerate().map(|(index, column)| {
            let (own, published) = table.means(index);
            let own = or_dash(own.map(|own| figure.shown(own)));
            format!("{} {own} ({})", clean(column), figure.shown(published))
        });
        writeln!(
            output,
            "\n{}, Table {}, {}:\n  {}",
            clean(&table.blackbox),
            table.table,
            figure.in_words(),
            listed(cells)
        )?;
        for remark in &table.remarks {
            writeln!(output, "  {}", clean(remark))?;
        }
    }
    Ok(())
}

fn listed(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

/// The number, or a dash if there is none.
fn or_dash(number: Option<String>) -> String {
    number.unwrap_or_else(|| "-".into())
}

/// A text of others, harmless for a terminal.
fn clean(text: &str) -> String {
    escape(text).into_owned()
}
