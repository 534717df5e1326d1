//! `loto merge`: joins the results of several runs.

use std::path::PathBuf;

use clap::Args;
use loto_report::numbers::count;
use loto_transport::store;

use super::error::CommandError;
use super::output::print;
use crate::embedded::RunFolder;
use crate::merge::{Added, MergeError, StoreContents, add, refuse_conflicts};

const EXAMPLES: &str = "\
Examples:
  loto merge a/sweep.loto b/sweep.loto --out results
  loto merge baselines.loto --out mine     then: loto run mine.toml --out mine

`loto run` with the merged folder computes only what is still missing: a baseline that somebody
else has run is not computed again if its table, parameters and seeds are the same. All traces
are checked against their tables first. If two stores have different traces of one job, nothing is
merged and the jobs are named.";

/// Joins the traces of several runs in the store of a new or existing folder.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct MergeCommand {
    /// Stores of other runs: the files named sweep.loto in their folders.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Folder whose store takes them in, as `loto run --out` makes it.
    #[arg(long, env = "LOTO_OUT", value_name = "DIR")]
    out: PathBuf,
}

impl MergeCommand {
    pub(super) async fn execute(self) -> Result<(), CommandError> {
        let mut sources = Vec::with_capacity(self.files.len() + 1);
        for file in &self.files {
            let name = file.display().to_string();
            let path = file
                .to_str()
                .ok_or_else(|| MergeError::Path(name.clone()))?;
            let store = store::open_existing(format!("sqlite:{path}").as_str()).await?;
            let contents = StoreContents::read(name, store).await?;
            if contents.is_empty() {
                return Err(MergeError::Empty(contents.name).into());
            }
            sources.push(contents);
        }
        // Before the folder is made.
        refuse_conflicts(&sources).await?;
        let folder = RunFolder::open(&self.out).await?;
        let name = folder.store_file().display().to_string();
        sources.push(StoreContents::read(name, folder.store.clone()).await?);
        refuse_conflicts(&sources).await?;
        sources.pop();
        let mut sum = Added::default();
        for contents in &sources {
            let added = add(contents, &folder.store).await?;
            sum.new += added.new;
            sum.already += added.already;
        }
        let store = folder.store_file();
        print(&format!(
            "merged {} into {}: {} new traces, {} were there already or belong to several sweeps\n",
            count(sources.len() as u64, "store"),
            store.display(),
            sum.new,
            sum.already,
        ))
    }
}
