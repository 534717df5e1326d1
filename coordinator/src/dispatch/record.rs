//! Records a sweep in the store, with all that its workers need.

use loto_proto::identity::SweepId;
use loto_proto::sweep::Blackbox;
use loto_transport::store::Store;

use super::error::DispatchError;
use crate::plan::Plan;

/// Uploads the plan's tables and records its sweep; doing so again is a no-op.
///
/// # Errors
/// [`DispatchError::TableChanged`] if the store holds a sweep of this name
/// over another table; [`DispatchError::Transport`] if the store fails.
pub async fn record(plan: &Plan, store: &dyn Store) -> Result<SweepId, DispatchError> {
    refuse_changed_tables(plan, store).await?;
    for table in &plan.tables {
        store.put_blob(&table.blob_name(), &table.blob()).await?;
    }
    Ok(store.put_sweep(&plan.sweep).await?)
}

/// A sweep may grow (more seeds, methods, black boxes) under one name, but what
/// it is measured on must stay the same.
async fn refuse_changed_tables(plan: &Plan, store: &dyn Store) -> Result<(), DispatchError> {
    let planned_id = plan.sweep.id();
    for id in store.sweeps().await? {
        if id == planned_id {
            continue;
        }
        let found = store.sweep(id).await?;
        let Some(recorded) = found.filter(|recorded| recorded.name == plan.sweep.name) else {
            continue;
        };
        for blackbox in &plan.sweep.blackboxes {
            let is_changed =
                |other: &&Blackbox| other.name == blackbox.name && other.table != blackbox.table;
            if let Some(other) = recorded.blackboxes.iter().find(is_changed) {
                let table = plan.table(blackbox.table);
                return Err(DispatchError::TableChanged {
                    sweep: recorded.name.clone(),
                    blackbox: blackbox.name.clone(),
                    table: table.map(|table| table.path.clone()).unwrap_or_default(),
                    recorded: other.table,
                    found: blackbox.table,
                });
            }
        }
    }
    Ok(())
}
