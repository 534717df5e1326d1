//! Which store this is, so that workers of one store leave the jobs of another alone.
//!
//! The id is a blob, which every account that runs or submits jobs may keep. It is drawn when a store is
//! first used. If the store loses it, whoever knows it puts it back, so that messages on the queue stay its own. If it
//! has another one by then, they note that the former one was its own, too.

use loto_proto::identity::{InvalidIdentifier, StoreId};
use parking_lot::Mutex;

use super::blobs::Blobs;
use crate::error::TransportError;

/// The name of the blob.
const NAME: &str = "store-id";

/// What is kept under the name of a former id.
const FORMER: &[u8] = b"former";

/// How often the id is put back if it vanishes at once.
const TRIES: u32 = 3;

/// What is kept under the name is no id.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0}; delete it: a worker that knows the id puts it back, and otherwise the store gets another one with \
     the next `loto submit`"
)]
struct NotAnId(#[source] InvalidIdentifier);

/// What this process knows of the id of its store.
#[derive(Debug, Default)]
pub struct StoreIdentity {
    /// All ids that the store had, the newest last: there are several if it lost one when nobody was
    /// there to put it back.
    known: Mutex<Vec<StoreId>>,
}

impl StoreIdentity {
    /// The id that the store has now; it gets one if it has none.
    ///
    /// # Errors
    /// As [`Blobs::blob`]; [`TransportError::CorruptValue`] if it is no id.
    pub async fn current(&self, store: &dyn Blobs) -> Result<StoreId, TransportError> {
        let mut was_lost = false;
        for _ in 0..TRIES {
            let last = self.known.lock().last().copied();
            if let Some(text) = store.blob(NAME).await? {
                let id = String::from_utf8_lossy(&text).parse();
                let id = id.map_err(|error| store.corrupt_blob(NAME, NotAnId(error).into()))?;
                if was_lost || last != Some(id) {
                    self.note_former_ids(id, store).await?;
                }
                self.learn(id);
                return Ok(id);
            }
            was_lost = true;
            let id = last.unwrap_or_else(|| StoreId(rand::random()));
            store.put_blob(NAME, id.to_string().as_bytes()).await?;
        }
        Err(store.corrupt_blob(NAME, "it vanishes as soon as it is put there".into()))
    }

    /// Whether that is, or was, the id of this store.
    ///
    /// # Errors
    /// As [`Self::current`].
    pub async fn is(&self, id: StoreId, store: &dyn Blobs) -> Result<bool, TransportError> {
        if self.known.lock().contains(&id) {
            return Ok(true);
        }
        if self.current(store).await? == id {
            return Ok(true);
        }
        let was = store.has_blob(&former_name(id)).await?;
        if was {
            self.known.lock().insert(0, id);
        }
        Ok(was)
    }

    /// How many ids the store had, as far as this process knows. After it lost one, messages that name it may be for
    /// nobody: only workers that knew it take them.
    pub fn ids(&self) -> usize {
        self.known.lock().len()
    }

    /// Tells those who come later which ids the store had before this one.
    async fn note_former_ids(&self, id: StoreId, store: &dyn Blobs) -> Result<(), TransportError> {
        let known = self.known.lock().clone();
        for former in known.into_iter().filter(|&former| former != id) {
            store.put_blob(&former_name(former), FORMER).await?;
        }
        Ok(())
    }

    fn learn(&self, id: StoreId) {
        let mut known = self.known.lock();
        known.retain(|&other| other != id);
        known.push(id);
    }
}

/// The name of the blob that says that this was an id of the store.
fn former_name(id: StoreId) -> String {
    format!("{NAME}:{id}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::EmbeddedStore;

    #[tokio::test]
    async fn a_store_has_one_id_and_gets_it_back() {
        let store = EmbeddedStore::in_memory().await.unwrap();
        let (one, two) = (StoreIdentity::default(), StoreIdentity::default());
        let id = one.current(&store).await.unwrap();
        assert_eq!(two.current(&store).await.unwrap(), id);
        assert!(two.is(id, &store).await.unwrap());
        assert!(!two.is(StoreId([0; 16]), &store).await.unwrap());

        // As after a loss of all data: what knew the store has the last word.
        let emptied = EmbeddedStore::in_memory().await.unwrap();
        assert_eq!(one.current(&emptied).await.unwrap(), id);
        assert_eq!(
            StoreIdentity::default().current(&emptied).await.unwrap(),
            id
        );

        // Nobody was there: both ids are the store's.
        let emptied = EmbeddedStore::in_memory().await.unwrap();
        let new = StoreIdentity::default().current(&emptied).await.unwrap();
        assert_ne!(new, id);
        assert!(!StoreIdentity::default().is(id, &emptied).await.unwrap());
        assert_eq!(one.ids(), 1);
        assert!(one.is(new, &emptied).await.unwrap());
        assert!(one.is(id, &emptied).await.unwrap());
        assert_eq!(one.ids(), 2);
        // Who comes later hears of it.
        let later = StoreIdentity::default();
        assert!(later.is(id, &emptied).await.unwrap());
        assert!(!later.is(StoreId([0; 16]), &emptied).await.unwrap());
        assert_eq!(later.current(&emptied).await.unwrap(), new);
    }

    #[tokio::test]
    async fn what_is_no_id_is_named() {
        let store = EmbeddedStore::in_memory().await.unwrap();
        store.put_blob(NAME, b"garbage").await.unwrap();
        let error = StoreIdentity::default().current(&store).await.unwrap_err();
        let error = error.to_string();
        let named = "store in memory: the value under blob store-id is corrupt: `garbage`";
        assert!(error.starts_with(named), "{error}");
        // What it says to do helps.
        assert!(error.contains("delete it"), "{error}");
        store.discard_blob(NAME).await.unwrap();
        StoreIdentity::default().current(&store).await.unwrap();
    }
}
