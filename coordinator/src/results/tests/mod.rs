//! Collecting traces: from a store that counts and fails.

pub(crate) mod faulty_store;
pub(crate) mod sample_sweep;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use loto_proto::job::{Job, Series};
use loto_proto::sweep::Sweep;
use loto_statistics::results::{BestCurves, SeedTraces, SweepResults};
use loto_transport::TransportError;
use loto_transport::store::Traces;

use self::faulty_store::FaultyStore;
use self::sample_sweep::{SampleSweep, Shape};
use super::*;
use crate::CoordinatorError;
use crate::follower::Follower;

const SHAPE: Shape = Shape {
    blackboxes: 2,
    tasks: 3,
    methods: 3,
    seeds: 4,
    iterations: 5,
};

async fn submitted() -> (SampleSweep, Arc<FaultyStore>) {
    let sample = SampleSweep::new(SHAPE);
    let store = Arc::new(FaultyStore::new().await);
    sample.submit(store.as_ref()).await.unwrap();
    (sample, store)
}

/// What is read of a sweep, and how far its store was followed.
struct Reader<Kept> {
    store: Arc<FaultyStore>,
    follower: Follower,
    collected: CollectedTraces<Kept>,
}

impl<Kept: KeptTraces> Reader<Kept> {
    async fn open(
        sample: &SampleSweep,
        store: &Arc<FaultyStore>,
    ) -> Result<Self, CoordinatorError> {
        let (tables, sweep) = (ObjectiveCache::default(), sample.sweep.clone());
        let planned = PlannedTraces::open(store.as_ref(), &tables, sweep).await?;
        Ok(Self {
            store: Arc::clone(store),
            follower: Follower::new(&sample.sweep),
            collected: CollectedTraces::new(Arc::new(planned)),
        })
    }

    async fn refresh(&mut self) -> Result<(), CoordinatorError> {
        let store = self.store.as_ref();
        self.follower.follow(store).await?;
        self.collected.read_new(&self.follower, store).await
    }

    fn done(&self) -> u64 {
        self.collected.done()
    }

    fn results(&self, selection: &Selection) -> SweepResults<Kept> {
        self.collected.results(selection)
    }
}

/// Reads what statistics look at.
type CurveReader = Reader<Arc<BestCurves>>;

/// Reads everything.
type TraceReader = Reader<SeedTraces>;

/// Every job of a sweep, series by series.
pub(crate) fn jobs_by_series(sweep: &Sweep) -> Vec<Job> {
    let seeds = |series: Series| {
        (0..sweep.seeds).map(move |seed| Job {
            series: series.clone(),
            seed,
        })
    };
    sweep.series().flat_map(seeds).collect()
}

#[tokio::test]
async fn everything_finished_is_collected_in_its_place() {
    let (sample, store) = submitted().await;
    let jobs = jobs_by_series(&sample.sweep);
    sample.run(store.as_ref(), jobs.clone()).await.unwrap();
    let mut reader = TraceReader::open(&sample, &store).await.unwrap();
    reader.refresh().await.unwrap();
    assert_eq!(reader.done(), sample.sweep.job_count());

    let results = reader.results(&Selection::default());
    assert_eq!((results.name.as_str(), results.seeds), ("sample", 4));
    for job in jobs {
        let blackbox = results.blackboxes.iter();
        let mut blackbox = blackbox.filter(|blackbox| job.series.task.starts_with(&blackbox.name));
        let blackbox = blackbox.next().unwrap();
        let method = blackbox
            .methods
            .iter()
            .position(|id| *id == job.series.method.id)
            .unwrap();
        let task = blackbox
            .tasks
            .iter()
            .find(|task| task.name == job.series.task)
            .unwrap();
        assert!(task.objective.is_sorted());
        let expected = sample.trace(&job);
        let found = &task.traces[method][&job.seed];
        assert_eq!(
            (&found.rows, &found.values),
            (&expected.rows, &expected.values)
        );
        assert_eq!(found.seconds[1], f64::from(expected.microseconds[1]) / 1e6);
    }
}

#[tokio::test]
async fn only_what_is_new_is_read() {
    let (sample, store) = submitted().await;
    let jobs = jobs_by_series(&sample.sweep);
    sample
        .run(store.as_ref(), jobs[..20].to_vec())
        .await
        .unwrap();
    let mut reader = TraceReader::open(&sample, &store).await.unwrap();
    reader.refresh().await.unwrap();
    assert_eq!(reader.done(), 20);
    // Twenty traces are five series of four seeds.
    assert_eq!(store.reads(), [0, 5, 1]);

    reader.refresh().await.unwrap();
    assert_eq!(reader.done(), 20);
    assert_eq!(store.reads(), [0, 0, 0]);

    // Four traces of one series are read at once. Of the next, one is new.
    sample
        .run(store.as_ref(), jobs[20..25].to_vec())
        .await
        .unwrap();
    reader.refresh().await.unwrap();
    assert_eq!(reader.done(), 25);
    assert_eq!(store.reads(), [1, 1, 0]);
    let expected = sample.trace(&jobs[24]).values;
    let results = reader.results(&Selection::default());
    let method = &results.blackboxes[1].tasks[2].traces[0];
    assert_eq!(method.len(), 4);
    let later = &results.blackboxes[0].tasks[0].traces[1];
    assert_eq!(later[&0].values, expected);
}

#[tokio::test]
async fn a_gap_in_the_history_costs_a_look_at_the_seeds_only() {
    let (sample, store) = submitted().await;
    let jobs = jobs_by_series(&sample.sweep);
    sample
        .run(store.as_ref(), jobs[..10].to_vec())
        .await
        .unwrap();
    let mut reader = CurveReader::open(&sample, &store).await.unwrap();
    reader.refresh().await.unwrap();
    store.reads();
    sample
        .run(store.as_ref(), jobs[10..12].to_vec())
        .await
        .unwrap();
    store.forgetful.store(true, Ordering::Relaxed);
    reader.refresh().await.unwrap();
    assert_eq!(reader.done(), 12);
    // Two traces of one series, and the seeds.
    assert_eq!(store.reads(), [0, 1, 1]);
}

#[tokio::test]
async fn a_damaged_trace_is_named_and_the_others_count() {
    let (sample, store) = submitted().await;
    let jobs = jobs_by_series(&sample.sweep);
    sample.run(store.as_ref(), jobs.clone()).await.unwrap();
    let (wrong_value, unreadable) = (&jobs[1], &jobs[7]);
    let mut trace = sample.trace(wrong_value);
    trace.values[2] += 1e-9;
    store.damage(wrong_value, Some(trace));
    let mut trace = sample.trace(unreadable);
    trace.values.pop();
    store.damage(unreadable, Some(trace));

    let mut reader = CurveReader::open(&sample, &store).await.unwrap();
    let planned = sample.sweep.job_count();
    for damaged in [wrong_value, unreadable] {
        let error = reader.refresh().await.unwrap_err();
        assert!(
            matches!(error, CoordinatorError::CorruptTrace { .. }),
            "{error}"
        );
        assert!(reader.done() >= planned - 2);
        let message = error.to_string();
        for part in [sample.sweep.id().to_string(), damaged.id().to_string()] {
            assert!(message.contains(&part), "{message}");
        }
        store.damage(damaged, None);
    }
    reader.refresh().await.unwrap();
    assert_eq!(reader.done(), planned);
}

#[tokio::test]
async fn a_trace_that_is_taken_out_before_it_is_read_is_read_when_it_is_back() {
    let (sample, store) = submitted().await;
    let jobs = jobs_by_series(&sample.sweep);
    sample.run(store.as_ref(), jobs.clone()).await.unwrap();
    let mut reader = CurveReader::open(&sample, &store).await.unwrap();
    reader.follower.follow(store.as_ref()).await.unwrap();
    let (series, seed) = (jobs[1].series.id(), jobs[1].seed);
    store.discard_trace(series, seed).await.unwrap();
    reader.refresh().await.unwrap();
    let planned = sample.sweep.job_count();
    assert_eq!(reader.done(), planned - 1);
    sample
        .run(store.as_ref(), jobs[1..2].to_vec())
        .await
        .unwrap();
    reader.refresh().await.unwrap();
    assert_eq!(reader.done(), planned);
}

#[tokio::test]
async fn an_outage_of_the_store_loses_nothing() {
    let (sample, store) = submitted().await;
    let jobs = jobs_by_series(&sample.sweep);
    let mut reader = CurveReader::open(&sample, &store).await.unwrap();
    for half in jobs.chunks(jobs.len() / 2) {
        sample.run(store.as_ref(), half.to_vec()).await.unwrap();
        store.offline.store(true, Ordering::Relaxed);
        let error = reader.refresh().await.unwrap_err();
        assert!(
            matches!(
                error,
                CoordinatorError::Transport(TransportError::Unavailable { .. })
            ),
            "{error}"
        );
        store.offline.store(false, Ordering::Relaxed);
        reader.refresh().await.unwrap();
    }
    assert_eq!(reader.done(), sample.sweep.job_count());
}

#[tokio::test]
async fn traces_of_other_sweeps_are_passed_over() {
    let (sample, store) = submitted().await;
    let longer = SampleSweep::new(Shape {
        seeds: 9,
        blackboxes: 3,
        ..SHAPE
    });
    longer.submit(store.as_ref()).await.unwrap();
    let mut reader = CurveReader::open(&sample, &store).await.unwrap();
    let (before, after): (Vec<_>, Vec<_>) = longer.sweep.jobs().partition(|job| job.seed % 2 == 0);
    for jobs in [before, after] {
        longer.run(store.as_ref(), jobs).await.unwrap();
        reader.refresh().await.unwrap();
    }
    assert_eq!(reader.done(), sample.sweep.job_count());
    let results = reader.results(&Selection::default());
    assert_eq!(results.blackboxes.len(), 2);
    assert!(
        results.blackboxes[0].tasks[0].traces[0]
            .seeds()
            .iter()
            .eq(&[0, 1, 2, 3])
    );
}

#[tokio::test]
async fn a_table_that_two_black_boxes_share_fills_both() {
    let mut sample = SampleSweep::new(Shape {
        blackboxes: 1,
        ..SHAPE
    });
    let store = Arc::new(FaultyStore::new().await);
    sample.submit(store.as_ref()).await.unwrap();
    let mut again = sample.sweep.blackboxes[0].clone();
    again.name = "again".into();
    again.targets.truncate(1);
    sample.sweep.blackboxes.push(again);
    sample
        .run(store.as_ref(), jobs_by_series(&sample.sweep))
        .await
        .unwrap();
    let mut reader = CurveReader::open(&sample, &store).await.unwrap();
    reader.refresh().await.unwrap();
    assert_eq!(reader.done(), sample.sweep.job_count());
    let results = reader.results(&Selection::default());
    let (first, second) = (
        &results.blackboxes[0].tasks[0],
        &results.blackboxes[1].tasks[0],
    );
    assert_eq!(first.traces, second.traces);
}

#[tokio::test]
async fn a_selection_shows_only_its_part() {
    let (sample, store) = submitted().await;
    sample
        .run(store.as_ref(), jobs_by_series(&sample.sweep))
        .await
        .unwrap();
    let mut reader = TraceReader::open(&sample, &store).await.unwrap();
    reader.refresh().await.unwrap();
    let selection = Selection {
        blackboxes: BTreeSet::from(["box1".to_string()]),
        methods: BTreeSet::from(["m2".to_string()]),
        ..Selection::default()
    };
    let results = reader.results(&selection);
    assert_eq!(results.blackboxes.len(), 1);
    assert_eq!(results.blackboxes[0].name, "box1");
    assert_eq!(results.blackboxes[0].methods, ["m2"]);
    let job = jobs_by_series(&sample.sweep).into_iter();
    let mut job = job.filter(|job| job.series.method.id == "m2" && job.series.task == "box1-task2");
    let expected = sample.trace(&job.next().unwrap()).values;
    assert_eq!(
        results.blackboxes[0].tasks[2].traces[0][&0].values,
        expected
    );
}

#[tokio::test]
async fn a_black_box_without_a_selected_method_is_left_out() {
    let (mut sample, store) = submitted().await;
    sample.sweep.blackboxes[0].methods.truncate(2);
    sample
        .run(store.as_ref(), jobs_by_series(&sample.sweep))
        .await
        .unwrap();
    let mut reader = CurveReader::open(&sample, &store).await.unwrap();
    reader.refresh().await.unwrap();
    let everything = reader.results(&Selection::default());
    assert_eq!(everything.blackboxes[0].methods, ["rs", "m1"]);
    assert_eq!(everything.blackboxes[1].methods, ["rs", "m1", "m2"]);
    let selection = Selection {
        methods: BTreeSet::from(["m2".to_string()]),
        ..Selection::default()
    };
    let results = reader.results(&selection);
    assert_eq!(results.blackboxes.len(), 1);
    assert_eq!(results.blackboxes[0].name, "box1");
}

#[tokio::test]
async fn a_sweep_needs_its_tables_and_tasks() {
    let sample = SampleSweep::new(SHAPE);
    let store = Arc::new(FaultyStore::new().await);
    let error = CurveReader::open(&sample, &store).await.err().unwrap();
    assert!(
        matches!(
            error,
            CoordinatorError::Transport(TransportError::MissingTable(_))
        ),
        "{error}"
    );

    let (mut sample, store) = submitted().await;
    sample.sweep.blackboxes[1].targets.push("nowhere".into());
    let error = CurveReader::open(&sample, &store).await.err().unwrap();
    assert!(error.to_string().contains("`nowhere`"), "{error}");
}
