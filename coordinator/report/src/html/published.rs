//! A black box's figures beside those of the paper.

use super::table::{Cell, Table};
use crate::numbers;
use crate::published::{Figure, PublishedBlackbox, SOURCE};

/// One row per method that the paper has, too.
pub(super) fn table(published: &PublishedBlackbox) -> Table {
    let figures = |figure: Figure, difference: Option<f64>| {
        [
            Cell::optional(figure.own.map(numbers::score)),
            Cell::number(&numbers::score(figure.published)),
            Cell::optional(difference.map(numbers::difference)),
        ]
    };
    let rows = published.methods.iter().map(|method| {
        let name = std::iter::once(Cell::text(&method.method));
        let improvement = figures(method.improvement, method.improvement.difference());
        let rank = figures(method.average_rank, published.rank_difference(method));
        name.chain(improvement).chain(rank).collect()
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
    match published.same_methods {
        true => format!("Both rank these {here}."),
        false => format!(
            "Ranks are among {here} here and {} there, not the same: they have no difference.",
            published.ranked_there
        ),
    }
}
