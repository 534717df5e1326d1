//! `zero-shot`: the greedy portfolio of ranks (Wistuba, Schilling and Schmidt-Thieme 2015; Winkelmolen et al. 2020).

use super::comparison::{Case, assert_greatest};
use super::transfer_acquisition::source_means;
use super::transform::standardised;
use crate::method_tests::example::new_fits;

#[test]
fn zero_shot_takes_the_row_that_most_improves_the_mean_of_the_best_ranks() {
    let case = Case::of("zero-shot", 80);
    let means = source_means(&case, standardised);
    // Where the current portfolio begins among the rows taken.
    let mut start = 0;
    let mut portfolios = 1;
    case.run(&new_fits(), "zero-shot", &[], |observations, chosen| {
        let taken: Vec<usize> = observations.rows.iter().map(|&row| row as usize).collect();
        let score = |row: usize, start: usize| {
            let ranks = means.iter().map(|means| {
                let open = (0..means.len()).filter(|other| !taken[..start].contains(other));
                let open: Vec<usize> = open.collect();
                let rank = |row: usize| {
                    let below = open.iter().filter(|&&other| means[other] < means[row]);
                    below.count() as f64
                };
                let best = taken[start..].iter().map(|&row| rank(row));
                let best = best.fold(f64::INFINITY, f64::min);
                (rank(row).min(best), rank(row) < best)
            });
            let ranks: Vec<(f64, bool)> = ranks.collect();
            let improves = ranks.iter().any(|(_, improves)| *improves);
            (-ranks.iter().map(|(rank, _)| rank).sum::<f64>(), improves)
        };
        let open = || (0..case.rows()).filter(|row| !taken.contains(row));
        if !open().any(|row| score(row, start).1) {
            start = taken.len();
            portfolios += 1;
        }
        assert_greatest(observations, chosen, 1e-9, "zero-shot", |row| {
            score(row, start).0
        });
        assert!(score(chosen as usize, start).1);
    });
    assert!(portfolios > 2, "{portfolios}");
}
