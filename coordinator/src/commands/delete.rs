//! `loto delete`: deletes a sweep.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use loto_proto::untrusted_text::escape;

use super::error::CommandError;
use super::find_sweep::{find_only_sweep, recorded_date};
use super::options::StoreOption;
use super::output::print;
use crate::dispatch::{LISTENING, PlannedDeletion, refuse_active};
use crate::embedded::RunFolder;

const EXAMPLES: &str = "\
Examples:
  loto delete 3fa9 --store redis://localhost
  loto delete demo --store loto-results/demo/sweep.loto --yes

Tables and traces that other sweeps of the store need stay, and so do fits, which jobs find that are run again. A
sweep whose jobs are queued or run is not deleted: cancel it first. To delete all that a `loto run` has
made, remove its folder.";

/// Deletes a sweep from the store: its plan, and the traces and tables that no other sweep needs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DeleteCommand {
    /// Id of the sweep, the first digits of its id, or its name if no other sweep has it.
    #[arg(value_name = "SWEEP_ID")]
    sweep: String,

    #[command(flatten)]
    store: StoreOption,

    /// Delete it without asking.
    #[arg(long, env = "LOTO_YES")]
    yes: bool,
}

impl DeleteCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let file = self.store.file()?;
        let _lock = file.map(|file| RunFolder::lock_of(&file)).transpose()?;
        let store = self.store.open().await?;
        let store = store.as_ref();
        let (id, sweep) = find_only_sweep(store, &self.sweep).await?;
        refuse_active(id, &sweep, store, LISTENING).await?;
        let planned = PlannedDeletion::find(id, &sweep, store).await?;
        let name = escape(&sweep.name);
        let date = match recorded_date(store, id).await? {
            Some(date) => format!(", recorded {date}"),
            None => String::new(),
        };
        let what = format!("sweep {id} ({name}{date}) with {}", described(&planned));
        if !self.yes && !is_confirmed(&what)? {
            return Err(CommandError::NotConfirmed(what));
        }
        store.delete_sweep(&planned.deletion).await?;
        print(&format!("deleted {what}\n"))
    }
}

fn described(planned: &PlannedDeletion) -> String {
    let kept = match planned.kept_traces {
        0 => String::new(),
        kept => format!("; {kept} traces stay, which other sweeps have, too"),
    };
    format!(
        "{} traces and {} tables{kept}",
        planned.traces, planned.tables
    )
}

/// Asks on the terminal; nobody is there to answer elsewhere.
fn is_confirmed(what: &str) -> Result<bool, CommandError> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    let mut answer = String::new();
    let asked = write!(io::stderr(), "Delete {what}? [y/N] ")
        .and_then(|()| io::stderr().flush())
        .and_then(|()| io::stdin().read_line(&mut answer));
    asked.map_err(loto_report::UnwritableFile::at("the terminal".as_ref()))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
