//! Records a sweep in the store, with all that its workers need.

use loto_proto::identity::SweepId;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::untrusted_text::escape;
use loto_transport::TransportError;
use loto_transport::store::Store;

use super::error::DispatchError;
use super::inventory::Inventory;
use super::newer_versions::NewerVersions;
use super::sound_sweeps::earlier_sweeps;
use crate::plan::Plan;

/// Uploads the plan's tables and records its sweep; doing so again is a no-op.
///
/// # Errors
/// [`DispatchError::TableChanged`] if the store holds a sweep of this name
/// over another table; [`DispatchError::Transport`] if the store fails.
pub async fn record(plan: &Plan, store: &dyn Store) -> Result<SweepId, DispatchError> {
    let earlier = earlier_sweeps(&plan.sweep, store).await?;
    refuse_changed_tables(plan, &earlier)?;
    if let Some(newer) = NewerVersions::find(&plan.sweep, &earlier, store).await? {
        tracing::warn!("{newer}");
    }
    tell_of_other_name(&plan.sweep, store).await?;
    Ok(Inventory::of_plan(plan).record(store).await?)
}

/// Says so if the store has the same sweep under another name, which it keeps.
async fn tell_of_other_name(sweep: &Sweep, store: &dyn Store) -> Result<(), TransportError> {
    let id = sweep.id();
    match store.sweep(id).await {
        Ok(Some(known)) if known.name != sweep.name => {
            let known = escape(&known.name);
            tracing::warn!(
                "the store has this sweep under the name {known} and keeps it: other commands find it as {known}, or by its id {id}"
            );
            Ok(())
        }
        Err(error) if error.concerns_server() => Err(error),
        // A damaged record is replaced.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// A sweep may grow (more seeds, methods, black boxes) under one name, but what
/// it is measured on must stay the same.
fn refuse_changed_tables(plan: &Plan, earlier: &[Sweep]) -> Result<(), DispatchError> {
    for recorded in earlier {
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
