//! What `loto check` says of the hyperparameters of a sweep.

use std::collections::BTreeSet;

use loto_engine::table::profile::{ColumnProfile, Values};
use loto_proto::excerpt::{excerpt, list};

use super::text_table::TextTable;
use crate::plan::Plan;

/// Each hyperparameter of each black box with its kind, range, number of values and scale.
pub(super) fn describe_columns(plan: &Plan) -> TextTable {
    let mut table = TextTable::new(&["black box", "column", "kind", "range", "values", "scale"]);
    let mut shown = BTreeSet::new();
    for blackbox in &plan.sweep.blackboxes {
        // Black boxes with the same table and declarations have the same columns.
        if !shown.insert(blackbox.table) {
            continue;
        }
        let planned = plan.table(blackbox.table);
        for column in planned.iter().flat_map(|planned| &planned.columns) {
            let (kind, range) = describe_values(column);
            table.push(&[
                &excerpt(&blackbox.name),
                &excerpt(&column.name),
                &kind,
                &range,
                &column.values.count(),
                &column.scale.word(),
            ]);
        }
    }
    table
}

fn describe_values(column: &ColumnProfile) -> (&'static str, String) {
    match &column.values {
        Values::Numbers {
            minimum,
            maximum,
            whole,
            ..
        } => (
            match (column.scale.word(), whole) {
                ("boolean", _) => "true or false",
                (_, true) => "whole number",
                (_, false) => "number",
            },
            format!("{minimum} to {maximum}"),
        ),
        Values::Levels(levels) => {
            let is_number = |level: &String| level.trim().parse::<f64>().is_ok();
            let kind = match levels.iter().all(is_number) {
                true => "number",
                false => "text",
            };
            (kind, shown_levels(levels))
        }
    }
}

/// The first levels, so that the row stays on its line.
fn shown_levels(levels: &[String]) -> String {
    const SHOWN: usize = 4;
    let listed = list(levels.iter().take(SHOWN).map(String::as_str));
    match levels.len().saturating_sub(SHOWN) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}
