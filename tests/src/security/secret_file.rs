//! Files that only their owner can read, as the programs demand of secrets.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes a file that nobody else can read.
///
/// # Panics
/// If it cannot be written.
pub fn write_secret(path: &Path, content: &str) {
    fs::write(path, content).expect("the folder can be written to");
    let own = fs::Permissions::from_mode(0o600);
    fs::set_permissions(path, own).expect("our own file");
}
