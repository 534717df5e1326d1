//! Analyses of a sweep that were asked for, each kept up to date by a task.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use loto_proto::limits::MAX_ANALYSES;
use loto_statistics::analysis::{AnalysisOptions, Bands, SweepAnalysis, analyse_curves};
use parking_lot::Mutex;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::Status;

use super::leisure::Leisure;
use super::snapshot::{Look, Published, Snapshot, newest};
use super::status::to_status;
use crate::CoordinatorError;
use crate::results::{CollectedCurves, Selection};

/// So many evaluations are analysed in about a tenth of a second, bands
/// included: that is waited for.
const SMALL_EVALUATIONS: u64 = 100_000;

/// An analysis is kept up to date for so long after it was asked for.
const KEEP_UP: Duration = Duration::from_secs(60);

/// Most numbers in all analyses that are kept of a sweep, about: 8 bytes each.
const MAX_NUMBERS: usize = 32_000_000;

/// Large analyses with bands under way at a time, and without: the latter take a fraction of the time, and
/// do not wait for the former. Answers need some of the processors, too.
static PROCESSORS: LazyLock<[Semaphore; 2]> = LazyLock::new(|| {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    [(); 2].map(|()| Semaphore::new(processors.div_ceil(2)))
});

/// Whether so little is finished that an analysis of it is waited for.
pub(super) fn is_small(curves: &CollectedCurves) -> bool {
    curves.evaluations() <= SMALL_EVALUATIONS
}

/// The analyses of one sweep that were asked for lately.
pub(super) struct Analyses {
    curves: Published<CollectedCurves>,
    /// The question asked last is at the end.
    questions: Mutex<Vec<Arc<Question>>>,
}

/// What was asked, with the newest answer.
struct Question {
    selection: Selection,
    options: AnalysisOptions,
    asked: watch::Sender<Instant>,
    answers: Published<SweepAnalysis>,
    _ends_the_task: DropGuard,
}

impl Analyses {
    /// None as yet of the sweep whose curves are published there.
    pub(super) fn new(curves: Published<CollectedCurves>) -> Self {
        Self {
            curves,
            questions: Mutex::default(),
        }
    }

    /// The analysis of the curves as of that look if it has to be `exact`, or nobody asked for
    /// it lately; otherwise the newest one.
    pub(super) async fn answer(
        &self,
        look: Look,
        exact: bool,
        selection: Selection,
        options: AnalysisOptions,
    ) -> Result<Snapshot<SweepAnalysis>, Status> {
        let question = self.question(selection, options);
        let kept_up = question.asked.send_replace(Instant::now()).elapsed() < KEEP_UP;
        let fits = |answer: &Snapshot<_>| answer.answers(look.begun, exact || !kept_up);
        let answer = newest(question.answers.clone(), fits).await?;
        self.make_room();
        Ok(answer)
    }

    /// The place of a question: whoever asks the same gets the same place.
    fn question(&self, selection: Selection, options: AnalysisOptions) -> Arc<Question> {
        let mut questions = self.questions.lock();
        let same = questions
            .iter()
            .position(|known| known.selection == selection && known.options == options);
        let question = match same {
            Some(position) => questions.remove(position),
            None => Arc::new(Question::start(selection, options, self.curves.clone())),
        };
        if questions.len() == MAX_ANALYSES {
            questions.remove(0);
        }
        questions.push(Arc::clone(&question));
        question
    }

    /// Forgets what was not asked for the longest, if all is too large; the last one stays.
    fn make_room(&self) {
        let mut questions = self.questions.lock();
        let mut numbers = 0;
        let newest_first = questions.iter().rev();
        let kept = newest_first.take_while(|question| {
            numbers += question.numbers();
            numbers <= MAX_NUMBERS
        });
        let forgotten = questions.len() - kept.count().max(1);
        questions.drain(..forgotten);
    }
}

impl Question {
    /// Starts to answer it, until this is dropped.
    fn start(
        selection: Selection,
        options: AnalysisOptions,
        curves: Published<CollectedCurves>,
    ) -> Self {
        let (asked, asked_receiver) = watch::channel(Instant::now());
        let (answers_sender, answers) = watch::channel(None);
        let ended = CancellationToken::new();
        let asking = (selection.clone(), options.clone());
        let answering = keep_up(asking, asked_receiver, curves, answers_sender);
        tokio::spawn(ended.clone().run_until_cancelled_owned(answering));
        Self {
            selection,
            options,
            asked,
            answers,
            _ends_the_task: ended.drop_guard(),
        }
    }

    /// How many numbers the curves of the answer have, about: the rest is small.
    fn numbers(&self) -> usize {
        let answer = self.answers.borrow();
        let analysis = answer
            .as_ref()
            .and_then(|answer| answer.outcome.as_ref().ok());
        let blackboxes = analysis
            .into_iter()
            .flat_map(|analysis| &analysis.blackboxes);
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
}

/// Answers a question anew whenever there are new curves, as long as it is asked; ends with the sweep.
async fn keep_up(
    (selection, options): (Selection, AnalysisOptions),
    mut asked: watch::Receiver<Instant>,
    mut curves: Published<CollectedCurves>,
    answers: watch::Sender<Option<Snapshot<SweepAnalysis>>>,
) {
    // Of which curves the answer is.
    let mut answered = None;
    while asked
        .wait_for(|asked| asked.elapsed() < KEEP_UP)
        .await
        .is_ok()
    {
        let newest = curves.borrow_and_update().clone();
        if let Some(snapshot) = newest {
            let last = answers.borrow().as_ref().map(|last| last.outcome.clone());
            let mut owed = Duration::ZERO;
            let outcome = match (&snapshot.outcome, last) {
                (Err(status), _) => Err(status.clone()),
                (Ok(curves), Some(Ok(last))) if answered == Some(curves.done()) => Ok(last),
                (Ok(curves), _) => {
                    answered = Some(curves.done());
                    let asked = (selection.clone(), options.clone());
                    let computed = compute(Arc::clone(curves), asked, &answers).await;
                    computed.map(|(analysis, rest)| {
                        owed = rest;
                        analysis
                    })
                }
            };
            let look = snapshot.look;
            answers.send_replace(Some(Snapshot { look, outcome }));
            sleep(owed).await;
        }
        if curves.changed().await.is_err() {
            return;
        }
    }
}

/// The next of the `answers`, and how long to rest after it.
async fn compute(
    curves: Arc<CollectedCurves>,
    (selection, options): (Selection, AnalysisOptions),
    answers: &watch::Sender<Option<Snapshot<SweepAnalysis>>>,
) -> Result<(Arc<SweepAnalysis>, Duration), Status> {
    let processors = match options.bands {
        Bands::All | Bands::Averages => &PROCESSORS[0],
        Bands::None => &PROCESSORS[1],
    };
    // What takes no time does not queue behind what may.
    let mut leisure = match is_small(&curves) {
        true => None,
        false => Some(Leisure::begin(processors, answers.clone()).await),
    };
    let computing = tokio::task::spawn_blocking(move || {
        let mut rest = || leisure.iter_mut().for_each(Leisure::rest);
        let analysis = analyse_curves(&curves.results(&selection), &options, &mut rest);
        (
            analysis,
            leisure.map_or(Duration::ZERO, |leisure| leisure.owed()),
        )
    });
    let task = "an analysis";
    let died = |source| to_status(CoordinatorError::ThreadDied { task, source });
    let (analysis, owed) = computing.await.map_err(died)?;
    let analysis = analysis.map_err(|error| to_status(error.into()))?;
    Ok((Arc::new(analysis), owed))
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

    fn analyses() -> Analyses {
        Analyses::new(watch::channel(None).1)
    }

    #[tokio::test]
    async fn the_same_question_has_the_same_place() {
        let analyses = analyses();
        let ask = |number| analyses.question(Selection::default(), options(number));
        let first = ask(1);
        assert!(!Arc::ptr_eq(&first, &ask(2)));
        assert!(Arc::ptr_eq(&first, &ask(1)));
        assert_eq!(analyses.questions.lock().len(), 2);
    }

    #[tokio::test]
    async fn the_analyses_are_bounded_and_what_was_asked_last_is_kept() {
        let analyses = analyses();
        let ask = |number| analyses.question(Selection::default(), options(number));
        let first = ask(0);
        for number in 1..100 {
            ask(number);
            ask(0);
        }
        assert_eq!(analyses.questions.lock().len(), MAX_ANALYSES);
        assert!(Arc::ptr_eq(&first, &ask(0)));
    }
}
