//! Rows of sources, with their tasks and what describes those.

use crate::error::EngineError;
use crate::setting::{Setting, Source};
use crate::sources::feature_distances::feature_distances;
use crate::sources::sample::SourceSample;
use crate::transform::Transform;

/// Sources that the target is alike to where tasks are neighbours or strangers (Yogatama and Mann 2014, section 3.4).
const NEIGHBOURS: usize = 20;

/// How tasks are alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coupling {
    /// By a squared exponential kernel on configuration and features together.
    Features,
    /// The target and the sources nearest to it by features are a clique: within it any two tasks are alike in how
    /// near configurations are, and each task has a squared exponential kernel of its own.
    Neighbours,
}

/// Rows of several sources in turn: first one of each, then another of each.
pub(crate) struct SourcePoints {
    /// Encoded configurations, one after the other.
    pub points: Vec<f64>,
    /// The task of each, a position in `features`.
    pub tasks: Vec<usize>,
    /// Their transformed objective.
    pub targets: Vec<f64>,
    /// The features of each source, then of the target.
    pub features: Vec<Vec<f64>>,
}

/// Rows of all sources together, at most: the more rows the target has, the fewer, for time and memory.
fn most_points(target_rows: usize) -> usize {
    match target_rows {
        0..=500 => 2500,
        501..=20_000 => 1000,
        _ => 300,
    }
}

impl SourcePoints {
    /// The rows of the sources to which the target is coupled, as many of each.
    ///
    /// # Errors
    /// Those of [`Setting::sources`].
    pub(crate) fn new(
        setting: &Setting,
        transform: Transform,
        coupling: Coupling,
    ) -> Result<Self, EngineError> {
        let sources = setting.sources(transform)?;
        let all: Vec<Source> = sources.iter().collect();
        let members = match coupling {
            Coupling::Features => (0..all.len()).collect(),
            Coupling::Neighbours => nearest(&feature_distances(setting)),
        };
        let each = (most_points(setting.rows()) / members.len()).max(1);
        let samples: Vec<SourceSample> = members
            .iter()
            .map(|&member| SourceSample::new(setting, all[member], each))
            .collect();
        let features = members.iter().map(|&member| &all[member].task.features);
        let own = &setting.table().tasks[setting.target()].features;
        let width = setting.space().width();
        let mut rows = Self {
            points: Vec::new(),
            tasks: Vec::new(),
            targets: Vec::new(),
            features: features.chain([own]).cloned().collect(),
        };
        for place in 0..each {
            for (task, sample) in samples.iter().enumerate() {
                let Some(target) = sample.targets.get(place) else {
                    continue;
                };
                let point = &sample.points[place * width..(place + 1) * width];
                rows.points.extend_from_slice(point);
                rows.tasks.push(task);
                rows.targets.push(*target);
            }
        }
        Ok(rows)
    }

    /// Number of rows.
    pub(crate) fn count(&self) -> usize {
        self.tasks.len()
    }
}

/// The positions of the least distances, in ascending order; of equal ones the first.
fn nearest(distances: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..distances.len()).collect();
    order.sort_by(|&left, &right| distances[left].total_cmp(&distances[right]));
    order.truncate(NEIGHBOURS);
    order.sort_unstable();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_tasks_are_the_neighbours() {
        let distances: Vec<f64> = (0..30)
            .map(|task| f64::from((task * 7 % 30) as u8))
            .collect();
        let found = nearest(&distances);
        assert_eq!(found.len(), 20);
        assert!(
            found.iter().all(|&task| distances[task] < 20.0),
            "{found:?}"
        );
        assert_eq!(nearest(&[3.0, 1.0]), [0, 1]);
    }
}
