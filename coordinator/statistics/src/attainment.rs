//! The front that a share of several runs attains: the empirical attainment surface (Fonseca and Fleming 1996, "On the performance
//! assessment and comparison of stochastic multiobjective optimizers").
//!
//! A run attains a point if something that it evaluated is at most as large in both objectives. The points that at least so many runs
//! attain are bounded by a staircase; its corners are the attained front. Of one run it is the run's own front.

use crate::front::Front;

/// The front that at least half of the runs attain, each given by its own front; empty without a run.
pub fn median_front(runs: &[Front]) -> Front {
    let wanted = runs.len().div_ceil(2);
    let mut firsts: Vec<f64> = runs
        .iter()
        .flat_map(|run| run.points().iter().map(|point| point[0]))
        .collect();
    firsts.sort_unstable_by(f64::total_cmp);
    firsts.dedup();
    let mut attained = Front::default();
    let mut seconds = Vec::with_capacity(runs.len());
    for first in firsts {
        // The least second objective of each run up to this first one.
        seconds.clear();
        seconds.extend(runs.iter().filter_map(|run| {
            let up_to = run.points().partition_point(|point| point[0] <= first);
            let last = up_to.checked_sub(1)?;
            Some(run.points()[last][1])
        }));
        if seconds.len() >= wanted {
            seconds.sort_unstable_by(f64::total_cmp);
            attained.insert([first, seconds[wanted - 1]]);
        }
    }
    attained
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_one_run_it_is_the_run_and_of_none_it_is_empty() {
        let run = Front::of([[1.0, 3.0], [2.0, 1.0]]);
        assert_eq!(median_front(std::slice::from_ref(&run)), run);
        assert!(median_front(&[]).points().is_empty());
    }

    #[test]
    fn two_of_three_runs_attain_what_it_dominates() {
        let runs = [
            Front::of([[1.0, 5.0], [4.0, 1.0]]),
            Front::of([[2.0, 4.0], [3.0, 2.0]]),
            Front::of([[2.0, 2.0]]),
        ];
        let front = median_front(&runs);
        assert_eq!(front.points(), [[2.0, 4.0], [3.0, 2.0]]);
        // Cell by cell.
        for first in 0..6 {
            for second in 0..6 {
                let cell = [f64::from(first), f64::from(second)];
                let attains = |run: &&Front| {
                    let mut points = run.points().iter();
                    points.any(|point| point[0] <= cell[0] && point[1] <= cell[1])
                };
                let by_half = runs.iter().filter(attains).count() >= 2;
                assert_eq!(attains(&&front), by_half, "{cell:?}");
            }
        }
    }
}
