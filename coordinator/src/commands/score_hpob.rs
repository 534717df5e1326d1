//! `loto score hpob`: how methods compare by their recorded results on HPO-B.

use std::fmt::Write;
use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use loto_proto::untrusted_text::{escape, escape_json};
use loto_report::csv_text::text_cell;
use loto_report::numbers::count;

use super::error::CommandError;
use super::output::{print, print_with};
use super::text_table::TextTable;
use crate::score::hpob::{self, HpobScores};

const EXAMPLES: &str = "\
Examples:
  loto score hpob results/*.json
  loto score hpob results/{Random,GP,RGPE,FSBO}.json --trials 50
  loto score hpob results/*.json --format json > hpob.json

Each file has the results of one method, as the repository of HPO-B publishes them:
search space, data set, seed, and the best normalised value before the first trial
and after each.";

/// Compares methods by their recorded results on HPO-B, which need no tables: ranks, regret,
/// area under the curve, and the tests of Friedman and Nemenyi over the tasks.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct HpobCommand {
    /// Files with the results, one per method, which is named as its file.
    #[arg(value_name = "FILES", required = true)]
    files: Vec<PathBuf>,

    /// Number of trials after which the methods are compared [default: those of the first file].
    #[arg(long, env = "LOTO_TRIALS", value_name = "N")]
    trials: Option<usize>,

    /// Form in which the scores are printed.
    #[arg(long, env = "LOTO_FORMAT", value_enum, default_value_t = HpobFormat::Text)]
    format: HpobFormat,
}

/// A form in which scores can be printed.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum HpobFormat {
    /// An aligned table for a terminal.
    Text,
    /// One line per method.
    Csv,
    /// All scores, tests and curves.
    Json,
}

impl HpobCommand {
    pub(super) fn execute(self) -> Result<(), CommandError> {
        let recordings = hpob::read(&self.files, self.trials)?;
        let scores = hpob::score(&recordings);
        match self.format {
            HpobFormat::Text => print(&text(&scores)),
            HpobFormat::Csv => print_with(|output| write_csv(&scores, output)),
            HpobFormat::Json => print_with(|output| write_json(&scores, output)),
        }
    }
}

fn text(scores: &HpobScores) -> String {
    let mut table = TextTable::new(&[
        "method",
        "mean rank",
        "mean regret",
        "interquartile mean",
        "area under curve",
        "rank over tasks",
    ]);
    for method in &scores.methods {
        let area = method.area_under_curve;
        table.push(&[
            &method.method,
            &format!("{:.3}", method.mean_rank),
            &format!("{:.5}", method.mean_regret),
            &format!("{:.5}", method.interquartile_mean_regret),
            &area.map_or_else(|| "-".to_owned(), |area| format!("{area:.5}")),
            &format!("{:.3}", method.mean_task_rank),
        ]);
    }
    let mut text = format!(
        "HPO-B after {}: {}, {}, {}, {} of each method\n\
         regret is 1 minus the normalised value; ranks are of regrets rounded to eight digits, 1 is best\n\n{table}",
        count(scores.trials as u64, "trial"),
        count(scores.methods.len() as u64, "method"),
        count(scores.search_spaces as u64, "search space"),
        count(scores.tasks as u64, "task"),
        count(scores.traces as u64, "trace"),
    );
    for sentence in tests(scores).iter().chain(&scores.notes) {
        let _infallible = writeln!(text, "{}", escape(sentence));
    }
    if let Some(differences) = small_differences(scores) {
        let _infallible = write!(text, "\n{differences}");
    }
    text
}

/// What the tests say, one sentence each.
fn tests(scores: &HpobScores) -> Vec<String> {
    let (Some(friedman), Some(nemenyi)) = (&scores.friedman, &scores.nemenyi) else {
        return vec!["There is no test: it needs two methods and two tasks.".to_owned()];
    };
    let mut sentences = Vec::new();
    match &friedman.tie_corrected {
        None => sentences.push("All methods tie on every task.".to_owned()),
        Some(test) => sentences.push(format!(
            "Friedman over {} tasks, corrected for ties: chi-square {:.2}, p = {:.3e}; \
             Nemenyi's critical difference of the ranks over tasks is {:.3} at {}.",
            scores.tasks, test.chi_square, test.p_value, nemenyi.critical_difference, nemenyi.alpha
        )),
    }
    for group in &nemenyi.groups {
        let names = group
            .iter()
            .map(|&method| scores.methods[method].method.as_str());
        let names = names.collect::<Vec<_>>().join(", ");
        sentences.push(format!("No significant difference among {names}."));
    }
    sentences
}

/// Which significant differences are too small to matter, if there are any: a line per pair.
fn small_differences(scores: &HpobScores) -> Option<String> {
    let practical = scores.practical_differences.as_ref()?;
    let significance = scores.nemenyi.as_ref()?.alpha;
    let mut table = TextTable::new(&["method", "and", "p (Holm)", "equivalent"]);
    let small = practical.pairs.iter();
    for pair in small.filter(|pair| pair.is_significant_but_small(significance)) {
        table.push(&[
            &scores.methods[pair.first].method,
            &scores.methods[pair.second].method,
            &format!("{:.3e}", pair.holm_p_value),
            &format!("{:.3}", pair.equivalent),
        ]);
    }
    (!table.is_empty()).then(|| {
        format!(
            "Regrets that differ significantly (Wilcoxon, Holm) and are practically equivalent, which is to differ by at most {} \
             (Bayesian signed-rank test, probability):\n\n{table}",
            practical.rope
        )
    })
}

fn write_csv(scores: &HpobScores, output: &mut impl io::Write) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    lines.write_record([
        "method",
        "mean_rank",
        "mean_regret",
        "interquartile_mean_regret",
        "area_under_curve",
        "mean_task_rank",
        "trials",
        "traces",
    ])?;
    for method in &scores.methods {
        let area = method.area_under_curve;
        lines.write_record([
            text_cell(&method.method).into_owned(),
            method.mean_rank.to_string(),
            method.mean_regret.to_string(),
            method.interquartile_mean_regret.to_string(),
            area.map_or_else(String::new, |area| area.to_string()),
            method.mean_task_rank.to_string(),
            scores.trials.to_string(),
            scores.traces.to_string(),
        ])?;
    }
    lines.flush()
}

fn write_json(scores: &HpobScores, output: &mut impl io::Write) -> io::Result<()> {
    let json = serde_json::to_string(scores)?;
    output.write_all(escape_json(&json).as_bytes())?;
    output.write_all(b"\n")
}
