//! A black box's figures beside those of the paper.

use super::table::{Cell, Table};
use crate::published::{Figure, PublishedBlackbox, SOURCE};
use crate::report::numbers;

/// One row per method that the paper has, too.
pub(super) fn table(published: &PublishedBlackbox) -> Table {
    let figures = |figure: Figure| {
        [
            Cell::optional(figure.own.map(numbers::score)),
            Cell::number(&numbers::score(figure.published)),
            Cell::optional(figure.difference().map(numbers::difference)),
        ]
    };
    let rows = published.methods.iter().map(|method| {
        let name = std::iter::once(Cell::text(&method.method));
        let figures = figures(method.improvement)
            .into_iter()
            .chain(figures(method.average_rank));
        name.chain(figures).collect()
    });
    let columns = ["here", "published", "difference"];
    Table {
        caption: format!(
            "Beside the published figures of {}: {SOURCE}. {}",
            published.blackbox,
            ranked(published)
        ),
        class: "",
        groups: vec![("", 1), ("improvement", 3), ("average rank", 3)],
        header: ["method"]
            .iter()
            .chain(&columns)
            .chain(&columns)
            .map(|name| Cell::text(name))
            .collect(),
        rows: rows.collect(),
    }
}

/// What the average ranks are among: ranks among other methods are other ranks.
fn ranked(published: &PublishedBlackbox) -> String {
    let here = numbers::count(published.ranked_here as u64, "method");
    match published.ranked_here == published.ranked_there {
        true => format!("Both rank {here}."),
        false => format!(
            "Ranks are among {here} here and {} there, so that theirs differ for that alone.",
            published.ranked_there
        ),
    }
}
