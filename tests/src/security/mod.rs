//! An installation as it should be run: TLS and client certificates everywhere, an account per
//! role, tokens, programs as a user without rights on a file system that is read-only.
//!
//! - [`certificates`]: authorities and certificates, good and bad;
//! - [`installation`]: the servers, and the environment of each role;
//! - [`pod`]: what a container may do, as far as this host can do it;
//! - [`secret_file`]: files that nobody else can read.

pub mod certificates;
pub mod installation;
pub mod pod;
pub mod secret_file;
