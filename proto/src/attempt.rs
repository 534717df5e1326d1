//! What is known of a job that was handed to a worker and is not done.

use crate::limits::{MAX_ATTEMPT_BYTES, MAX_ERROR_BYTES};
use crate::message_error::{MessageError, MessageKind, MessageProblem, check_count};

/// How the attempts at a job stand.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct Attempt {
    /// How many times the job was begun. An attempt whose job was requeued does not count.
    pub count: u32,
    /// How many of these attempts ended with an error. In the others, apart from one that is
    /// running, the worker vanished.
    #[serde(default)]
    pub failures: u32,
    /// How the last attempt stands.
    pub state: AttemptState,
    /// The worker that made it: host name and process id.
    pub worker: String,
    /// Names the process and the delivery that it was made for, as `PROCESS/DELIVERY`, so that an attempt
    /// whose recording was told twice is one attempt. Empty in records of former releases.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub token: String,
    /// The error of the last attempt that failed; empty if none did.
    pub error: String,
    /// Where in the program it failed, or what its process wrote last; empty if that is not known.
    #[serde(default)]
    pub backtrace: String,
}

/// How a job's last attempt stands.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum AttemptState {
    /// The job waits: a worker requeued it, or `loto retry` released it.
    #[default]
    Queued,
    /// A worker is computing it, or died while it did.
    Running,
    /// It failed and will be tried again.
    Failed,
    /// It failed so often that no worker tries it again.
    Poisoned,
}

/// Which attempt a store held when it was read, so that it is replaced only as
/// long as nobody else has replaced it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct AttemptVersion(pub Option<Vec<u8>>);

impl Attempt {
    /// Whether it runs in the process that this token names, which therefore lives.
    pub(crate) fn runs_in_process_of(&self, token: &str) -> bool {
        let process = |token: &str| {
            let (process, _delivery) = token.split_once('/')?;
            Some(process.to_owned())
        };
        let own = process(token);
        self.state == AttemptState::Running && own.is_some() && process(&self.token) == own
    }

    /// The attempt as stored text. A long error is cut.
    pub fn encode(&self) -> String {
        let kept = Self {
            error: cut(&self.error).to_owned(),
            backtrace: cut(&self.backtrace).to_owned(),
            ..self.clone()
        };
        serde_json::json!(kept).to_string()
    }

    /// Reads stored text.
    ///
    /// # Errors
    /// [`MessageError`] if it is not an attempt.
    pub fn decode(text: &[u8]) -> Result<Self, MessageError> {
        let read = || -> Result<Self, MessageProblem> {
            check_count("bytes", text.len() as u64, MAX_ATTEMPT_BYTES as u64)?;
            Ok(serde_json::from_slice(text)?)
        };
        read().map_err(|problem| MessageKind::Attempt.refuses(problem))
    }
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MAX_ERROR_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_survive_and_long_errors_are_cut() {
        let attempt = Attempt {
            count: 2,
            failures: 1,
            state: AttemptState::Poisoned,
            worker: "host:1".into(),
            token: "5a/1".into(),
            error: "\u{e9}".repeat(MAX_ERROR_BYTES) + "end",
            backtrace: "at line 3".into(),
        };
        let text = attempt.encode();
        assert!(text.contains("poisoned"), "{text}");
        let read = Attempt::decode(text.as_bytes()).unwrap();
        assert_eq!(read.error.len(), MAX_ERROR_BYTES);
        let error = read.error.clone();
        assert_eq!(read, Attempt { error, ..attempt });
        assert!(Attempt::decode(b"{\"count\":-1}").is_err());
    }

    #[test]
    fn attempts_of_the_release_before_are_read() {
        let text = br#"{"count":2,"error":"x","state":"failed","worker":"host:1"}"#;
        let read = Attempt::decode(text).unwrap();
        assert_eq!((read.count, read.failures), (2, 0));
        assert_eq!(read.state, AttemptState::Failed);
        // And what this one writes without a token is what they wrote.
        assert!(!read.encode().contains("token"), "{}", read.encode());
    }
}
