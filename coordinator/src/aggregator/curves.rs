//! Curves over the iterations.

use loto_proto::wire;
use tonic::Status;

use super::completeness::{completeness, excluded_tasks};
use super::request;
use super::status::to_status;
use super::watched_sweep::WatchedSweep;
use crate::statistics::analysis::{AnalysisOptions, Band, Bands, BlackboxAnalysis, TaskAnalysis};

/// The curves that a request asks for.
pub(super) async fn curves(
    sweep: &WatchedSweep,
    request: wire::GetCurvesRequest,
) -> Result<wire::GetCurvesResponse, Status> {
    let selection = request::selection(request.selection, &sweep.sweep)?;
    let default = AnalysisOptions::default();
    let confidence = request::number(
        "confidence",
        request.confidence,
        default.confidence,
        0.5..=0.999,
    )?;
    let options = AnalysisOptions {
        baseline: request::baseline(request.baseline)?,
        confidence,
        bands: if request.only_averages {
            Bands::Averages
        } else {
            Bands::All
        },
        ..default
    };
    let analysis = sweep
        .analysis(selection, options)
        .await
        .map_err(to_status)?;
    let blackboxes = analysis.blackboxes.iter();
    Ok(wire::GetCurvesResponse {
        completeness: Some(completeness(&analysis)),
        blackboxes: blackboxes
            .map(|blackbox| blackbox_curves(blackbox, request.only_averages))
            .collect(),
    })
}

fn blackbox_curves(blackbox: &BlackboxAnalysis, only_averages: bool) -> wire::BlackboxCurves {
    let adtm = blackbox.methods.iter().filter_map(|method| {
        let averages = method.averages.as_ref()?;
        Some(method_curve(&method.method, &averages.adtm))
    });
    let tasks = blackbox.tasks.iter().filter(|_| !only_averages);
    wire::BlackboxCurves {
        blackbox: blackbox.name.clone(),
        iterations: blackbox.iterations as u32,
        adtm: adtm.collect(),
        tasks: tasks.map(task_curves).collect(),
        excluded_tasks: excluded_tasks(&blackbox.excluded_tasks),
    }
}

fn task_curves(task: &TaskAnalysis) -> wire::TaskCurves {
    let baseline = task
        .baseline
        .as_ref()
        .and_then(|baseline| baseline.dtm.clone());
    let dtm = task.methods.iter().filter_map(|method| {
        let dtm = method.dtm.as_ref()?;
        Some(method_curve(&method.method, dtm))
    });
    wire::TaskCurves {
        task: task.name.clone(),
        minimum: task.minimum,
        maximum: task.maximum,
        baseline_dtm: baseline.unwrap_or_default(),
        dtm: dtm.collect(),
    }
}

fn method_curve(method: &str, band: &Band) -> wire::MethodCurve {
    wire::MethodCurve {
        method: method.to_owned(),
        mean: band.mean.clone(),
        lower: band.lower.clone(),
        upper: band.upper.clone(),
    }
}
