use super::*;
use crate::fits::SharedFits;
use crate::method_tests::example::new_fits;
use crate::table::Table;

use loto_proto::table_spec::{Categorical, TableSpec};

/// Tasks with the same configurations, but for the last two: of them one has another order and one another row.
fn table(name_of_rate: &str) -> Table {
    let mut text = format!("hp_{name_of_rate},hp_kind,metric_error,task\n");
    for task in 0..5_u32 {
        for place in 0..40 {
            let row = match task {
                3 => 39 - place,
                4 if place == 17 => 40,
                _ => place,
            };
            let (rate, kind) = (row * 7 % 41, ["relu", "tanh", "elu"][row as usize % 3]);
            let error = (rate * (task + 2) + 7 * (row % 3)) % 23;
            text += &format!("{rate},{kind},{error},t{task}\n");
        }
    }
    let spec = TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::Columns(["hp_kind".to_owned()].into()),
        ..TableSpec::default()
    };
    Table::read(text.as_bytes(), &spec, "table").unwrap()
}

const MODEL: SourceModel = SourceModel {
    transform: Transform::Standardisation,
    hyperprior: Hyperprior::Gamma,
    kernel: Kernel::Matern,
};

/// What the first task predicts for a target.
fn of_first(
    (table, fits): (&Table, &SharedFits),
    target: usize,
    seed: u32,
    model: SourceModel,
) -> SourcePrediction {
    let setting = Setting::new(table, target, seed, 3, fits);
    source_predictions(&setting, model).unwrap().remove(0)
}

fn is_shared(one: &SourcePrediction, other: &SourcePrediction) -> bool {
    let same = [
        Arc::ptr_eq(&one.means, &other.means),
        Arc::ptr_eq(&one.std_devs, &other.std_devs),
    ];
    assert_eq!(same[0], same[1]);
    same[0]
}

fn bits(prediction: &SourcePrediction) -> Vec<u64> {
    let numbers = prediction.means.iter().chain(&*prediction.std_devs);
    numbers.map(|number| number.to_bits()).collect()
}

#[test]
fn what_targets_share_is_what_is_computed_anew_and_nothing_else_is_shared() {
    let (table, other_table, fits) = (table("rate"), table("other_rate"), new_fits());
    let first = of_first((&table, &fits), 1, 0, MODEL);
    assert!(is_shared(&first, &of_first((&table, &fits), 2, 0, MODEL)));
    let kernel = Kernel::SquaredExponential;
    let others = [
        (&table, 2, 0, MODEL, true),
        // Other pools: the same rows in another order, and another row.
        (&table, 3, 0, MODEL, false),
        (&table, 4, 0, MODEL, false),
        (&table, 2, 1, MODEL, false),
        (
            &table,
            2,
            0,
            SourceModel {
                transform: Transform::Copula,
                ..MODEL
            },
            false,
        ),
        (
            &table,
            2,
            0,
            SourceModel {
                hyperprior: Hyperprior::None,
                ..MODEL
            },
            false,
        ),
        (&table, 2, 0, SourceModel { kernel, ..MODEL }, false),
        (&other_table, 2, 0, MODEL, false),
    ];
    for (table, target, seed, model, shares) in others {
        let found = of_first((table, &fits), target, seed, model);
        assert_eq!(
            is_shared(&first, &found),
            shares,
            "{target} {seed} {model:?}"
        );
        let anew = of_first((table, &new_fits()), target, seed, model);
        assert_eq!(bits(&found), bits(&anew), "{target} {seed} {model:?}");
        assert_eq!(found.means.len(), 40);
        assert_eq!(found.std_devs.len(), 40);
    }
    // The order in which they are asked for makes no difference either.
    let fits = new_fits();
    let after = of_first((&table, &fits), 2, 0, MODEL);
    assert_eq!(bits(&after), bits(&first));
}

#[test]
fn means_alone_are_those_that_come_with_standard_deviations() {
    let (table, fits) = (table("rate"), new_fits());
    let setting = Setting::new(&table, 1, 0, 3, &fits);
    let means = source_means(&setting, MODEL).unwrap();
    let both = source_predictions(&setting, MODEL).unwrap();
    assert_eq!(means.len(), 4);
    for (means, both) in means.iter().zip(&both) {
        assert!(means.std_devs.is_empty());
        assert!(Arc::ptr_eq(&means.means, &both.means));
    }
    // Sources of one target do not get each other's.
    assert!(!is_shared(&both[0], &both[1]));
}
