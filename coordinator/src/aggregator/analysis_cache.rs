//! Analyses of a sweep, each computed once, and in the background where that takes long.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use loto_proto::limits::MAX_ANALYSES;
use rustix::time::{ClockId, clock_gettime};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tonic::Status;

use super::one_at_a_time::OneAtATime;
use super::status::to_status;
use super::watched_sweep::WatchedSweep;
use crate::CoordinatorError;
use crate::results::{ResultsCollector, Selection};
use loto_statistics::analysis::{AnalysisOptions, Bands, SweepAnalysis, analyse_curves};

/// An analysis that needs more time of a processor is computed in the background, if there is
/// an older one to answer with.
const LONG: Duration = Duration::from_millis(25);

/// Most numbers in all analyses that are kept of a sweep, about: 8 bytes each.
const MAX_NUMBERS: usize = 32_000_000;

/// An analysis that is older is not given any more, unless computing one takes a quarter of that.
const MAX_AGE: Duration = Duration::from_secs(60);

/// Analyses with bands under way at a time, and without: the latter take a fraction of the time, and
/// do not wait for the former. Answers need some of the processors, too.
static PROCESSORS: LazyLock<[Semaphore; 2]> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    [(); 2].map(|()| Semaphore::new(processors.div_ceil(2)))
});

/// The newest analyses of one sweep.
#[derive(Default)]
pub(super) struct AnalysisCache {
    /// The question asked last is at the end.
    questions: Mutex<Vec<Arc<Question>>>,
}

/// What was asked, with the newest answer.
struct Question {
    selection: Selection,
    options: AnalysisOptions,
    asked: Mutex<Instant>,
    newest: Mutex<Option<Answer>>,
    computing: OneAtATime,
}

#[derive(Clone)]
struct Answer {
    analysis: Arc<SweepAnalysis>,
    /// Version of what was collected.
    version: u64,
    /// Time of a processor that it took.
    took: Duration,
    finished: Instant,
}

impl Answer {
    fn takes_long(&self) -> bool {
        self.took > LONG
    }

    /// Whether the next one may wait, so that analyses that take long leave most of the
    /// processor to others.
    fn is_recent(&self) -> bool {
        self.takes_long() && self.finished.elapsed() < self.took
    }

    fn is_too_old(&self) -> bool {
        self.finished.elapsed() > MAX_AGE.max(self.took * 4)
    }
}

impl WatchedSweep {
    /// The analysis of what is finished by now, if that can be told soon; otherwise the
    /// newest one there is, while the next is computed in the background.
    pub(super) async fn analysis(
        &self,
        selection: Selection,
        options: AnalysisOptions,
    ) -> Result<Arc<SweepAnalysis>, Status> {
        let question = self.analyses.question(selection, options);
        let last = question.newest().filter(|last| !last.is_too_old());
        let takes_long = last.as_ref().is_some_and(Answer::takes_long);
        let collector = if takes_long {
            self.refresh_in_background().await?
        } else {
            self.refresh().await?
        };
        let version = collector.version();
        if let Some(last) = &last
            && (last.version >= version || last.is_recent())
        {
            return Ok(Arc::clone(&last.analysis));
        }
        let work = compute(Arc::clone(&question), Arc::clone(collector));
        let patience = takes_long.then(Instant::now);
        match (question.computing.run(patience, work).await?, last) {
            (Some(answer), _) | (None, Some(answer)) => {
                self.analyses.make_room();
                Ok(answer.analysis)
            }
            (None, None) => Err(Status::internal("an analysis ended without an answer")),
        }
    }

    /// Brings the answers up to date that were asked for lately and take long: the next to ask does
    /// not wait for them.
    pub(super) async fn keep_up(&self) {
        let Some(collector) = self.collected_results() else {
            return;
        };
        for question in self.analyses.asked_lately() {
            let Some(newest) = question.newest() else {
                continue;
            };
            if newest.version < collector.version() && !newest.is_recent() {
                let work = compute(Arc::clone(&question), Arc::clone(collector));
                let begin = Some(Instant::now());
                // Whoever asks is told of a problem.
                let _told_when_asked = question.computing.run(begin, work).await;
            }
        }
    }
}

/// Answers a question from what is collected, unless that was done while it waited for its turn.
async fn compute(
    question: Arc<Question>,
    collector: Arc<ResultsCollector>,
) -> Result<Answer, Status> {
    let version = collector.version();
    if let Some(newest) = question.newest().filter(|newest| newest.version >= version) {
        return Ok(newest);
    }
    let died = |problem: String| {
        to_status(CoordinatorError::ThreadDied {
            task: "an analysis",
            problem,
        })
    };
    let [with_bands, without] = &*PROCESSORS;
    let processors = match question.options.bands {
        Bands::All | Bands::Averages => with_bands,
        Bands::None => without,
    };
    // What is known to take no time does not queue behind what may.
    let is_quick = question.newest().is_some_and(|last| !last.takes_long());
    let permit = if is_quick {
        None
    } else {
        let permit = processors.acquire().await;
        Some(permit.map_err(|error| died(error.to_string()))?)
    };
    let asked = Arc::clone(&question);
    let computing = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let begin = processor_time();
        let analysis = analyse_curves(&collector.curves(&asked.selection), &asked.options);
        (analysis, processor_time().saturating_sub(begin))
    });
    let (analysis, took) = computing.await.map_err(|error| died(error.to_string()))?;
    let answer = Answer {
        analysis: Arc::new(analysis.map_err(|error| to_status(error.into()))?),
        version,
        took,
        finished: Instant::now(),
    };
    *question.place() = Some(answer.clone());
    Ok(answer)
}

/// Time that this thread has had of a processor.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.unsigned_abs(),
        time.tv_nsec.unsigned_abs() as u32,
    )
}

impl Question {
    fn new(selection: Selection, options: AnalysisOptions) -> Self {
        Self {
            selection,
            options,
            asked: Mutex::new(Instant::now()),
            newest: Mutex::default(),
            computing: OneAtATime::default(),
        }
    }

    fn asked(&self) -> std::sync::MutexGuard<'_, Instant> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn newest(&self) -> Option<Answer> {
        self.place().clone()
    }

    fn place(&self) -> std::sync::MutexGuard<'_, Option<Answer>> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AnalysisCache {
    /// The place of a question: whoever asks the same gets the same place.
    fn question(&self, selection: Selection, options: AnalysisOptions) -> Arc<Question> {
        let mut questions = self.questions();
        let same = questions
            .iter()
            .position(|known| known.selection == selection && known.options == options);
        let question = match same {
            Some(position) => questions.remove(position),
            None => Arc::new(Question::new(selection, options)),
        };
        if questions.len() == MAX_ANALYSES {
            questions.remove(0);
        }
        questions.push(Arc::clone(&question));
        *question.asked() = Instant::now();
        question
    }

    fn asked_lately(&self) -> Vec<Arc<Question>> {
        let questions = self.questions();
        let lately = questions
            .iter()
            .filter(|question| question.asked().elapsed() < MAX_AGE);
        lately.map(Arc::clone).collect()
    }

    /// Forgets what was not asked for the longest, if all is too large; the last one stays.
    fn make_room(&self) {
        let mut questions = self.questions();
        let mut numbers = 0;
        let newest_first = questions.iter().rev();
        let kept = newest_first.take_while(|question| {
            let newest = question.newest();
            numbers += newest.map_or(0, |answer| numbers_in(&answer.analysis));
            numbers <= MAX_NUMBERS
        });
        let forgotten = questions.len() - kept.count().max(1);
        questions.drain(..forgotten);
    }

    fn questions(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Question>>> {
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many numbers the curves of an analysis have, about: the rest is small.
fn numbers_in(analysis: &SweepAnalysis) -> usize {
    let blackboxes = analysis.blackboxes.iter();
    let tasks = blackboxes.flat_map(|blackbox| &blackbox.tasks);
    let series = tasks.flat_map(|task| &task.methods);
    let curves = series.map(|series| {
        let dtm = series.dtm.as_ref();
        let band = dtm.map_or(0, |band| band.mean.len() + 2 * band.lower.len());
        let by_iteration = series.by_iteration.values().flatten();
        band + by_iteration.map(Vec::len).sum::<usize>()
    });
    curves.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(number: u32) -> AnalysisOptions {
        AnalysisOptions {
            significance: f64::from(number) / 1000.0,
            ..AnalysisOptions::default()
        }
    }

    #[test]
    fn the_same_question_has_the_same_place() {
        let cache = AnalysisCache::default();
        let ask = |number| cache.question(Selection::default(), options(number));
        let first = ask(1);
        assert!(!Arc::ptr_eq(&first, &ask(2)));
        assert!(Arc::ptr_eq(&first, &ask(1)));
        assert_eq!(cache.questions().len(), 2);
    }

    #[test]
    fn the_cache_is_bounded_and_keeps_what_was_asked_last() {
        let cache = AnalysisCache::default();
        let ask = |number| cache.question(Selection::default(), options(number));
        let first = ask(0);
        for number in 1..100 {
            ask(number);
            ask(0);
        }
        assert_eq!(cache.questions().len(), MAX_ANALYSES);
        assert!(Arc::ptr_eq(&first, &ask(0)));
    }
}
