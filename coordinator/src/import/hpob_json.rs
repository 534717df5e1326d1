//! Reads the files of HPO-B's meta-dataset, one data set at a time: some have gigabytes.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use loto_proto::limits::{MAX_COLUMNS, MAX_HYPERPARAMETER_VALUES, MAX_IMPORTED_BYTES, MAX_ROWS};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::error::ImportError;
use crate::distinct_keys::{Object, twice, within};

/// What a file of evaluations should hold.
const EVALUATIONS: &str =
    "{\"search space\": {\"data set\": {\"X\": [[numbers]], \"y\": [[number]]}}}, as in HPO-B";

/// What the file of initial configurations should hold.
const INITIALIZATIONS: &str =
    "{\"search space\": {\"data set\": {\"seed\": [positions]}}}, as in HPO-B";

/// Positions of the initial configurations by search space, data set and seed.
pub(super) type Initializations = Object<Object<Object<Vec<u64>>>>;

/// The evaluations of one data set.
#[derive(Debug, Deserialize)]
pub(super) struct Evaluations {
    /// The configurations.
    #[serde(rename = "X")]
    pub(super) configurations: Rows,
    /// Their accuracies, each in a list of its own.
    #[serde(rename = "y")]
    pub(super) accuracies: Rows,
}

/// Takes the evaluations of the search spaces that it wants.
pub(super) trait TakeEvaluations {
    /// Whether the data sets of this search space are wanted.
    fn wants(&self, search_space: &str) -> bool;

    /// Takes those of one data set.
    fn take(
        &mut self,
        search_space: &str,
        data_set: &str,
        evaluations: Evaluations,
    ) -> Result<(), ImportError>;
}

/// Reads a file of evaluations.
///
/// # Errors
/// Those of `taker`; [`ImportError::Unreadable`], [`ImportError::Json`], [`ImportError::LargeFile`].
pub(super) fn read_evaluations(
    path: &Path,
    taker: &mut dyn TakeEvaluations,
) -> Result<(), ImportError> {
    let mut refused = None;
    let spaces = SearchSpaces {
        taker,
        refused: &mut refused,
    };
    let read = with_json(path, EVALUATIONS, |json| {
        let mut deserializer = serde_json::Deserializer::from_reader(json);
        spaces.deserialize(&mut deserializer)?;
        deserializer.end()
    });
    refused.map_or(read, Err)
}

/// Reads the file of initial configurations.
///
/// # Errors
/// [`ImportError::Unreadable`], [`ImportError::Json`], [`ImportError::LargeFile`].
pub(super) fn read_initializations(path: &Path) -> Result<Initializations, ImportError> {
    with_json(path, INITIALIZATIONS, |json| serde_json::from_reader(json))
}

fn with_json<T>(
    path: &Path,
    expected: &'static str,
    read: impl FnOnce(&mut dyn Read) -> serde_json::Result<T>,
) -> Result<T, ImportError> {
    let unreadable = |source| ImportError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.len() > MAX_IMPORTED_BYTES {
        return Err(ImportError::LargeFile(path.to_owned()));
    }
    let mut bounded = BufReader::with_capacity(1 << 16, file.take(MAX_IMPORTED_BYTES));
    read(&mut bounded).map_err(|source| ImportError::Json {
        path: path.to_owned(),
        source,
        expected,
    })
}

/// The outer object of a file.
struct SearchSpaces<'a> {
    taker: &'a mut dyn TakeEvaluations,
    refused: &'a mut Option<ImportError>,
}

impl<'de> DeserializeSeed<'de> for SearchSpaces<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for SearchSpaces<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of search spaces")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(search_space) = map.next_key::<String>()? {
            if !seen.insert(search_space.clone()) {
                return Err(twice(&search_space));
            }
            if self.taker.wants(&search_space) {
                let data_sets = DataSets {
                    search_space: &search_space,
                    taker: self.taker,
                    refused: self.refused,
                };
                map.next_value_seed(data_sets)
                    .map_err(|error: A::Error| within(&search_space, &error))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// The object of a search space.
struct DataSets<'a> {
    search_space: &'a str,
    taker: &'a mut dyn TakeEvaluations,
    refused: &'a mut Option<ImportError>,
}

impl<'de> DeserializeSeed<'de> for DataSets<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for DataSets<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of data sets")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(data_set) = map.next_key::<String>()? {
            let evaluations = map.next_value();
            let evaluations = evaluations.map_err(|error: A::Error| within(&data_set, &error))?;
            if !seen.insert(data_set.clone()) {
                return Err(twice(&data_set));
            }
            let taken = self.taker.take(self.search_space, &data_set, evaluations);
            if let Err(error) = taken {
                *self.refused = Some(error);
                return Err(A::Error::custom("refused"));
            }
        }
        Ok(())
    }
}

/// Rows of numbers, no more than a table may have.
#[derive(Debug)]
pub(super) struct Rows(pub(super) Vec<Vec<f64>>);

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowsVisitor;
        impl<'de> Visitor<'de> for RowsVisitor {
            type Value = Rows;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of lists of numbers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Rows, A::Error> {
                let mut rows = Vec::new();
                let mut numbers = 0;
                while let Some(Row(row)) = items.next_element()? {
                    numbers += row.len();
                    if rows.len() == MAX_ROWS || numbers > MAX_HYPERPARAMETER_VALUES {
                        return Err(A::Error::custom(format!(
                            "more than {MAX_ROWS} rows or {MAX_HYPERPARAMETER_VALUES} numbers, which is the \
                             most allowed"
                        )));
                    }
                    rows.push(row);
                }
                Ok(Rows(rows))
            }
        }
        deserializer.deserialize_seq(RowsVisitor)
    }
}

struct Row(Vec<f64>);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowVisitor;
        impl<'de> Visitor<'de> for RowVisitor {
            type Value = Row;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of numbers")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Row, A::Error> {
                let mut row = Vec::new();
                while let Some(number) = items.next_element()? {
                    if row.len() == MAX_COLUMNS {
                        let most = format!("more than {MAX_COLUMNS} numbers in a list");
                        return Err(A::Error::custom(most));
                    }
                    row.push(number);
                }
                Ok(Row(row))
            }
        }
        deserializer.deserialize_seq(RowVisitor)
    }
}
