//! The checksum of a stored value, which binds the value to its key.
//!
//! It notices a value that was damaged, and one that was put in the place of another. It holds no
//! secret: who may write to the store can compute it, too.
//!
//! Values of releases that did not write checksums have none and are read as they are. A release that
//! does not know checksums reads sealed values: to it, the checksum is an unknown field. A sealed message says at
//! its beginning that it has a checksum: one that was cut off does not pass for a value of a former release.

use prost::Message;

use crate::identity::{ContentHasher, SeriesId, SweepId};
use crate::message_error::MessageProblem;

/// Where a value is kept.
#[derive(Debug, Clone, Copy)]
pub enum Key<'a> {
    /// The trace of a job.
    Trace(SeriesId, u32),
    /// The record of a job's attempts.
    Attempt(SeriesId, u32),
    /// What is known of a job's other outcome.
    Conflict(SeriesId, u32),
    /// The plan of a sweep.
    Sweep(SweepId),
    /// The mark of a cancelled sweep.
    Cancelled(SweepId),
    /// The time when a sweep was recorded.
    Recorded(SweepId),
    /// A fit of that name.
    Fit(&'a str),
}

impl Key<'_> {
    /// The checksum of what is kept under this key.
    pub fn checksum(self, content: &[u8]) -> u64 {
        let mut hasher = ContentHasher::new("loto stored value 1");
        match self {
            Self::Trace(series, seed) => {
                hasher.field(b"trace").field(&series.0).number(seed.into())
            }
            Self::Attempt(series, seed) => hasher
                .field(b"attempt")
                .field(&series.0)
                .number(seed.into()),
            Self::Conflict(series, seed) => hasher
                .field(b"conflict")
                .field(&series.0)
                .number(seed.into()),
            Self::Sweep(id) => hasher.field(b"sweep").field(&id.0),
            Self::Cancelled(id) => hasher.field(b"cancelled").field(&id.0),
            Self::Recorded(id) => hasher.field(b"recorded").field(&id.0),
            Self::Fit(name) => hasher.field(b"fit").field(name.as_bytes()),
        };
        hasher.field(content);
        let mut first = [0; 8];
        first.copy_from_slice(&hasher.finish()[..8]);
        u64::from_le_bytes(first)
    }

    fn check(self, content: &[u8], found: u64) -> Result<(), MessageProblem> {
        if self.checksum(content) == found {
            return Ok(());
        }
        Err(MessageProblem::OtherChecksum)
    }
}

/// What seals a Protobuf message, in two fields that no message has otherwise; the other fields are passed over.
#[derive(Clone, PartialEq, prost::Message)]
struct Seal {
    /// At the beginning: that there is a checksum.
    #[prost(bool, optional, tag = "14")]
    is_sealed: Option<bool>,
    /// At the end.
    #[prost(fixed64, optional, tag = "15")]
    checksum: Option<u64>,
}

impl Seal {
    const BEGIN: Self = Self {
        is_sealed: Some(true),
        checksum: None,
    };

    fn end(checksum: u64) -> Self {
        Self {
            is_sealed: None,
            checksum: Some(checksum),
        }
    }
}

/// Bytes of the checksum's field.
const CHECKSUM_BYTES: usize = 9;

/// Bytes that a seal adds to a Protobuf message.
pub(crate) const SEAL_BYTES: usize = 2 + CHECKSUM_BYTES;

/// Seals a Protobuf message: says at its beginning, as field 14, that it has a checksum, and adds that at its end, as field
/// 15.
pub fn seal_message(key: Key, message: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(message.len() + SEAL_BYTES);
    sealed.extend(Seal::BEGIN.encode_to_vec());
    sealed.extend(message);
    let checksum = key.checksum(&sealed);
    sealed.extend(Seal::end(checksum).encode_to_vec());
    sealed
}

/// Checks the checksum of a Protobuf message, if it has one or says that it had.
///
/// # Errors
/// [`MessageProblem::OtherChecksum`] if it is of another value or key or was cut off, [`MessageProblem::Protobuf`]
/// if the bytes are no message.
pub fn check_message(key: Key, bytes: &[u8]) -> Result<(), MessageProblem> {
    let found = match Seal::decode(bytes)? {
        Seal {
            checksum: Some(found),
            ..
        } => found,
        Seal {
            is_sealed: Some(_), ..
        } => return Err(MessageProblem::OtherChecksum),
        _ => return Ok(()),
    };
    let (content, field) = bytes.split_at(bytes.len().saturating_sub(CHECKSUM_BYTES));
    if field != Seal::end(found).encode_to_vec() {
        return Err(MessageProblem::OtherChecksum);
    }
    key.check(content, found)
}

/// Hexadecimal digits of a checksum.
const DIGITS: usize = 16;

const JSON_BEGIN: &str = ",\"checksum\":\"";
const JSON_END: &str = "\"}";

/// Adds the checksum to a JSON object that is not empty, as its last field.
pub fn seal_json(key: Key, json: &str) -> String {
    let fields = json.strip_suffix('}').unwrap_or(json);
    let checksum = key.checksum(fields.as_bytes());
    format!("{fields}{JSON_BEGIN}{checksum:016x}{JSON_END}")
}

/// Checks the checksum of a JSON object, if it has one.
///
/// # Errors
/// [`MessageProblem::OtherChecksum`] if it is of another value or key.
pub fn check_json(key: Key, json: &[u8]) -> Result<(), MessageProblem> {
    match split(json, JSON_BEGIN, JSON_END) {
        Some((fields, checksum)) => key.check(fields, checksum?),
        None => Ok(()),
    }
}

const TEXT_BEGIN: &str = " (checksum ";
const TEXT_END: &str = ")";

/// Adds the checksum to a text for people.
pub fn seal_text(key: Key, text: &str) -> String {
    let checksum = key.checksum(text.as_bytes());
    format!("{text}{TEXT_BEGIN}{checksum:016x}{TEXT_END}")
}

/// A text without its checksum, which is checked, if it has one.
///
/// # Errors
/// [`MessageProblem::OtherChecksum`] if it is of another value or key.
pub fn check_text<'a>(key: Key, text: &'a [u8]) -> Result<&'a [u8], MessageProblem> {
    match split(text, TEXT_BEGIN, TEXT_END) {
        Some((content, checksum)) => key.check(content, checksum?).map(|()| content),
        None => Ok(text),
    }
}

/// What is before a checksum in hexadecimal digits between these two texts, and the checksum. If one byte
/// of the two texts is another, the checksum is damaged and not absent.
fn split<'a>(
    bytes: &'a [u8],
    begin: &str,
    end: &str,
) -> Option<(&'a [u8], Result<u64, MessageProblem>)> {
    let digits_end = bytes.len().checked_sub(end.len())?;
    let digits_begin = digits_end.checked_sub(DIGITS)?;
    let content_end = digits_begin.checked_sub(begin.len())?;
    let digits = &bytes[digits_begin..digits_end];
    let around = bytes[content_end..digits_begin]
        .iter()
        .chain(&bytes[digits_end..]);
    let others = around.zip(begin.bytes().chain(end.bytes()));
    let others = others
        .filter(|(found, expected)| *found != expected)
        .count();
    let is_ours = |digit: &u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(digit);
    let is_number = digits.iter().all(is_ours);
    let number = match (others, is_number) {
        (0, true) => std::str::from_utf8(digits)
            .ok()
            .and_then(|digits| u64::from_str_radix(digits, 16).ok()),
        (0, false) | (1, true) => None,
        _ => return None,
    };
    let content = &bytes[..content_end];
    Some((content, number.ok_or(MessageProblem::OtherChecksum)))
}

/// Adds the checksum to bytes of any kind: the last eight.
pub fn seal_bytes(key: Key, mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = key.checksum(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// Bytes without their checksum, which they must have.
///
/// # Errors
/// [`MessageProblem::OtherChecksum`] if it is of another value or key, or not there.
pub fn check_bytes<'a>(key: Key, bytes: &'a [u8]) -> Result<&'a [u8], MessageProblem> {
    let (content, checksum) = bytes
        .split_last_chunk()
        .ok_or(MessageProblem::OtherChecksum)?;
    key.check(content, u64::from_le_bytes(*checksum))?;
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::Attempt;
    use crate::sweep::Sweep;
    use crate::wire;

    const SERIES: SeriesId = SeriesId([7; 16]);
    const KEY: Key = Key::Trace(SERIES, 3);

    /// Every value that differs from `value` in one bit.
    fn flips(value: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
        (0..8 * value.len()).map(|bit| {
            let mut flipped = value.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            flipped
        })
    }

    fn message() -> Vec<u8> {
        Sweep {
            name: "test".into(),
            blackboxes: Vec::new(),
            seeds: 3,
        }
        .encode()
    }

    #[test]
    fn the_checksum_is_of_the_key_and_the_content() {
        // The first eight bytes of SHA-256, by Python's hashlib, over the fields "loto stored value 1",
        // "trace", sixteen bytes 07, the number 3 and "content", each after its length in eight bytes,
        // lowest first.
        let expected = [0xef, 0xa6, 0x8b, 0xbb, 0x1c, 0xd3, 0x54, 0xda];
        assert_eq!(KEY.checksum(b"content").to_le_bytes(), expected);
        let others = [
            Key::Trace(SERIES, 4),
            Key::Trace(SeriesId([8; 16]), 3),
            Key::Attempt(SERIES, 3),
            Key::Conflict(SERIES, 3),
            Key::Sweep(SweepId([7; 16])),
            Key::Cancelled(SweepId([7; 16])),
            Key::Fit("prior"),
        ];
        for other in others {
            assert_ne!(
                other.checksum(b"content"),
                KEY.checksum(b"content"),
                "{other:?}"
            );
        }
    }

    #[test]
    fn a_message_with_a_checksum_is_one_for_those_who_do_not_know_it() {
        let sealed = seal_message(KEY, &message());
        assert_eq!(sealed.len(), message().len() + SEAL_BYTES);
        let read = |bytes: &[u8]| wire::Sweep::decode(bytes).unwrap();
        assert_eq!(read(&sealed), read(&message()));
        check_message(KEY, &sealed).unwrap();
        check_message(KEY, &message()).unwrap();
        assert!(check_message(Key::Trace(SERIES, 4), &sealed).is_err());
        let doubled = seal_message(KEY, &sealed);
        check_message(KEY, &doubled).unwrap();
        let moved = [&sealed[sealed.len() - CHECKSUM_BYTES..], &message()].concat();
        assert!(check_message(KEY, &moved).is_err());
    }

    #[test]
    fn no_bit_of_a_message_can_change_unnoticed() {
        for flipped in flips(&seal_message(KEY, &message())) {
            assert!(check_message(KEY, &flipped).is_err());
        }
    }

    #[test]
    fn a_message_that_is_cut_off_is_not_one_without_a_checksum() {
        let sealed = seal_message(KEY, &message());
        for length in 1..sealed.len() {
            let mut cut = sealed[..length].to_vec();
            assert!(check_message(KEY, &cut).is_err(), "{length} bytes");
            // What is damaged once more is found as well.
            let last = cut.len() - 1;
            cut[last] ^= 1;
            assert!(
                check_message(KEY, &cut).is_err() || last < 2,
                "{length} bytes"
            );
        }
    }

    #[test]
    fn json_with_a_checksum_is_read_by_those_who_do_not_know_it() {
        let attempt = Attempt {
            count: 2,
            error: "it said \"} and (checksum 0123456789abcdef)".into(),
            ..Attempt::default()
        };
        let key = Key::Attempt(SERIES, 3);
        let sealed = seal_json(key, &attempt.encode());
        assert_eq!(Attempt::decode(sealed.as_bytes()).unwrap(), attempt);
        check_json(key, sealed.as_bytes()).unwrap();
        check_json(key, attempt.encode().as_bytes()).unwrap();
        assert!(check_json(Key::Attempt(SERIES, 4), sealed.as_bytes()).is_err());
        for flipped in flips(sealed.as_bytes()) {
            let read = check_json(key, &flipped).map(|()| Attempt::decode(&flipped).ok());
            assert!(matches!(&read, Err(_) | Ok(None)) || read.unwrap().unwrap() == attempt);
        }
    }

    #[test]
    fn text_and_bytes_come_back_only_as_they_were() {
        let sealed = seal_text(KEY, "two outcomes");
        assert_eq!(check_text(KEY, sealed.as_bytes()).unwrap(), b"two outcomes");
        assert_eq!(check_text(KEY, b"old").unwrap(), b"old");
        assert!(check_text(Key::Conflict(SERIES, 3), sealed.as_bytes()).is_err());
        for flipped in flips(sealed.as_bytes()) {
            assert!(check_text(KEY, &flipped).is_err());
        }
        let sealed = seal_bytes(KEY, vec![1, 2, 3]);
        assert_eq!(check_bytes(KEY, &sealed).unwrap(), [1, 2, 3]);
        for flipped in flips(&sealed) {
            assert!(check_bytes(KEY, &flipped).is_err());
        }
        assert!(check_bytes(KEY, &[1, 2, 3]).is_err());
    }
}
