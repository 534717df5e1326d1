//! Hypervolume error of a task with two objectives (ICML 2020, section 5.2).
//!
//! HVE(t) = hypervolume of the table's front - hypervolume of the front of the first t evaluations. Both objectives are scaled to [0, 1] by
//! the task's least and greatest value, and the reference point is (1, 1): the paper takes the greatest values of the
//! task for the reference, and the scale lets tasks be averaged. In the units of the table the error is that many times the product of
//! the two ranges. HVE takes the place of the distance to the minimum, which one objective has.
//!
//! Of random search it is known exactly. A point of the unit square is not dominated by t draws if none of them is among the k
//! rows that dominate it, so that E HVE(t) = sum over k > 0 of a_k P(t draws miss k rows), where a_k is the area of all points
//! that exactly k rows dominate. Every term is positive: nothing cancels.

use std::sync::OnceLock;

use crate::front::Front;

/// Most rows of a task with two objectives: the areas behind the expectation take half as many steps as their square.
pub const MOST_ROWS: usize = 100_000;

/// The objective values of all rows of a task, as far as errors need them.
#[derive(Debug)]
pub struct TaskHypervolume {
    rows: Vec<[f64; 2]>,
    minima: [f64; 2],
    ranges: [f64; 2],
    front: Front,
    /// The hypervolume of the front, normalised.
    volume: f64,
    /// At position k - 1: the area of the points that k rows dominate, normalised.
    areas: OnceLock<Vec<f64>>,
}

impl TaskHypervolume {
    /// Looks at a task by the objective values of its rows, at least one row, all finite.
    pub fn new(rows: Vec<[f64; 2]>) -> Self {
        let limits = |objective: usize| {
            let values = rows.iter().map(|row| row[objective]);
            let start = (f64::INFINITY, f64::NEG_INFINITY);
            values.fold(start, |(least, greatest), value| {
                (least.min(value), greatest.max(value))
            })
        };
        let limits = [limits(0), limits(1)];
        let mut task = Self {
            minima: limits.map(|(least, _)| least),
            ranges: limits.map(|(least, greatest)| greatest - least),
            front: Front::of(rows.iter().copied()),
            volume: 0.0,
            areas: OnceLock::new(),
            rows,
        };
        task.volume = task.volume_of(&task.front);
        task
    }

    /// Whether all rows have one value of an objective, which leaves the error undefined.
    pub fn is_constant(&self) -> bool {
        self.ranges.contains(&0.0)
    }

    /// The front of the table, in its units.
    pub fn front(&self) -> &Front {
        &self.front
    }

    /// The least value of each objective, and its greatest value.
    pub fn limits(&self) -> [(f64, f64); 2] {
        [0, 1].map(|objective| {
            let least = self.minima[objective];
            (least, least + self.ranges[objective])
        })
    }

    /// The hypervolume of the front of the table, normalised: the error without any evaluation. Not a number if an objective
    /// is constant.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The error after each of these evaluations, given by their objective values. An evaluation without a
    /// finite value changes nothing.
    pub fn errors(&self, evaluations: impl IntoIterator<Item = [f64; 2]>) -> Vec<f64> {
        let mut front = Front::default();
        let mut error = self.volume;
        let errors = evaluations.into_iter().map(|values| {
            let usable = values.iter().all(|value| value.is_finite());
            if usable && front.insert(values) {
                error = (self.volume - self.volume_of(&front)).max(0.0);
            }
            error
        });
        errors.collect()
    }

    /// Mean error of t draws of rows without replacement, for t = 1 to `iterations`.
    ///
    /// The first call takes time that grows with the square of the number of rows: 0.1 s for 15,625.
    pub fn expected_errors_without_replacement(&self, iterations: usize) -> Vec<f64> {
        let rows = self.rows.len();
        let draws: Vec<f64> = (1..=iterations).map(|draws| draws as f64).collect();
        let mut errors = vec![0.0; iterations];
        let mut missed = vec![1.0_f64; iterations];
        for (index, area) in self.areas().iter().enumerate() {
            // Given that all draws miss the first `index` rows, they come from so many.
            let left = (rows - index) as f64;
            for ((error, probability), draws) in errors.iter_mut().zip(&mut missed).zip(&draws) {
                *probability *= ((left - draws) / left).max(0.0);
                *error += *probability * area;
            }
        }
        errors
    }

    /// Mean error of t draws of rows with replacement, for t = 1 to `iterations`; takes as long.
    pub fn expected_errors_with_replacement(&self, iterations: usize) -> Vec<f64> {
        let rows = self.rows.len();
        let mut errors = vec![0.0; iterations];
        for (index, area) in self.areas().iter().enumerate() {
            let others = (rows - index - 1) as f64 / rows as f64;
            let mut missed = *area;
            for error in &mut errors {
                missed *= others;
                *error += missed;
            }
        }
        errors
    }

    fn volume_of(&self, front: &Front) -> f64 {
        let points = front.points().iter().map(|&point| self.normalised(point));
        Front::of(points).hypervolume([1.0, 1.0])
    }

    fn normalised(&self, point: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|objective| (point[objective] - self.minima[objective]) / self.ranges[objective])
    }

    /// A sweep over the rows by their first objective. Left of it, the second objectives of the rows, ascending, are where the number of
    /// dominating rows changes.
    fn areas(&self) -> &[f64] {
        self.areas.get_or_init(|| {
            let mut rows: Vec<[f64; 2]> =
                self.rows.iter().map(|&row| self.normalised(row)).collect();
            rows.sort_unstable_by(|one, other| one[0].total_cmp(&other[0]));
            let mut areas = vec![0.0; rows.len()];
            let mut steps: Vec<f64> = Vec::with_capacity(rows.len() + 1);
            steps.push(1.0);
            for (index, &[first, second]) in rows.iter().enumerate() {
                let place = steps.partition_point(|&step| step < second);
                steps.insert(place, second);
                let next = rows.get(index + 1).map_or(1.0, |next| next[0]);
                let width = next - first;
                if width > 0.0 {
                    for (area, step) in areas.iter_mut().zip(steps.windows(2)) {
                        *area += width * (step[1] - step[0]);
                    }
                }
            }
            areas
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_cases::{data_folder, objective_pairs};

    fn small() -> TaskHypervolume {
        // Normalised: (0, 1), (.25, .25), (.5, .5), (1, 0).
        TaskHypervolume::new(vec![[1.0, 30.0], [2.0, 15.0], [3.0, 20.0], [5.0, 10.0]])
    }

    #[test]
    fn the_error_is_the_area_that_is_missed() {
        let task = small();
        assert_eq!(
            task.front().points(),
            [[1.0, 30.0], [2.0, 15.0], [5.0, 10.0]]
        );
        assert_eq!(task.limits(), [(1.0, 5.0), (10.0, 30.0)]);
        assert_eq!(task.volume(), 0.75 * 0.75);
        let found = task.errors([[3.0, 20.0], [1.0, 30.0], [f64::INFINITY; 2], [2.0, 15.0]]);
        assert_eq!(found, [0.5625 - 0.25, 0.5625 - 0.25, 0.5625 - 0.25, 0.0]);
    }

    #[test]
    fn an_objective_without_range_leaves_it_undefined() {
        let task = TaskHypervolume::new(vec![[1.0, 30.0], [2.0, 30.0]]);
        assert!(task.is_constant() && !small().is_constant());
    }

    #[test]
    fn the_expectation_is_the_mean_over_all_draws() {
        // Equal rows and equal coordinates included.
        let rows = vec![
            [1.0, 4.0],
            [2.0, 2.0],
            [2.0, 2.0],
            [2.0, 3.0],
            [4.0, 1.0],
            [3.0, 4.0],
        ];
        let task = TaskHypervolume::new(rows.clone());
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-14);
        let error_of = |drawn: &[usize]| {
            let errors = task.errors(drawn.iter().map(|&row| rows[row]));
            *errors.last().unwrap()
        };
        let without = task.expected_errors_without_replacement(8);
        let with = task.expected_errors_with_replacement(3);
        for draws in 1..=3_u32 {
            let sequences = (0..6_usize.pow(draws)).map(|code| {
                let digits = (0..draws).map(|place| code / 6_usize.pow(place) % 6);
                digits.collect::<Vec<usize>>()
            });
            let (mut all, mut distinct) = (Vec::new(), Vec::new());
            for drawn in sequences {
                let error = error_of(&drawn);
                all.push(error);
                let repeated = (1..drawn.len()).any(|place| drawn[..place].contains(&drawn[place]));
                if !repeated {
                    distinct.push(error);
                }
            }
            let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len() as f64;
            close(with[draws as usize - 1], mean(&all));
            close(without[draws as usize - 1], mean(&distinct));
        }
        assert_eq!(without[5..], [0.0; 3]);
    }

    /// Task, rows on the front, hypervolume in the units of the table and normalised, and random search's mean normalised error over
    /// 1000 simulations after 1, 5, 10, 35 and 70 evaluations. Written by a program of its own.
    type Oracle = (&'static str, usize, f64, f64, [f64; 5]);
    const ORACLES: [Oracle; 3] = [
        (
            "cifar10",
            32,
            1.516859532280972,
            0.969345654822,
            [0.484, 0.285, 0.227, 0.143, 0.108],
        ),
        (
            "cifar100",
            31,
            1.317492558065607,
            0.949341486865,
            [0.482, 0.283, 0.231, 0.153, 0.119],
        ),
        (
            "ImageNet16-120",
            25,
            0.9792857846268287,
            0.930269018431,
            [0.511, 0.303, 0.246, 0.166, 0.132],
        ),
    ];

    #[test]
    fn the_architectures_have_the_known_fronts_and_random_search_its_known_errors() {
        let name = "the_architectures_have_the_known_fronts_and_random_search_its_known_errors";
        let Some(folder) = data_folder(name) else {
            return;
        };
        let file = folder.join("nas_bench102.csv.zip");
        let mut tables = objective_pairs(&file, ["metric_error", "metric_latency"]);
        // Standard errors of the simulations, and half a unit of the last digit.
        let tolerances = [0.004, 0.003, 0.002, 0.0016, 0.0011].map(|error| 3.0 * error + 0.0005);
        for (task, on_front, raw, normalised, simulated) in ORACLES {
            let task = TaskHypervolume::new(tables.remove(task).unwrap());
            assert_eq!(task.front().points().len(), on_front);
            let reference = task.limits().map(|(_, greatest)| greatest);
            assert!((task.front().hypervolume(reference) - raw).abs() < 1e-12);
            assert!((task.volume() - normalised).abs() < 1e-12);
            let expected = task.expected_errors_without_replacement(70);
            let at = [1, 5, 10, 35, 70].map(|iteration: usize| expected[iteration - 1]);
            for ((found, simulated), tolerance) in at.iter().zip(simulated).zip(tolerances) {
                assert!((found - simulated).abs() < tolerance, "{found} {simulated}");
            }
        }
    }
}
