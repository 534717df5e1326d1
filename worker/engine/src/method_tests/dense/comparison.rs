//! A method's run beside the equations.

use crate::fits::SharedFits;
use crate::method_tests::example::{Example, SEED, TARGET, choices, method_spec};
use crate::methods;
use crate::random::StreamName;
use crate::search::Observations;
use crate::setting::Setting;
use crate::table::encoding::{Column, Kind};
use crate::table::{Table, Task};

/// A target with its sources, as plain numbers.
pub(crate) struct Case {
    pub table: Table,
    pub iterations: usize,
}

impl Case {
    /// The example that the method can search.
    pub(crate) fn of(method: &str, iterations: usize) -> Self {
        let example = Example::of(methods::find(method).unwrap());
        let table = example.table();
        Self { table, iterations }
    }

    pub(crate) fn setting<'a>(&'a self, fits: &'a SharedFits) -> Setting<'a> {
        Setting::new(&self.table, TARGET, SEED, self.iterations, fits)
    }

    pub(crate) fn target(&self) -> &Task {
        &self.table.tasks[TARGET]
    }

    pub(crate) fn rows(&self) -> usize {
        self.target().rows()
    }

    pub(crate) fn sources(&self) -> Vec<&Task> {
        let tasks = self.table.tasks.iter().enumerate();
        let sources = tasks.filter(|(position, _)| *position != TARGET);
        sources.map(|(_, task)| task).collect()
    }

    /// The configuration of a row: numbers as they are, levels one-hot.
    pub(crate) fn point(&self, task: &Task, row: usize) -> Vec<f64> {
        let columns = self.table.space.hyperparameters.iter().zip(&task.columns);
        let coordinates =
            columns.flat_map(
                |(hyperparameter, column)| match (&hyperparameter.kind, column) {
                    (Kind::Numeric { .. }, Column::Numeric(values)) => vec![values[row]],
                    (Kind::Categorical { levels }, Column::Categorical(numbers)) => {
                        let level = usize::from(numbers[row]);
                        let coordinate = |place| if place == level { 1.0 } else { 0.0 };
                        (0..levels.len()).map(coordinate).collect()
                    }
                    _ => panic!("a column is of the kind of its hyperparameter"),
                },
            );
        coordinates.collect()
    }

    /// The configurations of all rows of a task.
    pub(crate) fn points(&self, task: &Task) -> Vec<Vec<f64>> {
        (0..task.rows()).map(|row| self.point(task, row)).collect()
    }

    /// Whether each coordinate belongs to a level.
    pub(crate) fn one_hot(&self) -> Vec<bool> {
        let kinds = self.table.space.hyperparameters.iter().map(|hp| &hp.kind);
        let coordinates = kinds.flat_map(|kind| match kind {
            Kind::Numeric { .. } => vec![false],
            Kind::Categorical { levels } => vec![true; levels.len()],
        });
        coordinates.collect()
    }

    /// The order of random search.
    pub(crate) fn random_order(&self, fits: &SharedFits) -> Vec<u32> {
        let mut random = self
            .setting(fits)
            .random(StreamName::new("random search", "order of rows"));
        random.permutation(self.rows() as u32)
    }

    /// Runs a method and shows `watch` each choice with the observations that it was made from.
    pub(crate) fn run(
        &self,
        fits: &SharedFits,
        method: &str,
        parameters: &[(&str, &str)],
        watch: impl FnMut(&Observations, u32),
    ) -> Vec<u32> {
        let values = &self.target().objective;
        let spec = method_spec(method, parameters);
        choices(&self.setting(fits), &spec, values, watch)
    }
}

/// Fails unless the chosen row has the greatest `score` of those not evaluated, or one that is as
/// great up to the `tolerance` by which two computations may differ.
pub(crate) fn assert_greatest(
    observations: &Observations,
    chosen: u32,
    tolerance: f64,
    what: &str,
    score: impl Fn(usize) -> f64,
) {
    let open = (0..observations.evaluated.len()).filter(|&row| !observations.evaluated[row]);
    let scores: Vec<(usize, f64)> = open.map(|row| (row, score(row))).collect();
    assert!(scores.iter().all(|(_, score)| !score.is_nan()), "{what}");
    let greatest = scores.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    let own = scores.iter().find(|(row, _)| *row == chosen as usize);
    let own = own.expect("an evaluated row is not chosen again").1;
    assert!(
        own >= greatest.1 - tolerance,
        "{what}, evaluation {}: row {chosen} is chosen, whose score is {own}; row {} has {}",
        observations.rows.len(),
        greatest.0,
        greatest.1
    );
}

#[test]
fn random_search_takes_the_rows_in_random_order() {
    let case = Case::of("rs", 90);
    let fits = crate::method_tests::example::new_fits();
    let rows = case.run(&fits, "rs", &[], |_, _| ());
    assert_eq!(rows, case.random_order(&fits));
}
