//! Networks of dense layers, evaluated in double precision.
//!
//! Weights lie layer by layer: a matrix of inputs by outputs, then the biases.

/// The outputs of the last of the layers with these numbers of `outputs`; `activate` is applied to
/// those of each layer but the last `linear` ones.
pub(crate) fn outputs(
    weights: &[f64],
    input: &[f64],
    outputs: &[usize],
    linear: usize,
    activate: fn(f64) -> f64,
) -> Vec<f64> {
    let mut units = input.to_vec();
    let mut start = 0;
    for (number, &size) in outputs.iter().enumerate() {
        let biases = start + units.len() * size;
        let unit = |output: usize| {
            let inputs = units.iter().enumerate();
            let sum: f64 = inputs
                .map(|(input, value)| value * weights[start + input * size + output])
                .sum();
            let sum = sum + weights[biases + output];
            match number + linear < outputs.len() {
                true => activate(sum),
                false => sum,
            }
        };
        units = (0..size).map(unit).collect();
        start = biases + size;
    }
    assert_eq!(start, weights.len(), "all weights are used");
    units
}
