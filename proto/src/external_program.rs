//! The program of an external method: what travels through the store, and what of it a job's identity covers.

use std::path::{Component, Path};

use prost::Message;
use serde::Deserialize;

use crate::excerpt::excerpt;
use crate::identity::{ContentHasher, ProgramId};
use crate::limits::{
    MAX_BLOB_BYTES, MAX_COMMAND_WORDS, MAX_PROGRAM_BYTES, MAX_PROGRAM_DEADLINE, MAX_PROGRAM_FILES,
};
use crate::message_error::{MessageError, MessageKind, MessageProblem, check_count, check_name};
use crate::wire;

/// The version of the protocol in which programs are asked; the version of every external method.
pub const PROTOCOL: u32 = 1;

/// What the id of an external method begins with; no method of loto has such an id.
const ID_PREFIX: &str = "external:";

/// What becomes of a proposal that is no row which can be evaluated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProposalRule {
    /// The nearest row that is not evaluated yet is taken.
    #[default]
    Nearest,
    /// The job fails.
    Refuse,
}

impl ProposalRule {
    /// The rule as it is written in a sweep file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Nearest => "nearest",
            Self::Refuse => "refuse",
        }
    }

    fn number(self) -> u32 {
        match self {
            Self::Nearest => 0,
            Self::Refuse => 1,
        }
    }

    fn of_number(what: &'static str, number: u32) -> Result<Self, MessageProblem> {
        match number {
            0 => Ok(Self::Nearest),
            1 => Ok(Self::Refuse),
            other => Err(MessageProblem::UnknownValue {
                what,
                value: other.into(),
            }),
        }
    }
}

/// A file of a program.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProgramFile {
    /// Path below the program's folder, with `/` between its parts.
    pub path: String,
    /// The content.
    pub content: Vec<u8>,
}

/// The program of an external method, with what a sweep file says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalProgram {
    /// Name from the sweep file.
    pub name: String,
    /// The command: a program and its arguments, none of which is empty.
    pub command: Vec<String>,
    /// Its files, sorted by path.
    pub files: Vec<ProgramFile>,
    /// The version that stands for command and files in the identity of jobs.
    pub version: Option<u32>,
    /// What becomes of a configuration that the table lacks.
    pub off_table: ProposalRule,
    /// What becomes of a row that is evaluated already.
    pub repeats: ProposalRule,
    /// Seconds until it has to be ready.
    pub start_deadline: u32,
    /// Seconds until it has to answer.
    pub choice_deadline: u32,
}

impl ExternalProgram {
    /// The id of the method: a hash of all that its traces depend on, apart from its parameters.
    pub fn method_id(&self) -> String {
        let mut hasher = ContentHasher::new("loto external method 1");
        match self.version {
            // Another method may have a version of the same number.
            Some(version) => {
                hasher
                    .field(b"version")
                    .field(self.name.as_bytes())
                    .number(version.into());
            }
            None => {
                hasher.field(b"files").number(self.command.len() as u64);
                for word in &self.command {
                    hasher.field(word.as_bytes());
                }
                hasher.number(self.files.len() as u64);
                for file in &self.files {
                    hasher.field(file.path.as_bytes()).field(&file.content);
                }
            }
        }
        hasher
            .field(self.off_table.word().as_bytes())
            .field(self.repeats.word().as_bytes());
        let id = ProgramId(hasher.finish_identifier());
        format!("{ID_PREFIX}{id}")
    }

    /// The command in one line, for messages.
    pub fn command_line(&self) -> String {
        excerpt(&self.command.join(" "))
    }

    /// The program as the store keeps it, and the name of that.
    pub fn encode(&self) -> (ProgramId, Vec<u8>) {
        let file = |file: &ProgramFile| wire::ProgramFile {
            path: file.path.clone(),
            content: file.content.clone(),
        };
        let bytes = wire::ProgramBlob {
            name: self.name.clone(),
            command: self.command.clone(),
            files: self.files.iter().map(file).collect(),
            version: self.version.unwrap_or(0),
            off_table: self.off_table.number(),
            repeats: self.repeats.number(),
            start_deadline: self.start_deadline,
            choice_deadline: self.choice_deadline,
        }
        .encode_to_vec();
        (name_of(&bytes), bytes)
    }

    /// Reads what the store keeps.
    ///
    /// # Errors
    /// [`MessageError`] if the bytes are not a program, or not the one that is named.
    pub fn decode(bytes: &[u8], expected: ProgramId) -> Result<Self, MessageError> {
        Self::read(bytes, expected)
            .map_err(|problem| MessageKind::Program(expected).refuses(problem))
    }

    fn read(bytes: &[u8], expected: ProgramId) -> Result<Self, MessageProblem> {
        check_count("bytes", bytes.len() as u64, MAX_BLOB_BYTES as u64)?;
        let found = name_of(bytes);
        if found != expected {
            return Err(MessageProblem::OtherHash {
                what: "bytes",
                found: found.to_string(),
            });
        }
        let stored = wire::ProgramBlob::decode(bytes)?;
        check_name("the name of the program", &stored.name)?;
        let words = stored.command.len() as u64;
        check_count("words in its command", words, MAX_COMMAND_WORDS as u64)?;
        if stored.command.is_empty() {
            return Err(MessageProblem::Missing("command"));
        }
        for word in &stored.command {
            check_name("a word of the command", word)?;
        }
        check_count("files", stored.files.len() as u64, MAX_PROGRAM_FILES as u64)?;
        let content: usize = stored.files.iter().map(|file| file.content.len()).sum();
        check_count("bytes in files", content as u64, MAX_PROGRAM_BYTES as u64)?;
        let files = stored.files.into_iter().map(|file| {
            check_name("the path of a file", &file.path)?;
            match stays_inside(&file.path) {
                true => Ok(ProgramFile {
                    path: file.path,
                    content: file.content,
                }),
                false => Err(MessageProblem::PathOutside(excerpt(&file.path))),
            }
        });
        Ok(Self {
            name: stored.name,
            command: stored.command,
            files: files.collect::<Result<_, _>>()?,
            version: (stored.version > 0).then_some(stored.version),
            off_table: ProposalRule::of_number("rule off_table", stored.off_table)?,
            repeats: ProposalRule::of_number("rule repeats", stored.repeats)?,
            start_deadline: deadline("start_deadline", stored.start_deadline)?,
            choice_deadline: deadline("choice_deadline", stored.choice_deadline)?,
        })
    }
}

/// Whether a path of a program's file is one below the program's folder.
pub fn stays_inside(path: &str) -> bool {
    let mut components = Path::new(path).components();
    !path.is_empty() && components.all(|component| matches!(component, Component::Normal(_)))
}

fn deadline(what: &'static str, seconds: u32) -> Result<u32, MessageProblem> {
    match seconds {
        1..=MAX_PROGRAM_DEADLINE => Ok(seconds),
        other => Err(MessageProblem::UnknownValue {
            what,
            value: other.into(),
        }),
    }
}

fn name_of(bytes: &[u8]) -> ProgramId {
    let mut hasher = ContentHasher::new("loto external program 1");
    hasher.field(bytes);
    ProgramId(hasher.finish_identifier())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> ExternalProgram {
        let file = |path: &str, content: &str| ProgramFile {
            path: path.into(),
            content: content.into(),
        };
        ExternalProgram {
            name: "mine".into(),
            command: vec!["python3".into(), "mine.py".into()],
            files: vec![file("lib/part.py", "b"), file("mine.py", "a")],
            version: None,
            off_table: ProposalRule::Nearest,
            repeats: ProposalRule::Refuse,
            start_deadline: 60,
            choice_deadline: 30,
        }
    }

    #[test]
    fn a_program_survives_the_store() {
        let (id, bytes) = program().encode();
        assert_eq!(ExternalProgram::decode(&bytes, id).unwrap(), program());
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let error = ExternalProgram::decode(&flipped, id).unwrap_err();
            assert!(error.to_string().contains("hash to"), "{error}");
        }
    }

    #[test]
    fn the_id_covers_what_traces_depend_on() {
        let is_new = |change: fn(&mut ExternalProgram)| {
            let mut changed = program();
            change(&mut changed);
            changed.method_id() != program().method_id()
        };
        assert!(is_new(|program| program.files[1].content[0] = b'c'));
        assert!(is_new(|program| program.files[1].path = "other.py".into()));
        assert!(is_new(|program| program.command.push("--fast".into())));
        assert!(is_new(|program| program.off_table = ProposalRule::Refuse));
        assert!(is_new(|program| program.repeats = ProposalRule::Nearest));
        assert!(is_new(|program| program.version = Some(1)));
        assert!(!is_new(|program| program.name = "other".into()));
        assert!(!is_new(|program| program.choice_deadline = 99));
    }

    #[test]
    fn a_version_takes_the_place_of_command_and_files() {
        let versioned = |change: fn(&mut ExternalProgram)| {
            let mut program = program();
            program.version = Some(3);
            change(&mut program);
            (program.method_id(), program.encode().0)
        };
        let (id, blob) = versioned(|_| ());
        let (same_id, other_blob) = versioned(|program| program.files[1].content[0] = b'c');
        assert_eq!(id, same_id);
        assert_ne!(blob, other_blob);
        assert_ne!(id, versioned(|program| program.version = Some(4)).0);
        assert_ne!(id, versioned(|program| program.name = "other".into()).0);
    }

    #[test]
    fn a_hostile_program_is_refused() {
        type Change = fn(&mut ExternalProgram);
        let changes: [(Change, &str); 7] = [
            (|program| program.files[0].path = "../x".into(), "leads out"),
            (
                |program| program.files[0].path = "/etc/x".into(),
                "leads out",
            ),
            (|program| program.command.clear(), "no command"),
            (
                |program| program.command[0].clear(),
                "a word of the command",
            ),
            (|program| program.start_deadline = 0, "start_deadline is 0"),
            (
                |program| program.files[0].content = vec![0; MAX_PROGRAM_BYTES + 1],
                "bytes in files",
            ),
            (|program| program.name.clear(), "the name of the program"),
        ];
        for (change, expected) in changes {
            let mut hostile = program();
            change(&mut hostile);
            let (id, bytes) = hostile.encode();
            let error = ExternalProgram::decode(&bytes, id).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let unknown = wire::ProgramBlob {
            name: "x".into(),
            command: vec!["x".into()],
            repeats: 7,
            ..Default::default()
        };
        let bytes = unknown.encode_to_vec();
        let error = ExternalProgram::decode(&bytes, name_of(&bytes)).unwrap_err();
        assert!(error.to_string().contains("rule repeats is 7"), "{error}");
    }
}
