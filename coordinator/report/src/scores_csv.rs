//! `scores.csv` and `scores_by_task.csv`: the scores for other programs, with all digits.

use std::io::{self, Write};

use loto_statistics::analysis::SweepAnalysis;

/// One line per black box and method; empty fields where there is no score.
pub(crate) fn write_scores(analysis: &SweepAnalysis, output: &mut impl Write) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    let columns = "blackbox method improvement average_rank final_adtm";
    lines.write_record(columns.split(' '))?;
    for blackbox in &analysis.blackboxes {
        for method in &blackbox.methods {
            let averages = method.averages.as_ref();
            lines.write_record([
                blackbox.name.clone(),
                method.method.clone(),
                number(averages.map(|averages| averages.improvement)),
                number(averages.map(|averages| averages.average_rank)),
                number(averages.map(|averages| averages.final_adtm)),
            ])?;
        }
    }
    lines.flush()
}

/// One line per black box, task and method; empty fields where there is no score. The column
/// `prior_rmse` is there if it is known of any task.
pub(crate) fn write_scores_by_task(
    analysis: &SweepAnalysis,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    let has_prior_rmse = analysis.blackboxes.iter().any(|b| b.has_prior_rmse());
    let columns = "blackbox task method improvement rank final_dtm";
    let last_column = has_prior_rmse.then_some("prior_rmse");
    lines.write_record(columns.split(' ').chain(last_column))?;
    for blackbox in &analysis.blackboxes {
        for task in &blackbox.tasks {
            for method in &task.methods {
                let fields = [
                    blackbox.name.clone(),
                    task.name.clone(),
                    method.method.clone(),
                    number(method.improvement),
                    number(method.rank),
                    number(method.final_dtm),
                ];
                let prior_rmse = has_prior_rmse.then(|| number(task.prior_rmse));
                lines.write_record(fields.into_iter().chain(prior_rmse))?;
            }
        }
    }
    lines.flush()
}

/// The shortest text that reads back as the same number.
fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
