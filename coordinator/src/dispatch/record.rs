//! Records a sweep in the store, with all that its workers need.

use loto_proto::identity::SweepId;
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
        let Some(recorded) = store.sweep(id).await? else {
            continue;
        };
        if recorded.name != plan.sweep.name {
            continue;
        }
        for blackbox in &plan.sweep.blackboxes {
            let same_name = recorded
                .blackboxes
                .iter()
                .find(|other| other.name == blackbox.name);
            if let Some(other) = same_name
                && other.table != blackbox.table
            {
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
