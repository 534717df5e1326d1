//! `sgpt-r`, `sgpt-poe`, `sgpt-m`, `taf-r`, `taf-poe`, `taf-m` (Wistuba, Schilling and Schmidt-Thieme 2018, sections 6 and 7), `rgpe` and
//! `taf-rgpe` (Feurer, Letham, Hutter and Bakshy 2018, section 4).

use super::comparison::{Case, assert_greatest};
use super::gaussian_process_methods::Fit;
use super::normal::log_expected_improvement;
use super::transfer_acquisition::source_processes;
use super::transform::standardised;
use crate::method_tests::example::new_fits;
use crate::random::{RandomStream, StreamName};
use crate::search::Observations;
use crate::surrogate::kernel::Kernel;

/// Eq. 42 of the share of discordant pairs; a tie on one side only is half a pair.
fn kendall_weight(predicted: &[f64], observed: &[f64]) -> f64 {
    let count = predicted.len();
    let mut discordant = 0.0;
    for first in 0..count {
        for second in 0..first {
            let order = |values: &[f64]| values[first].partial_cmp(&values[second]).unwrap() as i32;
            let apart = (order(predicted) - order(observed)).abs();
            discordant += f64::from(apart) / 2.0;
        }
    }
    let pairs = (count * count.saturating_sub(1)) as f64 / 2.0;
    let share = if count < 2 {
        0.0
    } else {
        discordant / pairs / 0.1
    };
    if share <= 1.0 {
        0.75 * (1.0 - share * share)
    } else {
        0.0
    }
}

/// The weights of the sources, then the target's, by bootstrapped ranking loss.
fn ranking_weights(
    random: &mut RandomStream,
    iterations: usize,
    sources: &[Vec<f64>],
    left_out: &[f64],
    observed: &[f64],
) -> Vec<f64> {
    let (models, count) = (sources.len() + 1, observed.len());
    if count < 3 {
        return vec![1.0 / models as f64; models];
    }
    let mut losses = Vec::new();
    for _ in 0..100 {
        let draws: Vec<usize> = (0..count)
            .map(|_| random.below(count as u32) as usize)
            .collect();
        let pairs = || {
            draws
                .iter()
                .flat_map(|&j| draws.iter().map(move |&k| (j, k)))
        };
        let mut of_resample: Vec<usize> = sources
            .iter()
            .map(|means| {
                let wrong =
                    |&(j, k): &(usize, usize)| (means[j] < means[k]) ^ (observed[j] < observed[k]);
                pairs().filter(wrong).count()
            })
            .collect();
        let wrong =
            |&(j, k): &(usize, usize)| (left_out[j] < observed[k]) ^ (observed[j] < observed[k]);
        of_resample.push(pairs().filter(wrong).count());
        losses.push(of_resample);
    }
    let mut kept = vec![true; models];
    for source in 0..sources.len() {
        let better = losses.iter().filter(|l| l[source] < l[models - 1]).count() as f64 / 100.0;
        let dropped = 1.0 - better * (1.0 - count as f64 / iterations as f64);
        kept[source] = random.uniform() < 1.0 - dropped;
    }
    let mut weights = vec![0.0; models];
    for losses in &losses {
        let least = (0..models)
            .filter(|&m| kept[m])
            .map(|m| losses[m])
            .min()
            .unwrap();
        let best: Vec<usize> = (0..models)
            .filter(|&m| kept[m] && losses[m] == least)
            .collect();
        for &model in &best {
            weights[model] += 0.01 / best.len() as f64;
        }
    }
    weights
}

/// Eq. 42 of the Euclidean distance of each source's features to the target's.
fn feature_weights(case: &Case) -> Vec<f64> {
    let own = &case.target().features;
    assert_eq!(own.len(), 2);
    let weight = |features: &Vec<f64>| {
        let distance = (features[0] - own[0]).hypot(features[1] - own[1]);
        assert!(distance > 0.0 && distance < 3.25);
        0.75 * (1.0 - (distance / 3.25).powi(2))
    };
    let sources = case.sources().into_iter();
    sources.map(|source| weight(&source.features)).collect()
}

#[derive(Clone, Copy, PartialEq)]
enum Weighting {
    Features,
    Rank,
    Precision,
    RankingLoss,
}

#[derive(Clone, Copy, PartialEq)]
enum Combination {
    Improvements,
    Means,
    Sum,
}

/// Holds a run of a method to its equations. Returns the mean weight of the sources after the first rows.
fn assert_follows(method: &str, weighting: Weighting, combination: Combination) -> f64 {
    let case = Case::of(method, 30);
    let fits = new_fits();
    let kernel = match weighting {
        Weighting::RankingLoss => Kernel::Matern,
        _ => Kernel::SquaredExponential,
    };
    let points = case.points(case.target());
    let processes = source_processes(&case, standardised, kernel);
    let at = |of: &dyn Fn(usize, &[f64]) -> f64| -> Vec<Vec<f64>> {
        let source = |number| points.iter().map(|point| of(number, point)).collect();
        (0..processes.len()).map(source).collect()
    };
    let means = at(&|number, point| processes[number].mean(point));
    let std_devs = at(&|number, point| processes[number].std_dev(point));
    let mut fit = match kernel {
        Kernel::Matern => Fit::new(&case, &[]),
        Kernel::SquaredExponential => Fit::squared_exponential(&case),
    };
    let name = StreamName::new("rgpe", "resamples and dropped sources");
    let mut random = case.setting(&fits).random(name);
    let (mut heard, mut count) = (0.0, 0.0);
    case.run(&fits, method, &[], |observations: &Observations, chosen| {
        let rows: Vec<usize> = observations.rows.iter().map(|&row| row as usize).collect();
        let seen = |means: &[f64]| rows.iter().map(|&row| means[row]).collect::<Vec<f64>>();
        let predicted: Vec<Vec<f64>> = means.iter().map(|means| seen(means)).collect();
        if rows.is_empty() {
            return assert_greatest(observations, chosen, 1e-3, method, |row| {
                let weight = |source: usize| match weighting {
                    Weighting::Precision => std_devs[source][row].powi(-2),
                    Weighting::Features => feature_weights(&case)[source],
                    _ => 1.0,
                };
                let sources = || 0..means.len();
                let sum: f64 = sources()
                    .map(|source| weight(source) * means[source][row])
                    .sum();
                -sum / sources().map(weight).sum::<f64>()
            });
        }
        let z = standardised(&observations.values);
        let incumbent = z.iter().copied().fold(f64::INFINITY, f64::min);
        let process = fit.on(&case, &observations.rows, &z);
        let everywhere = match weighting {
            Weighting::Precision => Vec::new(),
            Weighting::Features => feature_weights(&case).into_iter().chain([0.75]).collect(),
            Weighting::Rank => {
                let of_source = |means: &Vec<f64>| kendall_weight(means, &observations.values);
                predicted.iter().map(of_source).chain([0.75]).collect()
            }
            Weighting::RankingLoss => {
                let left_out = process.left_out_means(&z);
                ranking_weights(&mut random, case.iterations, &predicted, &left_out, &z)
            }
        };
        heard += everywhere.iter().rev().skip(1).sum::<f64>();
        count += 1.0;
        let tolerance = if combination == Combination::Improvements {
            1e-4
        } else {
            2e-2
        };
        assert_greatest(observations, chosen, tolerance, method, |row| {
            let (mean, std_dev) = (process.mean(&points[row]), process.std_dev(&points[row]));
            let weight = |model: usize| match weighting {
                Weighting::Precision if model == means.len() => std_dev.powi(-2),
                Weighting::Precision => std_devs[model][row].powi(-2),
                _ => everywhere[model],
            };
            let models = means.len() + 1;
            let total: f64 = (0..models).map(weight).sum();
            let weighted = |term: &dyn Fn(usize) -> f64, own: f64| -> f64 {
                let sources: f64 = (0..models - 1)
                    .map(|source| weight(source) * term(source))
                    .sum();
                (sources + weight(models - 1) * own) / total
            };
            match combination {
                Combination::Improvements => {
                    let improvement = |source: usize| {
                        let least = predicted[source]
                            .iter()
                            .copied()
                            .fold(f64::INFINITY, f64::min);
                        (least - means[source][row]).max(0.0)
                    };
                    let own = log_expected_improvement(mean, std_dev, incumbent).exp();
                    weighted(&improvement, own)
                }
                Combination::Means => {
                    let blended = weighted(&|source| means[source][row], mean);
                    let spread = match weighting {
                        Weighting::Precision => (models as f64 / total).sqrt(),
                        _ => std_dev,
                    };
                    log_expected_improvement(blended, spread, incumbent)
                }
                Combination::Sum => {
                    let blended = weighted(&|source| means[source][row], mean);
                    let part = |source: usize| (weight(source) * std_devs[source][row]).powi(2);
                    let variance: f64 = (0..models - 1).map(part).sum();
                    let spread = (variance + (weight(models - 1) * std_dev).powi(2)).sqrt();
                    log_expected_improvement(blended, spread, incumbent)
                }
            }
        });
    });
    heard / count
}

#[test]
fn ensembles_and_transfer_acquisitions_follow_their_equations() {
    for (method, weighting, combination) in [
        ("sgpt-r", Weighting::Rank, Combination::Means),
        ("taf-r", Weighting::Rank, Combination::Improvements),
        ("sgpt-m", Weighting::Features, Combination::Means),
        ("taf-m", Weighting::Features, Combination::Improvements),
        ("rgpe", Weighting::RankingLoss, Combination::Sum),
        (
            "taf-rgpe",
            Weighting::RankingLoss,
            Combination::Improvements,
        ),
    ] {
        let heard = assert_follows(method, weighting, combination);
        assert!(heard > 0.05, "the sources have a say in {method}: {heard}");
    }
    assert_follows("sgpt-poe", Weighting::Precision, Combination::Means);
    assert_follows("taf-poe", Weighting::Precision, Combination::Improvements);
}
