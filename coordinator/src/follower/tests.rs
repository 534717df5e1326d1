use std::sync::atomic::Ordering;

use loto_proto::job::Job;
use loto_transport::store::Traces;

use super::Follower;
use crate::results::tests::faulty_store::FaultyStore;
use crate::results::tests::jobs_by_series;
use crate::results::tests::sample_sweep::{SampleSweep, Shape};

const SHAPE: Shape = Shape {
    blackboxes: 1,
    tasks: 2,
    methods: 2,
    seeds: 3,
    iterations: 4,
};

fn done(follower: &Follower) -> Vec<Vec<u32>> {
    let series = follower.series().iter();
    series.map(|series| series.done().collect()).collect()
}

#[tokio::test]
async fn the_history_and_a_scan_tell_the_same() {
    let sample = SampleSweep::new(SHAPE);
    let store = FaultyStore::new().await;
    let jobs: Vec<Job> = jobs_by_series(&sample.sweep);
    let mut follower = Follower::new(&sample.sweep);
    sample.run(&store, jobs[..2].to_vec()).await.unwrap();
    follower.follow(&store).await.unwrap();
    assert_eq!(done(&follower), [vec![0, 1], vec![], vec![], vec![]]);
    let mut beyond = jobs[0].clone();
    beyond.seed = 3;
    sample.run(&store, jobs[2..4].to_vec()).await.unwrap();
    store
        .put_trace(&beyond, &sample.trace(&jobs[0]))
        .await
        .unwrap();
    store.reads();
    follower.follow(&store).await.unwrap();
    assert_eq!(store.reads(), [0, 0, 0]);
    let followed = done(&follower);
    assert_eq!(followed, [vec![0, 1, 2], vec![0], vec![], vec![]]);
    follower.scan(&store).await.unwrap();
    assert_eq!(done(&follower), followed);
    assert_eq!(follower.series()[0].done_count(), 3);
}

#[tokio::test]
async fn the_version_of_a_series_grows_with_every_news_of_it_alone() {
    let sample = SampleSweep::new(SHAPE);
    let store = FaultyStore::new().await;
    let jobs: Vec<Job> = jobs_by_series(&sample.sweep);
    let mut follower = Follower::new(&sample.sweep);
    let versions = |follower: &Follower| [0, 1].map(|series| follower.series()[series].version());
    for (job, expected) in jobs[..3].iter().zip(1..) {
        sample.run(&store, [job.clone()]).await.unwrap();
        // By the history, and by a scan because the history has a gap.
        store.forgetful.store(expected == 2, Ordering::Relaxed);
        follower.follow(&store).await.unwrap();
        assert_eq!(versions(&follower), [expected, 0]);
        follower.follow(&store).await.unwrap();
        assert_eq!(versions(&follower), [expected, 0]);
    }
    // What a server lost is not done any more; when it is done again, that is news.
    follower.series[0].replace_done(vec![0, 1]);
    assert_eq!(
        (follower.series[0].done_count(), versions(&follower)[0]),
        (2, 3)
    );
    follower.scan(&store).await.unwrap();
    assert_eq!(
        (follower.series[0].done_count(), versions(&follower)[0]),
        (3, 4)
    );
}
