//! Trains the deep kernel on the sources: each step takes rows of one of them (Wistuba and Grabocka 2021, algorithm 1).

use std::f64::consts::PI;

use super::deep_kernel::{DeepKernel, parameter_count};
use crate::adam::Adam;
use crate::error::EngineError;
use crate::random::StreamName;
use crate::setting::{Setting, Source};
use crate::transform::Transform;

/// Initial weights, and which rows make a batch.
const TRAINING: StreamName = StreamName::new("fsbo", "meta-training");

/// Raised whenever the fit changes.
const VERSION: u64 = 3;

const STEPS: usize = 2000;
const BATCH: usize = 64;
/// The learning rate falls from here to 0 as a quarter of a cosine's period.
const LEARNING_RATE: f64 = 1e-3;

/// The deep kernel that was trained on a setting's sources, now or before.
///
/// # Errors
/// Those of [`Setting::sources`]; [`EngineError::LinearAlgebra`] if a kernel matrix cannot be factorised.
pub(super) fn trained(setting: &Setting, transform: Transform) -> Result<DeepKernel, EngineError> {
    let width = setting.space().width();
    let name = setting.fit_name("deep-kernel", VERSION, transform);
    let stored = setting.shared().fit(&name, parameter_count(width), || {
        let sources = setting.sources(transform)?;
        let sources: Vec<Source> = sources.iter().collect();
        let mut random = setting.random(TRAINING);
        let mut kernel = DeepKernel::new(width, &mut random);
        let mut adam = Adam::new(kernel.parameters.len());
        let mut gradient = vec![0.0; kernel.parameters.len()];
        let mut point = vec![0.0; width];
        for step in 0..STEPS {
            let source = &sources[random.below(sources.len() as u32) as usize];
            let mut rows: Vec<u32> = Vec::with_capacity(BATCH);
            for _ in 0..BATCH.min(source.targets.len()) {
                let mut row = random.below(source.targets.len() as u32);
                while rows.contains(&row) {
                    row = random.below(source.targets.len() as u32);
                }
                rows.push(row);
            }
            let mut inputs = Vec::with_capacity(rows.len() * width);
            for &row in &rows {
                let columns = &source.task.columns;
                setting.space().encode(columns, row as usize, &mut point);
                inputs.extend(point.iter().map(|&entry| entry as f32));
            }
            let targets: Vec<f64> = rows
                .iter()
                .map(|&row| source.targets[row as usize])
                .collect();
            kernel.loss(&inputs, &targets, &mut gradient)?;
            let angle = 0.5 * PI * step as f64 / STEPS as f64;
            let rate = LEARNING_RATE * libm::cos(angle);
            adam.update(&mut kernel.parameters, &gradient, rate);
        }
        Ok(kernel.parameters)
    })?;
    Ok(DeepKernel::with_parameters(width, stored.to_vec()))
}
