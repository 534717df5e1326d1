//! What jobs share: fits that do not depend on the target's observations are made
//! once, in one process by whoever comes first, across workers through the store.

use std::num::NonZeroUsize;
use std::sync::Arc;

use loto_proto::identity::{ContentHasher, Fingerprint};
use loto_proto::seal::{Key, check_bytes, seal_bytes};

use crate::blobs::Blobs;
use crate::cache::Cache;
use crate::error::{EngineError, ImpossibleJob};
use crate::table::{Table, Task};
use crate::transform::Transform;

/// Fits kept in memory. Most take up to 40 KB each, that of `fmlp` 1.2 KB for each coordinate and task, that of `stacked-gp` more than
/// that for each source.
const KEPT: NonZeroUsize = NonZeroUsize::new(512).unwrap();

/// Bytes of predictions kept in memory: means and deviations of the four sources of FCNET, of 62,208 rows each.
const KEPT_PREDICTIONS: NonZeroUsize = NonZeroUsize::new(4 << 20).unwrap();

/// Transformed tables kept in memory.
const KEPT_TRANSFORMED: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// Makes fits, or finds them made.
pub struct SharedFits {
    blobs: Arc<dyn Blobs>,
    fits: Cache<String, Vec<f32>>,
    predictions: Cache<PredictionName, Vec<f64>>,
    /// Every task's transformed objective, by table and transform.
    transformed: Cache<(Fingerprint, Transform), Vec<Vec<f64>>>,
}

/// What fits predict for the rows of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Predicted {
    /// Means.
    Means,
    /// Standard deviations.
    StdDevs,
}

/// All that predictions depend on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct PredictionName {
    /// The name of the fit's blob, which says the table, too.
    fit: String,
    predicted: Predicted,
    /// The first task of the table that has the configurations.
    pool: usize,
}

/// All that a fit depends on.
#[derive(Debug, Clone, Copy)]
pub struct FitName<'a> {
    /// What is fitted, in a word.
    pub kind: &'static str,
    /// The options of a method that it depends on; empty if there are none.
    pub variant: &'static str,
    /// Raised whenever the fit changes, so that no old one is found.
    pub version: u64,
    /// How objectives are transformed.
    pub transform: Transform,
    /// The table.
    pub table: Fingerprint,
    /// The task it belongs to.
    pub task: &'a str,
    /// The seed.
    pub seed: u32,
    /// What computes it: the library of linear algebra, its version and kernels, whose last bits differ. Fits
    /// of earlier versions were named without.
    pub linear_algebra: Option<&'a str>,
}

impl FitName<'_> {
    /// The name of the blob in the store.
    pub fn blob_name(&self) -> String {
        let mut hasher = ContentHasher::new(&format!("loto {} 1", self.kind));
        hasher
            .number(self.version)
            .field(self.transform.versioned_name().as_bytes())
            .field(&self.table.0)
            .field(self.task.as_bytes())
            .number(self.seed.into());
        if !self.variant.is_empty() {
            hasher.field(self.variant.as_bytes());
        }
        if let Some(linear_algebra) = self.linear_algebra {
            hasher
                .field(b"computed with")
                .field(linear_algebra.as_bytes());
        }
        format!("{}:{}", self.kind, Fingerprint(hasher.finish_identifier()))
    }
}

impl SharedFits {
    /// Shares fits through `blobs`.
    pub fn new(blobs: Arc<dyn Blobs>) -> Self {
        Self {
            blobs,
            fits: Cache::new(KEPT),
            predictions: Cache::new(KEPT_PREDICTIONS),
            transformed: Cache::new(KEPT_TRANSFORMED),
        }
    }

    /// The `count` numbers of a fit: kept in memory, found in the store, or made.
    ///
    /// # Errors
    /// Those of `make` and of the store; [`EngineError::CorruptFit`] if the store
    /// holds something else under the name.
    pub fn fit(
        &self,
        name: &FitName,
        count: usize,
        make: impl FnOnce() -> Result<Vec<f32>, EngineError>,
    ) -> Result<Arc<Vec<f32>>, EngineError> {
        let blob = name.blob_name();
        self.fits.get_or_make(&blob, || {
            if let Some(numbers) = self.find(name, count)? {
                return Ok(numbers);
            }
            let numbers = make()?;
            assert_eq!(numbers.len(), count, "a fit has the length it is read with");
            self.blobs.put(&blob, &encode(&numbers, &blob))?;
            Ok(numbers)
        })
    }

    /// What the fit of that name predicts for each row of the task at position `task` of the table that it is named by: kept in
    /// memory, as far as there is room, or made. Tasks with the same configurations, row by row, share them; nobody else
    /// does, and they are not in the store.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn predictions(
        &self,
        name: &FitName,
        predicted: Predicted,
        (table, task): (&Table, usize),
        make: impl FnOnce() -> Result<Vec<f64>, EngineError>,
    ) -> Result<Arc<Vec<f64>>, EngineError> {
        let name = PredictionName {
            fit: name.blob_name(),
            predicted,
            pool: table.first_of_same_configurations(task),
        };
        let bytes = size_of::<f64>() * table.tasks[task].rows();
        self.predictions.get_or_make_heavy(&name, bytes, make)
    }

    /// The fit of that name, `count` numbers, if the store has it.
    ///
    /// # Errors
    /// Those of the store; [`EngineError::CorruptFit`].
    pub fn find(&self, name: &FitName, count: usize) -> Result<Option<Vec<f32>>, EngineError> {
        let blob = name.blob_name();
        let bytes = self.blobs.get(&blob)?;
        let numbers = bytes.map(|bytes| decode(&bytes, count, &blob, f32::from_le_bytes));
        numbers.transpose()
    }

    /// Keeps a number in the store, under a name of its own.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn keep_number(&self, name: &FitName, number: f64) -> Result<(), EngineError> {
        let blob = name.blob_name();
        let bytes = seal_bytes(Key::Fit(&blob), number.to_le_bytes().into());
        Ok(self.blobs.put(&blob, &bytes)?)
    }

    /// The number of that name, if the store has it.
    ///
    /// # Errors
    /// Those of the store; [`EngineError::CorruptFit`].
    pub(crate) fn number(&self, name: &FitName) -> Result<Option<f64>, EngineError> {
        let blob = name.blob_name();
        let bytes = self.blobs.get(&blob)?;
        let numbers = bytes.map(|bytes| decode(&bytes, 1, &blob, f64::from_le_bytes));
        Ok(numbers.transpose()?.map(|numbers| numbers[0]))
    }

    /// Every task's objective as a source, transformed by the distribution of these values; the average, if there are several
    /// objectives. Nothing of a task that is no source.
    ///
    /// # Errors
    /// [`EngineError::ImpossibleJob`] if a source has a single row.
    pub fn transformed(
        &self,
        table: &Table,
        transform: Transform,
    ) -> Result<Arc<Vec<Vec<f64>>>, EngineError> {
        self.transformed
            .get_or_make(&(table.fingerprint, transform), || {
                check_sources(table)?;
                let transformed = sources(table).map(|source| match source {
                    Some(task) => transform.average(&task.objectives()),
                    None => Vec::new(),
                });
                Ok(transformed.collect())
            })
    }
}

/// Every task of a table as a source, or `None` where it is none.
fn sources(table: &Table) -> impl Iterator<Item = Option<&Task>> {
    (0..table.tasks.len()).map(|position| {
        let task = table.source(position);
        table.sources.admits(&task.name).then_some(task)
    })
}

/// Checks that each source of a table has rows to learn from: of a single one no spread can be told.
///
/// # Errors
/// [`ImpossibleJob::SmallSource`] with the first source that has not.
pub fn check_sources(table: &Table) -> Result<(), ImpossibleJob> {
    match sources(table).flatten().find(|task| task.rows() < 2) {
        None => Ok(()),
        Some(task) => Err(ImpossibleJob::SmallSource {
            task: task.name.clone(),
        }),
    }
}

/// The numbers of the fit of that name, with a checksum.
fn encode(numbers: &[f32], name: &str) -> Vec<u8> {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    seal_bytes(Key::Fit(name), bytes.collect())
}

/// The bytes of a fit without their checksum, if they are as they were stored. Earlier releases kept fits
/// without one.
fn unsealed<'a>(bytes: &'a [u8], length: usize, name: &str) -> Option<&'a [u8]> {
    if bytes.len() == length {
        return Some(bytes);
    }
    let content = check_bytes(Key::Fit(name), bytes).ok()?;
    (content.len() == length).then_some(content)
}

/// The `count` numbers of the fit of that name, each of which `read` makes of its bytes.
fn decode<const BYTES: usize, T: Copy + Into<f64>>(
    bytes: &[u8],
    count: usize,
    name: &str,
    read: fn([u8; BYTES]) -> T,
) -> Result<Vec<T>, EngineError> {
    let content = unsealed(bytes, BYTES * count, name);
    let numbers = content.map(|content| -> Vec<T> {
        let numbers = content.as_chunks().0.iter();
        numbers.map(|&bytes| read(bytes)).collect()
    });
    let corrupt = || EngineError::CorruptFit {
        name: name.to_owned(),
        count,
        bytes: BYTES * count,
    };
    numbers
        .filter(|numbers| numbers.iter().all(|&number| number.into().is_finite()))
        .ok_or_else(corrupt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fits_survive_the_store_and_damage_is_noticed() {
        let numbers = vec![1.5, -2.25, 0.0];
        let bytes = encode(&numbers, "prior:x");
        assert_eq!(
            decode(&bytes, 3, "prior:x", f32::from_le_bytes).unwrap(),
            numbers
        );
        // As earlier releases kept it.
        assert_eq!(
            decode(&bytes[..12], 3, "prior:x", f32::from_le_bytes).unwrap(),
            numbers
        );
        for damaged in [&bytes[..11], &[255; 12], &[0; 20]] {
            let error = decode(damaged, 3, "prior:x", f32::from_le_bytes)
                .unwrap_err()
                .to_string();
            assert!(error.contains("prior:x"), "{error}");
        }
        assert!(decode(&bytes, 3, "prior:y", f32::from_le_bytes).is_err());
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(
                decode(&flipped, 3, "prior:x", f32::from_le_bytes).is_err(),
                "bit {bit}"
            );
        }
    }

    #[test]
    fn each_part_of_the_name_names_another_fit() {
        let name = FitName {
            kind: "prior",
            variant: "",
            version: 1,
            transform: Transform::Copula,
            table: Fingerprint([1; 16]),
            task: "a",
            seed: 0,
            linear_algebra: Some("OpenBLAS 0.3.21, core Haswell, 1 thread"),
        };
        let others = [
            FitName {
                variant: "other",
                ..name
            },
            FitName {
                kind: "network",
                ..name
            },
            FitName { version: 2, ..name },
            FitName {
                transform: Transform::Standardisation,
                ..name
            },
            FitName {
                table: Fingerprint([2; 16]),
                ..name
            },
            FitName { task: "b", ..name },
            FitName { seed: 1, ..name },
            FitName {
                linear_algebra: Some("OpenBLAS 0.3.21, core Zen, 1 thread"),
                ..name
            },
            FitName {
                linear_algebra: None,
                ..name
            },
        ];
        for other in others {
            assert_ne!(name.blob_name(), other.blob_name(), "{other:?}");
        }
    }
}
