//! When sweeps were recorded: for people, who tell sweeps of one name apart by it.
//!
//! The time is a blob, so that stores of earlier releases have a place for it. Nothing is decided by it: clocks
//! may be wrong.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use loto_proto::excerpt::excerpt;
use loto_proto::identity::SweepId;
use loto_proto::seal::{Key, check_text, seal_text};

use super::blobs::Blobs;
use crate::error::{Reason, TransportError};

/// The name of the blob with the time when a sweep was recorded.
pub fn recorded_blob_name(id: SweepId) -> String {
    format!("recorded:{id}")
}

/// Notes when a sweep is recorded for the first time.
///
/// # Errors
/// As [`Blobs::put_blob`].
pub async fn note_recorded(
    store: &dyn Blobs,
    id: SweepId,
    time: SystemTime,
) -> Result<(), TransportError> {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let text = seal_text(Key::Recorded(id), &seconds.to_string());
    store
        .put_blob(&recorded_blob_name(id), text.as_bytes())
        .await
}

/// When a sweep was recorded; `None` if a release did it that did not note the time.
///
/// # Errors
/// As [`Blobs::blob`]; [`TransportError::CorruptValue`] if the note is damaged.
pub async fn recorded(
    store: &dyn Blobs,
    id: SweepId,
) -> Result<Option<SystemTime>, TransportError> {
    let Some(bytes) = store.blob(&recorded_blob_name(id)).await? else {
        return Ok(None);
    };
    let corrupt = |reason: Reason| store.corrupt_blob(&recorded_blob_name(id), reason);
    let text = check_text(Key::Recorded(id), &bytes).map_err(|error| corrupt(error.into()))?;
    let text = String::from_utf8_lossy(text);
    let time = text.parse().ok().map(Duration::from_secs);
    let time = time.and_then(|since| UNIX_EPOCH.checked_add(since));
    let time = time.ok_or_else(|| corrupt(format!("`{}` is no time", excerpt(&text)).into()));
    time.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::EmbeddedStore;

    #[tokio::test]
    async fn the_first_time_stays_and_damage_is_noticed() {
        let store = EmbeddedStore::in_memory().await.unwrap();
        let (first, second) = (SweepId([1; 16]), SweepId([2; 16]));
        assert_eq!(recorded(&store, first).await.unwrap(), None);
        let time = UNIX_EPOCH + Duration::from_secs(1_763_791_200);
        note_recorded(&store, first, time).await.unwrap();
        note_recorded(&store, first, UNIX_EPOCH).await.unwrap();
        assert_eq!(recorded(&store, first).await.unwrap(), Some(time));
        // The note of another sweep, and none at all.
        let stored = store
            .blob(&recorded_blob_name(first))
            .await
            .unwrap()
            .unwrap();
        for damaged in [stored, b"yesterday".to_vec()] {
            let store = EmbeddedStore::in_memory().await.unwrap();
            store
                .put_blob(&recorded_blob_name(second), &damaged)
                .await
                .unwrap();
            let error = recorded(&store, second).await.unwrap_err().to_string();
            assert!(error.contains("recorded:0202"), "{error}");
        }
    }
}
