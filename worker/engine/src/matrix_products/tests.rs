use pulp::Scalar;

use super::*;
use crate::random::{RandomStream, StreamName};

fn random(count: usize) -> Vec<f64> {
    let stream = StreamName::new("matrix products", "test");
    let mut random = RandomStream::new(stream, loto_proto::identity::Fingerprint([1; 16]), "t", 0);
    (0..count).map(|_| random.normal()).collect()
}

/// Rows, terms and columns: few rows, and sizes about those of tiles and panels of each width.
const SIZES: [(usize, usize, usize); 10] = [
    (1, 1, 1),
    (1, 300, 20),
    (2, 53, 130),
    (7, 2, 17),
    (8, 5, 16),
    (13, 64, 33),
    (64, 50, 50),
    (50, 300, 50),
    (19, 51, 2),
    (6, 3, 64),
];

/// The sum as it is defined.
fn entry(left: &[f64], right: &[f64], (terms, columns): (usize, usize), place: usize) -> f64 {
    let (row, column) = (place / columns, place % columns);
    (0..terms).fold(column as f64, |sum, term| {
        left[row * terms + term].mul_add(right[term * columns + column], sum)
    })
}

fn transposed<T: Copy>(entries: &[T], columns: usize) -> Vec<T> {
    let columns = (0..columns).map(|column| entries.iter().skip(column).step_by(columns));
    columns.flatten().copied().collect()
}

#[test]
fn every_entry_is_its_chain_of_fused_multiply_adds() {
    for (rows, terms, columns) in SIZES {
        let (left, right) = (random(rows * terms), random(terms * columns));
        let start: Vec<f64> = (0..columns).map(|column| column as f64).collect();
        let expected: Vec<f64> = (0..rows * columns)
            .map(|place| entry(&left, &right, (terms, columns), place))
            .collect();
        let mut found = vec![f64::NAN; rows * columns];
        let factors = (Factor::new(&left, terms), Factor::new(&right, columns));
        multiply(factors.0, factors.1, Start::Row(&start), &mut found);
        assert_eq!(found, expected, "{rows} {terms} {columns}");
        let turned = (transposed(&left, terms), transposed(&right, columns));
        found.fill(f64::NAN);
        let factors = (Factor::new(&turned.0, rows), Factor::new(&turned.1, terms));
        let factors = (factors.0.transposed(), factors.1.transposed());
        multiply(factors.0, factors.1, Start::Row(&start), &mut found);
        assert_eq!(found, expected, "{rows} {terms} {columns}, transposed");
        found.fill(f64::NAN);
        let plain = Factor::new(&right, columns);
        multiply(factors.0, plain, Start::Row(&start), &mut found);
        assert_eq!(found, expected, "{rows} {terms} {columns}, left transposed");
        // The transposed product has the transposed start.
        found.fill(f64::NAN);
        let factors = (factors.1.transposed(), factors.0.transposed());
        multiply(factors.0, factors.1, Start::Column(&start), &mut found);
        let expected = transposed(&expected, columns);
        assert_eq!(found, expected, "{rows} {terms} {columns}, columns");
    }
}

#[test]
fn a_product_is_added_to_what_is_there_between_other_numbers() {
    for (rows, terms, columns) in SIZES {
        let stride = columns + 3;
        let (left, right) = (random(rows * terms), random(terms * stride));
        let factors = (
            Factor::new(&left, terms),
            Factor::with_stride(&right[2..], columns, stride),
        );
        // The start of an entry is the number of its column.
        let own = |row: usize, column: usize| match column.checked_sub(2) {
            Some(place) if place < columns => place as f64,
            _ => -1.0 - row as f64,
        };
        let places = (0..rows).flat_map(|row| (0..stride).map(move |column| (row, column)));
        let before: Vec<f64> = places
            .clone()
            .map(|(row, column)| own(row, column))
            .collect();
        let picked = right.chunks(stride).flat_map(|row| &row[2..2 + columns]);
        let picked: Vec<f64> = picked.copied().collect();
        for half in [None, Some(Half::Upper)] {
            let mut found = before.clone();
            add_product(factors.0, factors.1, half, &mut found[2..], stride);
            for ((row, column), found) in places.clone().zip(found) {
                let expected = match column.checked_sub(2) {
                    Some(place) if place < columns => {
                        let place = row * columns + place;
                        entry(&left, &picked, (terms, columns), place)
                    }
                    _ => own(row, column),
                };
                let is_meant = half.is_none() || column >= row + 2;
                assert!(!is_meant || found == expected, "{row} {column}: {found}");
            }
        }
    }
}

#[test]
fn a_product_without_rows_is_empty() {
    let right = Factor::new(&[1.0; 80], 40);
    multiply(Factor::new(&[], 2), right, Start::Zero, &mut []);
}

#[test]
fn single_precision_has_the_same_bits_without_vectors() {
    for (rows, terms, columns) in SIZES {
        let single =
            |entries: Vec<f64>| -> Vec<f32> { entries.iter().map(|entry| *entry as f32).collect() };
        let (left, right) = (
            single(random(rows * terms)),
            single(random(terms * columns)),
        );
        let (left, right) = (Factor::new(&left, terms), Factor::new(&right, columns));
        let mut found = vec![f32::NAN; rows * columns];
        multiply(left, right, Start::Zero, &mut found);
        let mut expected = vec![f32::NAN; rows * columns];
        let scalar = Product {
            half: None,
            left,
            right,
            start: Some(Start::Zero),
            product: &mut expected,
            stride: columns,
        };
        scalar.with_simd(Scalar::new());
        assert_eq!(found, expected, "{rows} {terms} {columns}");
    }
}

#[test]
fn zeros_of_a_lower_triangle_are_skipped() {
    for size in [1, 5, 12, 16, 33, 51, 70] {
        let mut lower = random(size * size);
        for (row, entries) in lower.chunks_exact_mut(size).enumerate() {
            entries[row + 1..].fill(0.0);
        }
        let (whole, triangle) = (
            Factor::new(&lower, size),
            Factor::lower_triangular(&lower, size, size),
        );
        let right = random(size * 19);
        let right = Factor::new(&right, 19);
        let mut expected = vec![f64::NAN; size * 19];
        multiply(whole, right, Start::Zero, &mut expected);
        let mut found = vec![f64::NAN; size * 19];
        multiply(triangle, right, Start::Zero, &mut found);
        assert_eq!(found, expected, "{size}, left");
        let left = random(7 * size);
        let left = Factor::new(&left, size);
        let mut expected = vec![f64::NAN; 7 * size];
        multiply(left, whole, Start::Zero, &mut expected);
        let mut found = vec![f64::NAN; 7 * size];
        multiply(left, triangle, Start::Zero, &mut found);
        assert_eq!(found, expected, "{size}, right");
    }
}

#[test]
fn the_upper_triangle_of_a_symmetric_product_is_that_of_the_whole() {
    for (_, rows, columns) in SIZES {
        let entries = random(rows * columns);
        let mut lower = random(columns * columns);
        for (row, entries) in lower.chunks_exact_mut(columns).enumerate() {
            entries[row + 1..].fill(0.0);
        }
        for factor in [
            Factor::new(&entries, columns),
            Factor::lower_triangular(&lower, columns, columns),
        ] {
            let whole = Factor::new(factor.entries, columns);
            let mut expected = vec![f64::NAN; columns * columns];
            multiply(whole.transposed(), whole, Start::Zero, &mut expected);
            let mut found = vec![f64::NAN; columns * columns];
            multiply_by_own_transposed(factor, &mut found);
            for row in 0..columns {
                let upper = row * columns + row..(row + 1) * columns;
                assert_eq!(found[upper.clone()], expected[upper], "{rows} {columns}");
            }
        }
    }
}

#[test]
fn rows_of_a_triangles_own_product_are_those_of_the_whole() {
    for (size, stride) in [(1, 1), (7, 8), (51, 56), (97, 97)] {
        let mut lower = random(size * stride);
        for (row, entries) in lower.chunks_exact_mut(stride).enumerate() {
            entries[row + 1..size].fill(0.0);
        }
        let whole = Factor::with_stride(&lower, size, stride);
        let mut expected = vec![f64::NAN; size * size];
        multiply(whole.transposed(), whole, Start::Zero, &mut expected);
        for rows in [0..size, 0..size.div_ceil(2), size / 2..size, size - 1..size] {
            let mut found = vec![f64::NAN; rows.len() * rows.end];
            let triangle = Factor::lower_triangular(&lower, size, stride);
            multiply_rows_by_own_transposed(triangle, rows.clone(), &mut found);
            for (found, row) in found.chunks_exact(rows.end).zip(rows) {
                let expected = &expected[row * size..=row * size + row];
                assert_eq!(&found[..=row], expected, "{size} {row}");
            }
        }
    }
}

#[test]
fn rows_of_a_triangle_may_be_farther_apart_than_they_are_long() {
    for (size, stride) in [(1, 8), (13, 16), (51, 56), (97, 104)] {
        let mut apart = random(size * stride);
        let mut close = Vec::new();
        for (row, entries) in apart.chunks_exact_mut(stride).enumerate() {
            entries[row + 1..size].fill(0.0);
            close.extend_from_slice(&entries[..size]);
        }
        let right = random(size * 9);
        let left = random(3 * size);
        let products = |factor: Factor<f64>| {
            let mut products = [
                vec![9.0; size * 9],
                vec![9.0; 3 * size],
                vec![0.0; size * size],
            ];
            let [one, two, three] = &mut products;
            multiply(factor, Factor::new(&right, 9), Start::Zero, one);
            multiply(Factor::new(&left, size), factor, Start::Zero, two);
            multiply_rows_by_own_transposed(factor, 0..size, three);
            products
        };
        let found = products(Factor::lower_triangular(&apart, size, stride));
        let expected = products(Factor::lower_triangular(&close, size, size));
        assert_eq!(found, expected, "{size} {stride}");
    }
}
