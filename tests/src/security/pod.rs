//! What a container of Kubernetes may do, as far as this host can do it: a process of a user
//! without rights, on a file system that cannot be written to.

use std::path::Path;
use std::process::{Command, Stdio};

/// User and group of the process: nobody who is known here.
pub const USER: u32 = 65532;

/// Makes the root of the file system read-only in a mount namespace of its own, gives all rights
/// away for good, and becomes the program.
const ENTER: &str = r#"
mount --bind / / && mount -o remount,bind,ro / && cd / &&
exec setpriv --reuid "$0" --regid "$0" --clear-groups --inh-caps -all --bounding-set -all --no-new-privs -- "$@""#;

/// A command that runs a program in such a place, without any variable of ours.
pub fn command(program: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private", "sh", "-c", ENTER]);
    command.arg(USER.to_string()).arg(program);
    command.env_clear();
    command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    command
}

/// Why this host cannot do that, if it cannot; it can if the user is root and not confined.
///
/// # Panics
/// If the place is not what it should be.
pub fn refusal() -> Option<String> {
    let mut attempt = command(Path::new("/bin/sh"));
    // Says who it is, and whether it can write where anybody else can.
    attempt.args(["-c", "id -u; touch /loto-cannot-write 2>&1"]);
    let output = match attempt.stdin(Stdio::null()).output() {
        Ok(output) => output,
        Err(error) => return Some(error.to_string()),
    };
    let told = String::from_utf8_lossy(&output.stdout);
    if !told.starts_with(&format!("{USER}\n")) {
        let problem = String::from_utf8_lossy(&output.stderr);
        return Some(problem.trim().to_owned());
    }
    assert!(told.contains("touch"), "the file system can be written to");
    None
}
