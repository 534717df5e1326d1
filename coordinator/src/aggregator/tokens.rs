//! The tokens with which clients prove who they are.

use std::fs;
use std::net::IpAddr;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::Instant;

use loto_transport::TransportError;
use loto_transport::connection::secret_file::read_secret_file;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tonic::Status;

use super::guesses::Guesses;
use crate::CoordinatorError;

/// What the word behind a token lets its client do.
const CONTROL: &str = "control";

/// What who brings a token may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Ask, and look at pages.
    Look,
    /// Also cancel, retry and resume sweeps.
    Control,
}

/// The tokens in a file of lines `NAME TOKEN`, or `NAME TOKEN control` for who may control sweeps. It is read again when it changes: a token whose line
/// is gone is refused from the next request on. What cannot be read lets nobody in.
pub(super) struct Tokens {
    path: PathBuf,
    known: Mutex<Known>,
    guesses: Guesses,
}

/// What was read from the file.
struct Known {
    version: Option<FileVersion>,
    /// `None`: the file is not what it should be.
    clients: Option<Vec<Client>>,
}

/// Tells a file that changed, also one that another one replaced, as Kubernetes does with secrets.
#[derive(PartialEq, Eq)]
struct FileVersion {
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

/// Somebody who may ask.
struct Client {
    /// Where it is in the file. Not its name: in a line that is the wrong way round, that is the token.
    line: usize,
    /// Of the token. What is compared is of one length and tells nothing of the token.
    digest: [u8; 32],
    rights: Rights,
}

impl Tokens {
    /// Reads the tokens of a file.
    ///
    /// # Errors
    /// [`CoordinatorError::Transport`] if it cannot be read, [`CoordinatorError::InvalidInput`] if a
    /// line is wrong or there is no token.
    pub(super) fn read(path: PathBuf) -> Result<Self, CoordinatorError> {
        let tokens = Self {
            path,
            known: Mutex::new(Known {
                version: None,
                clients: None,
            }),
            guesses: Guesses::default(),
        };
        let version = tokens.version();
        let clients = tokens.clients()?;
        if clients.is_empty() {
            let path = tokens.path.display();
            let problem =
                format!("{path}: it holds no token: write one line NAME TOKEN per client");
            return Err(CoordinatorError::InvalidInput(problem));
        }
        let clients = Some(clients);
        *tokens.known.lock() = Known { version, clients };
        Ok(tokens)
    }

    /// Lets a request pass with this header `authorization`, and says what it may ask for.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`; `RESOURCE_EXHAUSTED` if the client's address sent too many wrong tokens;
    /// `UNAVAILABLE` if the file is not what it should be.
    pub(super) fn check(
        &self,
        authorization: Option<&[u8]>,
        client: IpAddr,
    ) -> Result<Rights, Status> {
        let Some(authorization) = authorization else {
            return Err(Status::unauthenticated(
                "this service demands a token: send the metadata `authorization: Bearer TOKEN`",
            ));
        };
        let token = str::from_utf8(authorization).ok().and_then(|text| {
            let (scheme, token) = text.split_once(' ')?;
            scheme
                .eq_ignore_ascii_case("bearer")
                .then_some(token.trim())
        });
        let Some(token) = token else {
            return Err(Status::unauthenticated(
                "the metadata `authorization` is not of the form `Bearer TOKEN`",
            ));
        };
        let digest = digest(token);
        // One at a time, so that no guess overtakes the count of the one before.
        let mut known = self.known.lock();
        let now = Instant::now();
        if let Some(delay) = self.guesses.delay(client, now) {
            return Err(Status::resource_exhausted(format!(
                "too many wrong tokens came from this address: try again in {} s",
                delay.as_secs() + 1
            )));
        }
        self.refresh(&mut known);
        let Some(clients) = &known.clients else {
            return Err(Status::unavailable(
                "the service cannot read its tokens and lets nobody in; its log says why",
            ));
        };
        // All are looked at, so that the time says nothing about which one it is.
        let mut found = None;
        for client in clients {
            if bool::from(client.digest.ct_eq(&digest)) {
                found = Some(client);
            }
        }
        match found {
            Some(found) => {
                tracing::debug!("the client of line {} asks", found.line);
                Ok(found.rights)
            }
            None => {
                self.guesses.wrong(client, now);
                Err(Status::unauthenticated(
                    "the token is not one that this service knows, or it was revoked",
                ))
            }
        }
    }

    /// Reads the file again if it changed.
    fn refresh(&self, known: &mut Known) {
        let version = self.version();
        if version.is_some() && version == known.version {
            return;
        }
        known.version = version;
        known.clients = match self.clients() {
            Ok(clients) => {
                tracing::info!("read {} tokens", clients.len());
                Some(clients)
            }
            Err(error) => {
                tracing::error!("nobody is let in: {error}");
                None
            }
        };
    }

    fn version(&self) -> Option<FileVersion> {
        let metadata = fs::metadata(&self.path).ok()?;
        Some(FileVersion {
            inode: metadata.ino(),
            bytes: metadata.len(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    fn clients(&self) -> Result<Vec<Client>, CoordinatorError> {
        let text = String::from_utf8(read_secret_file(&self.path)?).map_err(|_| {
            TransportError::InvalidFile {
                path: self.path.clone(),
                reason: "it should hold lines NAME TOKEN and is no UTF-8 text".into(),
            }
        })?;
        parse(&text).map_err(|wrong| {
            CoordinatorError::InvalidInput(format!("{}, {wrong}", self.path.display()))
        })
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// A line of the file that is wrong, told without the token.
#[derive(Debug, thiserror::Error)]
enum WrongLine {
    /// It has one word, or more than two of which the third is not `control`.
    #[error(
        "line {0}: expected NAME TOKEN, a name and a token without spaces, and the word `{CONTROL}` behind them if the \
         token is to control sweeps"
    )]
    Form(usize),

    /// Its token could not be sent in a header.
    #[error("line {0}: a token may hold only visible ASCII characters")]
    Characters(usize),

    /// Its token stands in an earlier line, too.
    #[error("line {line}: the same token as in line {first}")]
    Repeated { line: usize, first: usize },
}

/// The clients of a file.
fn parse(text: &str) -> Result<Vec<Client>, WrongLine> {
    let mut clients: Vec<Client> = Vec::new();
    for (line, content) in (1..).zip(text.lines().map(str::trim)) {
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let mut words = content.split_whitespace();
        let (Some(_name), Some(token)) = (words.next(), words.next()) else {
            return Err(WrongLine::Form(line));
        };
        let rights = match (words.next(), words.next()) {
            (None, _) => Rights::Look,
            (Some(CONTROL), None) => Rights::Control,
            _ => return Err(WrongLine::Form(line)),
        };
        if !token.chars().all(|character| character.is_ascii_graphic()) {
            return Err(WrongLine::Characters(line));
        }
        let digest = digest(token);
        if let Some(other) = clients.iter().find(|client| client.digest == digest) {
            let first = other.line;
            return Err(WrongLine::Repeated { line, first });
        }
        clients.push(Client {
            line,
            digest,
            rights,
        });
    }
    Ok(clients)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use tonic::Code;

    use super::*;

    fn write(path: &Path, content: &str) {
        fs::write(path, content).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }

    #[test]
    fn only_a_known_token_passes_and_a_revoked_one_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        write(
            &path,
            "# who may ask\nann first-token\n\nbob second-token\n",
        );
        let tokens = Tokens::read(path.clone()).unwrap();
        let client = IpAddr::from([192, 0, 2, 1]);
        let check =
            |authorization: Option<&str>| tokens.check(authorization.map(str::as_bytes), client);
        check(Some("Bearer first-token")).unwrap();
        check(Some("bearer second-token")).unwrap();
        for wrong in [
            None,
            Some("Bearer third-token"),
            Some("Basic x"),
            Some("first-token"),
            Some("Bearer "),
        ] {
            let refused = check(wrong).unwrap_err();
            assert_eq!(refused.code(), Code::Unauthenticated, "{wrong:?}");
            assert!(!refused.message().contains("third-token"));
        }
        // In the way of an editor, and of Kubernetes: a new file in its place.
        let next = folder.path().join("next");
        write(&next, "ann first-token\n");
        fs::rename(&next, &path).unwrap();
        check(Some("Bearer first-token")).unwrap();
        let revoked = check(Some("Bearer second-token")).unwrap_err();
        assert_eq!(revoked.code(), Code::Unauthenticated);
        fs::remove_file(&path).unwrap();
        let closed = check(Some("Bearer first-token")).unwrap_err();
        assert_eq!(closed.code(), Code::Unavailable);
        write(&path, "ann first-token\n");
        check(Some("Bearer first-token")).unwrap();
        // A file that others can read by now is no secret any more.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let exposed = check(Some("Bearer first-token")).unwrap_err();
        assert_eq!(exposed.code(), Code::Unavailable);
    }

    #[test]
    fn who_guessed_too_often_learns_nothing_even_with_a_right_token() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "ann right-token\n").unwrap();
        let tokens = Tokens::read(file.path().to_owned()).unwrap();
        let from = |host, token: &str| {
            let address = IpAddr::from([192, 0, 2, host]);
            let asked = tokens.check(Some(format!("Bearer {token}").as_bytes()), address);
            asked.map(|_| ()).map_err(|refusal| refusal.code())
        };
        let guesses: Vec<_> = (0..100).map(|n| from(1, &format!("guess-{n}"))).collect();
        let answered = |code| guesses.iter().filter(|guess| **guess == Err(code)).count();
        assert_eq!(answered(Code::Unauthenticated), 10);
        assert_eq!(answered(Code::ResourceExhausted), 90);
        assert_eq!(from(1, "right-token"), Err(Code::ResourceExhausted));
        assert_eq!(from(2, "right-token"), Ok(()));
    }

    #[test]
    fn a_wrong_line_is_named_without_its_token() {
        let cases = [
            ("ann\n", "line 1"),
            ("ann token-a\nbob token b\n", "line 2"),
            ("ann token-a Control\n", "the word `control`"),
            ("ann token-a control token-b\n", "line 1"),
            ("ann token-\u{e4}\n", "visible ASCII"),
            (
                "ann token-a\n\nbob token-a\n",
                "line 3: the same token as in line 1",
            ),
        ];
        for (text, told) in cases {
            let problem = parse(text).err().unwrap().to_string();
            assert!(
                problem.contains(told) && !problem.contains("token-"),
                "{problem}"
            );
        }
        assert!(parse("# nobody\n").unwrap().is_empty());
    }

    #[test]
    fn a_token_controls_sweeps_only_if_its_line_says_so() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "ann token-a\nbob token-b control\n").unwrap();
        let tokens = Tokens::read(file.path().to_owned()).unwrap();
        let rights = |authorization: &str| {
            let address = IpAddr::from([192, 0, 2, 1]);
            tokens.check(Some(authorization.as_bytes()), address).ok()
        };
        assert_eq!(rights("Bearer token-a"), Some(Rights::Look));
        assert_eq!(rights("Bearer token-b"), Some(Rights::Control));
        assert_eq!(rights("Bearer token-b control"), None);
    }

    #[test]
    fn a_service_does_not_start_without_a_token() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Tokens::read(file.path().to_owned()).err().unwrap();
        assert!(error.to_string().contains("NAME TOKEN"), "{error}");
    }
}
