//! A trace reduced to what the statistics look at: the least value so far.

/// The steps at which a trace's least value fell, a handful where the trace has
/// a hundred values: a million traces fit into memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BestSoFar {
    steps: Box<[Step]>,
}

/// From `iteration` (from 0) on, `value` was the least.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    iteration: u32,
    value: f64,
}

impl BestSoFar {
    /// Reduces a trace's objective values.
    pub(crate) fn new(values: &[f64]) -> Self {
        let mut least = f64::INFINITY;
        let mut steps = Vec::new();
        for (&value, iteration) in values.iter().zip(0..) {
            if value < least {
                least = value;
                steps.push(Step { iteration, value });
            }
        }
        Self {
            steps: steps.into(),
        }
    }

    /// The least value up to each of `iterations` evaluations.
    pub(crate) fn values(&self, iterations: usize) -> Vec<f64> {
        let mut values = Vec::with_capacity(iterations);
        for (position, step) in self.steps.iter().enumerate() {
            let next = self.steps.get(position + 1);
            let end = next.map_or(iterations, |next| next.iteration as usize);
            values.resize(end, step.value);
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_minimum_comes_back() {
        let values = [0.5, 0.75, 0.5, 0.25, 0.25, 0.3];
        let reduced = BestSoFar::new(&values);
        assert_eq!(reduced.steps.len(), 2);
        assert_eq!(reduced.values(6), [0.5, 0.5, 0.5, 0.25, 0.25, 0.25]);
    }

    #[test]
    fn one_value_is_enough_and_zeros_of_either_sign_are_one() {
        assert_eq!(BestSoFar::new(&[3.0]).values(1), [3.0]);
        assert_eq!(BestSoFar::new(&[0.0, -0.0]).steps.len(), 1);
    }
}
