//! `fronts.csv`: the front of the table and what methods attain of it, point by point.

use std::io::{self, Write};

use crate::attained;
use crate::conditional_columns::FRONTS;
use crate::csv_text::{number, text_cell};
use crate::report::Report;

/// One line per point of a front, ascending by the first objective; lines without a method have the front of the table.
pub(crate) fn write(report: &Report<'_>, output: &mut impl Write) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    lines.write_record(FRONTS.names())?;
    for blackbox in &report.analysis.blackboxes {
        for fronts in attained::of_blackbox(report, blackbox) {
            let table = std::iter::once(("", &fronts.table));
            let methods = fronts
                .methods
                .iter()
                .map(|(method, front)| (*method, front));
            for (method, front) in table.chain(methods) {
                let names = [fronts.blackbox, fronts.task, method].map(text_cell);
                for point in front {
                    let values = point.map(|value| number(Some(value)));
                    let names = names.iter().map(|name| name.as_bytes());
                    lines.write_record(names.chain(values.iter().map(|value| value.as_bytes())))?;
                }
            }
        }
    }
    lines.flush()
}
