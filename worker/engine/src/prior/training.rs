//! Fits the network by ADAM (Kingma and Ba 2015) on batches of source rows.
//!
//! 3 x 1000 updates at learning rates 0.01, 0.002, 0.0004; batches of 64; dropout
//! 0.1. Each row of a batch is drawn by first drawing its task: the expected loss
//! is then the one in which a task's rows weigh 1 / its row count.

use super::network::{Network, Noise};
use crate::adam::Adam;
use crate::random::RandomStream;
use crate::setting::Source;
use crate::table::encoding::{Column, Space};

const BATCH: usize = 64;
const DROPOUT: f64 = 0.1;
const UPDATES: usize = 1000;
const LEARNING_RATES: [f64; 3] = [0.01, 0.002, 0.0004];

/// Fits the network's weights to the sources.
pub fn fit(space: &Space, noise: Noise, sources: &[Source], random: &mut RandomStream) -> Vec<f32> {
    let network = Network::new(space.width(), noise);
    let mut weights = network.initial_weights(random);
    let mut gradient = vec![0.0; weights.len()];
    let mut adam = Adam::new(weights.len());
    let mut batch = network.batch(BATCH);
    let mut targets = [0.0; BATCH];
    let mut rows: [(&[Column], usize); BATCH] = [(&[], 0); BATCH];
    for rate in LEARNING_RATES {
        for _ in 0..UPDATES {
            for (drawn, target) in rows.iter_mut().zip(&mut targets) {
                let source = &sources[random.below(sources.len() as u32) as usize];
                let row = random.below(source.targets.len() as u32) as usize;
                *drawn = (&source.task.columns, row);
                *target = source.targets[row] as f32;
            }
            space.encode_batch(&rows, batch.inputs_mut());
            batch.draw_dropout(DROPOUT, random);
            network.loss(&weights, &mut batch, &targets, &mut gradient);
            adam.update(&mut weights, &gradient, rate);
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::prior::network::TRAINING;
    use crate::table::Task;

    #[test]
    fn a_heteroscedastic_line_is_learned_and_small_tasks_count_as_much() {
        let space = Space::numeric(1);
        let mut random = RandomStream::new(TRAINING, Fingerprint([1; 16]), "t", 0);
        // Two tasks, z = 2 x - 1 plus and minus 0.5: mean 2 x - 1, sigma 0.5 for
        // tasks of equal weight, though one has ten times the rows.
        let tasks: Vec<Task> = [2000, 200]
            .map(|rows| Task {
                first_line: 2,
                name: rows.to_string(),
                objective: vec![0.0; rows],
                further_objectives: Vec::new(),
                measurements: None,
                features: Vec::new(),
                columns: vec![Column::Numeric(
                    (0..rows).map(|_| random.uniform()).collect(),
                )],
            })
            .into();
        let targets: Vec<Vec<f64>> = tasks
            .iter()
            .zip([0.5, -0.5])
            .map(|(task, shift)| match &task.columns[0] {
                Column::Numeric(x) => x.iter().map(|x| 2.0 * x - 1.0 + shift).collect(),
                Column::Categorical(_) => unreachable!("the column is numeric"),
            })
            .collect();
        let sources: Vec<Source> = tasks
            .iter()
            .zip(&targets)
            .map(|(task, targets)| Source { task, targets })
            .collect();
        let noise = Noise::Heteroskedastic;
        let weights = fit(&space, noise, &sources, &mut random);
        for (x, (mean, std_dev)) in [0.1, 0.5, 0.9]
            .iter()
            .zip(Network::new(1, noise).predict(&weights, &[0.1, 0.5, 0.9]))
        {
            assert!((mean - (2.0 * x - 1.0)).abs() < 0.12, "{x}: {mean}");
            assert!((std_dev - 0.5).abs() < 0.12, "{x}: {std_dev}");
        }
    }
}
