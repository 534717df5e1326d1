//! How a shard is named: one of so many, as `3/64`.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

/// One of the parts into which a sweep is split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Counted from 1.
    pub(super) number: u32,
    pub(super) of: u32,
}

impl Shard {
    /// Name of its files, without an ending.
    pub(crate) fn file_stem(self) -> String {
        format!("shard-{}-of-{}", self.number, self.of)
    }

    /// A pattern for the shell that matches the stores of all shards of the sweep.
    pub(crate) fn pattern(self) -> String {
        format!("shard-*-of-{}.loto", self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {}", self.number, self.of)
    }
}

/// Why a text names no shard.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShardError {
    /// There is no slash in it.
    #[error("a shard is its number and how many there are, as in 3/64")]
    NoSlash,

    /// A side of the slash is no number.
    #[error("a shard is its number and how many there are, as in 3/64: {0}")]
    NoNumber(#[from] ParseIntError),

    /// A sweep is split into one part at least.
    #[error("a sweep cannot be split into 0 shards: give 1/1 for all of it")]
    NoShards,

    /// The number is not one of them.
    #[error("there is no shard {number} of {of}: the first is 1/{of}, the last {of}/{of}")]
    OutOfRange {
        /// The number that was given.
        number: u32,
        /// How many shards there are.
        of: u32,
    },
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, of) = text.split_once('/').ok_or(ShardError::NoSlash)?;
        let (number, of) = (number.parse()?, of.parse()?);
        match number {
            _ if of == 0 => Err(ShardError::NoShards),
            1.. if number <= of => Ok(Self { number, of }),
            _ => Err(ShardError::OutOfRange { number, of }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_one_of_those_there_are() {
        let shard: Shard = "3/64".parse().unwrap();
        assert_eq!(shard.to_string(), "3 of 64");
        assert_eq!(shard.file_stem(), "shard-3-of-64");
        for whole in ["1/1", "8/8", "1/4294967295"] {
            whole.parse::<Shard>().unwrap();
        }
        let refused = |text: &str| text.parse::<Shard>().unwrap_err().to_string();
        for outside in ["0/8", "9/8"] {
            let error = refused(outside);
            assert!(error.contains("the first is 1/8, the last 8/8"), "{error}");
        }
        assert!(refused("1/0").contains("0 shards"));
        for text in [
            "",
            "3",
            "/",
            "3/",
            "/8",
            "-1/8",
            "a/b",
            "1/2/3",
            "1/4294967296",
        ] {
            assert!(refused(text).contains("as in 3/64"), "{text}");
        }
    }
}
