//! A search some of whose choices are changed in one element (Yogatama and Mann 2014, section 4.3).

use crate::error::EngineError;
use crate::random::{RandomStream, StreamName};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::strategies::greatest_open::greatest_open;
use crate::strategies::random_search::random_priority;
use crate::table::encoding::{Column, Kind, Space};

const CHANGES: StreamName = StreamName::new("mkl-gp", "changed elements");

/// Takes what another search chooses, or the row nearest to it with one hyperparameter drawn anew.
pub(super) struct Perturbed<'a> {
    inner: Box<dyn Search + 'a>,
    probability: f64,
    space: &'a Space,
    columns: &'a [Column],
    random: RandomStream,
    priority: Vec<u32>,
}

impl<'a> Perturbed<'a> {
    pub(super) fn new(
        setting: &Setting<'a>,
        inner: Box<dyn Search + 'a>,
        probability: f64,
    ) -> Self {
        Self {
            inner,
            probability,
            space: setting.space(),
            columns: setting.columns(),
            random: setting.random(CHANGES),
            priority: random_priority(setting),
        }
    }

    /// The hyperparameter that is to be changed, if one is, and its new value as a share of its range.
    fn change(&mut self) -> Option<(usize, f64)> {
        let count = self.columns.len();
        // As many draws whatever becomes of them, so that a choice does not depend on how earlier ones fell.
        let fate = self.random.uniform();
        let values: Vec<f64> = (0..count).map(|_| self.random.uniform()).collect();
        let element = (fate / self.probability * count as f64) as usize;
        let value = values.get(element)?;
        Some((element, *value))
    }

    /// The open row nearest to the configuration of `row` with that change.
    fn nearest(
        &self,
        row: u32,
        (element, value): (usize, f64),
        observations: &Observations,
    ) -> Result<u32, EngineError> {
        let mut wanted = vec![0.0; self.space.width()];
        self.space.encode(self.columns, row as usize, &mut wanted);
        let (before, rest) = self.space.hyperparameters.split_at(element);
        let first: usize = before.iter().map(|one| one.kind.width()).sum();
        match &rest[0].kind {
            Kind::Numeric { .. } => wanted[first] = value,
            Kind::Categorical { levels } => {
                let level = (value * levels.len() as f64) as usize;
                let coordinates = &mut wanted[first..first + levels.len()];
                coordinates.fill(0.0);
                coordinates[level] = 1.0;
            }
        }
        let mut point = vec![0.0; wanted.len()];
        greatest_open(observations, &self.priority, |row| {
            self.space.encode(self.columns, row, &mut point);
            let pairs = point.iter().zip(&wanted);
            let distance: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
            -distance
        })
    }
}

impl Search for Perturbed<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let chosen = self.inner.choose(observations)?;
        let Some(change) = self.change() else {
            return Ok(chosen);
        };
        self.nearest(chosen, change, observations)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method_tests::example::{SEED, TARGET, mixed, new_fits};
    use crate::strategies::random_search::{RandomSearch, random_order};

    #[test]
    fn half_of_the_choices_are_nearest_to_themselves_with_one_element_drawn_anew() {
        let (table, fits) = (mixed().table(), new_fits());
        let setting = Setting::new(&table, TARGET, SEED, 40, &fits);
        let inner = Box::new(RandomSearch::new(&setting));
        let mut search = Perturbed::new(&setting, inner, 0.5);
        let mut replayed = setting.random(CHANGES);
        let point = |row: u32| {
            let mut point = [0.0; 7];
            setting
                .space()
                .encode(setting.columns(), row as usize, &mut point);
            point
        };
        // Rate, three kinds, depth, two poolings.
        let coordinates = [0..1, 1..4, 4..5, 5..7];
        let mut observations = Observations::new(setting.rows());
        let mut changed = 0;
        for _ in 0..40 {
            let order = random_order(&setting).into_iter();
            let open: Vec<u32> = order
                .filter(|&row| !observations.evaluated[row as usize])
                .collect();
            let mut wanted = point(open[0]);
            let fate = replayed.uniform();
            let values = [(); 4].map(|()| replayed.uniform());
            if fate < 0.5 {
                let element = (fate * 8.0) as usize;
                let own = &mut wanted[coordinates[element].clone()];
                match own.len() {
                    1 => own[0] = values[element],
                    levels => {
                        own.fill(0.0);
                        own[(values[element] * levels as f64) as usize] = 1.0;
                    }
                }
            }
            let distance = |row: u32| -> f64 {
                let pairs = point(row).into_iter().zip(wanted);
                pairs.map(|(a, b)| (a - b).powi(2)).sum()
            };
            let least = open.iter().map(|&row| distance(row));
            let least = least.fold(f64::INFINITY, f64::min);
            let row = search.choose(&observations).unwrap();
            assert!(open.contains(&row) && distance(row) == least);
            changed += usize::from(row != open[0]);
            observations.record(row, 0.0);
        }
        assert!((5..25).contains(&changed), "{changed}");
    }
}
