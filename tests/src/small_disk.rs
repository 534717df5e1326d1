//! A small disk that can be filled and freed.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A file system in memory of a few megabytes. It goes when this value is dropped, or
/// with this process.
///
/// A child process keeps it in a mount namespace of its own; everybody else gets to it
/// through that child's root folder. So nothing is mounted on this host, and a user
/// namespace does where one is not root.
pub struct SmallDisk {
    keeper: Child,
    namespace: &'static Namespace,
    path: PathBuf,
    mount_point: TempDir,
}

/// Why this host allows no small disk.
#[derive(Debug, thiserror::Error)]
pub enum SmallDiskError {
    /// The program that makes namespaces cannot be started.
    #[error("unshare cannot be started: {0}")]
    NoUnshare(#[source] io::Error),
    /// Neither as root nor as anybody may this process have a namespace or mount a file system in one.
    #[error("unshare and mount refuse: {}", .0.join("; "))]
    Refused(Vec<String>),
}

/// A way to get a mount namespace.
struct Namespace {
    /// Options of `unshare`, which makes it.
    make: &'static [&'static str],
    /// Options of `nsenter`, which goes into it.
    enter: &'static [&'static str],
}

/// As root, and as anybody.
static NAMESPACES: [Namespace; 2] = [
    Namespace {
        make: &["--mount"],
        enter: &["--mount"],
    },
    Namespace {
        make: &["--user", "--map-root-user", "--mount"],
        enter: &["--user", "--preserve-credentials", "--mount"],
    },
];

/// Ends with its standard input, and the disk with it.
const KEEP: &str = r#"mount -t tmpfs -o "size=$2m" tmpfs "$1" && echo mounted && exec cat"#;

/// Name of the file that fills the disk.
const FILLER: &str = "filler";

impl SmallDisk {
    /// Makes an empty disk.
    ///
    /// # Errors
    /// [`SmallDiskError`] if this host allows none.
    ///
    /// # Panics
    /// If there is no temporary folder.
    pub fn new(megabytes: u32) -> Result<Self, SmallDiskError> {
        let mount_point = tempfile::tempdir().expect("a temporary folder");
        let mut refusals = Vec::new();
        for namespace in &NAMESPACES {
            match keep(namespace.make, mount_point.path(), megabytes)? {
                Attempt::Mounted(keeper) => {
                    let root = PathBuf::from(format!("/proc/{}/root", keeper.id()));
                    let inside = mount_point.path().strip_prefix("/");
                    return Ok(Self {
                        keeper,
                        namespace,
                        path: root.join(inside.expect("temporary folders are absolute")),
                        mount_point,
                    });
                }
                Attempt::Refused(refusal) => refusals.push(refusal),
            }
        }
        Err(SmallDiskError::Refused(refusals))
    }

    /// Its folder. Programs that resolve links, as SQLite does, end up elsewhere with this path:
    /// they have to run [inside](Self::inside).
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its folder for programs that run inside.
    pub fn path_inside(&self) -> &Path {
        self.mount_point.path()
    }

    /// The same command, run where the disk is mounted.
    pub fn inside(&self, command: &Command) -> Command {
        let mut inside = Command::new("nsenter");
        inside.arg(format!("--target={}", self.keeper.id()));
        inside.args(self.namespace.enter).arg("--");
        inside.arg(command.get_program()).args(command.get_args());
        for (variable, value) in command.get_envs() {
            match value {
                Some(value) => inside.env(variable, value),
                None => inside.env_remove(variable),
            };
        }
        inside
    }

    /// Takes all the room that is left; returns the bytes taken.
    ///
    /// # Panics
    /// If the disk is gone.
    pub fn fill(&self) -> u64 {
        let mut filler = File::create(self.path.join(FILLER)).expect("the disk is there");
        // Smaller and smaller pieces, so that not a byte is left.
        for size in [1 << 20, 1 << 12, 1] {
            while filler.write_all(&vec![0; size]).is_ok() {}
        }
        filler.metadata().map_or(0, |metadata| metadata.len())
    }

    /// Gives the room back that [`Self::fill`] took.
    ///
    /// # Panics
    /// If there is nothing to give back.
    pub fn free(&self) {
        fs::remove_file(self.path.join(FILLER)).expect("it was filled");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // An error means that it has ended already.
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}

/// What comes of an attempt to mount a disk.
enum Attempt {
    /// The child that keeps it.
    Mounted(Child),
    /// What the host says against it.
    Refused(String),
}

fn keep(namespace: &[&str], mount_point: &Path, megabytes: u32) -> Result<Attempt, SmallDiskError> {
    let mut command = Command::new("unshare");
    command.args(namespace).args(["sh", "-c", KEEP, "sh"]);
    command.arg(mount_point).arg(megabytes.to_string());
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut keeper = command.spawn().map_err(SmallDiskError::NoUnshare)?;
    let mut first = String::new();
    let output = keeper.stdout.take().expect("it is piped");
    let _fails_with_an_empty_line = BufReader::new(output).read_line(&mut first);
    if first.trim() == "mounted" {
        return Ok(Attempt::Mounted(keeper));
    }
    let output = keeper
        .wait_with_output()
        .expect("a child can be waited for");
    let refusal = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Ok(Attempt::Refused(refusal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skipped;

    #[test]
    fn it_fills_and_frees() {
        let disk = match SmallDisk::new(2) {
            Ok(disk) => disk,
            Err(error) => return skipped::note("it_fills_and_frees", &error.to_string()),
        };
        let file = disk.path().join("file");
        fs::write(&file, "before").unwrap();
        assert!(disk.fill() > 1 << 20);
        assert!(fs::write(disk.path().join("other"), "more").is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "before");
        disk.free();
        fs::write(&file, "after").unwrap();
        let mut read = Command::new("cat");
        read.arg(disk.path_inside().join("file"));
        let output = disk.inside(&read).output().unwrap();
        assert_eq!(output.stdout, b"after", "{output:?}");
    }
}
