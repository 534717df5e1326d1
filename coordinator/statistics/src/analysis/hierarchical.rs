//! Compares all methods of a black box with one by the hierarchical test.

use super::hierarchical_comparison::{
    HierarchicalComparison, HierarchicalMethod, HierarchicalOutcome,
};
use super::options::AnalysisOptions;
use super::task::TaskGaps;
use crate::hierarchical_posterior::hierarchical_posterior;
use crate::results::BlackboxCurves;
use crate::variates::stream;

/// The iterations at which methods are compared, besides the last one.
const ITERATIONS: [usize; 7] = [1, 5, 10, 20, 30, 50, 100];

/// Seeds on a table are independent, other than the folds of a cross-validation.
const CORRELATION: f64 = 0.0;

/// Fewest tasks, and fewest seeds on a task.
const FEWEST: usize = 2;

/// Compares every method with `against` over the `averaged` tasks; absent if there is no method to compare.
pub(crate) fn hierarchical(
    blackbox: &BlackboxCurves,
    curves: &[TaskGaps<'_>],
    averaged: &[usize],
    against: usize,
    options: &AnalysisOptions,
) -> Option<HierarchicalComparison> {
    let rope = options.rope?.on(blackbox.measure());
    let mut iterations: Vec<usize> = ITERATIONS.to_vec();
    iterations.retain(|&iteration| iteration < blackbox.iterations);
    iterations.push(blackbox.iterations);
    let others = (0..blackbox.methods.len()).filter(|&method| method != against);
    let compared = others.filter_map(|method| {
        let tasks = averaged.iter().map(|&task| {
            let unit = rope.unit.of_distance(curves[task].range) / curves[task].range;
            PairedSeeds::of(blackbox, curves, task, (method, against), unit)
        });
        let tasks: Vec<PairedSeeds<'_>> = tasks.flatten().collect();
        if tasks.len() < FEWEST {
            return None;
        }
        let name = blackbox.reported_name(method);
        let at = iterations.iter().map(|&iteration| {
            let differences = tasks.iter().map(|task| task.differences(iteration - 1));
            let differences: Vec<Vec<f64>> = differences.collect();
            let names = [&*blackbox.name, &*name, &*iteration.to_string()];
            let mut random = stream("loto hierarchical 1", options.seed, &names);
            let found = hierarchical_posterior(&differences, rope.width, CORRELATION, &mut random);
            HierarchicalOutcome {
                iteration,
                against_better: found.above,
                equivalent: found.equivalent,
                method_better: found.below,
            }
        });
        Some(HierarchicalMethod {
            method: blackbox.methods[method].clone(),
            tasks: tasks.len(),
            pairs: tasks.iter().map(|task| task.pairs.len()).sum(),
            at: at.collect(),
        })
    });
    let methods: Vec<HierarchicalMethod> = compared.collect();
    (!methods.is_empty()).then(|| HierarchicalComparison {
        against: blackbox.methods[against].clone(),
        rope: rope.width,
        unit: rope.unit,
        methods,
    })
}

/// The seeds of a task that two methods have finished.
struct PairedSeeds<'a> {
    curves: &'a TaskGaps<'a>,
    methods: (usize, usize),
    /// Positions of a seed among the seeds of the one and of the other.
    pairs: Vec<(usize, usize)>,
    /// What a gap of 1 is in the unit of the rope.
    unit: f64,
}

impl<'a> PairedSeeds<'a> {
    /// Those of a task; none with too few.
    fn of(
        blackbox: &BlackboxCurves,
        curves: &'a [TaskGaps<'a>],
        task: usize,
        methods: (usize, usize),
        unit: f64,
    ) -> Option<Self> {
        let seeds = |method: usize| blackbox.tasks[task].traces[method].seeds();
        let others = seeds(methods.1);
        let pairs = seeds(methods.0).iter().enumerate();
        let pairs = pairs.filter_map(|(own, seed)| Some((own, others.binary_search(seed).ok()?)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        (pairs.len() >= FEWEST).then_some(Self {
            curves: &curves[task],
            methods,
            pairs,
            unit,
        })
    }

    /// By how much the first method is worse, for each pair.
    fn differences(&self, index: usize) -> Vec<f64> {
        let gaps = |method: usize| {
            let curves = self.curves.methods[method];
            curves.map_or_else(Vec::new, |curves| curves.gaps_at(index))
        };
        let (own, other) = (gaps(self.methods.0), gaps(self.methods.1));
        let pairs = self.pairs.iter();
        let differences = pairs.map(|&(one, two)| self.unit * (own[one] - other[two]));
        differences.collect()
    }
}
