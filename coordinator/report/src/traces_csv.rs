//! `traces.csv.gz`: every finished trace, one line per evaluation.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};

use loto_proto::table_spec::Direction;
use loto_statistics::results::{SeedTrace, SweepResults};

use crate::conditional_columns::{COST, SECOND_VALUE};
use crate::csv_columns::TRACES;
use crate::csv_text::text_cell;

/// Writes the traces, gzipped; the same traces give the same bytes.
///
/// Values are in the units of the table, and the best is the greatest if the objective is maximised.
/// Iterations are counted from 1, rows from 0. Row and seconds are empty where they were not recorded.
pub(crate) fn write(results: &SweepResults, output: &mut impl Write) -> io::Result<()> {
    // No name and no time in the header: they would make equal results differ.
    let gzip = GzBuilder::new()
        .mtime(0)
        .write(output, Compression::default());
    let mut lines = csv::Writer::from_writer(gzip);
    let further = FurtherColumns::of(results);
    let mut names: Vec<&str> = TRACES.names().collect();
    let last = names.len() - 1;
    names.splice(last..last, further.columns().map(|(name, _)| name));
    lines.write_record(names)?;
    let mut line = csv::ByteRecord::new();
    for blackbox in &results.blackboxes {
        for task in &blackbox.tasks {
            for (method, seeds) in blackbox.methods.iter().zip(&task.traces) {
                let texts = [&blackbox.name, &task.name, method].map(|name| text_cell(name));
                for (seed, trace) in seeds {
                    let [first, second, third] = texts.each_ref().map(|name| &**name);
                    let number = seed.to_string();
                    let prefix = [first, second, third, number.as_str()];
                    let direction = blackbox.direction;
                    write_trace(prefix, trace, direction, further, &mut line, &mut lines)?;
                }
            }
        }
    }
    let gzip = lines.into_inner().map_err(|error| error.into_error())?;
    gzip.finish()?.flush()
}

/// The columns that only some sweeps have, each with its meaning.
pub(crate) fn further_columns(
    results: &SweepResults,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    FurtherColumns::of(results).columns()
}

/// The columns that only some sweeps have; they come before the last, which differs between equal traces.
#[derive(Debug, Clone, Copy)]
struct FurtherColumns {
    second_value: bool,
    cost: bool,
}

impl FurtherColumns {
    fn of(results: &SweepResults) -> Self {
        let tasks = || {
            let blackboxes = results.blackboxes.iter();
            blackboxes.flat_map(|blackbox| &blackbox.tasks)
        };
        Self {
            second_value: tasks().any(|task| task.hypervolume.is_some()),
            cost: tasks().any(|task| task.mean_cost.is_some()),
        }
    }

    fn columns(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let second = self.second_value.then_some(SECOND_VALUE);
        second.into_iter().chain(self.cost.then_some(COST))
    }
}

fn write_trace(
    prefix: [&str; 4],
    trace: &SeedTrace,
    direction: Direction,
    further: FurtherColumns,
    line: &mut csv::ByteRecord,
    lines: &mut csv::Writer<impl Write>,
) -> io::Result<()> {
    let mut best = f64::INFINITY;
    let mut number = Vec::new();
    for (index, &value) in trace.values.iter().enumerate() {
        best = best.min(value);
        line.clear();
        for field in prefix {
            line.push_field(field.as_bytes());
        }
        let mut push = |field: Option<&dyn std::fmt::Display>| -> io::Result<()> {
            number.clear();
            if let Some(field) = field {
                write!(number, "{field}")?;
            }
            line.push_field(&number);
            Ok(())
        };
        push(Some(&(index + 1)))?;
        push(trace.rows.get(index).map(|row| row as _))?;
        push(Some(&direction.turn(value)))?;
        push(Some(&direction.turn(best)))?;
        if further.second_value {
            push(trace.further_values.get(index).map(|value| value as _))?;
        }
        if further.cost {
            push(trace.costs.get(index).map(|cost| cost as _))?;
        }
        push(trace.seconds.get(index).map(|seconds| seconds as _))?;
        lines.write_byte_record(line)?;
    }
    Ok(())
}
