//! The choice of each row under an ensemble of factorised networks, which goes on learning from the target.

use super::ensemble::{Ensemble, Inputs, source_sample};
use super::network::Input;
use crate::error::EngineError;
use crate::random::{RandomStream, StreamName};
use crate::search::{Observations, Search};
use crate::setting::{Setting, Source, Sources};
use crate::strategies::greatest_improvement::greatest_improvement;
use crate::strategies::random_search::random_priority;
use crate::table::encoding::Space;
use crate::transform::Transform;

const BATCHES: StreamName = StreamName::new("fmlp", "batches of the search");

/// Updates of each network after an observation.
const UPDATES: usize = 20;

/// Rows of the target in a batch, and as many of the sources.
const HALF_BATCH: usize = 16;

/// Takes the row of greatest expected improvement, or, before anything is observed, that of least mean.
pub(super) struct FactorisedSearch<'a> {
    space: &'a Space,
    sources: Sources<'a>,
    inputs: Inputs,
    ensemble: Ensemble,
    /// The inputs of the target's rows.
    rows: Vec<Input>,
    random: RandomStream,
    learned: usize,
    /// Breaks ties of the acquisition: the row's place in a random order.
    priority: Vec<u32>,
}

impl<'a> FactorisedSearch<'a> {
    /// With networks fitted to the sources.
    ///
    /// # Errors
    /// Those of [`Setting::sources`] and of the store.
    pub(super) fn new(setting: &Setting<'a>) -> Result<Self, EngineError> {
        let sources = setting.sources(Transform::Standardisation)?;
        let all: Vec<Source> = sources.iter().collect();
        let inputs = Inputs::new(setting, &all);
        let ensemble = Ensemble::of_sources(setting, &inputs, &all)?;
        let mut point = vec![0.0; setting.space().width()];
        let rows = (0..setting.rows()).map(|row| {
            setting.space().encode(setting.columns(), row, &mut point);
            inputs.of(&point, inputs.target())
        });
        let rows = rows.collect();
        drop(all);
        Ok(Self {
            space: setting.space(),
            sources,
            ensemble,
            rows,
            inputs,
            random: setting.random(BATCHES),
            learned: 0,
            priority: random_priority(setting),
        })
    }

    /// Updates the networks for each observation since the last time, with the values as they are standardised now.
    fn learn(&mut self, observations: &Observations, values: &[f64]) {
        let sources: Vec<Source> = self.sources.iter().collect();
        let count = observations.rows.len() as u32;
        for _ in 0..UPDATES * (observations.rows.len() - self.learned) {
            self.ensemble.update(|| {
                let mut batch = Vec::with_capacity(2 * HALF_BATCH);
                for _ in 0..HALF_BATCH {
                    let place = self.random.below(count) as usize;
                    let row = observations.rows[place] as usize;
                    batch.push((self.rows[row].clone(), values[place] as f32));
                    let of_source =
                        source_sample(self.space, &self.inputs, &sources, &mut self.random);
                    batch.push(of_source);
                }
                batch
            });
        }
        self.learned = observations.rows.len();
    }
}

impl Search for FactorisedSearch<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let values = observations.transformed(Transform::Standardisation);
        if !observations.rows.is_empty() {
            self.learn(observations, &values);
        }
        greatest_improvement(observations, &values, &self.priority, |row| {
            self.ensemble.predict(&self.rows[row])
        })
    }
}
