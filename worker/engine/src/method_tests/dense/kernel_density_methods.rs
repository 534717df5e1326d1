//! `bohb`: the model of BOHB (Falkner, Klein and Hutter 2018, section 3.2 and algorithm 2, as in the
//! code HpBandSter), with Aitchison and Aitken's (1976) kernels.

use super::comparison::Case;
use crate::method_tests::example::new_fits;
use crate::random::{RandomStream, StreamName};
use crate::table::encoding::Column;

const LEVELS: [u16; 4] = [3, 4, 2, 5];

fn configuration(case: &Case, row: u32) -> Vec<u16> {
    let columns = case.target().columns.iter().map(|column| match column {
        Column::Categorical(levels) => levels[row as usize],
        Column::Numeric(_) => panic!("the grid is categorical"),
    });
    columns.collect()
}

/// 1.06 sigma n^(-1/(4 + d)), at least `minimum`, at most that of the uniform kernel.
fn bandwidths(points: &[Vec<u16>], minimum: f64) -> Vec<f64> {
    let count = points.len() as f64;
    let bandwidth = |place: usize| {
        let values: Vec<f64> = points.iter().map(|point| point[place].into()).collect();
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        let rule = 1.06 * variance.sqrt() * count.powf(-1.0 / 8.0);
        let levels = f64::from(LEVELS[place]);
        rule.max(minimum).min((levels - 1.0) / levels)
    };
    (0..LEVELS.len()).map(bandwidth).collect()
}

/// The mean over the points of products of kernels: 1 - h at the point's level, h / (c - 1) at others.
fn density(points: &[Vec<u16>], bandwidths: &[f64], at: &[u16]) -> f64 {
    let product = |point: &Vec<u16>| -> f64 {
        let places = 0..at.len();
        places
            .map(|place| match point[place] == at[place] {
                true => 1.0 - bandwidths[place],
                false => bandwidths[place] / (f64::from(LEVELS[place]) - 1.0),
            })
            .product()
    };
    points.iter().map(product).sum::<f64>() / points.len() as f64
}

/// A good point, each of whose levels is drawn anew with the probability of its bandwidth.
fn sample(points: &[Vec<u16>], bandwidths: &[f64], random: &mut RandomStream) -> Vec<u16> {
    let mut sample = points[random.below(points.len() as u32) as usize].clone();
    for place in 0..sample.len() {
        if random.uniform() >= 1.0 - bandwidths[place] {
            sample[place] = random.below(LEVELS[place].into()) as u16;
        }
    }
    sample
}

#[test]
fn bohb_takes_the_sample_that_is_likeliest_good() {
    let case = Case::of("bohb", 60);
    let fits = new_fits();
    let order = case.random_order(&fits);
    let mut random = case
        .setting(&fits)
        .random(StreamName::new("bohb", "samples"));
    let all: Vec<Vec<u16>> = (0..case.rows() as u32)
        .map(|row| configuration(&case, row))
        .collect();
    let mut modelled = 0;
    case.run(&fits, "bohb", &[], |observations, chosen| {
        let count = observations.rows.len();
        let next_random = || {
            let mut open = order
                .iter()
                .filter(|&&row| !observations.evaluated[row as usize]);
            *open.next().unwrap()
        };
        // The best 15 % and the next 85 %, but at least 5, one more than there are hyperparameters.
        let good = (count * 15 / 100).max(5);
        if count < good + 5 {
            assert_eq!(chosen, next_random());
            return;
        }
        let bad = (count * 85 / 100).max(5).min(count - good);
        let mut evaluations: Vec<(f64, u32)> = observations
            .values
            .iter()
            .copied()
            .zip(observations.rows.iter().copied())
            .collect();
        evaluations.sort_by(|a, b| a.0.total_cmp(&b.0));
        let points = |evaluations: &[(f64, u32)]| -> Vec<Vec<u16>> {
            evaluations
                .iter()
                .map(|(_, row)| all[*row as usize].clone())
                .collect()
        };
        let good_points = points(&evaluations[..good]);
        let bad_points = points(&evaluations[good..good + bad]);
        let good_bandwidths = bandwidths(&good_points, 0.3);
        let bad_bandwidths = bandwidths(&bad_points, 0.3);
        let mut candidates: Vec<(f64, u32)> = Vec::new();
        for _ in 0..1000 {
            let sample = sample(&good_points, &good_bandwidths, &mut random);
            let row = all.iter().position(|other| *other == sample);
            let Some(row) = row.filter(|&row| !observations.evaluated[row]) else {
                continue;
            };
            let ratio = density(&good_points, &good_bandwidths, &sample)
                / density(&bad_points, &bad_bandwidths, &sample);
            candidates.push((ratio, row as u32));
            if candidates.len() == 4 {
                break;
            }
        }
        let greatest = candidates
            .iter()
            .map(|(ratio, _)| *ratio)
            .fold(0.0, f64::max);
        let best = |&&(ratio, _): &&(f64, u32)| ratio >= greatest * (1.0 - 1e-9);
        let mut best_rows = candidates.iter().filter(best).map(|(_, row)| *row);
        assert!(
            best_rows.any(|row| row == chosen),
            "{chosen} of {candidates:?}"
        );
        modelled += 1;
    });
    assert_eq!(modelled, 50);
}
