//! Calling SQLite, which blocks, from code that must not.

use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, Params, TransactionBehavior, params};

use super::file::{File, explain};
use crate::error::TransportError;
use crate::server::Server;
use loto_proto::identity::{SeriesId, SweepId};

/// A store in one file. Several processes may have it open.
pub struct EmbeddedStore {
    file: Arc<File>,
}

impl EmbeddedStore {
    /// Opens the store in that file, or makes it.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the file cannot be opened;
    /// [`TransportError::NotAStore`] if it is no store, or one of another version.
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
            let connection = connect().map_err(|error| explain(&name, error))?;
            let file = Arc::new(File::open(name, connection)?);
            Ok(Self { file })
        })
        .await
    }

    /// Runs one statement that returns nothing.
    pub(super) async fn execute(
        &self,
        statement: &'static str,
        parameters: impl Params + Send + 'static,
    ) -> Result<(), TransportError> {
        self.call(move |file, connection| {
            connection
                .prepare_cached(statement)
                .and_then(|mut statement| statement.execute(parameters))
                .map_err(|error| file.failed(error))?;
            Ok(())
        })
        .await
    }

    /// Runs a statement for each of these series and marks a sweep as cancelled or not, all at once.
    pub(super) async fn for_each_series(
        &self,
        statement: &'static str,
        series: &[SeriesId],
        (id, cancelled): (SweepId, bool),
    ) -> Result<(), TransportError> {
        let series = series.to_owned();
        self.call(move |file, connection| {
            let change = || -> rusqlite::Result<()> {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                for series in series {
                    transaction.prepare_cached(statement)?.execute([series.0])?;
                }
                transaction.execute(
                    "INSERT OR REPLACE INTO sweep_states (id, published, cancelled)
                     VALUES (?1, 0, ?2)",
                    params![id.0, cancelled],
                )?;
                transaction.commit()
            };
            change().map_err(|error| file.failed(error))
        })
        .await
    }

    /// Runs `call` on a thread that may block.
    pub(super) async fn call<Value: Send + 'static>(
        &self,
        call: impl FnOnce(&File, &mut Connection) -> Result<Value, TransportError> + Send + 'static,
    ) -> Result<Value, TransportError> {
        let file = self.file.clone();
        blocking(move || call(&file, &mut file.connection())).await
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
