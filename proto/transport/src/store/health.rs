//! Whether a store takes what is to be stored.

use async_trait::async_trait;

use crate::error::TransportError;

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
}
