//! The average rank of the SGPT paper (section 8.3).
//!
//! At every iteration the methods are ranked on each data set by their best score so far, ties sharing
//! their mean rank, and the ranks are averaged over the data sets. The score is the mean over
//! seeds, that is DTM. (Its other two metrics, ADTM and the fraction of unsolved data sets, are plain
//! means: see [`super::dtm`].)

use super::ranks::Ranker;

/// Average rank over data sets of each method at every iteration; 1 is best.
///
/// `dtm[data_set][method]` is a curve; all curves have the same length and all data sets the same methods.
pub fn average_ranks(dtm: &[Vec<&[f64]>]) -> Vec<Vec<f64>> {
    let Some(first) = dtm.first() else {
        return Vec::new();
    };
    let methods = first.len();
    let iterations = first.first().map_or(0, |curve| curve.len());
    let mut averages = vec![vec![0.0; iterations]; methods];
    let mut ranker = Ranker::default();
    let mut scores = vec![0.0; methods];
    let mut ranks = vec![0.0; methods];
    for curves in dtm {
        for iteration in 0..iterations {
            for (score, curve) in scores.iter_mut().zip(curves) {
                *score = curve[iteration];
            }
            ranker.rank(&scores, &mut ranks);
            for (average, rank) in averages.iter_mut().zip(&ranks) {
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
    fn ranks_are_averaged_over_data_sets_at_each_iteration() {
        let averages = average_ranks(&[
            vec![&[0.3, 0.0], &[0.2, 0.0], &[0.1, 0.1]],
            vec![&[0.1, 0.1], &[0.2, 0.0], &[0.3, 0.2]],
        ]);
        assert_eq!(averages, [[2.0, 1.75], [2.0, 1.25], [2.0, 3.0]]);
    }

    #[test]
    fn without_data_sets_there_are_no_ranks() {
        assert!(average_ranks(&[]).is_empty());
    }
}
