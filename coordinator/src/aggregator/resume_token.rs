//! Tokens with which streams go on after a break. They stand for what was sent, and nothing
//! is kept for them: they outlive the service.

use loto_proto::identity::ContentHasher;
use loto_service::wire;
use prost::Message;
use tonic::Status;

use super::request;

/// Characters of the token of a message about progress.
const PROGRESS_TOKEN_LENGTH: usize = 32;

/// The token of a message about progress, which has none yet: a hash of all that it tells.
pub(super) fn of_progress(progress: &wire::Progress) -> String {
    let mut hasher = ContentHasher::new("loto progress 1");
    hasher.field(&progress.encode_to_vec());
    let hash = hasher.finish_identifier();
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Checks that the token could be one of [`of_progress`], or is empty.
pub(super) fn check_progress(token: String) -> Result<String, Status> {
    let is_hexadecimal = token.bytes().all(|byte| byte.is_ascii_hexdigit());
    if token.is_empty() || (token.len() == PROGRESS_TOKEN_LENGTH && is_hexadecimal) {
        return Ok(token);
    }
    let problem = "it is the token of no message of this stream; leave it empty to begin anew";
    Err(request::invalid("resume_token", problem))
}

/// The place of a trace in the order of its sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TracePlace {
    /// Positions of black box, task and method in the plan.
    pub(super) series: [usize; 3],
    pub(super) seed: u32,
}

impl TracePlace {
    /// The token of the trace at this place.
    pub(super) fn token(self) -> String {
        let Self { series, seed } = self;
        let [blackbox, task, method] = series;
        format!("{blackbox}.{task}.{method}.{seed}")
    }

    /// Reads a token; an empty one stands for no place.
    pub(super) fn of_token(token: &str) -> Result<Option<Self>, Status> {
        if token.is_empty() {
            return Ok(None);
        }
        let numbers: Option<Vec<u32>> =
            token.split('.').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[blackbox, task, method, seed]) => Ok(Some(Self {
                series: [blackbox, task, method].map(|position| position as usize),
                seed,
            })),
            _ => {
                let problem =
                    "it is the token of no trace of this stream; leave it empty to begin anew";
                Err(request::invalid("resume_token", problem))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_of_progress_stands_for_all_that_it_tells() {
        let progress = wire::Progress {
            sweep_id: "1".into(),
            done: 3,
            ..Default::default()
        };
        let token = of_progress(&progress);
        assert_eq!(of_progress(&progress.clone()), token);
        let mut further = progress.clone();
        further.poisoned_jobs.push(wire::PoisonedJob::default());
        assert_ne!(of_progress(&further), token);
        assert_eq!(check_progress(token.clone()).unwrap(), token);
        assert_eq!(check_progress(String::new()).unwrap(), "");
        for garbage in ["x", &token[1..], &token.replace(&token[..1], "g")] {
            let status = check_progress(garbage.to_owned()).unwrap_err();
            assert!(status.message().contains("`resume_token`"), "{status}");
        }
    }

    #[test]
    fn the_token_of_a_trace_is_its_place() {
        let place = TracePlace {
            series: [1, 20, 3],
            seed: 40,
        };
        assert_eq!(TracePlace::of_token(&place.token()).unwrap(), Some(place));
        assert_eq!(TracePlace::of_token("").unwrap(), None);
        for garbage in ["1.2.3", "1.2.3.4.5", "1.2.3.-4", "a", "1.2.3.99999999999"] {
            let status = TracePlace::of_token(garbage).unwrap_err();
            assert!(status.message().contains("`resume_token`"), "{status}");
        }
    }
}
