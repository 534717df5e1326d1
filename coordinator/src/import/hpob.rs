//! Imports the meta-dataset of HPO-B (Pineda Arango et al., NeurIPS 2021), version 3.
//!
//! Each search space becomes a table. The data sets of the test split are its targets, and those of the training
//! split with two configurations or more the only sources; the validation split is left out. Accuracies stay as they are
//! and are maximised.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use loto_proto::excerpt::excerpt;
use loto_proto::table_spec::Direction;
use loto_proto::untrusted_text::check_name;
use loto_report::numbers::count;

use super::destination::{Destination, Imported, TableWriter, number_text};
use super::error::{ContentProblem, ImportError};
use super::hpob_json::{
    Evaluations, Initializations, TakeEvaluations, read_evaluations, read_initializations,
};
use super::sweep_text::{ImportedBlackbox, ImportedInitial};

const TEST: &str = "meta-test-dataset.json";
const TRAIN: &str = "meta-train-dataset.json";
const INITIALIZATIONS: &str = "bo-initializations.json";

/// The seeds of the benchmark's recorded results.
const SEEDS: u32 = 5;

/// Imports the search spaces of a folder, or only those named, into a new folder.
///
/// # Errors
/// [`ImportError`], which names the file and the place. There is no new folder then, unless it is [`ImportError::Plan`].
pub fn import(folder: &Path, spaces: &[String], target: &Path) -> Result<Imported, ImportError> {
    let mut import = HpobImport {
        wanted: spaces,
        destination: Destination::new(target)?,
        spaces: BTreeMap::new(),
        is_training: false,
        path: folder.join(TEST),
        repeated: 0,
        too_small: 0,
    };
    read_evaluations(&folder.join(TEST), &mut import)?;
    let mut wanted = spaces.iter();
    if let Some(unknown) = wanted.find(|name| !import.spaces.contains_key(*name)) {
        return Err(import.error(unknown, None, ContentProblem::UnknownSpace));
    }
    import.is_training = true;
    import.path = folder.join(TRAIN);
    read_evaluations(&folder.join(TRAIN), &mut import)?;
    import.finish(folder)
}

struct HpobImport<'a> {
    wanted: &'a [String],
    destination: Destination,
    spaces: BTreeMap<String, SearchSpace>,
    is_training: bool,
    path: PathBuf,
    /// Number of rows that repeat a configuration.
    repeated: usize,
    /// Number of data sets with a single configuration.
    too_small: usize,
}

/// What is read of a search space.
struct SearchSpace {
    table: TableWriter,
    hyperparameters: usize,
    /// The row of the table for each configuration of a target, by data set.
    targets: BTreeMap<String, Vec<u32>>,
    sources: Vec<String>,
    fewest_rows: usize,
}

impl TakeEvaluations for HpobImport<'_> {
    fn wants(&self, search_space: &str) -> bool {
        match self.is_training {
            true => self.spaces.contains_key(search_space),
            false => self.wanted.is_empty() || self.wanted.iter().any(|name| name == search_space),
        }
    }

    fn take(
        &mut self,
        search_space: &str,
        data_set: &str,
        evaluations: Evaluations,
    ) -> Result<(), ImportError> {
        let Evaluations {
            configurations,
            accuracies,
        } = evaluations;
        let (configurations, accuracies) = (configurations.0, accuracies.0);
        let refused = |problem| self.error(search_space, Some(data_set), problem);
        for name in [search_space, data_set] {
            check_name(name).map_err(|hazard| refused(hazard.into()))?;
        }
        if configurations.len() != accuracies.len() {
            return Err(refused(ContentProblem::UnequalLengths {
                values: accuracies.len(),
                configurations: configurations.len(),
            }));
        }
        if let Some((row, found)) = longer_than_one(&accuracies) {
            return Err(refused(ContentProblem::SeveralValues { row, found }));
        }
        let known = self.spaces.get(search_space);
        let known = known.map(|space| space.hyperparameters);
        let expected = known.unwrap_or(configurations.first().map_or(0, Vec::len));
        let mut numbered = configurations.iter().enumerate();
        if let Some((row, found)) = numbered.find(|(_, row)| row.len() != expected) {
            return Err(refused(ContentProblem::UnequalConfigurations {
                row,
                found: found.len(),
                expected,
            }));
        }
        let known = self.spaces.get(search_space);
        if known.is_some_and(|space| self.is_training && space.targets.contains_key(data_set)) {
            return Err(refused(ContentProblem::SourceAndTarget));
        }
        let distinct = Distinct::of(&configurations, &accuracies);
        if distinct.rows.len() < 2 {
            self.too_small += 1;
            return Ok(());
        }
        self.repeated += configurations.len() - distinct.rows.len();
        self.add(search_space, data_set, expected, distinct)
    }
}

impl HpobImport<'_> {
    /// Adds the rows of a data set to the table of its search space.
    fn add(
        &mut self,
        search_space: &str,
        data_set: &str,
        hyperparameters: usize,
        distinct: Distinct<'_>,
    ) -> Result<(), ImportError> {
        let space = match self.spaces.entry(search_space.to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let numbered = (0..hyperparameters).map(|number| format!("hp_{number}"));
                let others = ["metric_accuracy", "task"].map(str::to_owned);
                let header: Vec<String> = numbered.chain(others).collect();
                free.insert(SearchSpace {
                    table: self.destination.table(search_space, &header)?,
                    hyperparameters,
                    targets: BTreeMap::new(),
                    sources: Vec::new(),
                    fewest_rows: usize::MAX,
                })
            }
        };
        for (configuration, accuracy) in &distinct.rows {
            let values = configuration.iter().chain([accuracy]);
            let fields = values.map(|value| number_text(*value));
            let fields: Vec<String> = fields.chain([data_set.to_owned()]).collect();
            space.table.push(&fields)?;
        }
        if self.is_training {
            space.sources.push(data_set.to_owned());
        } else {
            space.fewest_rows = space.fewest_rows.min(distinct.rows.len());
            space.targets.insert(data_set.to_owned(), distinct.row_of);
        }
        Ok(())
    }

    /// Writes the initial configurations and the sweep file.
    fn finish(mut self, folder: &Path) -> Result<Imported, ImportError> {
        let initializations = folder.join(INITIALIZATIONS);
        let initial = match initializations.exists() {
            true => Some(read_initializations(&initializations)?),
            false => None,
        };
        let without = self
            .spaces
            .iter()
            .find(|(_, space)| space.sources.is_empty());
        if let Some((name, _)) = without {
            return Err(self.error(name, None, ContentProblem::NoSource));
        }
        self.path = initializations;
        let mut blackboxes = Vec::new();
        for (name, space) in std::mem::take(&mut self.spaces) {
            let initial = match &initial {
                None => None,
                Some(initial) => self.initial(&name, &space, initial)?,
            };
            blackboxes.push(ImportedBlackbox {
                table: space.table.finish()?,
                objective: "metric_accuracy".to_owned(),
                direction: Some(Direction::Maximise),
                sources: space.sources,
                fewest_rows: space.fewest_rows,
                initial,
                name,
                ..ImportedBlackbox::default()
            });
        }
        let mut notes = Vec::new();
        if self.repeated > 0 {
            notes.push(format!(
                "Configurations that a data set has several times are kept once, with the best of their \
                 accuracies; this left out {}.",
                count(self.repeated as u64, "row")
            ));
        }
        if self.too_small > 0 {
            notes.push(format!(
                "A data set needs two configurations or more; this left out {}.",
                count(self.too_small as u64, "data set")
            ));
        }
        self.destination.finish("hpob", SEEDS, &blackboxes, notes)
    }

    /// Writes the initial configurations of a search space as rows of its table.
    fn initial(
        &mut self,
        name: &str,
        space: &SearchSpace,
        initial: &Initializations,
    ) -> Result<Option<ImportedInitial>, ImportError> {
        let Some(data_sets) = initial.0.get(name) else {
            return Ok(None);
        };
        let mut text = String::from("task,seed,row\n");
        let (mut most, mut complete) = (0, true);
        for (data_set, row_of) in &space.targets {
            let Some(seeds) = data_sets.0.get(data_set) else {
                complete = false;
                continue;
            };
            let seeds = in_order(&seeds.0);
            let wanted = seeds.iter().take(SEEDS as usize);
            complete &= wanted.filter(|positions| !positions.is_empty()).count() == SEEDS as usize;
            for (seed, positions) in (0..SEEDS).zip(seeds) {
                // Two positions may be one row of the table: a configuration that is there several times.
                let mut rows = BTreeSet::new();
                for &index in positions {
                    let position = usize::try_from(index).unwrap_or(usize::MAX);
                    let row = row_of.get(position).ok_or_else(|| {
                        let rows = row_of.len();
                        let problem = ContentProblem::UnknownInitial { index, rows };
                        self.error(name, Some(data_set), problem)
                    })?;
                    if rows.insert(row) {
                        let _infallible = writeln!(text, "{},{seed},{row}", csv_field(data_set));
                    }
                }
                most = most.max(rows.len());
            }
        }
        let written = self
            .destination
            .write(&format!("{name}-initial"), ".csv", &text);
        written.map(|file| {
            Some(ImportedInitial {
                file,
                most,
                complete,
            })
        })
    }

    fn error(
        &self,
        search_space: &str,
        data_set: Option<&str>,
        problem: ContentProblem,
    ) -> ImportError {
        let place = match data_set {
            None => format!("search space {}", excerpt(search_space)),
            Some(data_set) => format!(
                "search space {}, data set {}",
                excerpt(search_space),
                excerpt(data_set)
            ),
        };
        ImportError::content(&self.path, place, problem)
    }
}

/// The rows of a data set without those that repeat a configuration.
struct Distinct<'a> {
    /// Configurations with the best of their accuracies, in the order of their first rows.
    rows: Vec<(&'a [f64], f64)>,
    /// The row among these for each row of the data set.
    row_of: Vec<u32>,
}

impl<'a> Distinct<'a> {
    /// `accuracies` has one number for each configuration.
    fn of(configurations: &'a [Vec<f64>], accuracies: &[Vec<f64>]) -> Self {
        let mut rows: Vec<(&[f64], f64)> = Vec::with_capacity(configurations.len());
        let mut row_of = Vec::with_capacity(configurations.len());
        let mut known: HashMap<Vec<u64>, usize> = HashMap::new();
        for (configuration, accuracy) in configurations.iter().zip(accuracies.iter().flatten()) {
            // Adding zero makes -0 and 0 the same value.
            let bits = configuration.iter().map(|value| (value + 0.0).to_bits());
            let row = *known.entry(bits.collect()).or_insert(rows.len());
            match rows.get_mut(row) {
                Some((_, best)) => *best = best.max(*accuracy),
                None => rows.push((configuration, *accuracy)),
            }
            row_of.push(u32::try_from(row).unwrap_or(u32::MAX));
        }
        Self { rows, row_of }
    }
}

fn longer_than_one(values: &[Vec<f64>]) -> Option<(usize, usize)> {
    let mut numbered = values.iter().enumerate();
    let found = numbered.find(|(_, value)| value.len() != 1);
    found.map(|(row, value)| (row, value.len()))
}

/// The seeds in the order of their numbers: `test2` before `test10`.
fn in_order(seeds: &BTreeMap<String, Vec<u64>>) -> Vec<&Vec<u64>> {
    let mut seeds: Vec<_> = seeds.iter().collect();
    seeds.sort_by_key(|(name, _)| (name.len(), *name));
    seeds.into_iter().map(|(_, positions)| positions).collect()
}

/// A field of CSV.
fn csv_field(text: &str) -> String {
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
