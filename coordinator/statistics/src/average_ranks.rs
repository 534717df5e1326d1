//! The average rank of the SGPT paper (section 8.3).
//!
//! At every iteration the methods are ranked on each task by their best score so far, ties sharing
//! their mean rank, and the ranks are averaged over the tasks. The score is the mean over
//! seeds, that is DTM.

use crate::ranks::rank;

/// Average rank over tasks of each method at every iteration; 1 is best.
///
/// `dtm[task][method]` is a curve; all curves have the same length and all tasks the same methods.
pub fn average_ranks(dtm: &[Vec<&[f64]>]) -> Vec<Vec<f64>> {
    let Some(first) = dtm.first() else {
        return Vec::new();
    };
    let iterations = first.first().map_or(0, |curve| curve.len());
    let mut averages = vec![vec![0.0; iterations]; first.len()];
    for curves in dtm {
        for iteration in 0..iterations {
            let scores: Vec<f64> = curves.iter().map(|curve| curve[iteration]).collect();
            for (average, rank) in averages.iter_mut().zip(rank(&scores).0) {
                average[iteration] += rank;
            }
        }
    }
    for sum in averages.iter_mut().flatten() {
        *sum /= dtm.len() as f64;
    }
    averages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_averaged_over_tasks_at_each_iteration() {
        let averages = average_ranks(&[
            vec![&[0.3, 0.0], &[0.2, 0.0], &[0.1, 0.1]],
            vec![&[0.1, 0.1], &[0.2, 0.0], &[0.3, 0.2]],
        ]);
        assert_eq!(averages, [[2.0, 1.75], [2.0, 1.25], [2.0, 3.0]]);
    }

    #[test]
    fn without_tasks_there_are_no_ranks() {
        assert!(average_ranks(&[]).is_empty());
    }
}
