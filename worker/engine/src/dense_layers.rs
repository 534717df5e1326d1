//! Stacks of dense layers in single precision, on batches of rows.
//!
//! All weights lie in one vector, layer by layer, each layer as its weight matrix
//! (inputs x outputs) followed by its biases. Rows of a batch lie one after the other.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

use crate::random::RandomStream;

/// One dense layer's place in the vector of weights.
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

/// The shape of a stack.
#[derive(Debug, Clone)]
pub(crate) struct DenseLayers {
    layers: Vec<Layer>,
}

impl DenseLayers {
    /// A stack on `inputs` coordinates, whose layers have these numbers of outputs.
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

    /// Initial weights and biases, uniform within 1 / sqrt(inputs) of 0.
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

    /// Computes each layer's outputs: `activations` holds the inputs, then room for
    /// the outputs of each layer. `activate` is applied to each layer's, by number.
    pub(crate) fn forward(
        &self,
        weights: &[f32],
        rows: usize,
        activations: &mut [Vec<f32>],
        mut activate: impl FnMut(usize, &mut [f32]),
    ) {
        for (number, layer) in self.layers.iter().enumerate() {
            let (inputs, outputs) = activations.split_at_mut(number + 1);
            let (inputs, outputs) = (&inputs[number], &mut outputs[0]);
            let biases = &weights[layer.biases()..layer.end()];
            for row in outputs.chunks_exact_mut(layer.outputs) {
                row.copy_from_slice(biases);
            }
            let inputs = matrix(inputs, rows);
            let mut products = matrix_mut(outputs, rows);
            general_mat_mul(1.0, &inputs, &layer.matrix(weights), 1.0, &mut products);
            activate(number, outputs);
        }
    }

    /// Computes the gradient by all weights. `gradients` holds room for the gradient by
    /// the outputs of each layer before its activation; that of the last is given.
    /// `pass` turns the gradient by a layer's activated outputs, which it gets with
    /// the layer's number, into the one before the activation.
    pub(crate) fn backward(
        &self,
        weights: &[f32],
        rows: usize,
        activations: &[Vec<f32>],
        gradients: &mut [Vec<f32>],
        gradient: &mut [f32],
        mut pass: impl FnMut(usize, &[f32], &mut [f32]),
    ) {
        for (number, layer) in self.layers.iter().enumerate().rev() {
            let (below, above) = gradients.split_at_mut(number);
            let outputs = &above[0];
            let biases = &mut gradient[layer.biases()..layer.end()];
            biases.fill(0.0);
            for row in outputs.chunks_exact(layer.outputs) {
                for (bias, entry) in biases.iter_mut().zip(row) {
                    *bias += entry;
                }
            }
            let outputs = matrix(outputs, rows);
            let inputs = matrix(&activations[number], rows);
            let mut products = layer.matrix_mut(gradient);
            general_mat_mul(1.0, &inputs.t(), &outputs, 0.0, &mut products);
            let Some(below) = below.last_mut() else {
                break;
            };
            let mut products = matrix_mut(below, rows);
            let transposed = layer.matrix(weights);
            general_mat_mul(1.0, &outputs, &transposed.t(), 0.0, &mut products);
            pass(number - 1, &activations[number], below);
        }
    }
}
