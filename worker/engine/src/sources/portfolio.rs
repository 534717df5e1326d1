//! A few rows that together suit all sources: first rows for a search that learns from the target alone (Wistuba,
//! Schilling and Schmidt-Thieme 2015, Learning hyperparameter optimization initializations).

use super::process::SourcePrediction;

/// At most `count` rows, of which each most lowers the mean over the sources of the least predicted value so far; of
/// equal ones the row of least `priority`. Each source's predictions count from 0 at its best row to 1 at its worst.
///
/// The paper minimises the same loss by gradient descent over configurations. On a finite pool the greedy choice lowers the loss from 1,
/// that of the worst rows, by at least 1 - 1/e of what the best choice does, since the reduction is submodular and never falls.
pub(crate) fn portfolio(sources: &[SourcePrediction], count: usize, priority: &[u32]) -> Vec<u32> {
    let losses: Vec<Vec<f64>> = sources.iter().map(scaled).collect();
    let mut least = vec![f64::INFINITY; sources.len()];
    let mut chosen: Vec<u32> = Vec::with_capacity(count);
    let mut open: Vec<usize> = (0..priority.len()).collect();
    open.sort_unstable_by_key(|&row| priority[row]);
    for _ in 0..count.min(priority.len()) {
        let loss = |row: usize| -> f64 {
            let sources = losses.iter().zip(&least);
            sources.map(|(losses, least)| losses[row].min(*least)).sum()
        };
        // The first of equal ones.
        let best = open
            .iter()
            .enumerate()
            .map(|(place, &row)| (loss(row), place));
        let Some((_, place)) = best.min_by(|left, right| left.0.total_cmp(&right.0)) else {
            break;
        };
        let row = open.remove(place);
        for (losses, least) in losses.iter().zip(&mut least) {
            *least = losses[row].min(*least);
        }
        chosen.push(row as u32);
    }
    chosen
}

/// A source's means, from 0 to 1; all 0 if they are equal.
fn scaled(source: &SourcePrediction) -> Vec<f64> {
    let means = source.means.iter().copied();
    let least = means.clone().fold(f64::INFINITY, f64::min);
    let greatest = means.clone().fold(f64::NEG_INFINITY, f64::max);
    let range = greatest - least;
    means
        .map(|mean| match range > 0.0 {
            true => (mean - least) / range,
            false => 0.0,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(means: &[f64]) -> SourcePrediction {
        SourcePrediction {
            means: means.to_vec().into(),
            std_devs: Vec::new().into(),
        }
    }

    #[test]
    fn each_row_is_the_one_that_most_lowers_the_mean_of_the_least_losses() {
        // Scaled: 0 .5 1 .75, 1 .5 0 .5 and 1 .25 .5 0. Sums by row: 2, 1.25, 1.5, 1.25. Row 1 before row 3 by
        // priority; then least losses .5 .5 .25. With row 0: 0 + .5 + .25; with row 2: .5 + 0 + .25; row 3: .5 + .5 + 0.
        // After row 3 they are .75 .5 0: with row 0 0 + .5 + 0, with row 2 .75 + 0 + 0.
        let sources = [
            source(&[-10.0, 0.0, 10.0, 5.0]),
            source(&[3.0, 2.0, 1.0, 2.0]),
            source(&[4.0, 1.0, 2.0, 0.0]),
        ];
        assert_eq!(portfolio(&sources, 3, &[3, 0, 2, 1]), [1, 2, 0]);
        assert_eq!(portfolio(&sources, 3, &[2, 1, 3, 0]), [3, 0, 2]);
        assert_eq!(portfolio(&sources, 9, &[3, 0, 2, 1]).len(), 4);
    }

    #[test]
    fn a_source_without_differences_has_no_say() {
        let sources = [source(&[7.0; 3]), source(&[2.0, 3.0, 1.0])];
        assert_eq!(portfolio(&sources, 1, &[0, 1, 2]), [2]);
    }
}
