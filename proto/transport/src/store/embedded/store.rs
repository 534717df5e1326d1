//! Opening the file, and calling SQLite, which blocks, from code that must not.

use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::{Connection, Params};

use super::failure::Failure;
use super::queries::execute;
use super::schema;
use crate::error::TransportError;
use crate::server::Server;

/// A store in one file. Several processes may have it open.
pub struct EmbeddedStore {
    file: Arc<File>,
}

/// The open file; calls take turns.
struct File {
    name: String,
    connection: Mutex<Connection>,
}

impl EmbeddedStore {
    /// Opens the store in that file, or makes it.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the file cannot be opened;
    /// [`TransportError::NotAStore`] if it is not a store, or one of another version.
    pub async fn open(path: &Path) -> Result<Self, TransportError> {
        let name = path.display().to_string();
        let path = path.to_owned();
        Self::set_up(name, move || Connection::open(path)).await
    }

    /// Makes a store that lives as long as this value, for tests.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if memory is short.
    pub async fn in_memory() -> Result<Self, TransportError> {
        Self::set_up("in memory".into(), Connection::open_in_memory).await
    }

    async fn set_up(
        name: String,
        connect: impl FnOnce() -> rusqlite::Result<Connection> + Send + 'static,
    ) -> Result<Self, TransportError> {
        blocking(move || {
            let prepared = || {
                let mut connection = connect()?;
                schema::prepare(&mut connection)?;
                Ok(connection)
            };
            let connection = prepared().map_err(|failure: Failure| failure.of(&name))?;
            let connection = Mutex::new(connection);
            let file = Arc::new(File { name, connection });
            Ok(Self { file })
        })
        .await
    }

    /// Runs one statement.
    pub(super) async fn execute(
        &self,
        statement: &'static str,
        parameters: impl Params + Send + 'static,
    ) -> Result<(), TransportError> {
        self.call(move |connection| {
            execute(connection, statement, parameters)?;
            Ok(())
        })
        .await
    }

    /// Runs `call` on a thread that may block.
    pub(super) async fn call<Value: Send + 'static>(
        &self,
        call: impl FnOnce(&mut Connection) -> Result<Value, Failure> + Send + 'static,
    ) -> Result<Value, TransportError> {
        let file = self.file.clone();
        blocking(move || {
            // If an earlier call panicked, its transaction was rolled back.
            let called = call(&mut file.connection.lock());
            called.map_err(|failure| failure.of(&file.name))
        })
        .await
    }
}

/// Runs `call` on a thread that may block and hands on its panic, if any.
async fn blocking<Value: Send + 'static>(
    call: impl FnOnce() -> Result<Value, TransportError> + Send + 'static,
) -> Result<Value, TransportError> {
    match tokio::task::spawn_blocking(call).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => Err(TransportError::Unavailable {
                server: Server::Store,
                address: "embedded".into(),
                reason: format!("the process is shutting down ({error})").into(),
            }),
        },
    }
}
