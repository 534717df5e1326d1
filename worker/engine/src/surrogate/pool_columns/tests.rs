use super::*;
use crate::acquisition::maximisation::BLOCK;
use crate::surrogate::matern::correlation;
use crate::table::encoding::{Hyperparameter, Kind};

fn space(levels: &[u16], is_mixed: bool) -> Space {
    let categorical = |&levels: &u16| Kind::Categorical {
        levels: (0..levels).map(|level| level.to_string()).collect(),
    };
    let numeric = Kind::Numeric {
        minimum: 0.0,
        maximum: 1.0,
    };
    let first = is_mixed.then_some(numeric);
    let kinds = first.into_iter().chain(levels.iter().map(categorical));
    let hyperparameters = kinds.map(|kind| Hyperparameter {
        name: "hp".into(),
        kind,
    });
    Space {
        hyperparameters: hyperparameters.collect(),
    }
}

/// A numeric column if the space is a mixed one, and the grid of all levels in scrambled order, of which every
/// row is there or, if not `whole`, about half of them.
fn columns(levels: &[u16], whole: bool, is_mixed: bool) -> Vec<Column> {
    let count: usize = levels.iter().copied().map(usize::from).product();
    let numbers: Vec<usize> = (0..count)
        .map(|row| row * 7_919 % count)
        .filter(|number| whole || number * 31 % 100 < 50)
        .collect();
    let numeric = numbers.iter().map(|number| (*number % 97) as f64 / 96.0);
    let numeric = is_mixed.then(|| Column::Numeric(numeric.collect()));
    let mut columns = Vec::from_iter(numeric);
    let mut stride = 1;
    for &levels in levels {
        let level = |number: &usize| (number / stride % usize::from(levels)) as u16;
        columns.push(Column::Categorical(numbers.iter().map(level).collect()));
        stride *= usize::from(levels);
    }
    columns
}

#[test]
fn kernels_agree_with_distances_between_encoded_rows() {
    let levels = [5, 40, 4, 3];
    for [whole, is_mixed] in [[true, false], [true, true], [false, false], [false, true]] {
        let space = space(&levels, is_mixed);
        let width = space.width();
        let posterior = Posterior {
            weights: (0..width).map(|k| 0.1 + 0.01 * k as f64).collect(),
            signal: 1.7,
            ..Posterior::default()
        };
        let columns = columns(&levels, whole, is_mixed);
        let encode = |row: u32| {
            let mut point = vec![0.0; width];
            space.encode(&columns, row as usize, &mut point);
            point
        };
        let count = match &columns[0] {
            Column::Numeric(values) => values.len() as u32,
            Column::Categorical(levels) => levels.len() as u32,
        };
        let mut rows: Vec<u32> = (0..count).collect();
        let pool = PoolColumns::new(&space, &columns, &mut rows);
        assert_eq!(pool.run_length.is_some(), whole && !is_mixed);
        let points = [encode(11), encode(700)].concat();
        let mut look_ups = LookUps::default();
        pool.look_up(&posterior.weights, &points, &mut look_ups);
        for (index, point) in points.chunks_exact(width).enumerate() {
            for (block, rows) in rows.chunks(BLOCK).enumerate() {
                let mut column = vec![0.0; rows.len()];
                let look_ups = (&look_ups[..], index);
                let first = block * BLOCK;
                correlate(&pool, &posterior, point, look_ups, first, &mut column);
                let places: Vec<usize> = (0..rows.len()).filter(|place| place % 5 < 2).collect();
                let mut some = vec![0.0; places.len()];
                let picked = pool.picked(first, &places);
                correlate(&picked, &posterior, point, look_ups, 0, &mut some);
                let same = places.iter().map(|&place| column[place]);
                assert!(some.into_iter().eq(same));
                for (&row, found) in rows.iter().zip(column) {
                    let coordinates = encode(row).into_iter().zip(point);
                    let squared: f64 = coordinates
                        .zip(&posterior.weights)
                        .map(|((left, right), weight)| weight * (left - right).powi(2))
                        .sum();
                    let expected = 1.7 * correlation(squared);
                    assert!((found - expected).abs() < 1e-13, "row {row}");
                }
            }
        }
    }
}
