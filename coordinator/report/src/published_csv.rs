//! `published.csv`: a sweep's figures beside the paper's, for other programs.

use std::io::{self, Write};

use crate::published::{Figure, PublishedBlackbox, SOURCE};

/// One line per black box and method to which published figures apply; empty fields where
/// nothing is finished and for the difference of ranks among other methods. Differences are
/// the sweep's figure minus the paper's.
pub(crate) fn write(published: &[PublishedBlackbox], output: &mut impl Write) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    let columns = "blackbox method improvement published_improvement improvement_difference \
                   average_rank published_average_rank average_rank_difference methods_ranked \
                   published_methods_ranked source";
    lines.write_record(columns.split(' '))?;
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for blackbox in published {
        for method in &blackbox.methods {
            let figure = |figure: Figure, difference: Option<f64>| {
                let published = figure.published.to_string();
                [number(figure.own), published, number(difference)]
            };
            let improvement = figure(method.improvement, method.improvement.difference());
            let rank = figure(method.average_rank, blackbox.rank_difference(method));
            let names = [blackbox.blackbox.clone(), method.method.clone()];
            let ranked = [blackbox.ranked_here, blackbox.ranked_there].map(|n| n.to_string());
            let fields = names.into_iter().chain(improvement).chain(rank);
            lines.write_record(fields.chain(ranked).chain([SOURCE.to_owned()]))?;
        }
    }
    lines.flush()
}
