//! What each question is answered, against values computed here.

use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_service::wire;

use super::{SHAPE, Served};
use crate::results::tests::sample_sweep::{SampleSweep, Shape, objective};

/// DTM of a method on a task, from its traces and the table's range.
fn dtm(served: &Served, task: &str, method: &str) -> Vec<f64> {
    let rows = SHAPE.iterations as usize * SHAPE.methods * 2 + 1;
    let values = (0..rows).map(|row| objective(task, row));
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    let jobs = served.sample.sweep.jobs();
    let jobs = jobs.filter(|job| job.series.task == task && job.series.method.id == method);
    let traces: Vec<Trace> = jobs.map(|job| served.sample.trace(&job)).collect();
    assert_eq!(traces.len(), SHAPE.seeds as usize);
    let at = |iteration: usize| {
        let best = traces.iter().map(|trace| trace.best_so_far()[iteration]);
        (best.sum::<f64>() / traces.len() as f64 - least) / (most - least)
    };
    (0..SHAPE.iterations as usize).map(at).collect()
}

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() < 1e-12,
            "{found} instead of {expected}"
        );
    }
}

#[tokio::test]
async fn sweeps_are_listed_page_by_page() {
    let mut served = Served::new().await;
    let smaller = SampleSweep::new(Shape { seeds: 1, ..SHAPE });
    smaller.submit(served.store.as_ref()).await.unwrap();
    let mut request = wire::ListSweepsRequest {
        page_size: 1,
        page_token: String::new(),
    };
    let first = served
        .client
        .list_sweeps(request.clone())
        .await
        .unwrap()
        .into_inner();
    assert_eq!((first.sweeps.len(), first.total), (1, 2));
    let listed = &first.sweeps[0];
    assert_eq!(listed.sweep_id, served.sweep_id);
    assert_eq!((listed.jobs, listed.problem.as_str()), (2 * 4 * 3 * 5, ""));
    let plan = listed.plan.as_ref().unwrap();
    assert_eq!((plan.name.as_str(), plan.seeds), ("sample", 5));
    assert_eq!(plan.blackboxes[1].targets[3], "box1-task3");

    request.page_token = first.next_page_token;
    let second = served
        .client
        .list_sweeps(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(second.sweeps[0].sweep_id, smaller.sweep.id().to_string());
    assert_eq!(second.next_page_token, "");
}

#[tokio::test]
async fn curves_are_the_mean_distance_to_the_optimum() {
    let mut served = Served::finished().await;
    let curves = served.curves().await.unwrap();
    let completeness = curves.completeness.unwrap();
    assert_eq!((completeness.planned, completeness.finished), (120, 120));
    assert!(completeness.gaps.is_empty() && !completeness.unbalanced);
    assert_eq!(curves.blackboxes.len(), 2);
    for blackbox in &curves.blackboxes {
        assert_eq!(blackbox.iterations, 12);
        assert!(blackbox.excluded_tasks.is_empty());
        for (position, method) in ["rs", "m1", "m2"].into_iter().enumerate() {
            let mut adtm = vec![0.0; 12];
            for task in &blackbox.tasks {
                let expected = dtm(&served, &task.task, method);
                let curve = &task.dtm[position];
                assert_eq!(curve.method, method);
                assert_close(&curve.mean, &expected);
                for (t, mean) in curve.mean.iter().enumerate() {
                    // All seeds may agree, up to rounding.
                    assert!(curve.lower[t] - 1e-12 <= *mean && *mean <= curve.upper[t] + 1e-12);
                }
                for (sum, value) in adtm.iter_mut().zip(expected) {
                    *sum += value / 4.0;
                }
            }
            assert_close(&blackbox.adtm[position].mean, &adtm);
        }
    }
    let first = &curves.blackboxes[0].tasks[0];
    assert_eq!(first.baseline_dtm.len(), 12);
    assert!(first.baseline_dtm.is_sorted_by(|a, b| a >= b));
}

#[tokio::test]
async fn curves_can_be_narrowed() {
    let mut served = Served::finished().await;
    let request = wire::GetCurvesRequest {
        sweep_id: served.sweep_id.clone(),
        selection: Served::only(&["box1"], &["m2", "rs"]),
        only_averages: true,
        confidence: Some(0.5),
        ..Default::default()
    };
    let narrow = served
        .client
        .get_curves(request.clone())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(narrow.completeness.unwrap().planned, 4 * 2 * 5);
    assert_eq!(narrow.blackboxes.len(), 1);
    let box1 = &narrow.blackboxes[0];
    assert_eq!(box1.blackbox, "box1");
    assert!(box1.tasks.is_empty());
    let methods: Vec<&str> = box1
        .adtm
        .iter()
        .map(|curve| curve.method.as_str())
        .collect();
    assert_eq!(methods, ["rs", "m2"]);

    let wide = wire::GetCurvesRequest {
        confidence: Some(0.99),
        ..request
    };
    let wide = served.client.get_curves(wide).await.unwrap().into_inner();
    let (narrow, wide) = (&box1.adtm[0], &wide.blackboxes[0].adtm[0]);
    assert_eq!(narrow.mean, wide.mean);
    assert!(wide.upper[0] > narrow.upper[0] && wide.lower[0] < narrow.lower[0]);
}

#[tokio::test]
async fn improvements_rank_the_methods_in_their_known_order() {
    let mut served = Served::finished().await;
    let request = wire::GetImprovementRequest {
        sweep_id: served.sweep_id.clone(),
        iterations: vec![12, 1],
        ..Default::default()
    };
    let improvement = served
        .client
        .get_improvement(request.clone())
        .await
        .unwrap()
        .into_inner();
    for blackbox in &improvement.blackboxes {
        assert_eq!(blackbox.averaged_tasks, 4);
        let [rs, m1, m2] = blackbox.methods.as_slice() else {
            panic!("three methods were planned");
        };
        assert!(m2.improvement > m1.improvement && m1.improvement > rs.improvement);
        assert!(m2.average_rank < rs.average_rank);
        // Of four tasks the interquartile mean leaves out the first and the last, as the median does.
        assert!(m2.median_improvement > m1.median_improvement);
        let robust = [m2.median_improvement, m2.interquartile_mean_improvement];
        let [median, interquartile] = robust.map(Option::unwrap);
        assert_close(&[median], &[interquartile]);
        let ranks = [rs, m1, m2].map(|method| method.average_rank.unwrap());
        assert_close(&[ranks.iter().sum()], &[6.0]);
        let iterations: Vec<u32> = m2.at.iter().map(|at| at.iteration).collect();
        assert_eq!(iterations, [1, 12]);
        assert_eq!(Some(m2.at[1].adtm), m2.final_adtm);
        assert!(m2.at.iter().all(|at| at.relative_improvement.is_none()));
        for task in &blackbox.tasks {
            let expected = dtm(&served, &task.task, "m1");
            assert_close(&[task.methods[1].final_dtm.unwrap()], &expected[11..]);
            assert_eq!(task.methods[1].seeds, 5);
        }
    }
    let by_default = wire::GetImprovementRequest {
        iterations: Vec::new(),
        ..request
    };
    let by_default = served
        .client
        .get_improvement(by_default)
        .await
        .unwrap()
        .into_inner();
    let at = &by_default.blackboxes[0].methods[0].at;
    assert_eq!(
        at.iter().map(|at| at.iteration).collect::<Vec<_>>(),
        [10, 12]
    );
    assert!(at[0].relative_improvement.is_some());
}

#[tokio::test]
async fn comparisons_follow_demsars_formulas() {
    let mut served = Served::finished().await;
    let request = wire::CompareMethodsRequest {
        sweep_id: served.sweep_id.clone(),
        ..Default::default()
    };
    let response = served
        .client
        .compare_methods(request.clone())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(response.blackboxes.len(), 2);
    let together = response.together.unwrap();
    assert_eq!(together.impossible, "");
    assert_eq!(together.methods, ["rs", "m1", "m2"]);
    assert_eq!(together.data_sets.len(), 8);
    let (n, k) = (8.0, 3.0);
    let squares: f64 = together.average_ranks.iter().map(|rank| rank * rank).sum();
    let chi_square = 12.0 * n / (k * (k + 1.0)) * (squares - k * (k + 1.0) * (k + 1.0) / 4.0);
    let friedman = together.friedman.unwrap();
    assert!((friedman.chi_square - chi_square).abs() < 1e-9);
    assert_eq!(friedman.degrees_of_freedom, 2);
    // With two degrees of freedom the tail is exp(-x / 2).
    assert!((friedman.p_value - (-chi_square / 2.0).exp()).abs() < 1e-9);
    assert_eq!(friedman.iman_davenport_denominator_degrees_of_freedom, 14);
    let nemenyi = together.nemenyi.unwrap();
    let expected = 2.343701 * (k * (k + 1.0) / (6.0 * n)).sqrt();
    assert!((nemenyi.critical_difference - expected).abs() < 1e-5);
    assert_eq!((nemenyi.alpha, nemenyi.pairs.len()), (0.05, 3));
    assert_eq!(together.wilcoxon.len(), 3);
    let pair = &together.wilcoxon[1];
    assert_eq!((pair.first.as_str(), pair.second.as_str()), ("rs", "m2"));
    assert_eq!(pair.wins + pair.ties + pair.losses, 8);
    let practical = &together.practical[1];
    assert_eq!(
        (
            practical.first.as_str(),
            practical.second.as_str(),
            practical.rope
        ),
        ("rs", "m2", 0.01)
    );
    let sum = practical.first_better + practical.equivalent + practical.second_better;
    assert!((sum - 1.0).abs() < 1e-12);

    let request = wire::CompareMethodsRequest {
        alpha: Some(0.1),
        rope: Some(1.0),
        selection: Served::only(&[], &["rs", "m2"]),
        ..request
    };
    let response = served
        .client
        .compare_methods(request)
        .await
        .unwrap()
        .into_inner();
    let together = response.together.unwrap();
    assert_eq!(together.methods, ["rs", "m2"]);
    // No difference of distances is greater than the whole range.
    assert_eq!(together.practical[0].equivalent, 1.0);
    let nemenyi = together.nemenyi.unwrap();
    let expected = 1.644854 * (2.0 * 3.0 / (6.0 * n)).sqrt();
    assert!((nemenyi.critical_difference - expected).abs() < 1e-5);
}

#[tokio::test]
async fn what_is_missing_is_told() {
    let mut served = Served::new().await;
    let jobs = served.sample.sweep.jobs();
    let not_missing = |job: &Job| {
        job.series.method.id != "m2" || job.series.task != "box0-task1" || job.seed == 2
    };
    let jobs: Vec<Job> = jobs.filter(not_missing).collect();
    served
        .sample
        .run(served.store.as_ref(), jobs)
        .await
        .unwrap();
    let curves = served.curves().await.unwrap();
    let completeness = curves.completeness.unwrap();
    assert_eq!((completeness.planned, completeness.finished), (120, 116));
    assert!(completeness.unbalanced);
    let gap = wire::Gap {
        blackbox: "box0".into(),
        task: "box0-task1".into(),
        method: "m2".into(),
        finished: 1,
        planned: 5,
    };
    assert_eq!(
        (completeness.gaps, completeness.gaps_left_out),
        (vec![gap], 0)
    );
}

#[tokio::test]
async fn traces_are_sent_in_order_and_filtered() {
    let mut served = Served::finished().await;
    let all = wire::StreamTracesRequest {
        sweep_id: served.sweep_id.clone(),
        ..Default::default()
    };
    let mut stream = served
        .client
        .stream_traces(all.clone())
        .await
        .unwrap()
        .into_inner();
    let mut count = 0;
    let mut last = None;
    while let Some(trace) = stream.message().await.unwrap() {
        let blackbox = trace.blackbox.strip_prefix("box").unwrap().to_owned();
        let method = ["rs", "m1", "m2"].iter().position(|id| *id == trace.method);
        let place = Some((blackbox, trace.task.clone(), method, trace.seed));
        assert!(place > last, "{place:?} after {last:?}");
        last = place;
        count += 1;
    }
    assert_eq!(count, 120);

    let few = wire::StreamTracesRequest {
        tasks: vec!["box1-task2".into()],
        methods: vec!["m1".into()],
        seeds: vec![4, 0],
        ..all
    };
    let mut stream = served.client.stream_traces(few).await.unwrap().into_inner();
    let jobs = served.sample.sweep.jobs();
    let jobs = jobs.filter(|job| job.series.task == "box1-task2" && job.series.method.id == "m1");
    for job in jobs.filter(|job| [0, 4].contains(&job.seed)) {
        let found = stream.message().await.unwrap().unwrap();
        assert_eq!((found.seed, found.job_id), (job.seed, job.id().to_string()));
        let (found, expected) = (found.trace.unwrap(), served.sample.trace(&job));
        assert_eq!((found.rows, found.values), (expected.rows, expected.values));
        assert_eq!(found.preparation_microseconds, 1000);
    }
    assert!(stream.message().await.unwrap().is_none());
}
