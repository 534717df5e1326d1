//! The fraction of unsolved tasks of the SGPT paper: the share of seeds that have not found the
//! optimum of the task's table.

use super::statistic::{IterationStatistic, MethodOnTask, Notation};

/// The share of unsolved runs at each iteration.
pub const STATISTIC: IterationStatistic = IterationStatistic {
    key: "unsolved_fraction",
    heading: "unsolved",
    definition: "Share of runs that have not found the best value of the table.",
    notation: Notation::Percentage,
    compute: unsolved_fraction,
};

fn unsolved_fraction(method: &MethodOnTask<'_>) -> Vec<f64> {
    let mut solved_at = vec![0_u32; method.curves.iterations()];
    for mut segments in method.curves.segments() {
        if let Some((solved, ..)) = segments.find(|&(.., gap)| gap <= 0.0) {
            solved_at[solved] += 1;
        }
    }
    let seeds = method.curves.seeds();
    let mut unsolved = seeds as u32;
    let shares = solved_at.iter().map(|solved| {
        unsolved -= solved;
        f64::from(unsolved) / seeds as f64
    });
    shares.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtm::GapCurves;
    use crate::reference_cases::best_curves;

    #[test]
    fn a_seed_is_solved_once_it_has_reached_the_minimum() {
        let best = best_curves(&[&[5.0, 7.0, 1.0], &[3.0, 2.0, 9.0]]);
        let method = MethodOnTask {
            curves: GapCurves::new(&best, 3, 1.0),
            baseline_gaps: None,
            range: 8.0,
        };
        assert_eq!(unsolved_fraction(&method), [1.0, 1.0, 0.5]);
    }
}
