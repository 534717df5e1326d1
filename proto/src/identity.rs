//! Content hashes that name tables, jobs and sweeps.
//!
//! Each is the first 128 bits of a SHA-256 over a domain tag and length-prefixed
//! fields, so that two different inputs never are the same bytes.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// A text is not an identifier of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {kind}: expected 32 hexadecimal digits")]
pub struct InvalidIdentifier {
    /// The kind of identifier, for example "job id".
    pub kind: &'static str,
    /// The beginning of the text.
    pub text: String,
}

/// Hashes fields one after the other, each prefixed with its length.
pub struct ContentHasher(Sha256);

impl ContentHasher {
    /// Starts a hash for `domain`; different domains never give the same hash.
    pub fn new(domain: &str) -> Self {
        let mut hasher = Self(Sha256::new());
        hasher.field(domain.as_bytes());
        hasher
    }

    /// Adds a field.
    pub fn field(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds a number.
    pub fn number(&mut self, number: u64) -> &mut Self {
        self.field(&number.to_le_bytes())
    }

    /// The whole hash, for keys of random streams.
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// The first half of the hash, for identifiers.
    pub fn finish_identifier(self) -> [u8; 16] {
        let mut identifier = [0; 16];
        identifier.copy_from_slice(&self.finish()[..16]);
        identifier
    }
}

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; 16]);

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, "{self}")
            }
        }

        impl FromStr for $name {
            type Err = InvalidIdentifier;

            fn from_str(text: &str) -> Result<Self, InvalidIdentifier> {
                parse_hexadecimal(text).map(Self).ok_or_else(|| InvalidIdentifier {
                    kind: $kind,
                    text: text.chars().take(64).collect(),
                })
            }
        }
    };
}

identifier!(
    /// Names a table: a hash of its bytes with its declared objective, scales, direction and sources.
    Fingerprint,
    "table fingerprint"
);
identifier!(
    /// Names a series: a hash of everything in a job but the seed.
    SeriesId,
    "series id"
);
identifier!(
    /// Names a job: a hash of its series and seed.
    JobId,
    "job id"
);
identifier!(
    /// Names a sweep: a hash of its jobs.
    SweepId,
    "sweep id"
);

identifier!(
    /// Names the program of an external method: a hash of its files and of what a sweep file says of it.
    ProgramId,
    "program id"
);
identifier!(
    /// Names a store: drawn at random when the store is first used.
    StoreId,
    "store id"
);

impl Fingerprint {
    /// The name under which the store keeps the table's file and declarations.
    pub fn blob_name(self) -> String {
        format!("table:{self}")
    }
}

impl ProgramId {
    /// The name under which the store keeps the program.
    pub fn blob_name(self) -> String {
        format!("program:{self}")
    }
}

fn parse_hexadecimal(text: &str) -> Option<[u8; 16]> {
    if text.len() != 32 || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let high = char::from(pair[0]).to_digit(16)?;
        let low = char::from(pair[1]).to_digit(16)?;
        *byte = (high * 16 + low) as u8;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_survive_text() {
        let id = JobId([0, 1, 2, 3, 250, 251, 252, 253, 4, 5, 6, 7, 8, 9, 10, 255]);
        assert_eq!(id.to_string(), "00010203fafbfcfd0405060708090aff");
        assert_eq!(id.to_string().parse::<JobId>().unwrap(), id);
    }

    #[test]
    fn a_wrong_identifier_is_refused_by_kind() {
        let error = "00é".parse::<SweepId>().unwrap_err().to_string();
        assert!(error.contains("sweep id"), "{error}");
        assert!("+0010203fafbfcfd0405060708090aff".parse::<JobId>().is_err());
    }

    #[test]
    fn fields_cannot_run_into_each_other() {
        let hash = |fields: &[&str]| {
            let mut hasher = ContentHasher::new("test");
            for field in fields {
                hasher.field(field.as_bytes());
            }
            hasher.finish()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        // SHA-256 of the bytes 04 00 00 00 00 00 00 00 "test", from Python's hashlib.
        assert_eq!(hash(&[])[..4], [0x4e, 0x5b, 0x70, 0xc6]);
    }
}
