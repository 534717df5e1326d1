//! What a sweep file declares about a table, and the fingerprint that follows.

use std::collections::BTreeSet;

use prost::Message;

use crate::identity::{ContentHasher, Fingerprint};
use crate::limits::{MAX_BLOB_BYTES, MAX_COLUMNS, MAX_NAME_BYTES};
use crate::message_error::{MessageError, MessageKind, MessageProblem, check_count};
use crate::wire;

/// Which hyperparameter columns are categorical (one-hot encoded); the rest is numeric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Categorical {
    /// Every `hp_` column.
    All,
    /// These columns, by their full names.
    Columns(BTreeSet<String>),
}

/// The declarations without which a table's bytes do not define a black box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSpec {
    /// Column that is minimised, for example `metric_error`.
    pub objective: String,
    /// The categorical hyperparameters.
    pub categorical: Categorical,
}

impl TableSpec {
    /// The fingerprint of a table file read with these declarations.
    pub fn fingerprint(&self, file: &[u8]) -> Fingerprint {
        let mut hasher = ContentHasher::new("loto table 1");
        hasher.field(file).field(self.objective.as_bytes());
        match &self.categorical {
            Categorical::All => {
                hasher.field(b"all categorical");
            }
            Categorical::Columns(columns) => {
                hasher.field(b"categorical").number(columns.len() as u64);
                for column in columns {
                    hasher.field(column.as_bytes());
                }
            }
        }
        Fingerprint(hasher.finish_identifier())
    }

    /// Packs these declarations with the table's file for the store.
    pub fn encode_with(&self, file: &[u8]) -> Vec<u8> {
        wire::TableBlob {
            spec: Some(wire::TableSpec {
                objective: self.objective.clone(),
                all_categorical: self.categorical == Categorical::All,
                categorical: match &self.categorical {
                    Categorical::All => Vec::new(),
                    Categorical::Columns(columns) => columns.iter().cloned().collect(),
                },
            }),
            file: file.to_vec(),
        }
        .encode_to_vec()
    }

    /// Unpacks what [`Self::encode_with`] packed and checks it against the fingerprint.
    ///
    /// # Errors
    /// [`MessageError`] if the bytes are not a table, or not the one that is named.
    pub fn decode(bytes: &[u8], expected: Fingerprint) -> Result<(Self, Vec<u8>), MessageError> {
        Self::read(bytes, expected).map_err(|problem| MessageKind::Table(expected).refuses(problem))
    }

    fn read(bytes: &[u8], expected: Fingerprint) -> Result<(Self, Vec<u8>), MessageProblem> {
        check_count("bytes", bytes.len() as u64, MAX_BLOB_BYTES as u64)?;
        let blob = wire::TableBlob::decode(bytes)?;
        let stored = blob.spec.ok_or(MessageProblem::Missing("declarations"))?;
        let columns = stored.categorical.len() as u64;
        check_count("categorical columns", columns, MAX_COLUMNS as u64)?;
        for name in std::iter::once(&stored.objective).chain(&stored.categorical) {
            let what = "bytes in the name of a column";
            check_count(what, name.len() as u64, MAX_NAME_BYTES as u64)?;
        }
        let spec = Self {
            objective: stored.objective,
            categorical: match stored.all_categorical {
                true => Categorical::All,
                false => Categorical::Columns(stored.categorical.into_iter().collect()),
            },
        };
        let found = spec.fingerprint(&blob.file);
        if found != expected {
            let found = found.to_string();
            return Err(MessageProblem::OtherHash {
                what: "bytes",
                found,
            });
        }
        Ok((spec, blob.file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(objective: &str, categorical: Categorical) -> TableSpec {
        TableSpec {
            objective: objective.into(),
            categorical,
        }
    }

    #[test]
    fn the_fingerprint_covers_bytes_objective_and_column_types() {
        let none = Categorical::Columns(BTreeSet::new());
        let base = spec("metric_error", none.clone()).fingerprint(b"table");
        assert_ne!(
            base,
            spec("metric_error", none.clone()).fingerprint(b"tablf")
        );
        assert_ne!(base, spec("metric_time", none).fingerprint(b"table"));
        assert_ne!(
            base,
            spec("metric_error", Categorical::All).fingerprint(b"table")
        );
    }

    #[test]
    fn a_changed_blob_is_noticed() {
        let declared = spec(
            "metric_error",
            Categorical::Columns(BTreeSet::from(["hp_a".to_string()])),
        );
        let fingerprint = declared.fingerprint(b"table");
        let mut bytes = declared.encode_with(b"table");
        let (decoded, file) = TableSpec::decode(&bytes, fingerprint).unwrap();
        assert_eq!((decoded, file.as_slice()), (declared, b"table".as_slice()));
        *bytes.last_mut().unwrap() ^= 1;
        assert!(TableSpec::decode(&bytes, fingerprint).is_err());
    }

    #[test]
    fn declarations_beyond_the_limits_are_refused() {
        let long = spec(&"x".repeat(MAX_NAME_BYTES + 1), Categorical::All);
        let columns = (0..=MAX_COLUMNS).map(|column| format!("hp_{column}"));
        let many = spec("metric_error", Categorical::Columns(columns.collect()));
        for (declared, expected) in [(long, "201 bytes"), (many, "1001 categorical columns")] {
            let bytes = declared.encode_with(b"table");
            let error = TableSpec::decode(&bytes, declared.fingerprint(b"table")).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        let huge = vec![0; MAX_BLOB_BYTES + 1];
        let error = TableSpec::decode(&huge, Fingerprint([0; 16])).unwrap_err();
        assert!(error.to_string().contains("68157441 bytes"), "{error}");
    }
}
