//! `reinforce`: REINFORCE (Williams 1992) with ADAM (Kingma and Ba 2015) and a moving average as the
//! baseline.

use super::comparison::Case;
use crate::method_tests::example::new_fits;
use crate::random::StreamName;
use crate::table::encoding::Column;

const LEVELS: [usize; 4] = [3, 4, 2, 5];

/// The probability of each level under the logits of one hyperparameter.
fn softmax(logits: &[f64]) -> Vec<f64> {
    let total: f64 = logits.iter().map(|logit| logit.exp()).sum();
    logits.iter().map(|logit| logit.exp() / total).collect()
}

/// Runs `reinforce` beside a policy of its own.
fn assert_follows_the_policy(learning_rate: f64) {
    let case = Case::of("reinforce", 60);
    let fits = new_fits();
    let mut random = case
        .setting(&fits)
        .random(StreamName::new("reinforce", "policy and draws"));
    let level = |row: usize, place: usize| match &case.target().columns[place] {
        Column::Categorical(levels) => usize::from(levels[row]),
        Column::Numeric(_) => panic!("the grid is categorical"),
    };
    let mut logits = LEVELS.map(|count| {
        (0..count)
            .map(|_| 1e-3 * random.normal())
            .collect::<Vec<_>>()
    });
    let mut moments = LEVELS.map(|count| vec![(0.0, 0.0); count]);
    let mut rewards: Vec<f64> = Vec::new();
    let rate = learning_rate.to_string();
    let parameters = [("learning_rate", rate.as_str())];
    case.run(&fits, "reinforce", &parameters, |observations, chosen| {
        if let (Some(&row), Some(&value)) = (observations.rows.last(), observations.values.last()) {
            rewards.push(-value);
            let steps = rewards.len() as i32;
            // The average of the rewards with weights 0.9^age, this one's being 1.
            let ages = rewards.iter().rev().zip(0..);
            let average = ages
                .clone()
                .map(|(reward, age)| reward * 0.9f64.powi(age))
                .sum::<f64>()
                / ages.map(|(_, age)| 0.9f64.powi(age)).sum::<f64>();
            let advantage = -value - average;
            for (place, of_place) in logits.iter_mut().enumerate() {
                let probabilities = softmax(of_place);
                for (number, logit) in of_place.iter_mut().enumerate() {
                    let taken = if number == level(row as usize, place) {
                        1.0
                    } else {
                        0.0
                    };
                    // The ascent of log pi(x) (reward - baseline).
                    let slope = (taken - probabilities[number]) * advantage;
                    let (first, second) = &mut moments[place][number];
                    *first = 0.9 * *first + 0.1 * slope;
                    *second = 0.999 * *second + 0.001 * slope * slope;
                    let unbiased_first = *first / (1.0 - 0.9f64.powi(steps));
                    let unbiased_second = *second / (1.0 - 0.999f64.powi(steps));
                    *logit += learning_rate * unbiased_first / (unbiased_second.sqrt() + 1e-8);
                }
            }
        }
        let open: Vec<usize> = (0..case.rows())
            .filter(|&row| !observations.evaluated[row])
            .collect();
        let probability = |row: usize| -> f64 {
            let places = 0..LEVELS.len();
            places
                .map(|place| softmax(&logits[place])[level(row, place)])
                .product()
        };
        let total: f64 = open.iter().map(|&row| probability(row)).sum();
        let drawn = random.uniform() * total;
        // The rows up to the chosen one reach what was drawn, those before it do not.
        let before: f64 = open
            .iter()
            .take_while(|&&row| row != chosen as usize)
            .map(|&row| probability(row))
            .sum();
        let after = before + probability(chosen as usize);
        assert!(
            before - 1e-9 * total <= drawn && drawn <= after + 1e-9 * total,
            "evaluation {}: {drawn} is not between {before} and {after}",
            observations.rows.len()
        );
    });
}

#[test]
fn reinforce_draws_from_the_policy_that_its_rewards_taught() {
    for learning_rate in [0.001, 0.3] {
        assert_follows_the_policy(learning_rate);
    }
}
