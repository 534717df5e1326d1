//! The traces of one method on one task, reduced to what statistics look at.

use super::traces::{SeedTrace, SeedTraces};
use crate::hypervolume::TaskHypervolume;

/// By seed, the steps at which the least value fell: a handful where the trace has a
/// hundred values, so that a million traces fit into memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BestCurves {
    /// Ascending.
    seeds: Vec<u32>,
    /// Where the steps of each seed end; they begin where those before end.
    ends: Vec<usize>,
    /// Iteration of each step, from 0.
    iterations: Vec<u32>,
    /// The least value from that iteration on.
    values: Vec<f64>,
    /// What all evaluations up to each step cost; empty if costs are not known.
    costs: Vec<f64>,
    /// What the whole trace of each seed costs; empty if costs are not known.
    totals: Vec<f64>,
}

/// The least value of a seed over what its evaluations cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestOverCost<'a> {
    /// What all evaluations up to each step cost, ascending.
    pub costs: &'a [f64],
    /// The least value from each step on.
    pub values: &'a [f64],
    /// What the whole trace costs.
    pub total: f64,
}

impl BestCurves {
    /// Reduces whole traces, which have several objectives if there is a hypervolume.
    pub fn of(traces: &SeedTraces, hypervolume: Option<&TaskHypervolume>) -> Self {
        let mut curves = Self::default();
        for (&seed, trace) in traces {
            curves.insert_trace(seed, trace, hypervolume);
        }
        curves
    }

    /// Adds a whole trace: by its values, or by its hypervolume errors if it has several objectives. A seed that is there stays
    /// as it is; returns whether it is new.
    pub fn insert_trace(
        &mut self,
        seed: u32,
        trace: &SeedTrace,
        hypervolume: Option<&TaskHypervolume>,
    ) -> bool {
        match hypervolume {
            None => self.insert_with_costs(seed, &trace.values, &trace.costs),
            Some(hypervolume) => {
                let errors = hypervolume.errors(trace.objective_pairs());
                self.insert_with_costs(seed, &errors, &trace.costs)
            }
        }
    }

    /// Number of seeds.
    pub fn len(&self) -> usize {
        self.seeds.len()
    }

    /// True without any seed.
    pub fn is_empty(&self) -> bool {
        self.seeds.is_empty()
    }

    /// The seeds, ascending.
    pub fn seeds(&self) -> &[u32] {
        &self.seeds
    }

    /// Whether the trace of this seed is there.
    pub fn contains(&self, seed: u32) -> bool {
        self.seeds.binary_search(&seed).is_ok()
    }

    /// Adds a trace by its objective values, in order. A seed that is there stays as it
    /// is; returns whether it is new.
    pub fn insert(&mut self, seed: u32, values: &[f64]) -> bool {
        self.insert_with_costs(seed, values, &[])
    }

    /// As [`Self::insert`], with what each evaluation costs. Costs are known if those of all seeds are.
    pub fn insert_with_costs(&mut self, seed: u32, values: &[f64], costs: &[f64]) -> bool {
        let Err(position) = self.seeds.binary_search(&seed) else {
            return false;
        };
        let are_known = self.seeds.is_empty() || !self.totals.is_empty();
        let has_costs = are_known && !costs.is_empty() && costs.len() == values.len();
        if !has_costs {
            self.costs.clear();
            self.totals.clear();
        }
        let begin = self.begin(position);
        let mut steps = 0;
        let mut least = f64::INFINITY;
        let mut total = 0.0;
        for (index, (&value, iteration)) in values.iter().zip(0..).enumerate() {
            let cost = costs.get(index).filter(|_| has_costs);
            total += cost.copied().unwrap_or_default();
            if value < least {
                least = value;
                self.iterations.push(iteration);
                self.values.push(value);
                self.costs.extend(cost.map(|_| total));
                steps += 1;
            }
        }
        if has_costs {
            self.costs[begin..].rotate_right(steps);
            self.totals.insert(position, total);
        }
        // Traces mostly come in the order of their seeds: then they are in their place already.
        self.iterations[begin..].rotate_right(steps);
        self.values[begin..].rotate_right(steps);
        self.seeds.insert(position, seed);
        self.ends.insert(position, begin);
        self.ends[position..]
            .iter_mut()
            .for_each(|end| *end += steps);
        true
    }

    /// The curve of each seed, by ascending seed: its steps, each with its iteration (from 0)
    /// and the least value from there on.
    pub fn curves(&self) -> impl Iterator<Item = impl Iterator<Item = (u32, f64)> + '_> + '_ {
        (0..self.len()).map(|position| {
            let steps = self.begin(position)..self.ends[position];
            let iterations = self.iterations[steps.clone()].iter().copied();
            iterations.zip(self.values[steps].iter().copied())
        })
    }

    /// The curve of each seed over what its evaluations cost, by ascending seed; nothing if costs are not known.
    pub fn over_cost(&self) -> impl Iterator<Item = BestOverCost<'_>> {
        let totals = self.totals.iter().enumerate();
        totals.map(|(position, &total)| {
            let steps = self.begin(position)..self.ends[position];
            BestOverCost {
                costs: &self.costs[steps.clone()],
                values: &self.values[steps],
                total,
            }
        })
    }

    /// Frees memory that was kept for further traces.
    pub fn shrink(&mut self) {
        self.costs.shrink_to_fit();
        self.totals.shrink_to_fit();
        self.seeds.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.iterations.shrink_to_fit();
        self.values.shrink_to_fit();
    }

    fn begin(&self, position: usize) -> usize {
        position
            .checked_sub(1)
            .map_or(0, |before| self.ends[before])
    }
}

/// The least value up to each of `iterations` evaluations, from the steps of a curve.
pub fn least_values(steps: impl Iterator<Item = (u32, f64)>, iterations: usize) -> Vec<f64> {
    let mut least = Vec::with_capacity(iterations);
    let mut last = None;
    for (iteration, value) in steps {
        if let Some(last) = last.replace(value) {
            least.resize(iteration as usize, last);
        }
    }
    if let Some(last) = last {
        least.resize(iterations, last);
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(curves: &BestCurves, iterations: usize) -> Vec<Vec<f64>> {
        let curves = curves.curves();
        curves
            .map(|steps| least_values(steps, iterations))
            .collect()
    }

    #[test]
    fn the_running_minima_come_back_in_the_order_of_the_seeds() {
        let mut curves = BestCurves::default();
        assert!(curves.insert(7, &[0.5, 0.75, 0.5, 0.25, 0.3]));
        assert!(curves.insert(2, &[3.0, 2.0, 2.0, 2.0, 1.0]));
        assert!(curves.insert(4, &[9.0, 9.0, 9.0, 9.0, 9.0]));
        assert!(!curves.insert(2, &[0.0; 5]));
        assert_eq!((curves.seeds(), curves.len()), ([2, 4, 7].as_slice(), 3));
        assert!(curves.contains(4) && !curves.contains(5));
        let expected = [
            vec![3.0, 2.0, 2.0, 2.0, 1.0],
            vec![9.0; 5],
            vec![0.5, 0.5, 0.5, 0.25, 0.25],
        ];
        assert_eq!(expanded(&curves, 5), expected);
        assert_eq!(curves.values.len(), 3 + 1 + 2);
    }

    #[test]
    fn the_order_of_arrival_does_not_matter() {
        let trace = |seed: u32| [f64::from(seed * 7 % 5), f64::from(seed * 3 % 4), 0.5];
        let (mut forward, mut backward) = (BestCurves::default(), BestCurves::default());
        for seed in 0..20 {
            forward.insert(seed, &trace(seed));
            backward.insert(19 - seed, &trace(19 - seed));
        }
        assert_eq!(forward, backward);
    }

    #[test]
    fn costs_stay_with_their_seeds() {
        let mut curves = BestCurves::default();
        curves.insert_with_costs(3, &[2.0, 3.0, 1.0], &[1.0, 2.0, 4.0]);
        curves.insert_with_costs(1, &[5.0, 4.0], &[8.0, 16.0]);
        let found: Vec<_> = curves.over_cost().collect();
        let expected = [
            BestOverCost {
                costs: &[8.0, 24.0],
                values: &[5.0, 4.0],
                total: 24.0,
            },
            BestOverCost {
                costs: &[1.0, 7.0],
                values: &[2.0, 1.0],
                total: 7.0,
            },
        ];
        assert_eq!(found, expected);
        curves.insert(2, &[7.0]);
        curves.insert_with_costs(4, &[7.0], &[1.0]);
        assert_eq!(curves.over_cost().count(), 0);
    }

    #[test]
    fn several_objectives_are_seen_as_hypervolume_errors() {
        let hypervolume = TaskHypervolume::new(vec![[0.0, 1.0], [0.25, 0.25], [1.0, 0.0]]);
        let trace = SeedTrace {
            values: vec![1.0, 0.25, 0.0],
            further_values: vec![0.0, 0.25, 1.0],
            costs: vec![2.0; 3],
            ..SeedTrace::default()
        };
        let curves = BestCurves::of(&[(0, trace)].into(), Some(&hypervolume));
        assert_eq!(curves.values, [0.5625, 0.0]);
        assert_eq!(curves.costs, [2.0, 4.0]);
    }

    #[test]
    fn one_value_is_enough_and_zeros_of_either_sign_are_one() {
        let mut curves = BestCurves::default();
        curves.insert(0, &[0.0, -0.0]);
        assert_eq!(curves.values, [0.0]);
        assert_eq!(expanded(&curves, 2), [[0.0, 0.0]]);
    }
}
