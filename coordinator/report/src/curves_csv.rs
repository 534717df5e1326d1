//! `curves.csv` and `curves_by_task.csv`: what is averaged at every number of evaluations, with all digits.

use std::io::{self, Write};

use loto_proto::table_spec::Direction;
use loto_statistics::analysis::{Band, SweepAnalysis, TaskAnalysis};
use loto_statistics::by_iteration::STATISTICS;
use loto_statistics::random_search::Baseline;

use crate::csv_columns::{CURVES, CURVES_BY_TASK};
use crate::csv_text::{number, text_cell};

/// One line per black box, method and number of evaluations; none for a method without averages.
pub(crate) fn write_curves(analysis: &SweepAnalysis, output: &mut impl Write) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    lines.write_record(CURVES.names())?;
    for blackbox in &analysis.blackboxes {
        for method in &blackbox.methods {
            let Some(averages) = &method.averages else {
                continue;
            };
            let prefix = [&blackbox.name, &method.method].map(|name| text_cell(name));
            let over_tasks = averages.adtm_over_tasks.as_ref();
            for index in 0..averages.adtm.mean.len() {
                let at = |curve: &[f64]| number(curve.get(index).copied());
                let mut fields = prefix.clone().map(|name| name.into_owned()).to_vec();
                fields.push((index + 1).to_string());
                fields.extend(at_index(&averages.adtm, index));
                fields.push(
                    over_tasks
                        .map(|limits| at(&limits.lower))
                        .unwrap_or_default(),
                );
                fields.push(
                    over_tasks
                        .map(|limits| at(&limits.upper))
                        .unwrap_or_default(),
                );
                fields.push(at(&averages.average_rank_at));
                let statistics = STATISTICS.iter();
                fields.extend(statistics.map(|known| at(&averages.by_iteration[known.key])));
                lines.write_record(fields)?;
            }
        }
    }
    lines.flush()
}

/// One line per black box, task, method and number of evaluations. Lines without a method have the baseline.
pub(crate) fn write_curves_by_task(
    analysis: &SweepAnalysis,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    lines.write_record(CURVES_BY_TASK.names())?;
    for blackbox in &analysis.blackboxes {
        for task in &blackbox.tasks {
            let prefix = [&blackbox.name, &task.name].map(|name| text_cell(name).into_owned());
            // A sampled baseline is the curve of a method, which has rows of its own.
            let is_exact = analysis.baseline != Baseline::Sampled;
            if let Some(baseline) = task.baseline.as_ref().filter(|_| is_exact) {
                // With several objectives there is no best value.
                let curve = baseline.dtm.as_ref().map_or(0, Vec::len);
                for index in 0..baseline.best.len().max(curve) {
                    let best = baseline.best.get(index).copied();
                    let dtm = baseline.dtm.as_ref().map(|dtm| dtm[index]);
                    let mut fields = prefix.to_vec();
                    fields.extend([String::new(), (index + 1).to_string(), number(dtm)]);
                    fields.extend([String::new(), String::new(), number(best)]);
                    fields.extend(STATISTICS.iter().map(|_| String::new()));
                    lines.write_record(fields)?;
                }
            }
            for method in &task.methods {
                let Some(dtm) = &method.dtm else { continue };
                for (index, mean) in dtm.mean.iter().enumerate() {
                    let mut fields = prefix.to_vec();
                    fields.push(text_cell(&method.method).into_owned());
                    fields.push((index + 1).to_string());
                    fields.extend(at_index(dtm, index));
                    let best = best_of(task, blackbox.direction, *mean);
                    fields.push(number(task.front.is_none().then_some(best)));
                    let statistics = STATISTICS.iter();
                    fields.extend(statistics.map(|known| {
                        let curve = method.by_iteration[known.key].as_ref();
                        number(curve.and_then(|curve| curve.get(index).copied()))
                    }));
                    lines.write_record(fields)?;
                }
            }
        }
    }
    lines.flush()
}

/// A curve's value and limits; limits that were not asked for are empty.
fn at_index(band: &Band, index: usize) -> [String; 3] {
    [&band.mean, &band.lower, &band.upper].map(|curve| number(curve.get(index).copied()))
}

/// The mean best value that lies at this distance, in the units of the table.
fn best_of(task: &TaskAnalysis, direction: Direction, dtm: f64) -> f64 {
    let range = task.maximum - task.minimum;
    match direction {
        Direction::Minimise => task.minimum + dtm * range,
        Direction::Maximise => task.maximum - dtm * range,
    }
}

#[cfg(test)]
mod tests {
    use loto_statistics::analysis::{AnalysisOptions, analyse};

    use super::*;
    use crate::tests::results;

    fn rows(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> Vec<csv::StringRecord> {
        let mut bytes = Vec::new();
        write(&mut bytes).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        reader.records().map(Result::unwrap).collect()
    }

    #[test]
    fn curves_have_every_evaluation_and_the_table_s_units() {
        let mut results = results();
        let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
        let found = rows(|output| write_curves(&analysis, output));
        // Two methods, five evaluations.
        assert_eq!(found.len(), 10);
        let averages = analysis.blackboxes[0].methods[0].averages.as_ref().unwrap();
        let at = |row: &csv::StringRecord, column: usize| row[column].parse::<f64>().unwrap();
        assert_eq!(at(&found[2], 2), 3.0);
        assert_eq!(at(&found[2], 3), averages.adtm.mean[2]);
        let limits = averages.adtm_over_tasks.as_ref().unwrap();
        assert_eq!(at(&found[2], 6), limits.lower[2]);
        assert_eq!(at(&found[2], 8), averages.average_rank_at[2]);
        assert_eq!(
            at(&found[2], 10),
            averages.by_iteration["reached_targets"][2]
        );

        let by_task = rows(|output| write_curves_by_task(&analysis, output));
        // Three tasks, the baseline and two methods.
        assert_eq!(by_task.len(), 3 * 3 * 5);
        let last = |rows: &[csv::StringRecord], method: &str| {
            let of_method = |row: &&csv::StringRecord| &row[1] == "plain" && &row[2] == method;
            let row = rows.iter().rfind(of_method).unwrap();
            (at(row, 4), at(row, 7))
        };
        let task = &analysis.blackboxes[0].tasks[1];
        let final_best = task.methods[0].final_best.unwrap();
        let (dtm, best) = last(&by_task, "rs");
        assert!((best - final_best).abs() < 1e-12, "{best}, {final_best}");
        // The objective values are .1, .2, .. 2.
        assert!((best - (0.1 + 1.9 * dtm)).abs() < 1e-12);
        let expected = task.baseline.as_ref().unwrap().best[4];
        assert_eq!(last(&by_task, "").1, expected);

        results.blackboxes[0].direction = Direction::Maximise;
        let analysis = analyse(&results, &AnalysisOptions::default()).unwrap();
        let turned = rows(|output| write_curves_by_task(&analysis, output));
        assert!((last(&turned, "rs").1 + final_best).abs() < 1e-12);
        assert_eq!(last(&turned, "").1, -expected);
    }
}
