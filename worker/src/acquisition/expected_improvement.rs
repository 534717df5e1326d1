//! Expected improvement for minimisation, in logarithms.
//!
//! EI = s h(v) with v = (g_min - m) / s and h(v) = phi(v) + v Phi(v), for a
//! prediction N(m, s^2) and the incumbent g_min. (The papers print v with the
//! other sign.) In logarithms candidates far behind the incumbent still differ,
//! where EI itself underflows to 0 for all of them (Ament et al. 2023).

use std::f64::consts::PI;

use crate::special::normal;

/// log h(v) = log(phi(v) + v Phi(v)), for every finite v.
pub fn log_h(v: f64) -> f64 {
    if v > -1.0 {
        return libm::log(normal::density(v) + v * normal::distribution(v));
    }
    // h(v) = phi(v) (1 - x R(x)) with x = -v and Mills' ratio R(x) = Phi(-x) / phi(x).
    let x = -v;
    let log_density = -0.5 * x * x - 0.5 * libm::log(2.0 * PI);
    let remainder = if x < 5.0 {
        1.0 - x * normal::distribution(-x) / normal::density(x)
    } else {
        // R(x) = 1 / (x + c) with the continued fraction c = 1/(x + 2/(x + 3/(x + ...))),
        // so that 1 - x R(x) = c / (x + c), without cancellation.
        let fraction = (1..=30)
            .rev()
            .fold(0.0, |tail, k| f64::from(k) / (x + tail));
        fraction / (x + fraction)
    };
    log_density + libm::log(remainder)
}

/// Logarithm of the expected improvement of a prediction N(`mean`, `deviation`^2)
/// over the `incumbent`; minus infinity if the deviation is 0 and nothing is gained.
pub fn log_expected_improvement(mean: f64, deviation: f64, incumbent: f64) -> f64 {
    if deviation > 0.0 {
        libm::log(deviation) + log_h((incumbent - mean) / deviation)
    } else {
        libm::log((incumbent - mean).max(0.0))
    }
}

/// The candidate of greatest expected improvement among those not `evaluated`;
/// of equal ones the one of least `priority`. `None` if every one is evaluated.
///
/// Most candidates are ruled out by a comparison: for v <= 0, h(v) <= phi(v), so
/// none with a v far enough below 0 can beat the best one found so far, whatever
/// its deviation. The search begins with the candidate of greatest v.
pub fn best_candidate(
    means: &[f64],
    deviations: &[f64],
    incumbent: f64,
    evaluated: &[bool],
    priority: &[u32],
) -> Option<usize> {
    let open = || (0..means.len()).filter(|&candidate| !evaluated[candidate]);
    let promise = |candidate: usize| (incumbent - means[candidate]) / deviations[candidate];
    let score = |candidate: usize| {
        log_expected_improvement(means[candidate], deviations[candidate], incumbent)
    };
    let first = open().max_by(|&left, &right| promise(left).total_cmp(&promise(right)))?;
    let largest_deviation = open()
        .map(|candidate| deviations[candidate])
        .fold(0.0, f64::max);
    let ceiling = libm::log(largest_deviation) - 0.5 * libm::log(2.0 * PI);
    // The v below which log s_max + log phi(v) < best, with a margin for rounding.
    let least_promise = |best: f64| -(2.0 * (ceiling - best)).max(0.0).sqrt() - 1e-9;
    let mut best = (score(first), first);
    let mut bar = least_promise(best.0);
    for candidate in open() {
        if promise(candidate) < bar || candidate == first {
            continue;
        }
        let found = score(candidate);
        if found > best.0 || (found == best.0 && priority[candidate] < priority[best.1]) {
            best = (found, candidate);
            bar = least_promise(found);
        }
    }
    Some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_h_agrees_with_quadrature_in_high_precision() {
        // mpmath: log(npdf(v) + v * ncdf(v)) with 60 digits.
        let cases = include_str!("log_h_reference.txt");
        let mut count = 0;
        for line in cases.lines() {
            let (v, expected) = line.split_once(' ').unwrap();
            let (v, expected): (f64, f64) = (v.parse().unwrap(), expected.parse().unwrap());
            let error = (log_h(v) - expected).abs();
            assert!(
                error <= 2e-13 * expected.abs().max(1.0),
                "{v}: off by {error}"
            );
            count += 1;
        }
        assert!(count > 20);
    }

    #[test]
    fn improvement_is_the_mean_gain() {
        // E max(0, 1 - Z), Z ~ N(0.5, 2^2), by the midpoint rule over 10 deviations.
        let steps = 200_000;
        let width = 40.0 / f64::from(steps);
        let expected: f64 = (0..steps)
            .map(|step| {
                let z = -20.0 + (f64::from(step) + 0.5) * width;
                let density = normal::density((z - 0.5) / 2.0) / 2.0;
                (1.0 - z).max(0.0) * density * width
            })
            .sum();
        let found = log_expected_improvement(0.5, 2.0, 1.0).exp();
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    }

    #[test]
    fn certain_candidates_gain_their_difference() {
        assert_eq!(log_expected_improvement(1.0, 0.0, 3.0), 2f64.ln());
        assert_eq!(log_expected_improvement(3.0, 0.0, 1.0), f64::NEG_INFINITY);
    }

    #[test]
    fn the_search_finds_what_a_full_scan_finds() {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1 << 24)
        };
        for round in 0..400 {
            let spread = [0.1, 3.0, 30.0, 300.0][round % 4];
            let means: Vec<f64> = (0..40).map(|_| spread * next()).collect();
            let deviations: Vec<f64> = (0..40).map(|_| 0.01 + next()).collect();
            let evaluated: Vec<bool> = (0..40).map(|_| next() < 0.3).collect();
            let priority: Vec<u32> = (0..40).collect();
            let scan = (0..40).filter(|&c| !evaluated[c]).max_by(|&left, &right| {
                let score = |c: usize| log_expected_improvement(means[c], deviations[c], 0.2);
                score(left).total_cmp(&score(right))
            });
            let found = best_candidate(&means, &deviations, 0.2, &evaluated, &priority);
            assert_eq!(found, scan);
        }
    }

    #[test]
    fn ties_go_to_the_least_priority_and_evaluated_rows_are_left_out() {
        let (means, deviations) = ([1.0; 4], [1.0; 4]);
        let evaluated = [false, true, false, false];
        let found = best_candidate(&means, &deviations, 0.0, &evaluated, &[3, 0, 1, 2]);
        assert_eq!(found, Some(2));
        assert_eq!(
            best_candidate(&means, &deviations, 0.0, &[true; 4], &[0; 4]),
            None
        );
    }
}
