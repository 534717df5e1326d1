//! The shell of a process: what the programs of loto have in common around their work.
//!
//! - [`program`]: runs a program to its end, with logs, threads, and errors that become an exit status;
//! - [`allocation`]: the time that a batch system gives the program;
//! - [`command_line`]: reads the command line, and the variables that stand for its options;
//! - [`connection_options`]: how to reach the broker and the store, and as whom;
//! - [`connections`]: connections of clients, bounded in number and time;
//! - [`logs`]: which events are logged, and how log lines look;
//! - [`shutdown`]: ends the program on a signal;
//! - [`observation`]: metrics and probes over HTTP;
//! - [`error`] and [`exit_status`]: what can go wrong in all this, and what scripts see of it.
//!
//! ```
//! use clap::Parser;
//! use loto_process::logs::LogOptions;
//! use loto_process::observation::endpoint::EndpointOption;
//! use loto_process::observation::readiness::Readiness;
//! use loto_process::{ExitStatus, ProcessError, program, shutdown};
//!
//! #[derive(Parser)]
//! struct Arguments {
//!     #[command(flatten)]
//!     logs: LogOptions,
//!     #[command(flatten)]
//!     endpoint: EndpointOption,
//! }
//!
//! let arguments = Arguments::parse_from(["program", "--log", "warn", "--metrics", "127.0.0.1:0"]);
//! let status = program::run(&arguments.logs, std::io::stderr, async {
//!     let shutdown = shutdown::on_signal()?;
//!     let readiness = Readiness::default();
//!     let prepared = readiness.need("the preparations");
//!     arguments.endpoint.start(&[], &readiness).await?;
//!     prepared.set(true);
//!     // Work until `shutdown` is cancelled.
//!     Ok::<_, ProcessError>(())
//! });
//! assert_eq!(status, ExitStatus::Done);
//! ```

pub mod allocation;
pub mod command_line;
pub mod connection_options;
pub mod connections;
pub mod error;
pub mod exit_status;
mod log_lines;
pub mod logs;
pub mod observation;
pub mod program;
pub mod shutdown;

pub use error::ProcessError;
pub use exit_status::ExitStatus;
