//! Rows sampled from a source task, the same for all methods, targets and transforms.

use crate::error::EngineError;
use crate::random::StreamName;
use crate::setting::{Setting, Source};
use crate::surrogate::target::WarmPoint;
use crate::transform::Transform;

const SAMPLE: StreamName = StreamName::new("sources", "sample of rows");

/// Sampled rows of a source, in random order.
pub(crate) struct SourceSample {
    /// Encoded configurations, one after the other.
    pub points: Vec<f64>,
    /// Their transformed objective.
    pub targets: Vec<f64>,
}

impl SourceSample {
    /// At most `rows` rows: all of them if there are no more.
    pub(crate) fn new(setting: &Setting, source: Source, rows: usize) -> Self {
        let order = Self::order(setting, source, rows);
        let width = setting.space().width();
        let mut points = vec![0.0; width * order.len()];
        for (&row, point) in order.iter().zip(points.chunks_exact_mut(width)) {
            let columns = &source.task.columns;
            setting.space().encode(columns, row as usize, point);
        }
        let targets = order.iter().map(|&row| source.targets[row as usize]);
        Self {
            points,
            targets: targets.collect(),
        }
    }

    /// Which rows of the source those are.
    pub(crate) fn order(setting: &Setting, source: Source, rows: usize) -> Vec<u32> {
        let mut random = setting.random_of_task(SAMPLE, source.task);
        let mut order = random.permutation(source.task.rows() as u32);
        order.truncate(rows);
        order
    }
}

/// At most about `most` rows of all sources together, as many of each as it has them: first one of each, then another of
/// each.
///
/// # Errors
/// Those of [`Setting::sources`].
pub(crate) fn sampled_points(
    setting: &Setting,
    transform: Transform,
    most: usize,
) -> Result<Vec<WarmPoint>, EngineError> {
    let sources = setting.sources(transform)?;
    let each = (most / sources.iter().count()).max(1);
    let samples = sources
        .iter()
        .map(|source| SourceSample::new(setting, source, each));
    let samples: Vec<SourceSample> = samples.collect();
    let width = setting.space().width();
    let at = |place: usize| {
        let of_sources = samples.iter();
        of_sources.filter_map(move |sample| {
            let target = *sample.targets.get(place)?;
            let point = sample.points[place * width..(place + 1) * width].to_vec();
            Some(WarmPoint { point, target })
        })
    };
    Ok((0..each).flat_map(at).collect())
}
