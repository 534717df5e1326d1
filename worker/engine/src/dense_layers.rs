//! Stacks of dense layers in single precision, evaluated on batches of rows.
//!
//! All weights lie in one vector, layer by layer: first a layer's weight matrix (inputs x outputs),
//! then its biases. The rows of a batch lie one after the other.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

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

    fn matrix(self, weights: &[f32]) -> ArrayView2<'_, f32> {
        let entries = &weights[self.start..self.biases()];
        ArrayView2::from_shape((self.inputs, self.outputs), entries).expect("the layer's shape")
    }

    fn matrix_mut(self, weights: &mut [f32]) -> ArrayViewMut2<'_, f32> {
        let entries = &mut weights[self.start..self.biases()];
        ArrayViewMut2::from_shape((self.inputs, self.outputs), entries).expect("the layer's shape")
    }
}

fn matrix(entries: &[f32], rows: usize) -> ArrayView2<'_, f32> {
    ArrayView2::from_shape((rows, entries.len() / rows), entries).expect("a whole number of rows")
}

fn matrix_mut(entries: &mut [f32], rows: usize) -> ArrayViewMut2<'_, f32> {
    let columns = entries.len() / rows;
    ArrayViewMut2::from_shape((rows, columns), entries).expect("a whole number of rows")
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
            for row in outputs.chunks_exact_mut(layer.outputs) {
                row.copy_from_slice(biases);
            }
            let inputs = matrix(&below[number], batch.rows);
            let mut products = matrix_mut(outputs, batch.rows);
            general_mat_mul(1.0, &inputs, &layer.matrix(weights), 1.0, &mut products);
            activate(number, outputs);
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
            biases.fill(0.0);
            for row in entries.chunks_exact(layer.outputs) {
                for (bias, entry) in biases.iter_mut().zip(row) {
                    *bias += entry;
                }
            }
            let outputs = matrix(entries, batch.rows);
            let inputs = matrix(&batch.activations[number], batch.rows);
            let mut products = layer.matrix_mut(gradient);
            general_mat_mul(1.0, &inputs.t(), &outputs, 0.0, &mut products);
            let Some(below) = below.last_mut() else {
                break;
            };
            let mut products = matrix_mut(below, batch.rows);
            let transposed = layer.matrix(weights);
            general_mat_mul(1.0, &outputs, &transposed.t(), 0.0, &mut products);
            pass(number - 1, &batch.activations[number], below);
        }
    }
}
