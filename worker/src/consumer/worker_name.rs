//! What a worker calls itself.

use loto_proto::untrusted_text::escape;

/// Host name and process id.
pub(super) fn worker_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname");
    name_on(host.as_deref().unwrap_or("unknown-host"))
}

/// The name of this process on a host; others are shown it, whatever the host is called.
fn name_on(host: &str) -> String {
    format!("{}:{}", escape(host.trim()), std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_cannot_command_the_terminals_of_others() {
        let process = std::process::id();
        assert_eq!(name_on("node-7\n"), format!("node-7:{process}"));
        assert_eq!(
            name_on("a\x1b[2J\u{202e}b\n"),
            format!("a\\x1b[2J\\u{{202e}}b:{process}")
        );
    }
}
