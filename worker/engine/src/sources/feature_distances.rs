//! How far the source tasks are from the target, by the features that describe tasks.

use crate::setting::Setting;

/// The Euclidean distance of each source's features to the target's, in the order of the sources; features are scaled
/// to [0, 1] over all tasks.
pub(crate) fn feature_distances(setting: &Setting) -> Vec<f64> {
    let tasks = &setting.table().tasks;
    let own = &tasks[setting.target()].features;
    let distance = |position: usize| {
        let pairs = own.iter().zip(&tasks[position].features);
        let squared: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
        squared.sqrt()
    };
    setting
        .source_positions()
        .into_iter()
        .map(distance)
        .collect()
}
