//! Which tasks of a table are targets.

use loto_engine::table::Table;
use loto_proto::sweep_file::BlackboxEntry;

use super::suggestion::suggest;

/// The targets of a black box, in the order of its table.
///
/// # Errors
/// A text that says what is wrong: a task that is not in the table, a table
/// without a source task, no target left, more iterations than a target has rows.
pub(super) fn resolve(
    entry: &BlackboxEntry,
    table: &Table,
    iterations: u32,
) -> Result<Vec<String>, String> {
    if table.tasks.len() < 2 {
        return Err(format!(
            "table {} has only one task; leaving one task out needs at least one other as a source",
            entry.table
        ));
    }
    check_known(
        "targets",
        entry.targets.as_deref().unwrap_or_default(),
        table,
    )?;
    check_known("sources_only", &entry.sources_only, table)?;
    let is_target = |name: &String| match &entry.targets {
        Some(targets) => targets.contains(name),
        None => !entry.sources_only.contains(name),
    };
    let targets: Vec<_> = table
        .tasks
        .iter()
        .filter(|task| is_target(&task.name))
        .collect();
    if targets.is_empty() {
        return Err("sources_only leaves no target: take at least one task out of it".into());
    }
    for target in &targets {
        let rows = target.objective.len();
        if (iterations as usize) > rows {
            return Err(format!(
                "iterations is {iterations}, but target `{}` has only {rows} rows and each is \
                 evaluated at most once: set iterations of the black box to at most {rows} or \
                 put the task into sources_only",
                target.name
            ));
        }
    }
    Ok(targets
        .into_iter()
        .map(|target| target.name.clone())
        .collect())
}

fn check_known(key: &str, names: &[String], table: &Table) -> Result<(), String> {
    let known: Vec<&str> = table.tasks.iter().map(|task| task.name.as_str()).collect();
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(format!(
            "{key}: task `{name}` is not in the table; {}",
            suggest(name, &known)
        )),
        None => Ok(()),
    }
}
