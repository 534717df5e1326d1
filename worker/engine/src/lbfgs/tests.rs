use super::*;
use crate::error::ImpossibleJob;

const TIGHT: Settings = Settings {
    iterations: 500,
    gradient_tolerance: 1e-9,
    value_tolerance: 0.0,
    longest_step: 1.0,
};

/// Rosenbrock's function: minimum 0 at (1, ..., 1).
fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> Result<f64, EngineError> {
    gradient.fill(0.0);
    let mut value = 0.0;
    for index in 0..x.len() - 1 {
        let valley = x[index + 1] - x[index] * x[index];
        let slope = 1.0 - x[index];
        value += 100.0 * valley * valley + slope * slope;
        gradient[index] += -400.0 * x[index] * valley - 2.0 * slope;
        gradient[index + 1] += 200.0 * valley;
    }
    Ok(value)
}

#[test]
fn it_finds_the_end_of_rosenbrocks_valley() {
    let mut point = vec![-1.2, 1.0, -0.5, 2.0, 0.3];
    let bounds = (&[-5.0; 5][..], &[5.0; 5][..]);
    let value = minimise(rosenbrock, &mut point, bounds, TIGHT).unwrap();
    assert!(value < 1e-12, "{value}");
    assert!(point.iter().all(|x| (x - 1.0).abs() < 1e-5), "{point:?}");
}

#[test]
fn a_later_minimisation_goes_on_with_the_curvature() {
    let bounds = (&[-5.0; 5][..], &[5.0; 5][..]);
    let start = [-1.2, 1.0, -0.5, 2.0, 0.3];
    let tenth = Settings {
        iterations: 4,
        ..TIGHT
    };
    let in_pieces = |keep: bool| {
        let (mut point, mut curvature) = (start, Curvature::default());
        let mut value = f64::INFINITY;
        for _ in 0..10 {
            if !keep {
                curvature = Curvature::default();
            }
            let next = minimise_on(&mut curvature, rosenbrock, &mut point, bounds, tenth);
            value = next.unwrap();
        }
        value
    };
    let mut point = start;
    let whole = Settings {
        iterations: 40,
        ..TIGHT
    };
    let value = minimise(rosenbrock, &mut point, bounds, whole).unwrap();
    assert_eq!(in_pieces(true), value);
    assert!(in_pieces(false) > 2.0 * value);
}

#[test]
fn long_sums_have_all_terms() {
    for length in [LONG - 1, LONG, LONG + 7] {
        let numbers: Vec<f64> = (1..=length).map(|number| number as f64).collect();
        let expected: usize = (1..=length).map(|number| number * number).sum();
        assert_eq!(dot(&numbers, &numbers), expected as f64);
    }
}

#[test]
fn what_is_held_has_no_part_in_long_or_short_products() {
    for length in [5, LONG, LONG + 7] {
        let numbers: Vec<f64> = (1..=length).map(|number| number as f64).collect();
        let free: Vec<bool> = (1..=length).map(|number| number % 3 > 0).collect();
        let of_free = (1..=length).filter(|number| number % 3 > 0);
        let expected: usize = of_free.map(|number| number * number).sum();
        assert_eq!(masked_dot(&numbers, &numbers, &free), expected as f64);
    }
}

#[test]
fn a_long_minimisation_holds_what_would_leave_its_bounds() {
    // The minimum of (x_i - i / 1000)^2, each term with a weight of its own, below 0.7: at 0.7 from number 700 on.
    let weighted = |x: &[f64], gradient: &mut [f64]| {
        let mut value = 0.0;
        for (number, (x, slope)) in x.iter().zip(gradient).enumerate() {
            let (weight, miss) = (1.0 + (number % 7) as f64, x - number as f64 / 1000.0);
            value += weight * miss * miss;
            *slope = 2.0 * weight * miss;
        }
        Ok(value)
    };
    let size = LONG + 7;
    let mut point = vec![0.1; size];
    let bounds = (&vec![-2.0; size][..], &vec![0.7; size][..]);
    minimise(weighted, &mut point, bounds, TIGHT).unwrap();
    for (number, found) in point.iter().enumerate() {
        let expected = (number as f64 / 1000.0).min(0.7);
        assert!((found - expected).abs() < 1e-8, "{number}: {found}");
    }
}

#[test]
fn bounds_hold_and_the_constrained_minimum_is_found() {
    // With x <= 0.5 Rosenbrock's minimum is at (0.5, 0.25), value 0.25.
    let mut point = vec![-1.2, 1.0];
    let bounds = (&[-2.0, -2.0][..], &[0.5, 2.0][..]);
    let value = minimise(rosenbrock, &mut point, bounds, TIGHT).unwrap();
    assert!((value - 0.25).abs() < 1e-9, "{value}");
    assert_eq!(point[0], 0.5);
    assert!((point[1] - 0.25).abs() < 1e-6);
}

#[test]
fn an_error_on_the_way_shortens_the_step() {
    // sqrt is undefined left of 0; the minimum of x - sqrt(x) is at 1/4.
    let objective = |x: &[f64], gradient: &mut [f64]| {
        if x[0] <= 0.0 {
            return Err(ImpossibleJob::NoRow("outside").into());
        }
        gradient[0] = 1.0 - 0.5 / x[0].sqrt();
        Ok(x[0] - x[0].sqrt())
    };
    let mut point = vec![0.6];
    let value = minimise(objective, &mut point, (&[-9.0], &[9.0]), TIGHT).unwrap();
    assert!((value + 0.25).abs() < 1e-9, "{value} at {point:?}");
}
