//! `published.csv`: a sweep's figures beside the paper's, for other programs.

use std::io::{self, Write};

use crate::published::{PublishedBlackbox, SOURCE};

/// One line per black box and method to which published figures apply; empty fields where
/// nothing is finished. Differences are the sweep's figure minus the paper's.
pub(super) fn write(published: &[PublishedBlackbox], output: &mut impl Write) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    lines.write_record([
        "blackbox",
        "method",
        "improvement",
        "published_improvement",
        "improvement_difference",
        "average_rank",
        "published_average_rank",
        "average_rank_difference",
        "methods_ranked",
        "published_methods_ranked",
        "source",
    ])?;
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for blackbox in published {
        for method in &blackbox.methods {
            let figures = [method.improvement, method.average_rank];
            let [improvement, rank] = figures.map(|figure| {
                [
                    number(figure.own),
                    figure.published.to_string(),
                    number(figure.difference()),
                ]
            });
            let names = [blackbox.blackbox.clone(), method.method.clone()];
            let ranked = [blackbox.ranked_here, blackbox.ranked_there].map(|n| n.to_string());
            let fields = names.into_iter().chain(improvement).chain(rank);
            lines.write_record(fields.chain(ranked).chain([SOURCE.to_owned()]))?;
        }
    }
    lines.flush()
}
