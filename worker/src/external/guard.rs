//! The guard of a method: ends it with all its descendants when the computing process ends or closes the method's
//! input, and removes its folder.
//!
//! The descendants of a method may leave its process group, and outlive their parents. The guard adopts them: it is
//! the subreaper of what it started.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
    pidfd_open, set_child_subreaper, wait,
};

use super::{confined_start, method_folder};

/// First argument of a program that is to guard a method; then come the folder, the number of withheld
/// paths, these paths and the command.
pub(super) const ARGUMENT: &str = "guard-method";

/// How often descendants that ended are looked for.
const REAPING: Timespec = Timespec {
    tv_sec: 5,
    tv_nsec: 0,
};

/// How long descendants that were killed may take to be gone.
const DEATH: Duration = Duration::from_secs(10);

pub(super) fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        eprintln!("there is no folder");
        return ExitCode::FAILURE;
    };
    let guarded = guard(&folder, arguments);
    end_descendants();
    let removed = std::fs::remove_dir_all(&folder);
    if let Err(error) = removed
        && error.kind() != io::ErrorKind::NotFound
    {
        eprintln!("cannot remove {}: {error}", folder.display());
    }
    match guarded {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("cannot guard the method: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the method until it ends, or until nobody can write to its input any more.
fn guard(folder: &Path, arguments: impl Iterator<Item = OsString>) -> io::Result<u8> {
    set_child_subreaper(Some(getpid()))?;
    let mut start = Command::new("/proc/self/exe");
    start
        .arg(confined_start::ARGUMENT)
        .arg(getpid().as_raw_pid().to_string())
        .arg(folder)
        .args(arguments)
        .current_dir(folder.join(method_folder::PROGRAM))
        .process_group(0);
    let method = Pid::from_child(&start.spawn()?);
    let method_end = pidfd_open(method, PidfdFlags::empty())?;
    // If the method closes its output, nobody else keeps it open.
    rustix::stdio::dup2_stdout(io::stderr())?;
    let input = io::stdin();
    let status = loop {
        let (hung_up, ended) = {
            // Only the hang-up is asked for: what is in the pipe is the method's to read.
            let mut watched = [
                PollFd::new(&input, PollFlags::empty()),
                PollFd::new(&method_end, PollFlags::IN),
            ];
            match poll(&mut watched, Some(&REAPING)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            (
                !watched[0].revents().is_empty(),
                !watched[1].revents().is_empty(),
            )
        };
        let status = reap(method);
        if status.is_some() || ended {
            break status;
        }
        if hung_up {
            break None;
        }
    };
    if status.is_none() {
        // The whole group at once. Whoever left it is killed after it.
        let _gone = kill_process_group(method, Signal::KILL);
    }
    Ok(status.map_or(0, exit_status))
}

/// Takes note of the descendants that ended; the status of the method if it is one of them.
fn reap(method: Pid) -> Option<WaitStatus> {
    let mut status = None;
    while let Ok(Some((ended, how))) = wait(WaitOptions::NOHANG) {
        if ended == method {
            status = Some(how);
        }
    }
    status
}

/// As a shell gives it: above 128 for a signal.
fn exit_status(status: WaitStatus) -> u8 {
    let code = status.exit_status();
    let signal = status.terminating_signal().map(|signal| 128 + signal);
    code.or(signal)
        .and_then(|status| u8::try_from(status).ok())
        .unwrap_or(1)
}

/// Kills children until there are none. The children of one that was killed become ours.
fn end_descendants() {
    let begin = Instant::now();
    while begin.elapsed() < DEATH {
        for child in children() {
            let _gone = kill_process(child, Signal::KILL);
        }
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_no_children) => return,
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The processes whose parent this one is.
fn children() -> Vec<Pid> {
    let own = getpid().as_raw_pid();
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let processes = processes.filter_map(|entry| {
        let name = entry.ok()?.file_name();
        let process: i32 = name.to_str()?.parse().ok()?;
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        (parent_of(&stat)? == own).then_some(process)
    });
    processes.filter_map(Pid::from_raw).collect()
}

/// The parent in the text of /proc/PID/stat. The name before it may contain anything.
fn parent_of(stat: &str) -> Option<i32> {
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_read_whatever_the_name() {
        assert_eq!(parent_of("12 (a) 3 (b)) S 7 12 12 0"), Some(7));
        assert_eq!(parent_of("12 (a"), None);
        let own = std::fs::read_to_string("/proc/self/stat").unwrap();
        let parent = rustix::process::getppid().unwrap().as_raw_pid();
        assert_eq!(parent_of(&own), Some(parent));
    }
}
