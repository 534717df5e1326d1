//! The analysis of one task: the baseline, and every method against it.

use std::sync::Arc;

use loto_proto::table_spec::Direction;

use super::band::Band;
use super::task_output::{BaselineCurve, TableFront, TaskAnalysis, TaskMethodAnalysis};
use crate::by_iteration::{MethodOnTask, STATISTICS};
use crate::dtm::{GapCurves, area_under, dtm};
use crate::improvement::{Improvement, improvement, seed_improvements, standard_error};
use crate::random_search::{
    Baseline, RANDOM_SEARCH_METHOD, expected_gaps_with_replacement,
    expected_gaps_without_replacement,
};
use crate::relative_improvement::relative_improvement;
use crate::results::{BestCurves, BlackboxCurves, TaskCurves};
use crate::small_samples::variance_of_mean;

/// The finished seeds of one task, by method.
pub(crate) struct TaskGaps<'a> {
    /// Least objective value of the table; 0 if it is seen by hypervolume errors.
    pub(crate) minimum: f64,
    /// Greatest minus least objective value of the table; 1 if it is seen by hypervolume errors, and 0 if one of the
    /// objectives is constant.
    pub(crate) range: f64,
    /// Whether there are objective values, rather than hypervolume errors of several objectives.
    has_values: bool,
    /// Curves of each planned method; absent without a finished trace.
    pub(crate) methods: Vec<Option<GapCurves<'a>>>,
    /// The improvement of every seed, by method; absent without a finished trace or a baseline.
    pub(crate) seed_improvements: Vec<Option<Vec<f64>>>,
    /// Mean gap of the baseline, if there is a baseline.
    baseline_gaps: Option<Vec<f64>>,
}

impl<'a> TaskGaps<'a> {
    /// Looks at the traces of one task, which must have been validated.
    pub(crate) fn new(blackbox: &BlackboxCurves, task: &'a TaskCurves, baseline: Baseline) -> Self {
        let hypervolume = task.hypervolume.as_deref();
        let greatest = task.objective[task.objective.len() - 1];
        let (minimum, range) = match hypervolume {
            None => (task.objective[0], greatest - task.objective[0]),
            Some(hypervolume) if hypervolume.is_constant() => (0.0, 0.0),
            Some(_) => (0.0, 1.0),
        };
        let iterations = blackbox.iterations;
        let gaps = |curves: &'a Arc<BestCurves>| {
            (!curves.is_empty()).then(|| GapCurves::new(curves, iterations, minimum))
        };
        let methods: Vec<Option<GapCurves<'_>>> = task.traces.iter().map(gaps).collect();
        let baseline_gaps = match baseline {
            Baseline::Exact => Some(match hypervolume {
                None => expected_gaps_without_replacement(&task.objective, iterations),
                Some(task) => task.expected_errors_without_replacement(iterations),
            }),
            Baseline::ExactWithReplacement => Some(match hypervolume {
                None => expected_gaps_with_replacement(&task.objective, iterations),
                Some(task) => task.expected_errors_with_replacement(iterations),
            }),
            Baseline::Sampled => {
                let is_random = |method: &String| method == RANDOM_SEARCH_METHOD;
                let position = blackbox.methods.iter().position(is_random);
                position.and_then(|position| Some(methods[position]?.mean()))
            }
        };
        let of_seeds = |curves: &Option<GapCurves<'_>>| {
            seed_improvements(curves.as_ref()?, baseline_gaps.as_ref()?)
        };
        Self {
            minimum,
            seed_improvements: methods.iter().map(of_seeds).collect(),
            range,
            has_values: hypervolume.is_none(),
            methods,
            baseline_gaps,
        }
    }

    /// Whether all rows have the same objective value, which leaves DTM undefined.
    pub(crate) fn is_constant(&self) -> bool {
        self.range == 0.0
    }

    /// The statistics of the task, still without ranks, differences, intervals and band limits.
    pub(crate) fn analyse(&self, blackbox: &BlackboxCurves, task: &TaskCurves) -> TaskAnalysis {
        let baseline = self.baseline_gaps.as_ref().map(|gaps| BaselineCurve {
            dtm: (!self.is_constant()).then(|| dtm(gaps, self.range)),
            best: self.best(gaps),
        });
        let mut seed_sets = task.traces.iter().filter(|traces| !traces.is_empty());
        let first = seed_sets.next();
        let unbalanced =
            first.is_some_and(|first| seed_sets.any(|seeds| seeds.seeds() != first.seeds()));
        let methods = blackbox.methods.iter().enumerate();
        let in_users_units = |value| blackbox.direction.turn(value);
        let least = in_users_units(task.objective[0]);
        let greatest = in_users_units(task.objective[task.objective.len() - 1]);
        TaskAnalysis {
            name: task.name.clone(),
            rows: task.objective.len(),
            minimum: least.min(greatest),
            prior_rmse: None,
            linear_prior_rmse: None,
            nearest_neighbours_prior_rmse: None,
            maximum: least.max(greatest),
            methods: methods
                .map(|(method, name)| {
                    self.method(method, name, blackbox.direction, baseline.as_ref())
                })
                .collect(),
            baseline: baseline.map(|curve| BaselineCurve {
                best: curve.best.into_iter().map(in_users_units).collect(),
                ..curve
            }),
            unbalanced,
            front: task.hypervolume.as_deref().map(|hypervolume| TableFront {
                points: hypervolume.front().points().to_vec(),
                reference: hypervolume.limits().map(|(_, greatest)| greatest),
                hypervolume: (!hypervolume.is_constant()).then(|| hypervolume.volume()),
            }),
            over_cost: None,
        }
    }

    fn best(&self, mean_gaps: &[f64]) -> Vec<f64> {
        match self.has_values {
            true => mean_gaps.iter().map(|gap| self.minimum + gap).collect(),
            false => Vec::new(),
        }
    }

    fn method(
        &self,
        method: usize,
        name: &str,
        direction: Direction,
        baseline: Option<&BaselineCurve>,
    ) -> TaskMethodAnalysis {
        let curves = self.methods[method];
        let mean_gaps = curves.map(|curves| curves.mean());
        let scalable = mean_gaps.as_ref().filter(|_| !self.is_constant());
        let mean = scalable.map(|gaps| dtm(gaps, self.range));
        let baseline_dtm = baseline.and_then(|baseline| baseline.dtm.as_ref());
        let score = match (&mean, baseline_dtm) {
            (Some(mean), Some(baseline)) => improvement(mean, baseline),
            _ => Improvement {
                value: None,
                terms_left_out: 0,
            },
        };
        let on_task = curves.map(|curves| MethodOnTask {
            curves,
            baseline_gaps: self.baseline_gaps.as_deref(),
            range: self.range,
        });
        let of_values = mean_gaps.clone().filter(|_| self.has_values);
        let seed_improvements = self.seed_improvements[method].as_ref();
        let final_gap = mean_gaps.as_ref().and_then(|gaps| gaps.last().copied());
        let final_gaps = curves.map(|curves| curves.final_gaps());
        TaskMethodAnalysis {
            method: name.to_owned(),
            seeds: curves.map_or(0, |curves| curves.seeds() as u32),
            final_best: final_gap
                .filter(|_| self.has_values)
                .map(|gap| direction.turn(self.minimum + gap)),
            final_dtm: mean.as_ref().and_then(|mean| mean.last().copied()),
            final_dtm_standard_error: final_gaps
                .filter(|gaps| gaps.len() > 1 && !self.is_constant())
                .map(|gaps| variance_of_mean(&gaps).sqrt() / self.range),
            area_under_dtm: mean.as_ref().map(|mean| area_under(mean)),
            dtm: mean.map(|mean| Band {
                mean,
                lower: Vec::new(),
                upper: Vec::new(),
            }),
            improvement: score.value,
            improvement_standard_error: seed_improvements
                .filter(|_| score.value.is_some())
                .and_then(|scores| standard_error(scores)),
            improvement_interval: None,
            difference: None,
            improvement_terms_left_out: score.terms_left_out,
            rank: None,
            relative_improvement: of_values.zip(baseline).map(|(gaps, baseline)| {
                let best = self.best(&gaps);
                relative_improvement(&best, &baseline.best, direction)
            }),
            by_iteration: STATISTICS
                .iter()
                .map(|statistic| (statistic.key, on_task.as_ref().map(statistic.compute)))
                .collect(),
        }
    }
}
