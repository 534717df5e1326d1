//! `published.csv` and `published_by_task.csv`: a sweep's figures beside the papers', for other programs.

use std::io::{self, Write};

use crate::csv_text::{number, text_cell};
use crate::published::{Figure, PublishedBlackbox, PublishedTasks, SOURCE, SOURCE_BY_TASK};

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

/// One line per black box, table of the paper, task and method; an empty field where nothing is finished.
pub(crate) fn write_by_task(
    published: &[PublishedTasks],
    output: &mut impl Write,
) -> io::Result<()> {
    let mut lines = csv::Writer::from_writer(output);
    let columns = "blackbox table figure task method value published_value source remarks";
    lines.write_record(columns.split(' '))?;
    for table in published {
        let (table_number, figure) = (table.table.to_string(), table.figure.in_words());
        let (name, remarks) = (text_cell(&table.blackbox), table.remarks.join(" "));
        for (task, figures) in &table.tasks {
            for (column, &(own, published)) in table.columns.iter().zip(figures) {
                let own = number(own);
                let published = published.to_string();
                lines.write_record([
                    &*name,
                    &table_number,
                    &figure,
                    &text_cell(task),
                    &text_cell(column),
                    &own,
                    &published,
                    SOURCE_BY_TASK,
                    &text_cell(&remarks),
                ])?;
            }
        }
    }
    lines.flush()
}
