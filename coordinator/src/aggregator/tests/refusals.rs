//! What is refused, and how.

use std::sync::atomic::Ordering;

use loto_service::wire;
use tonic::{Code, Status};

use super::Served;

fn assert_status(status: &Status, code: Code, parts: &[&str]) {
    assert_eq!(status.code(), code, "{status}");
    for part in parts {
        assert!(
            status.message().contains(part),
            "{status} does not tell {part}"
        );
    }
}

#[tokio::test]
async fn unknown_sweeps_are_not_found_and_garbage_is_invalid() {
    let mut served = Served::new().await;
    for (sweep_id, code) in [
        ("0123456789abcdef0123456789abcdef", Code::NotFound),
        ("", Code::InvalidArgument),
        ("no sweep", Code::InvalidArgument),
    ] {
        let sweep_id = sweep_id.to_string();
        served.sweep_id.clone_from(&sweep_id);
        assert_status(&served.progress().await.unwrap_err(), code, &[&sweep_id]);
        assert_status(&served.curves().await.unwrap_err(), code, &[&sweep_id]);
        let request = wire::WatchProgressRequest {
            sweep_id: sweep_id.clone(),
            resume_token: String::new(),
        };
        let status = served.client.watch_progress(request).await.unwrap_err();
        assert_status(&status, code, &[&sweep_id]);
    }
}

#[tokio::test]
async fn each_wrong_field_is_named() {
    let mut served = Served::finished().await;
    let sweep_id = served.sweep_id.clone();

    let curves = |change: fn(&mut wire::GetCurvesRequest)| {
        let mut request = wire::GetCurvesRequest {
            sweep_id: sweep_id.clone(),
            selection: Some(wire::Selection::default()),
            ..Default::default()
        };
        change(&mut request);
        request
    };
    let selection = |request: &mut wire::GetCurvesRequest, blackbox: &str, method: &str| {
        let owned = |name: &str| {
            (!name.is_empty())
                .then(|| name.to_owned())
                .into_iter()
                .collect()
        };
        request.selection = Some(wire::Selection {
            blackboxes: owned(blackbox),
            methods: owned(method),
        });
    };
    let mut unknown_blackbox = curves(|_| {});
    selection(&mut unknown_blackbox, "box7", "");
    let mut unknown_method = curves(|_| {});
    selection(&mut unknown_method, "box1", "gp");
    let mut no_sampled_baseline = curves(|request| request.baseline = 3);
    selection(&mut no_sampled_baseline, "", "m1");
    let cases: [(wire::GetCurvesRequest, &[&str]); 6] = [
        (
            unknown_blackbox,
            &["`selection.blackboxes`", "`box7`", "box0, box1"],
        ),
        (
            unknown_method,
            &["`selection.methods`", "`gp`", "m1, m2, rs"],
        ),
        (no_sampled_baseline, &["rs", "baseline"]),
        (curves(|request| request.baseline = 9), &["`baseline`", "9"]),
        (
            curves(|request| request.confidence = Some(1.0)),
            &["`confidence`", "0.999"],
        ),
        (
            curves(|request| request.confidence = Some(f64::NAN)),
            &["`confidence`", "NaN"],
        ),
    ];
    for (request, parts) in cases {
        let status = served.client.get_curves(request).await.unwrap_err();
        assert_status(&status, Code::InvalidArgument, parts);
    }

    let request = wire::CompareMethodsRequest {
        sweep_id: sweep_id.clone(),
        alpha: Some(0.9),
        ..Default::default()
    };
    let status = served.client.compare_methods(request).await.unwrap_err();
    assert_status(&status, Code::InvalidArgument, &["`alpha`", "0.9"]);

    for iteration in [0, 13] {
        let request = wire::GetImprovementRequest {
            sweep_id: sweep_id.clone(),
            iterations: vec![1, iteration],
            ..Default::default()
        };
        let status = served.client.get_improvement(request).await.unwrap_err();
        assert_status(&status, Code::InvalidArgument, &["`iterations`", "1 to 12"]);
    }

    let request = wire::StreamTracesRequest {
        sweep_id: sweep_id.clone(),
        seeds: vec![5],
        ..Default::default()
    };
    let status = served.client.stream_traces(request).await.unwrap_err();
    assert_status(&status, Code::InvalidArgument, &["`seeds`", "5"]);

    for (page_size, page_token, field) in [
        (101, String::new(), "`page_size`"),
        (1, "x".into(), "`page_token`"),
        (1, "0123456789abcdef0123456789abcdef".into(), "`page_token`"),
    ] {
        let request = wire::ListSweepsRequest {
            page_size,
            page_token,
        };
        let status = served.client.list_sweeps(request).await.unwrap_err();
        assert_status(&status, Code::InvalidArgument, &[field]);
    }
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused() {
    let mut served = Served::new().await;
    let request = wire::StreamTracesRequest {
        sweep_id: served.sweep_id.clone(),
        tasks: vec!["x".repeat(2 << 20)],
        ..Default::default()
    };
    let status = served.client.stream_traces(request).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange, "{status}");
    assert!(served.progress().await.is_ok());
}

#[tokio::test]
async fn a_store_out_of_reach_is_unavailable_until_it_is_back() {
    let mut served = Served::finished().await;
    let store = served.store.clone();
    let offline = |offline| store.offline.store(offline, Ordering::Relaxed);
    offline(true);
    // What it saw just before is told for a moment.
    let status = loop {
        if let Err(status) = served.progress().await {
            break status;
        }
    };
    assert_status(&status, Code::Unavailable, &["connection refused"]);
    offline(false);
    let before = served.timeless_curves().await;
    offline(true);
    assert_status(
        &served.curves().await.unwrap_err(),
        Code::Unavailable,
        &["connection refused"],
    );
    let request = wire::ListSweepsRequest::default();
    let status = served.client.list_sweeps(request).await.unwrap_err();
    assert_status(&status, Code::Unavailable, &[]);
    offline(false);
    assert_eq!(served.timeless_curves().await, before);
}

#[tokio::test]
async fn a_corrupt_trace_is_data_loss_by_name() {
    let mut served = Served::new().await;
    let job = served.sample.sweep.jobs().nth(37).unwrap();
    let mut trace = served.sample.trace(&job);
    trace.rows[3] = 1_000_000;
    served.store.damage(&job, Some(trace));
    let jobs = served.sample.sweep.jobs();
    served
        .sample
        .run(served.store.as_ref(), jobs)
        .await
        .unwrap();
    let status = served.curves().await.unwrap_err();
    let id = job.id().to_string();
    let parts = [served.sweep_id.as_str(), &id, "row 1000000", "iteration 4"];
    assert_status(&status, Code::DataLoss, &parts);

    let request = wire::StreamTracesRequest {
        sweep_id: served.sweep_id.clone(),
        ..Default::default()
    };
    let mut stream = served
        .client
        .stream_traces(request)
        .await
        .unwrap()
        .into_inner();
    let status = loop {
        if let Err(status) = stream.message().await {
            break status;
        }
    };
    assert_status(&status, Code::DataLoss, &[&id]);

    served.store.damage(&job, None);
    assert!(served.curves().await.is_ok());
}

#[tokio::test]
async fn a_sweep_without_its_table_can_be_watched_but_not_analysed() {
    let mut served = Served::new().await;
    let mut plan = served.sample.sweep.clone();
    plan.blackboxes[0].table.0 = [7; 16];
    loto_transport::store::Sweeps::put_sweep(served.store.as_ref(), &plan)
        .await
        .unwrap();
    served.sweep_id = plan.id().to_string();
    assert_eq!(served.progress().await.unwrap().planned, 120);
    let status = served.curves().await.unwrap_err();
    assert_status(
        &status,
        Code::FailedPrecondition,
        &["07070707", "submit the sweep again"],
    );
}
