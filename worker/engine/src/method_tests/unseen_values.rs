//! No choice depends on a value of the target that is not evaluated yet.

use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;

use super::example::{self, Example, SEED, TARGET, method_spec};
use crate::blobs::{Blobs, MemoryBlobs};
use crate::methods;
use crate::search::Observations;
use crate::setting::Setting;
use crate::table::Table;

const ITERATIONS: usize = 20;

/// Numbers of evaluations after which all other values are replaced: before the first fit, and later.
const SEEN: [usize; 4] = [0, 1, 7, 19];

/// The table with every value of the target replaced but those of the rows `seen`.
fn garbled(example: &Example, seen: &[u32], garbage: impl Fn(usize, f64) -> f64) -> Table {
    let mut table = example.table();
    let task = &mut table.tasks[TARGET];
    for column in iter::once(&mut task.objective).chain(&mut task.further_objectives) {
        for (row, value) in column.iter_mut().enumerate() {
            if !seen.contains(&(row as u32)) {
                *value = garbage(row, *value);
            }
        }
    }
    table
}

/// What is stored, but for what only describes a fit.
fn stored(blobs: &MemoryBlobs) -> BTreeMap<String, Vec<u8>> {
    let names = blobs.names().into_iter();
    let fits = names.filter(|name| !name.starts_with("prior-error:"));
    fits.map(|name| {
        let bytes = blobs.get(&name).unwrap().unwrap();
        (name, bytes)
    })
    .collect()
}

#[test]
fn no_choice_depends_on_a_value_that_is_not_evaluated() {
    // The stores of the tables as they are, and of those without any value of the target: methods that share a
    // fit find it there.
    let mut stores = BTreeMap::new();
    for method in methods::registry() {
        let example = Example::of(method);
        let spec = method_spec(method.id, &[]);
        let run = |table: &Table, blobs: &Arc<MemoryBlobs>, iterations: usize| {
            let fits = example::fits_in(blobs.clone());
            let setting = Setting::new(table, TARGET, SEED, ITERATIONS, &fits);
            let mut search = methods::start(&spec, &setting).unwrap();
            let objectives = table.tasks[TARGET].objectives();
            let mut observations = Observations::of_objectives(setting.rows(), objectives.len());
            for _ in 0..iterations {
                let row = search.choose(&observations).unwrap();
                let values = objectives.iter().map(|objective| objective[row as usize]);
                observations.record_objectives(row, &values.collect::<Vec<_>>());
            }
            observations.rows
        };
        let table = example.table();
        let of_table = stores.entry(table.fingerprint.to_string());
        let [whole, blind]: &mut [Arc<MemoryBlobs>; 2] = of_table.or_default();
        let rows = run(&table, whole, ITERATIONS);
        for seen in SEEN {
            // Values from far below to far above, in an order of their own; or the best become the worst.
            let garbage = |row: usize, value: f64| match seen % 2 {
                0 => 1e6 * ((row * 37 % 101) as f64 - 50.0),
                _ => -value,
            };
            let table = garbled(&example, &rows[..seen], garbage);
            let store = if seen == 0 { &*blind } else { &*whole };
            assert_eq!(run(&table, store, seen + 1), rows[..=seen], "{}", method.id);
        }
        assert_eq!(stored(blind), stored(whole), "{}", method.id);
    }
}
