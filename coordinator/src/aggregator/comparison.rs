//! Whether methods differ significantly.

use loto_service::wire;
use tonic::Status;

use super::completeness::completeness;
use super::request;
use super::watched_sweep::WatchedSweep;
use loto_statistics::analysis::{
    AnalysisOptions, Bands, ComparedTask, Comparison, ComparisonOutcome, Rope, RopeUnit,
};
use loto_statistics::friedman::FriedmanStatistics;
use loto_statistics::nemenyi::Nemenyi;
use loto_statistics::practical_differences::{DEFAULT_ROPE, PracticalPair};

/// The comparisons that a request asks for.
pub(super) async fn compare(
    sweep: &WatchedSweep,
    request: wire::CompareMethodsRequest,
) -> Result<wire::CompareMethodsResponse, Status> {
    let selection = request::selection(request.selection, sweep.plan())?;
    let default = AnalysisOptions::default();
    let options = AnalysisOptions {
        baseline: request::baseline(request.baseline)?,
        significance: request::number("alpha", request.alpha, default.significance, 0.001..=0.5)?,
        rope: Some(Rope {
            width: request::number("rope", request.rope, DEFAULT_ROPE, 1e-6..=1.0)?,
            unit: RopeUnit::Distance,
        }),
        // Neither bands nor intervals are part of the answer.
        bands: Bands::None,
        intervals: false,
        ..default
    };
    let (analysis, as_of) = sweep.analysis(selection, options).await?;
    let blackboxes = analysis.blackboxes.iter();
    Ok(wire::CompareMethodsResponse {
        completeness: Some(completeness(&analysis, as_of)),
        together: Some(comparison("", &analysis.comparison)),
        blackboxes: blackboxes
            .map(|blackbox| comparison(&blackbox.name, &blackbox.comparison))
            .collect(),
    })
}

fn comparison(blackbox: &str, outcome: &ComparisonOutcome) -> wire::Comparison {
    match outcome {
        ComparisonOutcome::Impossible { reason } => wire::Comparison {
            blackbox: blackbox.to_owned(),
            impossible: reason.clone(),
            ..Default::default()
        },
        ComparisonOutcome::Computed(computed) => computed_comparison(blackbox, computed),
    }
}

fn computed_comparison(blackbox: &str, comparison: &Comparison) -> wire::Comparison {
    let methods = &comparison.methods;
    let wilcoxon = comparison.wilcoxon.iter().map(|pair| wire::WilcoxonPair {
        first: methods[pair.first].clone(),
        second: methods[pair.second].clone(),
        wins: pair.wins as u32,
        ties: pair.ties as u32,
        losses: pair.losses as u32,
        statistic: pair.statistic,
        p_value: pair.p_value,
        holm_p_value: pair.holm_p_value,
        exact: pair.exact,
    });
    let practical = comparison.practical_differences.iter();
    let practical = practical.flat_map(|practical| {
        let rope = practical.differences.rope;
        let pairs = practical.differences.pairs.iter();
        pairs.map(move |pair| practical_pair(pair, rope, methods))
    });
    wire::Comparison {
        blackbox: blackbox.to_owned(),
        impossible: String::new(),
        methods: methods.clone(),
        average_ranks: comparison.average_ranks.clone(),
        data_sets: data_sets(&comparison.tasks),
        excluded_data_sets: data_sets(&comparison.excluded_tasks),
        excluded_methods: comparison.excluded_methods.clone(),
        unbalanced: comparison.unbalanced,
        friedman: Some(friedman(&comparison.friedman.plain)),
        friedman_tie_corrected: comparison.friedman.tie_corrected.as_ref().map(friedman),
        nemenyi: Some(nemenyi(&comparison.nemenyi, methods)),
        wilcoxon: wilcoxon.collect(),
        practical: practical.collect(),
    }
}

fn practical_pair(pair: &PracticalPair, rope: f64, methods: &[String]) -> wire::PracticalPair {
    wire::PracticalPair {
        first: methods[pair.first].clone(),
        second: methods[pair.second].clone(),
        rope,
        mean_difference: pair.mean_difference,
        p_value: pair.p_value,
        holm_p_value: pair.holm_p_value,
        first_better: pair.first_better,
        equivalent: pair.equivalent,
        second_better: pair.second_better,
    }
}

fn data_sets(tasks: &[ComparedTask]) -> Vec<wire::DataSet> {
    let to_wire = |compared: &ComparedTask| wire::DataSet {
        blackbox: compared.blackbox.clone(),
        task: compared.task.clone(),
    };
    tasks.iter().map(to_wire).collect()
}

fn friedman(statistics: &FriedmanStatistics) -> wire::Friedman {
    let (numerator, denominator) = statistics.iman_davenport_degrees_of_freedom;
    wire::Friedman {
        chi_square: statistics.chi_square,
        degrees_of_freedom: statistics.degrees_of_freedom as u32,
        p_value: statistics.p_value,
        iman_davenport: statistics.iman_davenport,
        iman_davenport_numerator_degrees_of_freedom: numerator as u32,
        iman_davenport_denominator_degrees_of_freedom: denominator as u32,
        iman_davenport_p_value: statistics.iman_davenport_p_value,
    }
}

fn nemenyi(nemenyi: &Nemenyi, methods: &[String]) -> wire::Nemenyi {
    let groups = nemenyi.groups.iter().map(|group| wire::MethodGroup {
        methods: group
            .iter()
            .map(|&method| methods[method].clone())
            .collect(),
    });
    let pairs = nemenyi
        .p_values
        .iter()
        .enumerate()
        .flat_map(|(first, row)| {
            let later = row.iter().enumerate().skip(first + 1);
            later.map(move |(second, &p_value)| wire::NemenyiPair {
                first: methods[first].clone(),
                second: methods[second].clone(),
                p_value,
            })
        });
    wire::Nemenyi {
        alpha: nemenyi.alpha,
        critical_difference: nemenyi.critical_difference,
        groups: groups.collect(),
        pairs: pairs.collect(),
    }
}
