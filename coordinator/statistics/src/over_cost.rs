//! Best values over the cost of the evaluations, in place of their number (ICLR Table 6; Wistuba, Schilling and Schmidt-Thieme
//! 2018, section 8.5.6).
//!
//! The cost of a trace up to an evaluation is the sum over the evaluations so far, this one included. The best value at a
//! cost is that of the evaluations that have ended by then: there is none before the first has ended. A trace that has ended keeps its best.

use crate::results::BestCurves;

/// Number of costs at which methods are compared.
pub const POINTS: usize = 100;

/// The costs at which methods are compared on a task: [`POINTS`] equidistant ones, from the one at which every seed of every method
/// has its first value to the one at which the method with the least mean cost of a trace ends ("we only compare them up to the time
/// taken by the fastest method"). `None` without a method, if one has no costs, or if there is nothing between the two.
pub fn common_costs<'curves>(
    methods: impl IntoIterator<Item = &'curves BestCurves>,
) -> Option<Vec<f64>> {
    let (mut begin, mut end) = (f64::NEG_INFINITY, f64::INFINITY);
    for curves in methods {
        begin = begin.max(latest_first_value(curves)?);
        end = end.min(mean_total(curves)?);
    }
    equidistant(begin, end)
}

/// [`POINTS`] costs from one to another; `None` if the second is not greater, or one is infinite.
pub fn equidistant(begin: f64, end: f64) -> Option<Vec<f64>> {
    let possible = begin < end && begin.is_finite() && end.is_finite();
    possible.then(|| {
        let last = (POINTS - 1) as f64;
        let at = |point: usize| begin + (end - begin) * (point as f64 / last);
        (0..POINTS - 1).map(at).chain([end]).collect()
    })
}

/// The cost at which every seed has a value; `None` without costs.
pub fn latest_first_value(curves: &BestCurves) -> Option<f64> {
    let mut firsts = curves.over_cost().map(|seed| seed.costs.first().copied());
    let latest = firsts.try_fold(f64::NEG_INFINITY, |latest, first| Some(latest.max(first?)))?;
    latest.is_finite().then_some(latest)
}

/// Mean over the seeds of the cost of a whole trace; `None` without costs.
pub fn mean_total(curves: &BestCurves) -> Option<f64> {
    let totals: Vec<f64> = curves.over_cost().map(|seed| seed.total).collect();
    (!totals.is_empty()).then(|| totals.iter().sum::<f64>() / totals.len() as f64)
}

/// Mean over the seeds of how far the best value at each of these ascending costs is above `minimum`; `None` where a seed has no
/// value yet, and everywhere without costs.
pub fn mean_gaps(curves: &BestCurves, minimum: f64, costs: &[f64]) -> Vec<Option<f64>> {
    let mut sums = vec![Some(0.0); costs.len()];
    let mut seeds = 0.0;
    for seed in curves.over_cost() {
        seeds += 1.0;
        let mut ended = 0;
        for (sum, &cost) in sums.iter_mut().zip(costs) {
            ended += seed.costs[ended..].partition_point(|&step| step <= cost);
            let best = ended.checked_sub(1).map(|last| seed.values[last]);
            *sum = sum.zip(best).map(|(sum, best)| sum + (best - minimum));
        }
    }
    let mean = |sum: Option<f64>| sum.filter(|_| seeds > 0.0).map(|sum| sum / seeds);
    sums.into_iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values 5 3 4 1 that end at 2 3 7 8, and 4 4 2 that end at 1 5 6.
    fn curves() -> BestCurves {
        let mut curves = BestCurves::default();
        curves.insert_with_costs(0, &[5.0, 3.0, 4.0, 1.0], &[2.0, 1.0, 4.0, 1.0]);
        curves.insert_with_costs(1, &[4.0, 4.0, 2.0], &[1.0, 4.0, 1.0]);
        curves
    }

    #[test]
    fn the_best_at_a_cost_is_that_of_what_has_ended() {
        let costs = [0.5, 1.0, 1.5, 2.0, 2.99, 3.0, 5.5, 6.0, 8.0, 90.0];
        let expected = [
            None,
            None,
            None,
            Some(4.5),
            Some(4.5),
            Some(3.5),
            Some(3.5),
            Some(2.5),
            Some(1.5),
            Some(1.5),
        ];
        assert_eq!(mean_gaps(&curves(), 0.0, &costs), expected);
        assert_eq!(mean_gaps(&curves(), 1.0, &[8.0]), [Some(0.5)]);
        assert_eq!(latest_first_value(&curves()), Some(2.0));
        assert_eq!(mean_total(&curves()), Some(7.0));
    }

    #[test]
    fn methods_are_compared_from_their_first_values_to_the_end_of_the_fastest() {
        let mut fast = BestCurves::default();
        fast.insert_with_costs(0, &[1.0, 0.5], &[3.0, 1.0]);
        let slow = curves();
        let costs = common_costs([&slow, &fast]).unwrap();
        assert_eq!(
            (costs.len(), costs[0], costs[POINTS - 1]),
            (POINTS, 3.0, 4.0)
        );
        assert!((costs[33] - (3.0 + 33.0 / 99.0)).abs() < 1e-15);
        // The fastest ends before the other has its first value.
        fast = BestCurves::default();
        fast.insert_with_costs(0, &[1.0], &[1.0]);
        assert_eq!(common_costs([&slow, &fast]), None);
    }

    #[test]
    fn without_costs_there_is_nothing_to_compare() {
        let mut curves = BestCurves::default();
        curves.insert(0, &[1.0, 2.0]);
        assert_eq!(common_costs([&curves]), None);
        assert_eq!(common_costs([]), None);
        assert_eq!(mean_gaps(&curves, 0.0, &[1.0]), [None]);
    }
}
