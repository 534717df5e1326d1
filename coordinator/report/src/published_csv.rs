//! `published.csv`: a sweep's figures beside the paper's, for other programs.

use std::io::{self, Write};

use crate::csv_text::{number, text_cell};
use crate::published::{Figure, PublishedBlackbox, SOURCE};

/// One line per black box and method to which published figures apply; empty fields where
/// nothing is finished, and for differences if the protocol is another (`remarks` says which) or ranks are
/// among other methods. Differences are the sweep's figure minus the paper's.
pub(crate) fn write(published: &[PublishedBlackbox], output: &mut impl Write) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    let columns = "blackbox method improvement published_improvement improvement_difference \
                   average_rank published_average_rank average_rank_difference methods_ranked \
                   published_methods_ranked source remarks";
    lines.write_record(columns.split(' '))?;
    for blackbox in published {
        let remarks = blackbox.sentences().join(" ");
        for method in &blackbox.methods {
            let figure = |figure: Figure, difference: Option<f64>| {
                let published = figure.published.to_string();
                [number(figure.own), published, number(difference)]
            };
            let improvement = figure(method.improvement, blackbox.improvement_difference(method));
            let rank = figure(method.average_rank, blackbox.rank_difference(method));
            let names =
                [&blackbox.blackbox, &method.method].map(|name| text_cell(name).into_owned());
            let ranked = [blackbox.ranked_here, blackbox.ranked_there].map(|n| n.to_string());
            let fields = names.into_iter().chain(improvement).chain(rank);
            lines.write_record(
                fields
                    .chain(ranked)
                    .chain([SOURCE.to_owned(), text_cell(&remarks).into_owned()]),
            )?;
        }
    }
    lines.flush()
}
