//! The protocol of loto: what two of its processes must agree on.
//!
//! - [`sweep_file`]: the TOML file that a user writes;
//! - [`sweep`], [`job`], [`trace`]: the plan, one unit of work, its outcome;
//! - [`attempt`], [`lifecycle`]: how an unfinished job stands, and what may become of it;
//! - [`heartbeat`], [`sweep_state`]: which jobs workers hold, and what was done with a sweep;
//! - [`table_spec`], [`scale`]: what a sweep file declares about a table and its columns;
//! - [`protocol`]: whether tasks are tuned each by itself or one after the other;
//! - [`initial_rows`]: the first evaluations that it gives for each task and seed;
//! - [`external_program`]: the program of a method that is not part of loto;
//! - [`identity`]: content hashes that name tables, jobs and sweeps;
//! - [`seal`]: the checksums of stored values;
//! - [`limits`], [`bounded_file`]: the most that is accepted from outside, and files read up to it;
//! - [`message_error`], [`suggestion`]: why bytes are not a message, and which name was probably meant;
//! - [`untrusted_text`], [`excerpt`]: how texts from outside are shown, and which names are refused;
//! - [`wire`]: the messages generated from `loto/v1/*.proto`.
//!
//! Nothing here reads from a network or a store; that is the work of the crate `loto-transport`.
//!
//! ```
//! use std::path::Path;
//!
//! use loto_proto::job::MethodSpec;
//! use loto_proto::sweep::{Blackbox, Sweep};
//! use loto_proto::sweep_file::SweepFile;
//!
//! let text = r#"
//!     name = "example"
//!     methods = ["rs"]
//!     seeds = 2
//!     iterations = 10
//!
//!     [[blackbox]]
//!     name = "LR"
//!     table = "lr.csv"
//!     objective = "metric_error"
//!     targets = ["a6a", "covtype"]
//! "#;
//! let file = SweepFile::parse(text, Path::new("example.toml"))?;
//! let blackbox = |entry: &loto_proto::sweep_file::BlackboxEntry| Blackbox {
//!     name: entry.name.clone(),
//!     table_file: None,
//!     table: entry.table_spec(&[]).unwrap().fingerprint(b"the bytes of lr.csv"),
//!     targets: entry.targets.clone().unwrap_or_default(),
//!     iterations: file.iterations,
//!     protocol: entry.protocol,
//!     cost: entry.cost.clone(),
//!     methods: vec![MethodSpec {
//!         name: None,
//!         id: "rs".into(),
//!         version: 1,
//!         parameters: Default::default(),
//!         program: None,
//!     }],
//! };
//! let sweep = Sweep {
//!     name: file.name.clone(),
//!     blackboxes: file.blackboxes.iter().map(blackbox).collect(),
//!     seeds: file.seeds,
//! };
//! for job in sweep.jobs() {
//!     println!("{} {} {}", job.id(), job.series.task, job.seed);
//! }
//! assert_eq!(sweep.jobs().count(), 4);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

pub mod attempt;
pub mod bounded_file;
pub mod excerpt;
pub mod external_program;
pub mod heartbeat;
pub mod identity;
pub mod initial_rows;
pub mod job;
pub mod lifecycle;
pub mod limits;
pub mod message_error;
mod packing;
pub mod protocol;
pub mod scale;
pub mod seal;
pub mod suggestion;
pub mod sweep;
pub mod sweep_file;
pub mod sweep_state;
pub mod table_spec;
pub mod trace;
pub mod untrusted_text;

/// Messages generated from `proto/loto/v1/job.proto` and `computing.proto`, where each field is documented.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod wire {
    include!(concat!(env!("OUT_DIR"), "/loto.v1.rs"));
}
