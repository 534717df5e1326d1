//! A black box's figures beside those of the paper.

use loto_proto::untrusted_text::escape;
use maud::{Markup, html};

use super::table::{number, number_cell, table};
use crate::numbers;
use crate::published::{
    Figure, PublishedBlackbox, PublishedMethod, PublishedTasks, SOURCE, SOURCE_BY_TASK,
};

/// One row per method that the paper has, too.
pub(crate) fn table_beside(published: &PublishedBlackbox) -> Markup {
    let cells = |figure: Figure, difference: Option<f64>| {
        html! {
            (number_cell(figure.own.map(numbers::score), false))
            (number_cell(Some(numbers::score(figure.published)), false))
            (number_cell(difference.map(numbers::difference), false))
        }
    };
    let row = |method: &PublishedMethod| {
        html! {
            th scope="row" { (escape(&method.method)) }
            (cells(method.improvement, published.improvement_difference(method)))
            (cells(method.average_rank, published.rank_difference(method)))
        }
    };
    let head = html! {
        tr.groups { td {} th scope="col" colspan="3" { "improvement" } th scope="col" colspan="3" { "average rank" } }
        tr {
            th scope="col" { "method" }
            @for _ in 0..2 {
                @for heading in ["here", "published", "difference"] { th scope="col" { (heading) } }
            }
        }
    };
    let caption = format!(
        "Beside the published figures of {}: {SOURCE}. {} {}",
        published.blackbox,
        ranked(published),
        published.sentences().join(" "),
    );
    table(&caption, None, &head, published.methods.iter().map(row))
}

/// What the average ranks are among: ranks among other methods are other ranks.
fn ranked(published: &PublishedBlackbox) -> String {
    let here = numbers::count(published.ranked_here as u64, "method");
    match published.same_methods {
        true => format!("Both rank these {here}."),
        false => format!(
            "Ranks are among {here} here and {} there, which are not the same, so they have no difference.",
            published.ranked_there
        ),
    }
}

/// The figures of single tasks beside those of one table of the paper, and their means over the tasks.
pub(crate) fn tasks_beside(published: &PublishedTasks) -> Markup {
    let cell = |(own, published_value): (Option<f64>, f64)| {
        let shown = |value: f64| published.figure.shown(value);
        html! {
            (number_cell(own.map(shown), false))
            td.muted { (number(&shown(published_value))) }
        }
    };
    let row = |(name, figures): (&str, Vec<(Option<f64>, f64)>)| {
        html! { th scope="row" { (escape(name)) } @for figure in figures { (cell(figure)) } }
    };
    let tasks = published.tasks.iter();
    let tasks = tasks.map(|(task, figures)| (task.as_str(), figures.clone()));
    let means = (0..published.columns.len()).map(|column| published.means(column));
    let rows = tasks.chain([("mean", means.collect())]).map(row);
    let head = html! {
        tr.groups { td {} @for column in &published.columns { th scope="col" colspan="2" { (escape(column)) } } }
        tr { th scope="col" { "task" } @for _ in &published.columns { th scope="col" { "here" } th scope="col" { "there" } } }
    };
    let caption = format!(
        "Beside Table {} of {SOURCE_BY_TASK}: {}. {}",
        published.table,
        published.figure.in_words(),
        published.remarks.join(" "),
    );
    table(&caption, None, &head, rows)
}
