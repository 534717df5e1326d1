//! The report as aligned tables for a terminal.

use std::io::{self, Write};

use super::{Report, missing, numbers};
use crate::published::{self, Figure};
use loto_statistics::analysis::{BlackboxAnalysis, Comparison, ComparisonOutcome};

/// Most sentences on what is missing; the other formats have all of them.
const MOST_SENTENCES: usize = 20;

/// Writes the report.
pub(super) fn write(report: &Report<'_>, output: &mut impl Write) -> io::Result<()> {
    let analysis = report.analysis;
    match report.sweep {
        Some(id) => writeln!(output, "{} ({id})", clean(&analysis.name))?,
        None => writeln!(output, "{}", clean(&analysis.name))?,
    }
    writeln!(
        output,
        "{} of {} finished; improvement over the {}",
        numbers::grouped(analysis.finished_traces),
        numbers::count(analysis.planned_traces, "trace"),
        report.baseline_in_words(),
    )?;
    for note in report.notes {
        writeln!(output, "note: {}", clean(note))?;
    }
    for blackbox in &analysis.blackboxes {
        write_blackbox(report, blackbox, output)?;
    }
    write_missing(report, output)?;
    write_comparison(report, output)?;
    write_published(report, output)
}

fn write_blackbox(
    report: &Report<'_>,
    blackbox: &BlackboxAnalysis,
    output: &mut impl Write,
) -> io::Result<()> {
    writeln!(
        output,
        "\n{}: {}, {}",
        clean(&blackbox.name),
        numbers::count(blackbox.averaged_tasks as u64, "task"),
        numbers::count(blackbox.iterations as u64, "iteration"),
    )?;
    let header = [
        "method",
        "improvement",
        "average rank",
        "final ADTM",
        "CPU s/trace",
        "traces",
    ];
    let mut rows = vec![header.map(String::from)];
    for method in &blackbox.methods {
        let averages = method.averages.as_ref();
        let improvement = averages.map(|averages| {
            numbers::with_error(
                averages.improvement,
                averages.improvement_standard_error,
                "+-",
            )
        });
        let seconds = report.seconds_per_trace(&blackbox.name, &method.method);
        rows.push([
            clean(&method.method),
            or_dash(improvement),
            or_dash(averages.map(|averages| numbers::score(averages.average_rank))),
            or_dash(averages.map(|averages| numbers::magnitude(averages.final_adtm))),
            or_dash(seconds.map(numbers::seconds)),
            method.finished_traces.to_string(),
        ]);
    }
    write_table(&rows, output)
}

/// Writes rows with the first column flush left and the others flush right.
fn write_table<const N: usize>(rows: &[[String; N]], output: &mut impl Write) -> io::Result<()> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    for row in rows {
        write!(output, "  {:<width$}", row[0], width = widths[0])?;
        for (cell, width) in row.iter().zip(widths).skip(1) {
            write!(output, "  {cell:>width$}")?;
        }
        writeln!(output)?;
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
    if let Some(rest) = sentences.len().checked_sub(MOST_SENTENCES + 1) {
        writeln!(output, "  and {} more", rest + 1)?;
    }
    Ok(())
}

fn write_comparison(report: &Report<'_>, output: &mut impl Write) -> io::Result<()> {
    match &report.analysis.comparison {
        ComparisonOutcome::Computed(comparison) => write_ranks(comparison, output),
        ComparisonOutcome::Impossible { reason } => {
            writeln!(output, "\nno comparison of the methods: {}", clean(reason))
        }
    }
}

fn write_ranks(comparison: &Comparison, output: &mut impl Write) -> io::Result<()> {
    let friedman = &comparison.friedman.plain;
    let data_sets = comparison.tasks.len() as u64;
    writeln!(
        output,
        "\nall {}: Friedman chi-square {} (p {}), Iman-Davenport F {} (p {}); Nemenyi critical \
         difference {:.2} at {}",
        numbers::count(data_sets, "data set"),
        numbers::statistic(friedman.chi_square),
        numbers::probability(friedman.p_value),
        numbers::statistic(friedman.iman_davenport),
        numbers::probability(friedman.iman_davenport_p_value),
        comparison.nemenyi.critical_difference,
        comparison.nemenyi.alpha,
    )?;
    let mut ranked: Vec<_> = comparison
        .methods
        .iter()
        .zip(&comparison.average_ranks)
        .collect();
    ranked.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let ranked = ranked
        .iter()
        .map(|(method, rank)| format!("{} {rank:.2}", clean(method)));
    writeln!(
        output,
        "  average ranks: {}",
        ranked.collect::<Vec<_>>().join(", ")
    )?;
    if !comparison.excluded_methods.is_empty() {
        let names = comparison.excluded_methods.iter().map(|name| clean(name));
        writeln!(
            output,
            "  left out, not finished or not planned on every black box: {}",
            names.collect::<Vec<_>>().join(", ")
        )?;
    }
    for group in &comparison.nemenyi.groups {
        let names = group
            .iter()
            .map(|&method| clean(&comparison.methods[method]));
        let names = names.collect::<Vec<_>>().join(", ");
        writeln!(output, "  no significant difference: {names}")?;
    }
    Ok(())
}

fn write_published(report: &Report<'_>, output: &mut impl Write) -> io::Result<()> {
    let blackboxes = published::compare(report.analysis);
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
        let header = [
            "method",
            "improvement",
            "published",
            "difference",
            "average rank",
            "published",
            "difference",
        ];
        let mut rows = vec![header.map(String::from)];
        for method in &blackbox.methods {
            let [improvement, rank] = [method.improvement, method.average_rank];
            let own = |figure: Figure| or_dash(figure.own.map(numbers::score));
            let difference = |value: Option<f64>| or_dash(value.map(numbers::difference));
            rows.push([
                clean(&method.method),
                own(improvement),
                numbers::score(improvement.published),
                difference(improvement.difference()),
                own(rank),
                numbers::score(rank.published),
                difference(blackbox.rank_difference(method)),
            ]);
        }
        write_table(&rows, output)?;
    }
    Ok(())
}

/// The number, or a dash if there is none.
fn or_dash(number: Option<String>) -> String {
    number.unwrap_or_else(|| "-".into())
}

/// A name without control characters, which could command a terminal.
fn clean(text: &str) -> String {
    text.chars()
        .map(|character| {
            if character.is_control() {
                '\u{fffd}'
            } else {
                character
            }
        })
        .collect()
}
