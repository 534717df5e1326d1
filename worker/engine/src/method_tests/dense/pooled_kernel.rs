//! The kernel under which the values of all sources together are likely, as the product fitted it (Wang et al. 2024,
//! section 4.2).

use super::comparison::Case;
use super::gaussian_process::{Kernel, Process, matern, penalty};
use crate::blobs::{Blobs, MemoryBlobs};
use crate::fits::SharedFits;
use crate::random::StreamName;

/// Sampled rows of each source in the product's order, at most `most` of them: configurations and row numbers.
pub(super) fn sampled_rows(
    case: &Case,
    fits: &SharedFits,
    most: usize,
) -> Vec<(Vec<Vec<f64>>, Vec<usize>)> {
    let sources = case.sources().into_iter();
    let sampled = sources.map(|source| {
        let name = StreamName::new("sources", "sample of rows");
        let mut random = case.setting(fits).random_of_task(name, source);
        let order = random.permutation(source.rows() as u32);
        let rows: Vec<usize> = order.iter().take(most).map(|&row| row as usize).collect();
        let points = rows.iter().map(|&row| case.point(source, row)).collect();
        (points, rows)
    });
    sampled.collect()
}

/// The fitted kernel, from the store in which there is one. `targets` has the values of the sampled rows of each
/// source; the sum of their likelihoods, with the priors, must not fall where a hyperparameter is moved.
pub(super) fn fitted(
    case: &Case,
    blobs: &MemoryBlobs,
    fits: &SharedFits,
    targets: &[Vec<f64>],
) -> Kernel {
    let names = blobs.names();
    let own: Vec<_> = names
        .iter()
        .filter(|name| name.starts_with("pooled-kernel:"))
        .collect();
    assert_eq!(own.len(), 1, "{names:?}");
    let bytes = blobs.get(own[0]).unwrap().unwrap();
    let (numbers, _checksum) = bytes.split_last_chunk::<8>().unwrap();
    let numbers = numbers.chunks_exact(4);
    let logarithms: Vec<f64> = numbers
        .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()).into())
        .collect();
    let sampled = sampled_rows(case, fits, 100);
    let objective = |logarithms: &[f64]| {
        let sources = sampled.iter().zip(targets).map(|((points, _), targets)| {
            let kernel = Kernel::from_logarithms(matern, logarithms);
            Process::new(kernel, points, targets).negative_log_likelihood()
        });
        sources.sum::<f64>() + penalty(logarithms, &case.one_hot())
    };
    let least = objective(&logarithms);
    for place in 0..logarithms.len() {
        for step in [-0.1, 0.1] {
            let mut moved = logarithms.clone();
            moved[place] += step;
            let value = objective(&moved);
            assert!(value > least - 1e-2, "{place} by {step}: {value}, {least}");
        }
    }
    Kernel::from_logarithms(matern, &logarithms)
}
