//! Whether a store takes what is to be stored, and for how long it may lose it.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::TransportError;

/// A mark of all that a store holds. While it is the same, nothing was stored or deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeMark(pub(crate) String);

/// What a store tells of itself.
#[async_trait]
pub trait Health: Send + Sync {
    /// Why nothing can be stored at the moment, or may be lost, although the store answers: one sentence each, none if all is
    /// well. A store in a file has no such state: writing to it fails at once, and says why.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if it does not answer; [`TransportError::Refused`] if we may not ask.
    async fn alarms(&self) -> Result<Vec<String>, TransportError> {
        Ok(Vec::new())
    }

    /// For how long it may still lose what it said was stored, if its process is killed. A store in a file loses nothing then and
    /// says zero.
    fn longest_loss(&self) -> Duration {
        Duration::ZERO
    }

    /// What tells cheaply whether anything is other than at the last look; `None` from a store that cannot tell. What is read
    /// after the mark was taken is at least as new as the mark.
    ///
    /// # Errors
    /// As [`Self::alarms`].
    async fn change_mark(&self) -> Result<Option<ChangeMark>, TransportError> {
        Ok(None)
    }
}
