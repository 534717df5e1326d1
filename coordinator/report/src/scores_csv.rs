//! `scores.csv` and `scores_by_task.csv`: the scores for other programs, with all digits.

use std::io::{self, Write};

use loto_statistics::analysis::{MethodAverages, OverTasks, PairedDifference, SweepAnalysis};
use loto_statistics::interval::Interval;

use crate::csv_columns::{PRIOR_RMSE, SCORES, SCORES_BY_TASK};
use crate::csv_text::{number, text_cell};

/// One line per black box and method; empty fields where there is no score. `_lower` and `_upper` are the
/// limits of the interval over the seeds.
pub(crate) fn write_scores(analysis: &SweepAnalysis, output: &mut impl Write) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    lines.write_record(SCORES.names())?;
    for blackbox in &analysis.blackboxes {
        for method in &blackbox.methods {
            let averages = method.averages.as_ref();
            let mut fields = vec![cell(&blackbox.name), cell(&method.method)];
            let score = |of: fn(&MethodAverages) -> f64| number(averages.map(of));
            fields.push(score(|averages| averages.improvement));
            fields.push(score(|averages| averages.average_rank));
            fields.push(score(|averages| averages.final_adtm));
            fields.push(blackbox.averaged_tasks.to_string());
            fields.push(method.finished_traces.to_string());
            fields.push(number(
                averages.and_then(|averages| averages.improvement_standard_error),
            ));
            fields.extend(limits(averages.and_then(|own| own.improvement_interval)));
            fields.push(score(|averages| averages.median_improvement));
            fields.extend(limits(
                averages.and_then(|own| own.median_improvement_interval),
            ));
            fields.push(score(|averages| averages.interquartile_mean_improvement));
            fields.extend(limits(
                averages.and_then(|own| own.interquartile_mean_improvement_interval),
            ));
            let last = |curve: &Vec<f64>| curve.last().copied();
            fields.push(number(averages.and_then(|own| last(&own.adtm.lower))));
            fields.push(number(averages.and_then(|own| last(&own.adtm.upper))));
            let dominant = averages.and_then(|averages| averages.dominant_task.as_ref());
            fields.push(dominant.map(|task| cell(&task.task)).unwrap_or_default());
            fields.push(number(dominant.map(|task| task.improvement)));
            fields.push(number(dominant.map(|task| task.share)));
            fields.extend(difference(
                blackbox.against.as_deref(),
                averages.and_then(|averages| averages.difference.as_ref()),
            ));
            fields.push(number(
                averages.and_then(|averages| averages.average_rank_standard_error),
            ));
            fields.push(number(
                averages.and_then(|averages| averages.final_adtm_standard_error),
            ));
            fields.push(score(|averages| averages.area_under_adtm));
            let over_tasks = averages.and_then(|averages| averages.over_tasks.as_ref());
            let intervals: [fn(&OverTasks) -> Interval; 5] = [
                |own| own.improvement,
                |own| own.median_improvement,
                |own| own.interquartile_mean_improvement,
                |own| own.average_rank,
                |own| own.final_adtm,
            ];
            fields.extend(intervals.iter().flat_map(|of| limits(over_tasks.map(of))));
            lines.write_record(fields)?;
        }
    }
    lines.flush()
}

/// The fields of a difference, the method that is subtracted first.
fn difference(against: Option<&str>, difference: Option<&PairedDifference>) -> [String; 8] {
    let Some(difference) = difference else {
        return Default::default();
    };
    let [lower, upper] = limits(difference.mean_interval);
    let [median_lower, median_upper] = limits(difference.median_interval);
    [
        cell(against.unwrap_or_default()),
        difference.pairs.to_string(),
        number(Some(difference.mean)),
        lower,
        upper,
        number(Some(difference.median)),
        median_lower,
        median_upper,
    ]
}

/// One line per black box, task and method; empty fields where there is no score. The column
/// `prior_rmse` is there if it is known of any task.
pub(crate) fn write_scores_by_task(
    analysis: &SweepAnalysis,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    let has_prior_rmse = analysis.blackboxes.iter().any(|b| b.has_prior_rmse());
    let is_there = |name: &&str| has_prior_rmse || *name != PRIOR_RMSE.0;
    lines.write_record(SCORES_BY_TASK.names().filter(is_there))?;
    for blackbox in &analysis.blackboxes {
        for task in &blackbox.tasks {
            for method in &task.methods {
                let mut fields = vec![
                    cell(&blackbox.name),
                    cell(&task.name),
                    cell(&method.method),
                    number(method.improvement),
                    number(method.rank),
                    number(method.final_dtm),
                    method.seeds.to_string(),
                    number(method.improvement_standard_error),
                ];
                fields.extend(limits(method.improvement_interval));
                let difference = method.difference.as_ref();
                let against = blackbox.against.as_deref().filter(|_| difference.is_some());
                fields.push(against.map(cell).unwrap_or_default());
                let pairs = difference.map(|difference| difference.pairs.to_string());
                fields.push(pairs.unwrap_or_default());
                fields.push(number(difference.map(|difference| difference.mean)));
                fields.extend(limits(difference.and_then(|own| own.interval)));
                fields.push(number(method.final_dtm_standard_error));
                fields.push(number(method.area_under_dtm));
                fields.push(number(method.final_best));
                fields.push(number(Some(task.best(blackbox.direction))));
                fields.extend(has_prior_rmse.then(|| number(task.prior_rmse)));
                lines.write_record(fields)?;
            }
        }
    }
    lines.flush()
}

/// The two limits, or two empty fields.
fn limits(interval: Option<Interval>) -> [String; 2] {
    [
        number(interval.map(|interval| interval.lower)),
        number(interval.map(|interval| interval.upper)),
    ]
}

/// A name as a field.
fn cell(name: &str) -> String {
    text_cell(name).into_owned()
}
