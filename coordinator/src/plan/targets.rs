//! Which tasks of a table are targets.

use loto_engine::table::Table;
use loto_proto::protocol::Protocol;
use loto_proto::suggestion::suggest;
use loto_proto::sweep_file::BlackboxEntry;

use super::error::BlackboxProblem;

/// The targets of a black box, in the order of its table.
///
/// # Errors
/// [`BlackboxProblem`] if a task is not in the table, the table has no source task, no target is
/// left, or a target has fewer rows than there are iterations.
pub(super) fn resolve(
    entry: &BlackboxEntry,
    table: &Table,
    iterations: u32,
) -> Result<Vec<String>, BlackboxProblem> {
    if table.tasks.len() < 2 {
        return Err(BlackboxProblem::OneTask {
            table: entry.table.clone(),
        });
    }
    let named_targets = entry.targets.as_deref();
    check_known("targets", named_targets.unwrap_or_default(), table)?;
    check_known("sources_only", &entry.sources_only, table)?;
    let sources = entry.sources.as_deref().unwrap_or_default();
    check_known("sources", sources, table)?;
    let is_target = |name: &String| match named_targets {
        Some(targets) => targets.contains(name),
        None => !entry.sources_only.contains(name) && !sources.contains(name),
    };
    let mut targets = Vec::new();
    for task in table.tasks.iter().filter(|task| is_target(&task.name)) {
        if iterations as usize > task.rows() {
            return Err(BlackboxProblem::TooFewRows {
                iterations,
                target: task.name.clone(),
                rows: task.rows(),
                is_stream: entry.protocol == Protocol::Stream,
            });
        }
        targets.push(task.name.clone());
    }
    if targets.is_empty() {
        let key = match sources {
            [] => "sources_only",
            _ => "sources",
        };
        return Err(BlackboxProblem::NoTarget { key });
    }
    Ok(targets)
}

fn check_known(key: &'static str, names: &[String], table: &Table) -> Result<(), BlackboxProblem> {
    let known: Vec<&str> = table.tasks.iter().map(|task| task.name.as_str()).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(BlackboxProblem::UnknownTask {
            key,
            task: name.clone(),
            suggestion: suggest(name, &known),
        }),
    }
}
