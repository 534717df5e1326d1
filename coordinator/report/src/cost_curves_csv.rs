//! `curves_over_cost.csv`: what is averaged over the tasks at every cost.

use std::io::{self, Write};

use loto_statistics::analysis::SweepAnalysis;

use crate::conditional_columns::COST_CURVES;
use crate::csv_text::{number, text_cell};

/// One line per black box with costs, method and cost; nothing before a method has a value on every task.
pub(crate) fn write(analysis: &SweepAnalysis, output: &mut impl Write) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    lines.write_record(COST_CURVES.names())?;
    for blackbox in &analysis.blackboxes {
        let Some(over_cost) = &blackbox.over_cost else {
            continue;
        };
        for method in &over_cost.methods {
            let names = [&blackbox.name, &method.method].map(|name| text_cell(name));
            let values = method.adtm.iter().zip(&method.average_rank_at);
            for (cost, (adtm, rank)) in over_cost.costs.iter().zip(values) {
                if adtm.is_none() {
                    continue;
                }
                let [blackbox, method] = names.each_ref().map(|name| name.to_string());
                let values = [Some(*cost), *adtm, *rank].map(number);
                lines.write_record([blackbox, method].into_iter().chain(values))?;
            }
        }
    }
    lines.flush()
}
