//! The Bayesian signed-rank test with a region of practical equivalence (Benavoli et al., "A Bayesian Wilcoxon
//! signed-rank test based on the Dirichlet process", ICML 2014; as of Benavoli et al., JMLR 18(77), 2017, section 4.2).
//!
//! Tasks are drawn from an unknown distribution, whose prior is a Dirichlet process: a pseudo-task without any difference
//! that weighs one half. A draw of the posterior weighs the pseudo-task and the N tasks by w ~ Dirichlet(1/2, 1, .., 1), and
//! gives the probabilities that the mean of two tasks' differences is below, within and above the region
//! [-rope, rope]:
//!
//! below = sum_ij w_i w_j [d_i + d_j < -2 rope], above = sum_ij w_i w_j [d_i + d_j > 2 rope], within = the rest,
//!
//! where a sum on the border counts half. A sum that is on it but for rounding is on it, or the probabilities of differences of
//! rounded values would depend on the unit. Reported is in which share of the draws each of the three is the greatest.

use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use crate::ranks::rounding_of;
use crate::variates::{exponential, normal};

/// Draws that are computed side by side.
const LANES: usize = 64;

/// One number per draw of a batch.
type Lanes = [f64; LANES];

/// How probable it is that a difference is below, within and above the region of practical equivalence; they sum to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RopeProbabilities {
    /// That it is below: less than -rope.
    pub below: f64,
    /// That it is within the region: too small to matter.
    pub equivalent: f64,
    /// That it is above: greater than rope.
    pub above: f64,
}

impl RopeProbabilities {
    /// The shares of the draws in which below, within and above the region is the most probable.
    pub(crate) fn of_wins(wins: [u64; 3]) -> Self {
        let draws: u64 = wins.iter().sum();
        let [below, equivalent, above] = wins.map(|count| count as f64 / draws as f64);
        Self {
            below,
            equivalent,
            above,
        }
    }
}

/// The probabilities of several lists of differences, each with one difference per task; they share their draws, whose
/// number is rounded up to a multiple of 64.
///
/// The work grows with the number of lists times tasks times draws: about a second for 136 lists of 86 tasks and 50,000 draws.
pub(crate) fn signed_rank_posterior(
    lists: &[Vec<f64>],
    rope: f64,
    draws: usize,
    random: &mut ChaCha8Rng,
) -> Vec<RopeProbabilities> {
    let tasks = lists.first().map_or(0, Vec::len);
    let batches = draws.div_ceil(LANES);
    let sums: Vec<PairSums> = lists.iter().map(|list| PairSums::new(list, rope)).collect();
    let mut weights = vec![[0.0; LANES]; tasks + 1];
    let mut cumulated = vec![[0.0; LANES]; tasks + 2];
    let mut wins = vec![[0_u64; 3]; lists.len()];
    for _ in 0..batches {
        draw_weights(&mut weights, random);
        for (sums, wins) in sums.iter().zip(&mut wins) {
            sums.count_wins(&weights, &mut cumulated, wins);
        }
    }
    wins.into_iter().map(RopeProbabilities::of_wins).collect()
}

/// Weights of the pseudo-task, which is the first, and of the tasks, for a batch of draws. They are not scaled to the sum 1.
fn draw_weights(weights: &mut [Lanes], random: &mut ChaCha8Rng) {
    // Half the square of a normal variable is a gamma variable with shape 1/2.
    weights[0].fill_with(|| normal(random).powi(2) / 2.0);
    for task in &mut weights[1..] {
        task.fill_with(|| exponential(random));
    }
}

/// Which sums of two differences of a list are below and above the region.
struct PairSums {
    /// The tasks by ascending difference, equal differences together; 0 is the pseudo-task.
    groups: Vec<Vec<usize>>,
    /// For each group, the groups from the first on with which it makes a sum below the region, and those with which it
    /// makes one below or on its border.
    below: Vec<(usize, usize)>,
    /// The same of sums that are not above, without and with those on the border.
    not_above: Vec<(usize, usize)>,
}

impl PairSums {
    fn new(differences: &[f64], rope: f64) -> Self {
        let of = |task: usize| match task {
            0 => 0.0,
            _ => differences[task - 1],
        };
        let mut order: Vec<usize> = (0..=differences.len()).collect();
        order.sort_by(|&one, &other| of(one).total_cmp(&of(other)));
        let groups = order.chunk_by(|&one, &other| of(one) == of(other));
        let groups: Vec<Vec<usize>> = groups.map(<[usize]>::to_vec).collect();
        let values: Vec<f64> = groups.iter().map(|group| of(group[0])).collect();
        let ends = |border: f64| {
            let end = |value: f64| {
                let excess = |other: &f64| value + other - border;
                let rounding =
                    |other: &f64| rounding_of(value) + rounding_of(*other) + rounding_of(border);
                (
                    values.partition_point(|other| excess(other) < -rounding(other)),
                    values.partition_point(|other| excess(other) <= rounding(other)),
                )
            };
            values.iter().map(|&value| end(value)).collect()
        };
        Self {
            below: ends(-2.0 * rope),
            not_above: ends(2.0 * rope),
            groups,
        }
    }

    /// Counts for each draw which of the three probabilities is the greatest, the first of equal ones.
    fn count_wins(&self, weights: &[Lanes], cumulated: &mut [Lanes], wins: &mut [u64; 3]) {
        let mut total = [0.0; LANES];
        cumulated[0] = total;
        for (group, cumulated) in self.groups.iter().zip(&mut cumulated[1..]) {
            for &task in group {
                add(&mut total, &weights[task]);
            }
            *cumulated = total;
        }
        let [below, not_above] =
            [&self.below, &self.not_above].map(|ends| mass_of_pairs(ends, cumulated));
        for lane in 0..LANES {
            let above = total[lane] * total[lane] - not_above[lane];
            let equivalent = not_above[lane] - below[lane];
            let greatest = below[lane].max(equivalent).max(above);
            let winner = match greatest {
                _ if below[lane] == greatest => 0,
                _ if equivalent == greatest => 1,
                _ => 2,
            };
            wins[winner] += 1;
        }
    }
}

/// The sum over the groups of the weight of a group times that of all up to its ends, the mean of both.
fn mass_of_pairs(ends: &[(usize, usize)], cumulated: &[Lanes]) -> Lanes {
    let mut mass = [0.0; LANES];
    for (group, &(strictly, at_most)) in ends.iter().enumerate() {
        let (before, after) = (&cumulated[group], &cumulated[group + 1]);
        let (strictly, at_most) = (&cumulated[strictly], &cumulated[at_most]);
        for lane in 0..LANES {
            mass[lane] += (after[lane] - before[lane]) * 0.5 * (strictly[lane] + at_most[lane]);
        }
    }
    mass
}

fn add(sums: &mut Lanes, values: &Lanes) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_cases::bayesian_reference;
    use crate::variates::stream;

    fn of(differences: &[f64], rope: f64, draws: usize) -> RopeProbabilities {
        let mut random = stream("test", 0, &[]);
        signed_rank_posterior(&[differences.to_vec()], rope, draws, &mut random)[0]
    }

    #[test]
    fn it_agrees_with_baycomp_on_recorded_results() {
        for case in &bayesian_reference().signed_rank {
            let found = of(&case.differences, case.rope, 50_000);
            let found = [found.below, found.equivalent, found.above];
            for (found, expected) in found.into_iter().zip(case.probabilities) {
                // Both are shares of 50,000 draws: four standard errors of their difference, and five draws.
                let variance = 2.0 * expected * (1.0 - expected) / 50_000.0;
                let error = 4.0 * variance.sqrt() + 1e-4;
                assert!((found - expected).abs() < error, "{found}, {expected}");
            }
        }
    }

    #[test]
    fn the_pairs_are_those_of_the_definition() {
        let differences = [0.02, -0.02, 0.0, 0.05, 0.02, -0.3, 0.015];
        let rope = 0.02;
        let mut weights = vec![[0.0; LANES]; differences.len() + 1];
        draw_weights(&mut weights, &mut stream("test", 1, &[]));
        let mut cumulated = vec![[0.0; LANES]; differences.len() + 2];
        let sums = PairSums::new(&differences, rope);
        sums.count_wins(&weights, &mut cumulated, &mut [0; 3]);
        let [below, not_above] =
            [&sums.below, &sums.not_above].map(|ends| mass_of_pairs(ends, &cumulated));
        let with_prior: Vec<f64> = [0.0].into_iter().chain(differences).collect();
        let heaviside = |value: f64| match value {
            0.0 => 0.5,
            _ => f64::from(u8::from(value > 0.0)),
        };
        for lane in [0, 17, LANES - 1] {
            let (mut expected_below, mut expected_not_above) = (0.0, 0.0);
            for (one, first) in with_prior.iter().enumerate() {
                for (other, second) in with_prior.iter().enumerate() {
                    let weight = weights[one][lane] * weights[other][lane];
                    expected_below += weight * heaviside(-2.0 * rope - (first + second));
                    expected_not_above += weight * heaviside(2.0 * rope - (first + second));
                }
            }
            assert!((below[lane] - expected_below).abs() < 1e-9 * expected_below);
            assert!((not_above[lane] - expected_not_above).abs() < 1e-9 * expected_not_above);
        }
    }

    #[test]
    fn differences_on_the_border_are_on_it_in_any_unit() {
        // All of the second list are 0.01 but for rounding, some above it and some below.
        let percents = vec![1.0; 12];
        let shares = (1..=12).map(|task| {
            let value = f64::from(task) * 0.07;
            value + 0.01 - value
        });
        let shares: Vec<f64> = shares.collect();
        assert!(
            shares.iter().any(|share| *share > 0.01) && shares.iter().any(|share| *share < 0.01)
        );
        let (of_percents, of_shares) = (of(&percents, 1.0, 640), of(&shares, 0.01, 640));
        assert_eq!(of_percents, of_shares);
        // Sums of two tasks count half as within and half as above, those with the pseudo-task are within.
        assert_eq!(of_percents.equivalent, 1.0);
    }

    #[test]
    fn clear_cases_are_certain() {
        let certain = |differences: &[f64]| of(differences, 0.01, 2000);
        assert_eq!(certain(&[0.0; 20]).equivalent, 1.0);
        assert_eq!(certain(&[0.005; 20]).equivalent, 1.0);
        assert!(certain(&[0.5; 20]).above > 0.99);
        assert!(certain(&[-0.5; 20]).below > 0.99);
    }
}
