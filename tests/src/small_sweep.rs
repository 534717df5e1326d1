//! A folder with a small table and a sweep file: what most tests of the programs begin with.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use loto_proto::identity::Fingerprint;
use loto_proto::job::{Job, Series};
use loto_proto::table_spec::{Categorical, TableSpec};
use tempfile::TempDir;

use crate::samples::method;

/// Two tasks of six rows.
pub const TABLE: &str = "\
hp_a,hp_b,metric_error,task
0,0,0.50,one
1,0,0.25,one
2,1,0.75,one
3,1,0.20,one
4,2,0.90,one
5,2,0.10,one
0,0,0.30,two
1,0,0.35,two
2,1,0.65,two
3,1,0.15,two
4,2,0.80,two
5,2,0.40,two
";

/// The fingerprint of [`TABLE`] and its blob, as a store keeps it.
pub fn table_blob() -> (Fingerprint, Vec<u8>) {
    let spec = TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::Columns(BTreeSet::new()),
        ..TableSpec::default()
    };
    let file = TABLE.as_bytes();
    (spec.fingerprint(file), spec.encode_with(file))
}

/// Random search on the first task of that table.
pub fn job(table: Fingerprint, seed: u32) -> Job {
    Job {
        series: Series {
            method: method("rs"),
            table,
            task: "one".into(),
            iterations: 6,
        },
        seed,
    }
}

/// A folder that goes when this value is dropped, with [`TABLE`] as `table.csv`.
pub struct Folder(TempDir);

impl Folder {
    /// A folder with this text as `sweep.toml`.
    ///
    /// # Panics
    /// If it cannot be made.
    pub fn with_sweep(sweep: &str) -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder can be made"));
        folder.write("table.csv", TABLE);
        folder.write("sweep.toml", sweep);
        folder
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The sweep file.
    pub fn sweep(&self) -> PathBuf {
        self.path("sweep.toml")
    }

    /// Writes a file.
    ///
    /// # Panics
    /// If it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("a temporary folder can be written to");
    }
}
