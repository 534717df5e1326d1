//! Opening the file, and calling SQLite, which blocks, from code that must not.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::{Connection, Params};

use super::failure::Failure;
use super::queries::execute;
use super::read_only;
use super::schema;
use crate::error::{Reason, TransportError};
use crate::server::Server;
use crate::store::damage::{Damage, Hidden, PassedOver, sound};

/// A store in one file. Several processes may have it open.
pub struct EmbeddedStore {
    file: Arc<File>,
    damage: Damage,
}

/// The open file; calls take turns.
struct File {
    name: String,
    connection: Mutex<Connection>,
    is_read_only: bool,
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
        Self::set_up(name, false, move || {
            refuse_irregular(&path)?;
            let mut connection = Connection::open(path)?;
            schema::prepare(&mut connection)?;
            Ok(connection)
        })
        .await
    }

    /// Opens the store in a file that cannot be written, to be read only.
    ///
    /// # Errors
    /// As [`Self::open`]; also [`TransportError::NotAStore`] if the file has to be written before it can be read.
    pub async fn open_read_only(path: &Path) -> Result<Self, TransportError> {
        let name = path.display().to_string();
        let path = path.to_owned();
        Self::set_up(name, true, move || {
            refuse_irregular(&path)?;
            read_only::connect(&path)
        })
        .await
    }

    /// Makes a store that lives as long as this value, for tests.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if memory is short.
    pub async fn in_memory() -> Result<Self, TransportError> {
        Self::set_up("in memory".into(), false, || {
            let mut connection = Connection::open_in_memory()?;
            schema::prepare(&mut connection)?;
            Ok(connection)
        })
        .await
    }

    async fn set_up(
        name: String,
        is_read_only: bool,
        connect: impl FnOnce() -> Result<Connection, Failure> + Send + 'static,
    ) -> Result<Self, TransportError> {
        blocking(move || {
            let connection = connect().map_err(|failure| failure.of(&name))?;
            let file = Arc::new(File {
                name,
                connection: Mutex::new(connection),
                is_read_only,
            });
            let damage = Damage::default();
            Ok(Self { file, damage })
        })
        .await
    }

    /// Keeps the sound ones of the entries of a list.
    pub(super) fn sound<Entry>(
        &self,
        list: &str,
        hides: Hidden,
        entries: Vec<Result<Entry, Failure>>,
    ) -> Vec<Entry> {
        let told = |failure: Failure| failure.of(&self.file.name);
        let entries = entries.into_iter().map(|entry| entry.map_err(told));
        sound(&self.damage, list, hides, entries)
    }

    pub(super) fn corrupt(&self, key: String, reason: Reason) -> TransportError {
        Failure::corrupt(key, reason).of(&self.file.name)
    }

    pub(super) fn damage(&self) -> Vec<PassedOver> {
        self.damage.list()
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
            called.map_err(|failure| match file.is_read_only {
                true => failure.of_read_only(&file.name),
                false => failure.of(&file.name),
            })
        })
        .await
    }
}

/// Refuses a folder, a pipe or a device, of which SQLite says that the disk is full or the file cannot be opened.
fn refuse_irregular(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            Err(Failure::NotAStore("it is not a regular file".into()))
        }
        _ => Ok(()),
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
