//! The unit in which the objective is measured must change no choice of any method.

use super::*;
use crate::method_tests::example::choices;
use crate::table::error::TableError;

/// The table with all of its objectives times `factor`, under the same fingerprint, so that random
/// streams are the same.
fn scaled_table(spaces: Spaces, factor: f64) -> Result<Table, TableError> {
    let (spec, text) = suited(table(), spaces);
    let mut table = Table::read(text.as_bytes(), &spec, "table.csv")?;
    for value in table.tasks.iter_mut().flat_map(|task| &mut task.objective) {
        *value *= factor;
    }
    Ok(table)
}

fn rows(method: &str, table: &Table, shared: &SharedFits) -> Vec<u32> {
    let setting = Setting::new(table, 0, 0, 20, shared);
    let spec = job(method, table.fingerprint, 0).series.method;
    choices(&setting, &spec, &table.tasks[0].objective, |_, _| ())
}

#[test]
fn the_unit_of_the_objective_changes_no_row_of_any_method() {
    for spaces in [Spaces::All, Spaces::Categorical, Spaces::WithFeatures] {
        let scaled = |exponent: i32| {
            let table = scaled_table(spaces, 2.0_f64.powi(exponent)).unwrap();
            (table, SharedFits::new(Arc::new(MemoryBlobs::default())))
        };
        let (as_it_is, small) = (scaled(0), scaled(-10));
        for method in methods::registry() {
            if method.spaces == spaces {
                assert_eq!(
                    rows(method.id, &as_it_is.0, &as_it_is.1),
                    rows(method.id, &small.0, &small.1),
                    "{}",
                    method.id
                );
            }
        }
    }
}
