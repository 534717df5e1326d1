//! The connection over which a process publishes.
//!
//! It is another one than that over which the process consumes: a broker with an alarm reads nothing from a
//! connection that publishes, not even acknowledgements.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;

use super::broker::Broker;
use super::session::Session;
use crate::error::TransportError;

/// Publishes over a session that is opened again after it failed.
pub(super) struct Publisher {
    broker: Arc<Broker>,
    /// None after a failure, until the next use.
    session: Mutex<Option<Arc<Session>>>,
}

impl Publisher {
    pub(super) fn new(broker: Arc<Broker>, session: Session) -> Self {
        Self {
            broker,
            session: Mutex::new(Some(Arc::new(session))),
        }
    }

    pub(super) async fn session(&self) -> Result<Arc<Session>, TransportError> {
        let mut kept = self.session.lock().await;
        let session = match kept.take() {
            Some(session) => session,
            None => Arc::new(Session::open(&self.broker).await?),
        };
        *kept = Some(Arc::clone(&session));
        Ok(session)
    }

    /// Passes on what came of using a session, and forgets the session if that is a failure. One that
    /// is blocked is kept: it works again when the alarm is over, and another one would be blocked, too.
    pub(super) async fn checked<Value>(
        &self,
        used: &Arc<Session>,
        outcome: Result<Value, TransportError>,
    ) -> Result<Value, TransportError> {
        if outcome.is_err() && !used.is_blocked() {
            let mut kept = self.session.lock().await;
            kept.take_if(|session| Arc::ptr_eq(session, used));
        }
        outcome
    }

    /// Publishes one message, after a delay if there is any; returns when it is safe.
    pub(super) async fn publish(&self, body: &[u8], delay: Duration) -> Result<(), TransportError> {
        let session = self.session().await?;
        let publishing = async {
            let pending = session.send(body, delay).await?;
            session.confirmation(pending).await
        };
        self.checked(&session, publishing.await).await
    }
}
