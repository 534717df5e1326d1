//! The unit in which the objective is measured must change no choice of any method.

use super::*;
use crate::method_tests::example::choices_by;
use crate::table::error::TableError;

/// The table with all of its objectives times `factor`, under the same fingerprint, so that random
/// streams are the same.
fn scaled_table(spaces: Spaces, factor: f64) -> Result<Table, TableError> {
    let (spec, text) = suited(table(), spaces);
    let mut table = Table::read(text.as_bytes(), &spec, "table.csv")?;
    for task in &mut table.tasks {
        let further = task.further_objectives.iter_mut().flatten();
        for value in task.objective.iter_mut().chain(further) {
            *value *= factor;
        }
    }
    Ok(table)
}

fn rows(method: &str, table: &Table, shared: &SharedFits) -> Vec<u32> {
    let setting = Setting::new(table, 0, 0, 20, shared);
    let spec = job(method, table.fingerprint, 0).series.method;
    choices_by(&setting, &spec, &table.tasks[0].objectives(), |_, _| ())
}

#[test]
fn the_unit_of_the_objective_changes_no_row_of_any_method() {
    for spaces in [
        Spaces::All,
        Spaces::Categorical,
        Spaces::WithFeatures,
        Spaces::OfTwoObjectives,
    ] {
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
