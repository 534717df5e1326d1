//! Analyses of a sweep, each computed once.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use loto_proto::limits::MAX_ANALYSES;
use tokio::sync::{OnceCell, Semaphore};

use super::watched_sweep::WatchedSweep;
use crate::CoordinatorError;
use crate::results::Selection;
use crate::statistics::analysis::{AnalysisOptions, SweepAnalysis, analyse};

/// Analyses under way at a time: they are processor work.
static PROCESSORS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)));

/// The newest analyses of one sweep.
#[derive(Default)]
pub(super) struct AnalysisCache {
    entries: Mutex<Vec<Entry>>,
}

struct Entry {
    version: u64,
    selection: Selection,
    options: AnalysisOptions,
    analysis: Arc<OnceCell<Arc<SweepAnalysis>>>,
}

impl WatchedSweep {
    /// The analysis of what is finished by now. The same question, asked again
    /// before anything new is finished, is answered from memory.
    pub(super) async fn analysis(
        &self,
        selection: Selection,
        options: AnalysisOptions,
    ) -> Result<Arc<SweepAnalysis>, CoordinatorError> {
        let collector = self.results().await?;
        let version = collector.refresh().await?;
        let analysis = self.analyses.entry(version, &selection, &options);
        let compute = async || {
            let died = |problem: String| CoordinatorError::ThreadDied {
                task: "an analysis",
                problem,
            };
            let permit = PROCESSORS
                .acquire()
                .await
                .map_err(|error| died(error.to_string()))?;
            let collector = Arc::clone(collector);
            let computing = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                analyse(&collector.results(&selection), &options)
            });
            let analysis = computing.await.map_err(|error| died(error.to_string()))??;
            Ok(Arc::new(analysis))
        };
        analysis.get_or_try_init(compute).await.map(Arc::clone)
    }
}

impl AnalysisCache {
    /// The place of an analysis, filled or yet to be: whoever asks for the same gets the same place.
    fn entry(
        &self,
        version: u64,
        selection: &Selection,
        options: &AnalysisOptions,
    ) -> Arc<OnceCell<Arc<SweepAnalysis>>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|entry| entry.version >= version);
        let same = entries.iter().find(|entry| {
            entry.version == version && entry.selection == *selection && entry.options == *options
        });
        if let Some(entry) = same {
            return Arc::clone(&entry.analysis);
        }
        if entries.len() == MAX_ANALYSES {
            entries.remove(0);
        }
        let analysis = Arc::default();
        entries.push(Entry {
            version,
            selection: selection.clone(),
            options: options.clone(),
            analysis: Arc::clone(&analysis),
        });
        analysis
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_has_the_same_place_until_something_is_new() {
        let cache = AnalysisCache::default();
        let (selection, options) = (Selection::default(), AnalysisOptions::default());
        let first = cache.entry(1, &selection, &options);
        assert!(Arc::ptr_eq(&first, &cache.entry(1, &selection, &options)));
        let other = AnalysisOptions {
            significance: 0.1,
            ..options.clone()
        };
        assert!(!Arc::ptr_eq(&first, &cache.entry(1, &selection, &other)));
        assert!(!Arc::ptr_eq(&first, &cache.entry(2, &selection, &options)));
        assert_eq!(cache.entries.lock().unwrap().len(), 1);
    }

    #[test]
    fn the_cache_is_bounded() {
        let cache = AnalysisCache::default();
        for number in 1..=100 {
            let options = AnalysisOptions {
                significance: f64::from(number) / 1000.0,
                ..AnalysisOptions::default()
            };
            cache.entry(1, &Selection::default(), &options);
        }
        assert_eq!(cache.entries.lock().unwrap().len(), MAX_ANALYSES);
    }
}
