//! Stacks of dense layers in single precision, evaluated on batches of rows.
//!
//! All weights lie in one vector, layer by layer: first a layer's weight matrix (inputs x outputs),
//! then its biases. The rows of a batch lie one after the other.

use pulp::Simd;

use crate::matrix_products::{Factor, Start, multiply};
use crate::random::RandomStream;

/// The place of one dense layer in the vector of weights.
#[derive(Debug, Clone, Copy)]
struct Layer {
    start: usize,
    inputs: usize,
    outputs: usize,
}

impl Layer {
    fn biases(self) -> usize {
        self.start + self.inputs * self.outputs
    }

    fn end(self) -> usize {
        self.biases() + self.outputs
    }

    fn matrix(self, weights: &[f32]) -> Factor<'_, f32> {
        Factor::new(&weights[self.start..self.biases()], self.outputs)
    }
}

/// Replaces `sums` by the sum of the rows, each as long as it is.
#[pulp::with_simd(sum_rows = pulp::Arch::new())]
#[inline(always)]
fn sum_rows_with<S: Simd>(_simd: S, rows: &[f32], sums: &mut [f32]) {
    sums.fill(0.0);
    for row in rows.chunks_exact(sums.len()) {
        for (sum, entry) in sums.iter_mut().zip(row) {
            *sum += entry;
        }
    }
}

/// The shape of a stack of layers.
#[derive(Debug, Clone)]
pub(crate) struct DenseLayers {
    layers: Vec<Layer>,
}

/// Activations and their gradients for a batch of rows, reused from batch to batch.
pub(crate) struct Batch {
    rows: usize,
    /// The inputs, then the outputs of each layer.
    pub activations: Vec<Vec<f32>>,
    /// The gradient by the outputs of each layer.
    pub gradients: Vec<Vec<f32>>,
}

impl Batch {
    /// Takes `inputs`, row-major, in place of those before, as many rows as they are.
    pub(crate) fn set_inputs(&mut self, inputs: &[f32]) {
        let width = self.activations[0].len() / self.rows;
        let before = self.rows;
        self.rows = inputs.len() / width;
        let buffers = self.activations.iter_mut().chain(&mut self.gradients);
        for buffer in buffers {
            buffer.resize(buffer.len() / before * self.rows, 0.0);
        }
        self.activations[0].copy_from_slice(inputs);
    }
}

impl DenseLayers {
    /// Describes a stack on `inputs` coordinates whose layers have these numbers of outputs.
    pub(crate) fn new(inputs: usize, outputs: &[usize]) -> Self {
        let mut layers: Vec<Layer> = Vec::new();
        for &outputs in outputs {
            layers.push(Layer {
                start: layers.last().map_or(0, |layer| layer.end()),
                inputs: layers.last().map_or(inputs, |layer| layer.outputs),
                outputs,
            });
        }
        Self { layers }
    }

    /// Number of input coordinates.
    pub(crate) fn inputs(&self) -> usize {
        self.layers.first().map_or(0, |layer| layer.inputs)
    }

    /// Number of outputs of each layer.
    pub(crate) fn outputs(&self) -> impl Iterator<Item = usize> + '_ {
        self.layers.iter().map(|layer| layer.outputs)
    }

    /// Number of weights and biases.
    pub(crate) fn weight_count(&self) -> usize {
        self.layers.last().map_or(0, |layer| layer.end())
    }

    /// Makes buffers for a batch of these inputs.
    pub(crate) fn batch(&self, inputs: Vec<f32>) -> Batch {
        let rows = inputs.len() / self.inputs();
        let outputs = || self.outputs().map(|outputs| vec![0.0; rows * outputs]);
        Batch {
            rows,
            activations: std::iter::once(inputs).chain(outputs()).collect(),
            gradients: outputs().collect(),
        }
    }

    /// Draws initial weights and biases, uniform within 1 / sqrt(inputs) of 0.
    pub(crate) fn initial_weights(&self, random: &mut RandomStream) -> Vec<f32> {
        let mut weights = vec![0.0; self.weight_count()];
        for layer in &self.layers {
            let bound = 1.0 / (layer.inputs as f64).sqrt();
            for weight in &mut weights[layer.start..layer.end()] {
                *weight = (bound * (2.0 * random.uniform() - 1.0)) as f32;
            }
        }
        weights
    }

    /// Computes the outputs of each layer from the inputs. `activate` is applied to the outputs of
    /// each layer and gets its number.
    pub(crate) fn forward(
        &self,
        weights: &[f32],
        batch: &mut Batch,
        mut activate: impl FnMut(usize, &mut [f32]),
    ) {
        for (number, layer) in self.layers.iter().enumerate() {
            let (below, above) = batch.activations.split_at_mut(number + 1);
            let outputs = &mut above[0];
            let biases = &weights[layer.biases()..layer.end()];
            let inputs = Factor::new(&below[number], layer.inputs);
            multiply(inputs, layer.matrix(weights), Start::Row(biases), outputs);
            activate(number, outputs);
        }
    }

    /// Computes the `outputs` of the last layer unit by unit, a unit's of all rows one after the other, which is faster than row
    /// by row and the same bits. The inputs lie coordinate by coordinate. `activate` is applied to the outputs of each layer and gets
    /// its number.
    pub(crate) fn forward_by_unit(
        &self,
        weights: &[f32],
        inputs: &[f32],
        [below, above]: &mut [Vec<f32>; 2],
        outputs: &mut [f32],
        activate: impl Fn(usize, &mut [f32]),
    ) {
        let rows = inputs.len() / self.inputs();
        for (number, layer) in self.layers.iter().enumerate() {
            std::mem::swap(below, above);
            let is_last = number + 1 == self.layers.len();
            let units = if is_last {
                &mut *outputs
            } else {
                above.resize(layer.outputs * rows, 0.0);
                &mut above[..]
            };
            let inputs = if number == 0 { inputs } else { &below[..] };
            let biases = &weights[layer.biases()..layer.end()];
            let matrix = layer.matrix(weights).transposed();
            multiply(
                matrix,
                Factor::new(inputs, rows),
                Start::Column(biases),
                units,
            );
            activate(number, units);
        }
    }

    /// Computes the gradient by all weights from the gradient by the last layer's outputs before
    /// activation, which the batch holds. `pass` gets a layer's number, its activated outputs and the
    /// gradient by them, which it turns into that before activation.
    pub(crate) fn backward(
        &self,
        weights: &[f32],
        batch: &mut Batch,
        gradient: &mut [f32],
        mut pass: impl FnMut(usize, &[f32], &mut [f32]),
    ) {
        for (number, layer) in self.layers.iter().enumerate().rev() {
            let (below, above) = batch.gradients.split_at_mut(number);
            let entries = &above[0];
            let biases = &mut gradient[layer.biases()..layer.end()];
            sum_rows(entries, biases);
            let outputs = Factor::new(entries, layer.outputs);
            let inputs = Factor::new(&batch.activations[number], layer.inputs);
            let weight_slopes = &mut gradient[layer.start..layer.biases()];
            multiply(inputs.transposed(), outputs, Start::Zero, weight_slopes);
            let Some(below) = below.last_mut() else {
                break;
            };
            multiply(
                outputs,
                layer.matrix(weights).transposed(),
                Start::Zero,
                below,
            );
            pass(number - 1, &batch.activations[number], below);
        }
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::random::StreamName;

    #[test]
    fn outputs_unit_by_unit_are_the_same_bits_as_row_by_row() {
        let stream = StreamName::new("dense layers", "test");
        let mut random = RandomStream::new(stream, Fingerprint([1; 16]), "t", 0);
        let layers = DenseLayers::new(7, &[50, 33, 2]);
        let weights = layers.initial_weights(&mut random);
        for rows in [1, 16, 45] {
            let inputs: Vec<f32> = (0..7 * rows).map(|_| random.uniform() as f32).collect();
            let columns = (0..7).map(|place| inputs.iter().skip(place).step_by(7));
            let by_coordinate: Vec<f32> = columns.flatten().copied().collect();
            let activate = |_, outputs: &mut [f32]| outputs.iter_mut().for_each(|x| *x = x.abs());
            let mut batch = layers.batch(inputs);
            layers.forward(&weights, &mut batch, activate);
            let mut buffers = [vec![9.0; 3], Vec::new()];
            let mut found = vec![7.0; 2 * rows];
            layers.forward_by_unit(&weights, &by_coordinate, &mut buffers, &mut found, activate);
            let of_rows = batch.activations[3].as_chunks::<2>().0;
            let units = (0..2).flat_map(|unit| of_rows.iter().map(move |row| row[unit]));
            assert_eq!(found, units.collect::<Vec<_>>());
        }
    }
}
