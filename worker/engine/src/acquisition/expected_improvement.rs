//! Expected improvement for minimisation, in logarithms.
//!
//! EI = s h(v) with v = (g_min - m) / s and h(v) = phi(v) + v Phi(v), for a
//! prediction N(m, s^2) and the incumbent g_min. (The papers print v with the
//! other sign.) In logarithms candidates far behind the incumbent still differ,
//! where EI itself underflows to 0 for all of them (Ament et al. 2023).

use std::array;
use std::cell::Cell;
use std::f64::consts::PI;
use std::sync::LazyLock;

use pulp::Simd;

use super::function::Acquisition;
use crate::prior::parametric::ParametricPrior;
use crate::special::exponential::exp_neg_upper_bound;
use crate::special::logarithm::log_upper_bound;
use crate::special::normal;

/// log h(v) = log(phi(v) + v Phi(v)), for every finite v.
pub fn log_h(v: f64) -> f64 {
    if v > -1.0 {
        return libm::log(normal::pdf(v) + v * normal::cdf(v));
    }
    // h(v) = phi(v) (1 - x R(x)) with x = -v and Mills' ratio R(x) = Phi(-x) / phi(x).
    let x = -v;
    let log_density = -0.5 * x * x - 0.5 * libm::log(2.0 * PI);
    let remainder = if x < 5.0 {
        1.0 - x * normal::cdf(-x) / normal::pdf(x)
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

/// Expected improvement of a prediction N(`mean`, `std_dev`^2) over the `incumbent`.
pub fn expected_improvement(mean: f64, std_dev: f64, incumbent: f64) -> f64 {
    let v = (incumbent - mean) / std_dev;
    if v > -1.0 {
        std_dev * (normal::pdf(v) + v * normal::cdf(v))
    } else {
        libm::exp(log_expected_improvement(mean, std_dev, incumbent))
    }
}

/// Logarithm of the expected improvement of a prediction N(`mean`, `std_dev`^2)
/// over the `incumbent`; minus infinity if the standard deviation is 0 and nothing is gained.
pub fn log_expected_improvement(mean: f64, std_dev: f64, incumbent: f64) -> f64 {
    if std_dev > 0.0 {
        libm::log(std_dev) + log_h((incumbent - mean) / std_dev)
    } else {
        libm::log((incumbent - mean).max(0.0))
    }
}

/// Where [`KNOTS`] end: h is looked up from -4 to 4.
const END: f64 = 4.0;

/// Knots per unit.
const DENSITY: f64 = 8.0;

/// h at knots from -[`END`] to [`END`], [`DENSITY`] of them per unit, more above it than all rounding.
static KNOTS: LazyLock<[f64; 65]> = LazyLock::new(|| {
    array::from_fn(|knot| (1.0 + 1e-12) * libm::exp(log_h(knot as f64 / DENSITY - END)))
});

/// At least the expected improvement of a prediction whose mean is `gain` below the incumbent; cheaper than that.
///
/// With v = gain / s:
///
/// - h is convex, so that between two knots it is below the line through its values there;
/// - for v >= 4, h(v) = v + h(-v), and h(-v) <= h(-4) < 8e-6;
/// - for v <= -4, h(v) = phi(v) c / (x + c) with x = -v and the continued fraction c of [`log_h`], which is below its part
///   1/(x + 2/(x + 3/x)): h(v) <= phi(v) / (t - 6/t) with t = v^2 + 3. 0.4 is above phi(0), by more than all rounding.
pub(crate) fn improvement_bound(gain: f64, std_dev: f64) -> f64 {
    if gain >= -END * std_dev {
        return near_improvement_bound(gain, std_dev);
    }
    let (factor, exponent) = far_improvement_bound(gain, std_dev);
    factor * exp_neg_upper_bound(exponent)
}

/// The bound for v >= -[`END`], and for what is certain to gain nothing.
fn near_improvement_bound(gain: f64, std_dev: f64) -> f64 {
    if gain >= END * std_dev {
        return gain + 8e-6 * std_dev;
    }
    let place = (gain / std_dev + END) * DENSITY;
    let knot = (place as usize).min(KNOTS.len() - 2);
    let (left, right) = (KNOTS[knot], KNOTS[knot + 1]);
    std_dev * (left + (place - knot as f64) * (right - left))
}

/// The bound for v < -[`END`]: the first times exp of minus the second.
fn far_improvement_bound(gain: f64, std_dev: f64) -> (f64, f64) {
    let square = (gain / std_dev) * (gain / std_dev);
    let shifted = square + 3.0;
    (0.4 * std_dev / (shifted - 6.0 / shifted), 0.5 * square)
}

/// Log expected improvement over an incumbent.
pub struct LogExpectedImprovement<'a> {
    incumbent: f64,
    /// Where the process is on residuals of a prior: what they are residuals of.
    prior: Option<&'a ParametricPrior>,
    /// log of the greatest possible standard deviation times the density of N(0, 1) at 0.
    ceiling: f64,
    /// That of the last call of [`Acquisition`]: the best value hardly ever changes from one to the next.
    bar: Cell<Bar>,
}

/// What the improvement of a row must not be below.
#[derive(Clone, Copy)]
struct Bar {
    /// The best value.
    best: f64,
    /// A little below it.
    least: f64,
    /// exp of that; 0 where it is not a normal number.
    improvement: f64,
}

impl Bar {
    fn at(best: f64) -> Self {
        // By more than all rounding of a bound.
        let least = best - 1e-9 * (1.0 + best.abs());
        let improvement = libm::exp(least);
        let is_normal = improvement >= f64::MIN_POSITIVE;
        Self {
            best,
            least,
            improvement: if is_normal { improvement } else { 0.0 },
        }
    }
}

impl<'a> LogExpectedImprovement<'a> {
    /// Over the transformed value `incumbent`; no prediction has a standard deviation above
    /// `largest_std_dev`.
    pub fn new(incumbent: f64, largest_std_dev: f64) -> Self {
        Self {
            incumbent,
            prior: None,
            ceiling: libm::log(largest_std_dev) - 0.5 * libm::log(2.0 * PI),
            bar: Cell::new(Bar::at(f64::NEG_INFINITY)),
        }
    }

    /// As [`Self::new`] for predictions of residuals (z - mu) / sigma to a prior: they
    /// are mapped back, the incumbent is not a residual.
    pub fn of_residuals(incumbent: f64, largest_std_dev: f64, prior: &'a ParametricPrior) -> Self {
        let largest = prior.std_devs.iter().copied().fold(0.0, f64::max);
        Self {
            prior: Some(prior),
            ..Self::new(incumbent, largest_std_dev * largest)
        }
    }

    fn bar_at(&self, best: f64) -> Bar {
        let mut bar = self.bar.get();
        if bar.best != best {
            bar = Bar::at(best);
            self.bar.set(bar);
        }
        bar
    }

    fn transformed(&self, row: usize, mean: f64, std_dev: f64) -> (f64, f64) {
        match self.prior {
            None => (mean, std_dev),
            Some(prior) => {
                let scale = prior.std_devs[row];
                (mean * scale + prior.means[row], std_dev * scale)
            }
        }
    }
}

impl Acquisition for LogExpectedImprovement<'_> {
    fn value(&self, row: usize, mean: f64, std_dev: f64) -> f64 {
        let (mean, std_dev) = self.transformed(row, mean, std_dev);
        log_expected_improvement(mean, std_dev, self.incumbent)
    }

    /// By the bounds of [`improvement_bound`], the far one in logarithms, where EI underflows.
    fn may_reach(&self, row: usize, mean: f64, std_dev: f64, best: f64) -> bool {
        let (mean, std_dev) = self.transformed(row, mean, std_dev);
        let gain = self.incumbent - mean;
        let bar = self.bar_at(best);
        if gain >= -END * std_dev {
            return near_improvement_bound(gain, std_dev) >= bar.improvement;
        }
        let (factor, exponent) = far_improvement_bound(gain, std_dev);
        log_upper_bound(factor) - exponent >= bar.least
    }

    /// For v < 0, h(v) < phi(v): no row with v far enough below 0 reaches `best`, whatever its standard deviation, which takes a few
    /// products to see.
    fn rule_out(
        &self,
        rows: &[u32],
        means: &[f64],
        std_devs: &[f64],
        best: f64,
        open: &mut [bool],
    ) {
        let least_square = far_square(self.ceiling - self.bar_at(best).least);
        match self.prior {
            None => rule_out_far_behind(self.incumbent, least_square, means, std_devs, open),
            Some(_) => {
                let predictions = means.iter().zip(std_devs);
                for ((open, row), (mean, std_dev)) in open.iter_mut().zip(rows).zip(predictions) {
                    let (mean, std_dev) = self.transformed(*row as usize, *mean, *std_dev);
                    *open &= !is_far_behind(self.incumbent - mean, std_dev, least_square);
                }
            }
        }
    }
}

/// Whether v = `gain` / `std_dev` is below 0 and v^2 above `least_square`.
#[inline(always)]
fn is_far_behind(gain: f64, std_dev: f64, least_square: f64) -> bool {
    // Without a branch.
    (gain < 0.0) & (gain * gain > least_square * (std_dev * std_dev))
}

/// A square such that log(h(v) / phi(0)) < -`margin` for every v < 0 whose v^2 is above it. It is NaN if the margin is.
///
/// - Mills' ratio is at least x / (1 + x^2), so that h(v) <= phi(v) / (1 + v^2), and g(t) = t / 2 + log(1 + t) > `margin` is enough,
///   t being v^2.
/// - g is concave: its tangent at 2 `margin`, where g is above the margin, meets the margin before g does.
/// - 2 (`margin` - log(1 + t)) falls with t and equals t where g(t) = `margin`: for a t below that one it is above that one.
fn far_square(margin: f64) -> f64 {
    let most = if margin < 0.0 { 0.0 } else { 2.0 * margin };
    let slope = 0.5 + 1.0 / (1.0 + most);
    let below = (most - libm::log1p(most) / slope).max(0.0);
    // A little above, for rounding.
    most - 2.0 * libm::log1p(below) + 1e-9 * (1.0 + most)
}

#[pulp::with_simd(rule_out_far_behind = pulp::Arch::new())]
#[inline(always)]
fn rule_out_far_behind_with<S: Simd>(
    _simd: S,
    incumbent: f64,
    least_square: f64,
    means: &[f64],
    std_devs: &[f64],
    open: &mut [bool],
) {
    for ((open, mean), std_dev) in open.iter_mut().zip(means).zip(std_devs) {
        *open &= !is_far_behind(incumbent - mean, *std_dev, least_square);
    }
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
        // E max(0, 1 - Z), Z ~ N(0.5, 2^2), by the midpoint rule over 10 standard deviations.
        let steps = 200_000;
        let width = 40.0 / f64::from(steps);
        let expected: f64 = (0..steps)
            .map(|step| {
                let z = -20.0 + (f64::from(step) + 0.5) * width;
                let density = normal::pdf((z - 0.5) / 2.0) / 2.0;
                (1.0 - z).max(0.0) * density * width
            })
            .sum();
        let found = log_expected_improvement(0.5, 2.0, 1.0).exp();
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        let found = super::expected_improvement(0.5, 2.0, 1.0);
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    }

    #[test]
    fn bounds_are_above_the_improvement_and_near_it() {
        for step in -4000..=4000 {
            let v = 0.01 * f64::from(step);
            for std_dev in [1e-9, 0.02, 1.0, 35.0] {
                let (gain, value) = (
                    v * std_dev,
                    log_expected_improvement(0.0, std_dev, v * std_dev),
                );
                let improvement = LogExpectedImprovement::new(gain, std_dev);
                let may_reach = |best: f64| improvement.may_reach(0, 0.0, std_dev, best);
                assert!(
                    may_reach(value) && !may_reach(value + 0.05),
                    "{v} {std_dev}: {value}"
                );
                let bound = libm::log(improvement_bound(gain, std_dev));
                assert!(bound > value, "{v} {std_dev}: {bound} {value}");
                assert!(
                    v < -30.0 || bound < value + 0.1,
                    "{v} {std_dev}: {bound} {value}"
                );
            }
        }
        // Certain ones, and one that is as far away as can be.
        assert!(improvement_bound(3.0, 0.0) >= improvement_bound(3.0 - 1e-9, 0.0));
        assert!(improvement_bound(-3.0, 0.0) < 1e-300);
        assert!(improvement_bound(-1e300, 1e-300) < 1e-300);
        let certain = |gain: f64, best: f64| {
            LogExpectedImprovement::new(gain, 1.0).may_reach(0, 0.0, 0.0, best)
        };
        assert!(certain(3.0, 3f64.ln()) && !certain(3.0 - 1e-6, 3f64.ln()));
        assert!(!certain(-3.0, -700.0) && !certain(0.0, -700.0));
        // What underflows is left to the value.
        assert!(certain(0.0, -750.0) && certain(0.0, f64::NEG_INFINITY));
        assert_eq!(improvement_bound(3.0, 0.0), 3.0);
        assert_eq!(improvement_bound(0.0, 0.0), 0.0);
        // Both underflow.
        assert!(improvement_bound(-1.0, 1e-3) >= expected_improvement(1.0, 1e-3, 0.0));
    }

    #[test]
    fn certain_candidates_gain_their_difference() {
        assert_eq!(log_expected_improvement(1.0, 0.0, 3.0), 2f64.ln());
        assert_eq!(log_expected_improvement(3.0, 0.0, 1.0), f64::NEG_INFINITY);
    }

    #[test]
    fn what_is_ruled_out_is_below_the_best_at_every_smaller_deviation() {
        let improvement = LogExpectedImprovement::new(0.2, 3.0);
        let (mut one_by_one, mut at_once) = (0, 0);
        for best in [-60.0, -20.0, -5.0, -2.0, -1.0, 0.0] {
            for mean in (0..320).map(|step| -2.0 + 0.0625 * f64::from(step)) {
                for std_dev in [0.01, 0.3, 1.0, 3.0] {
                    let mut open = [true];
                    improvement.rule_out(&[0], &[mean], &[std_dev], best, &mut open);
                    let may_reach = improvement.may_reach(0, mean, std_dev, best);
                    one_by_one += usize::from(!may_reach);
                    at_once += usize::from(!open[0]);
                    if may_reach && open[0] {
                        continue;
                    }
                    for share in [1.0, 0.7, 0.1] {
                        assert!(improvement.value(0, mean, share * std_dev) < best);
                    }
                }
            }
        }
        assert!(
            one_by_one > 2000 && at_once > 2000,
            "{one_by_one} {at_once}"
        );
    }

    #[test]
    fn the_square_that_rules_out_is_above_the_least_that_may_and_near_it() {
        for step in 0..2000 {
            let margin = 0.05 * f64::from(step) - 2.0;
            let square = far_square(margin);
            let of_bound = 0.5 * square + libm::log1p(square);
            assert!(of_bound > margin, "{margin}: {of_bound}");
            assert!(of_bound < margin.max(0.0) + 0.2, "{margin}: {of_bound}");
            let improvement = log_h(-square.sqrt()) + 0.5 * libm::log(2.0 * PI);
            assert!(improvement < -margin.max(0.0), "{margin}: {improvement}");
        }
        // Without a best one yet.
        assert_eq!(far_square(f64::INFINITY), f64::INFINITY);
        assert!(far_square(f64::NAN).is_nan());
        assert!(!is_far_behind(-1.0, 0.5, f64::NAN));
    }
}
