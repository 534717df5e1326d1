//! The tokens with which clients prove who they are.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tonic::Status;
use tonic::metadata::MetadataMap;

use crate::CoordinatorError;

/// The tokens in a file of lines `NAME TOKEN`. It is read again when it changes: a token whose line
/// is gone is refused from the next request on. What cannot be read lets nobody in.
pub(super) struct Tokens {
    path: PathBuf,
    known: Mutex<Known>,
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
        *tokens.known.lock().unwrap_or_else(PoisonError::into_inner) = Known { version, clients };
        Ok(tokens)
    }

    /// Lets a request pass whose metadata hold a token.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`; `UNAVAILABLE` if the file is not what it should be.
    pub(super) fn check(&self, metadata: &MetadataMap) -> Result<(), Status> {
        let Some(authorization) = metadata.get("authorization") else {
            return Err(Status::unauthenticated(
                "this service demands a token: send the metadata `authorization: Bearer TOKEN`",
            ));
        };
        let token = authorization.to_str().ok().and_then(|text| {
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
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
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
                found = Some(client.line);
            }
        }
        match found {
            Some(line) => {
                tracing::debug!("the client of line {line} asks");
                Ok(())
            }
            None => Err(Status::unauthenticated(
                "the token is not one that this service knows, or it was revoked",
            )),
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
        let text =
            fs::read_to_string(&self.path).map_err(|source| CoordinatorError::UnreadableFile {
                path: self.path.clone(),
                source,
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
    /// It has one word, or more than two.
    #[error("line {0}: expected NAME TOKEN, a name and a token without spaces")]
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
        let (Some(_name), Some(token), None) = (words.next(), words.next(), words.next()) else {
            return Err(WrongLine::Form(line));
        };
        if !token.chars().all(|character| character.is_ascii_graphic()) {
            return Err(WrongLine::Characters(line));
        }
        let digest = digest(token);
        if let Some(other) = clients.iter().find(|client| client.digest == digest) {
            let first = other.line;
            return Err(WrongLine::Repeated { line, first });
        }
        clients.push(Client { line, digest });
    }
    Ok(clients)
}

#[cfg(test)]
mod tests {
    use tonic::Code;

    use super::*;

    fn asking(authorization: Option<&str>) -> MetadataMap {
        let mut metadata = MetadataMap::new();
        if let Some(authorization) = authorization {
            metadata.insert("authorization", authorization.parse().unwrap());
        }
        metadata
    }

    #[test]
    fn only_a_known_token_passes_and_a_revoked_one_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        fs::write(
            &path,
            "# who may ask\nann first-token\n\nbob second-token\n",
        )
        .unwrap();
        let tokens = Tokens::read(path.clone()).unwrap();
        let check = |authorization| tokens.check(&asking(authorization));
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
        fs::write(&next, "ann first-token\n").unwrap();
        fs::rename(&next, &path).unwrap();
        check(Some("Bearer first-token")).unwrap();
        let revoked = check(Some("Bearer second-token")).unwrap_err();
        assert_eq!(revoked.code(), Code::Unauthenticated);
        fs::remove_file(&path).unwrap();
        let closed = check(Some("Bearer first-token")).unwrap_err();
        assert_eq!(closed.code(), Code::Unavailable);
        fs::write(&path, "ann first-token\n").unwrap();
        check(Some("Bearer first-token")).unwrap();
    }

    #[test]
    fn a_wrong_line_is_named_without_its_token() {
        let cases = [
            ("ann\n", "line 1"),
            ("ann token-a\nbob token b\n", "line 2"),
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
    fn a_service_does_not_start_without_a_token() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = Tokens::read(file.path().to_owned()).err().unwrap();
        assert!(error.to_string().contains("NAME TOKEN"), "{error}");
    }
}
