//! Methods that have a newer version than the traces in the store: their jobs are computed again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use loto_proto::excerpt::list;
use loto_proto::identity::SeriesId;
use loto_proto::job::MethodSpec;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_transport::TransportError;
use loto_transport::store::Store;

/// What a sweep computes again although an earlier sweep of its name has traces of it. Displayed, it is a
/// sentence for the user.
#[derive(Debug, PartialEq)]
pub(super) struct NewerVersions {
    /// By method, the version of the traces and that of this sweep.
    methods: BTreeMap<String, (u32, u32)>,
    /// Number of jobs of this sweep without a trace of which an earlier version has one.
    jobs: usize,
}

impl NewerVersions {
    /// Compares a planned sweep with the `earlier` ones of its name; `None` if nothing is computed again.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) async fn find(
        sweep: &Sweep,
        earlier: &[Sweep],
        store: &dyn Store,
    ) -> Result<Option<Self>, TransportError> {
        let mut replaced: BTreeMap<SeriesId, Replaced> = BTreeMap::new();
        for recorded in earlier {
            for blackbox in &sweep.blackboxes {
                let is_same = |other: &&Blackbox| {
                    other.table == blackbox.table && other.iterations == blackbox.iterations
                };
                for other in recorded.blackboxes.iter().filter(is_same) {
                    replaced.extend(replaced_series(blackbox, other));
                }
            }
        }
        if replaced.is_empty() {
            return Ok(None);
        }
        let old: Vec<SeriesId> = replaced.keys().copied().collect();
        let new: Vec<SeriesId> = replaced.values().map(|replaced| replaced.by).collect();
        let done_old = store.seeds_done(&old).await?;
        let done_new = store.seeds_done(&new).await?;
        let mut methods = BTreeMap::new();
        let mut jobs = BTreeSet::new();
        for ((replaced, old), new) in replaced.values().zip(done_old).zip(done_new) {
            let is_computed_again =
                |seed: &u32| *seed < sweep.seeds && new.binary_search(seed).is_err();
            let seeds: Vec<u32> = old.into_iter().filter(is_computed_again).collect();
            if seeds.is_empty() {
                continue;
            }
            jobs.extend(seeds.into_iter().map(|seed| (replaced.by, seed)));
            // Of several earlier versions, the last.
            let versions = methods
                .entry(replaced.method.clone())
                .or_insert((replaced.old_version, replaced.new_version));
            versions.0 = versions.0.max(replaced.old_version);
        }
        let found = Self {
            methods,
            jobs: jobs.len(),
        };
        Ok((found.jobs > 0).then_some(found))
    }
}

/// A series of an earlier version of a method.
struct Replaced {
    method: String,
    old_version: u32,
    new_version: u32,
    /// The series of the newer version.
    by: SeriesId,
}

/// The series of `other` that `blackbox` has with a newer version of their method.
fn replaced_series<'a>(
    blackbox: &'a Blackbox,
    other: &'a Blackbox,
) -> impl Iterator<Item = (SeriesId, Replaced)> + 'a {
    let newer = |old: &'a MethodSpec| {
        let is_newer = move |new: &&MethodSpec| {
            new.id == old.id && new.parameters == old.parameters && new.version > old.version
        };
        Some((old, blackbox.methods.iter().find(is_newer)?))
    };
    let pairs = other.methods.iter().filter_map(newer);
    pairs.flat_map(move |(old, new)| {
        blackbox.targets.iter().map(move |target| {
            let replaced = Replaced {
                method: new.label().to_owned(),
                old_version: old.version,
                new_version: new.version,
                by: blackbox.series(new, target).id(),
            };
            (blackbox.series(old, target).id(), replaced)
        })
    })
}

impl fmt::Display for NewerVersions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let methods = self.methods.iter();
        let changes: Vec<_> = methods
            .map(|(method, (old, new))| format!("{method} {old} -> {new}"))
            .collect();
        let (methods, have) = match changes.len() {
            1 => ("1 method".to_owned(), "has"),
            count => (format!("{count} methods"), "have"),
        };
        let (jobs, are) = match self.jobs {
            1 => ("1 job".to_owned(), "is"),
            count => (format!("{count} jobs"), "are"),
        };
        write!(
            formatter,
            "{methods} {have} a newer version, with other traces, than the results in the store ({}): {jobs} {are} \
             computed again; the earlier traces are kept",
            list(changes.iter().map(String::as_str))
        )
    }
}
