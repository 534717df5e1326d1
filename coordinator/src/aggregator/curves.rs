//! Curves over the iterations.

use loto_proto::limits::MAX_ANSWER_POINTS;
use loto_proto::sweep::Sweep;
use loto_service::wire;
use tonic::Status;

use super::completeness::{completeness, excluded_tasks};
use super::request;
use super::watched_sweep::WatchedSweep;
use crate::results::Selection;
use loto_statistics::analysis::{
    AnalysisOptions, Band, Bands, BlackboxAnalysis, MethodOverCost, TaskAnalysis,
};
use loto_statistics::over_cost::POINTS;
use loto_statistics::results::Measure;

/// The curves that a request asks for.
pub(super) async fn curves(
    sweep: &WatchedSweep,
    request: wire::GetCurvesRequest,
) -> Result<wire::GetCurvesResponse, Status> {
    let selection = request::selection(request.selection, sweep.plan())?;
    check_size(sweep.plan(), &selection, request.only_averages)?;
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
        // No score is part of the answer.
        intervals: false,
        rope: None,
        ..default
    };
    let (analysis, as_of) = sweep.analysis(selection, options).await?;
    let blackboxes = analysis.blackboxes.iter();
    Ok(wire::GetCurvesResponse {
        completeness: Some(completeness(&analysis, as_of)),
        blackboxes: blackboxes
            .map(|blackbox| blackbox_curves(blackbox, request.only_averages))
            .collect(),
    })
}

/// Refuses what would be too large to be sent, before it is computed.
fn check_size(sweep: &Sweep, selection: &Selection, only_averages: bool) -> Result<(), Status> {
    let points = sweep.blackboxes.iter().map(|blackbox| {
        let methods = selection.methods_of(blackbox).len() as u64;
        let tasks = if only_averages {
            0
        } else {
            blackbox.targets.len()
        };
        let over_cost = blackbox.cost.as_ref().map_or(0, |_| POINTS as u64);
        methods * ((1 + tasks as u64) * u64::from(blackbox.iterations) + over_cost)
    });
    let points: u64 = points.sum();
    if points <= MAX_ANSWER_POINTS {
        return Ok(());
    }
    let (field, remedy) = if only_averages {
        ("selection", "select fewer black boxes or methods")
    } else {
        (
            "only_averages",
            "set it, or select fewer black boxes or methods",
        )
    };
    Err(request::invalid(
        field,
        format!(
            "the curves asked for have {points} points, allowed are {MAX_ANSWER_POINTS}: {remedy}"
        ),
    ))
}

fn blackbox_curves(blackbox: &BlackboxAnalysis, only_averages: bool) -> wire::BlackboxCurves {
    let adtm = blackbox.methods.iter().filter_map(|method| {
        let averages = method.averages.as_ref()?;
        Some(method_curve(&method.method, &averages.adtm))
    });
    let tasks = blackbox.tasks.iter().filter(|_| !only_averages);
    let over_cost = blackbox.over_cost.as_ref();
    wire::BlackboxCurves {
        blackbox: blackbox.name.clone(),
        iterations: blackbox.iterations as u32,
        adtm: adtm.collect(),
        tasks: tasks.map(task_curves).collect(),
        excluded_tasks: excluded_tasks(&blackbox.excluded_tasks),
        measure: measure(blackbox.measure).into(),
        costs: over_cost.map_or_else(Vec::new, |known| known.costs.clone()),
        over_cost: over_cost
            .iter()
            .flat_map(|known| known.methods.iter().map(cost_curve))
            .collect(),
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
        front: task.front.as_ref().map(|front| wire::TableFront {
            first: front.points.iter().map(|point| point[0]).collect(),
            second: front.points.iter().map(|point| point[1]).collect(),
            hypervolume: front.hypervolume,
        }),
    }
}

/// What the fields named after DTM hold.
pub(super) fn measure(measure: Measure) -> wire::Measure {
    match measure {
        Measure::DistanceToMinimum => wire::Measure::Unspecified,
        Measure::HypervolumeError => wire::Measure::HypervolumeError,
    }
}

fn cost_curve(method: &MethodOverCost) -> wire::MethodCostCurve {
    let missing = method.adtm.iter().take_while(|value| value.is_none());
    wire::MethodCostCurve {
        method: method.method.clone(),
        first: missing.count() as u32,
        mean: method.adtm.iter().copied().flatten().collect(),
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::results::tests::sample_sweep::{SampleSweep, Shape};

    #[test]
    fn answers_that_are_too_large_are_refused_with_the_remedy() {
        let mut sweep = SampleSweep::new(Shape {
            blackboxes: 2,
            tasks: 4,
            methods: 3,
            seeds: 1,
            iterations: 1,
        })
        .sweep;
        for blackbox in &mut sweep.blackboxes {
            blackbox.iterations = 40_000;
        }
        let all = Selection::default();
        let status = check_size(&sweep, &all, false).unwrap_err();
        for part in [
            "`only_averages`",
            "1200000 points",
            "1000000",
            "select fewer",
        ] {
            assert!(status.message().contains(part), "{status}");
        }
        assert!(check_size(&sweep, &all, true).is_ok());
        let two = Selection {
            methods: BTreeSet::from(["m1".to_string(), "m2".to_string()]),
            ..Selection::default()
        };
        assert!(check_size(&sweep, &two, false).is_ok());
    }
}
