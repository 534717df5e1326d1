//! Options that several commands share.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use loto_proto::store::{self, Store};
use tokio_util::sync::CancellationToken;

use crate::CoordinatorError;
use crate::statistics::random_search::Baseline;

/// Where tables are.
#[derive(Debug, Args)]
pub(super) struct DataOption {
    /// Folder to look for tables in, after the sweep file's own.
    #[arg(long, env = "LOTO_DATA", value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
}

/// Where traces are.
#[derive(Debug, Args)]
pub(super) struct StoreOption {
    /// The store: redis://HOST:PORT, or the sweep.loto file of `loto run`.
    #[arg(long, env = "LOTO_STORE", hide_env_values = true, value_name = "URL")]
    store: String,
}

impl StoreOption {
    /// Opens the store, which must be there.
    ///
    /// # Errors
    /// [`loto_proto::ProtoError`] if it is not.
    pub(super) async fn open(&self) -> Result<Arc<dyn Store>, CoordinatorError> {
        Ok(store::open_existing(&self.store).await?)
    }

    /// Opens the store; a file that is not there is made.
    ///
    /// # Errors
    /// [`loto_proto::ProtoError`] if it cannot be opened.
    pub(super) async fn open_or_make(&self) -> Result<Arc<dyn Store>, CoordinatorError> {
        Ok(store::open(&self.store).await?)
    }
}

/// What scores compare with.
#[derive(Debug, Args)]
pub(super) struct BaselineOption {
    /// Random search to score against: its exact expectation on the table, without
    /// or with replacement, or the sweep's own method rs.
    #[arg(
        long,
        env = "LOTO_BASELINE",
        value_name = "BASELINE",
        default_value = "exact",
        value_parser = PossibleValuesParser::new(Baseline::NAMES.map(|(_, name)| name))
            .try_map(|name| name.parse::<Baseline>())
    )]
    pub(super) baseline: Baseline,
}

/// A token that the first Ctrl-C or SIGTERM cancels; the second ends the process.
///
/// # Errors
/// [`CoordinatorError::Internal`] if the system takes no handler.
pub(super) fn on_signal() -> Result<CancellationToken, CoordinatorError> {
    loto_worker::shutdown::on_signal()
        .map_err(|problem| CoordinatorError::Internal(format!("cannot handle signals: {problem}")))
}
