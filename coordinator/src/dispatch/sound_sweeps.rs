//! Reads the other sweeps of a store.

use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_transport::TransportError;
use loto_transport::store::Store;

/// All recorded sweeps but this one. One whose record is damaged is named in the log and passed over.
///
/// # Errors
/// [`TransportError`] if the store fails.
pub(super) async fn sound_sweeps(
    id: SweepId,
    store: &dyn Store,
) -> Result<Vec<(SweepId, Sweep)>, TransportError> {
    read_sound(store, |other| other != id).await
}

/// All recorded sweeps. One whose record is damaged is named in the log and passed over.
///
/// # Errors
/// [`TransportError`] if the store fails.
pub(crate) async fn all_sound_sweeps(
    store: &dyn Store,
) -> Result<Vec<(SweepId, Sweep)>, TransportError> {
    read_sound(store, |_| true).await
}

async fn read_sound(
    store: &dyn Store,
    is_wanted: impl Fn(SweepId) -> bool,
) -> Result<Vec<(SweepId, Sweep)>, TransportError> {
    let mut sweeps = Vec::new();
    for id in store.sweeps().await? {
        if !is_wanted(id) {
            continue;
        }
        match store.sweep(id).await {
            Ok(sweep) => sweeps.extend(sweep.map(|sweep| (id, sweep))),
            Err(error) if error.concerns_server() => return Err(error),
            Err(error) => tracing::warn!("{error}; it is passed over"),
        }
    }
    Ok(sweeps)
}

/// The recorded sweeps of the same name: what the sweep was when its file said something else.
///
/// # Errors
/// As [`sound_sweeps`].
pub(super) async fn earlier_sweeps(
    sweep: &Sweep,
    store: &dyn Store,
) -> Result<Vec<Sweep>, TransportError> {
    let others = sound_sweeps(sweep.id(), store).await?.into_iter();
    let others = others.map(|(_, other)| other);
    Ok(others.filter(|other| other.name == sweep.name).collect())
}
