//! How much memory there is, and keeping a process within its share.

use std::fs;

use rustix::process::{Resource, Rlimit, setrlimit};

/// What is assumed where the system does not say.
const UNKNOWN: u64 = 4 << 30;

/// Bytes of memory that this process and its children may use: those of the host,
/// or of the control group if that has fewer.
pub(super) fn available() -> u64 {
    let host = fs::read_to_string("/proc/meminfo").ok();
    let host = host.as_deref().and_then(total);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = group_files(&groups)
        .into_iter()
        .filter_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok());
    limits.chain(host).min().unwrap_or(UNKNOWN)
}

/// The total in the text of /proc/meminfo.
fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

/// The files that hold the limits of a process's control groups, by the text of
/// /proc/self/cgroup: of the group itself and of those above it.
fn group_files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
            continue;
        };
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            "memory" => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        let mut path = path.trim_end_matches('/');
        loop {
            files.push(format!("{root}{path}/{file}"));
            match path.rsplit_once('/') {
                Some((above, _)) => path = above,
                None => break,
            }
        }
    }
    files
}

/// Keeps this process below so many bytes of data: beyond, allocating fails.
/// Leaves no core file behind, and makes the system choose this process, not
/// the worker, when the host runs out of memory.
///
/// # Errors
/// The system's, if it takes no limit.
pub(super) fn confine(bytes: u64) -> std::io::Result<()> {
    let limit = |bytes| Rlimit {
        current: Some(bytes),
        maximum: Some(bytes),
    };
    setrlimit(Resource::Data, limit(bytes))?;
    setrlimit(Resource::Core, limit(0))?;
    if let Err(problem) = fs::write("/proc/self/oom_score_adj", "1000") {
        tracing::debug!("cannot set oom_score_adj: {problem}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read() {
        let text = "MemTotal:       24689128 kB\nMemFree:        1 kB\n";
        assert_eq!(total(text), Some(24_689_128 << 10));
        assert_eq!(total("nothing"), None);
        assert!(available() > 100 << 20);
    }

    #[test]
    fn groups_are_followed_upwards() {
        assert_eq!(
            group_files("0::/pods/one\n"),
            [
                "/sys/fs/cgroup/pods/one/memory.max",
                "/sys/fs/cgroup/pods/memory.max",
                "/sys/fs/cgroup/memory.max"
            ]
        );
        assert_eq!(
            group_files("5:cpu,cpuacct:/x\n4:memory:/\n"),
            ["/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        );
    }
}
