//! Statistics of a sweep: pure functions, one idea per file, and [`analysis`], which composes them
//! over everything that is finished.
//!
//! Iterations `t` are counted from 1; in every curve the entry at index `t - 1`
//! belongs to `t`. Objectives are minimised.
//!
//! | to find | look in |
//! |---|---|
//! | what is finished of a sweep: the input | [`results`] |
//! | curves of a method on a task | [`dtm`], [`random_search`], [`by_iteration`] |
//! | several objectives | [`front`], [`hypervolume`], [`attainment`] |
//! | curves over the cost of evaluations | [`over_cost`] |
//! | scores against random search | [`improvement`] (ICML), [`relative_improvement`] (ICLR) |
//! | ranks of methods | [`ranks`], [`average_ranks`] (SGPT), [`stream_ranks`] (streams of tasks) |
//! | tests whether methods differ | [`friedman`], [`nemenyi`], [`wilcoxon`], [`holm`], [`smallest_p_values`] |
//! | how probable it is that a difference matters | [`practical_differences`] over the tasks, `hierarchical_posterior` over tasks and seeds |
//! | distributions that the tests need | [`tail_probability`], [`student_t`], [`studentized_range`] |
//! | averages over tasks | [`means`], [`robust_means`], [`dominant_task`], [`performance_profile`] |
//! | bootstrap bands of curves, intervals of scores | over the seeds `bootstrap` and `score_bootstrap`, over the tasks `task_bootstrap`; corrected by `small_samples` |
//! | all of it, the structure of `statistics.json` | [`analysis`] |
//!
//! Tests, scores and bands are own code because each is a page long, has to give the same bits on
//! every machine, and follows one paper to the letter; the tests hold them to SciPy, statsmodels and
//! scikit-posthocs. Gamma and beta functions come from `statrs`, the error function from `libm`.
//!
//! # Example
//!
//! Do three methods differ, by their scores on four tasks (Friedman, then Nemenyi)?
//!
//! ```
//! use loto_statistics::friedman::friedman;
//! use loto_statistics::nemenyi::nemenyi;
//! use loto_statistics::ranks::RankedMethods;
//!
//! // One row per task, one column per method; the highest score is the best.
//! let ranked = RankedMethods::by_highest_score(&[
//!     vec![0.9, 0.5, 0.1],
//!     vec![0.8, 0.6, 0.2],
//!     vec![0.7, 0.4, 0.3],
//!     vec![0.6, 0.7, 0.1],
//! ]);
//! assert_eq!(ranked.average_ranks, [1.25, 1.75, 3.0]);
//! assert!(friedman(&ranked).plain.p_value < 0.05);
//! // The first method differs from the third, the second from neither.
//! assert_eq!(nemenyi(&ranked, 0.05).groups, [vec![0, 1], vec![1, 2]]);
//! ```

pub mod analysis;
pub mod attainment;
pub mod average_ranks;
mod bootstrap;
pub mod by_iteration;
pub mod dominant_task;
pub mod dtm;
pub mod error;
pub mod friedman;
pub mod front;
mod hierarchical_posterior;
pub mod holm;
pub mod hypervolume;
pub mod improvement;
pub mod interval;
pub mod means;
pub mod nemenyi;
pub mod over_cost;
pub mod performance_profile;
pub mod practical_differences;
pub mod random_search;
pub mod ranks;
pub mod relative_improvement;
pub mod results;
pub mod robust_means;
mod score_bootstrap;
mod signed_rank_posterior;
mod small_samples;
pub mod smallest_p_values;
pub mod stream_ranks;
pub mod student_t;
pub mod studentized_range;
pub mod tail_probability;
mod task_bootstrap;
mod variates;
pub mod wilcoxon;

pub use error::StatisticsError;
pub use signed_rank_posterior::RopeProbabilities;

#[cfg(test)]
pub(crate) mod reference_cases;
