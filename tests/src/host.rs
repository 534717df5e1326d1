//! `loto host` as a process, to be asked, killed and started again.

use std::path::PathBuf;

use tempfile::TempDir;

use crate::programs::{self, Process};

/// A running `loto host` with a store of its own, which goes when this value is dropped.
pub struct RunningHost {
    process: Process,
    folder: TempDir,
    arguments: Vec<String>,
    /// `loto[s]://127.0.0.1:PORT`.
    pub url: String,
}

impl RunningHost {
    /// Starts a host on a free port of the loopback address, with these further arguments.
    ///
    /// # Panics
    /// If it does not serve.
    pub fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let (process, url) = serve(&folder, "127.0.0.1:0", &arguments);
        Self {
            process,
            folder,
            arguments,
            url,
        }
    }

    /// The file of its store.
    pub fn store_file(&self) -> PathBuf {
        store_file(&self.folder)
    }

    /// Ends it as a crash does.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Starts it again at the same address with the same store.
    ///
    /// # Panics
    /// If it does not serve.
    pub fn start_again(&mut self) {
        let (_, address) = self.url.split_once("://").expect("a URL");
        let (process, url) = serve(&self.folder, address, &self.arguments);
        assert_eq!(url, self.url);
        self.process = process;
    }
}

fn store_file(folder: &TempDir) -> PathBuf {
    folder.path().join("laboratory.loto")
}

fn serve(folder: &TempDir, listen: &str, arguments: &[String]) -> (Process, String) {
    let mut host = programs::command("loto");
    host.arg("host").arg(store_file(folder));
    host.args(["--listen", listen]).args(arguments);
    programs::start_and_read(host, "serving a queue and a store on ")
}
