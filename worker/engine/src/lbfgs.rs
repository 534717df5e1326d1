//! L-BFGS within bounds: the projected quasi-Newton method of Bertsekas (1982)
//! with the two-loop recursion of Nocedal (1980).
//!
//! Coordinates that sit on a bound and would leave it are held; the others move
//! along the quasi-Newton direction, projected back into the box, until the
//! decrease satisfies Armijo's condition.
//!
//! This is own code because traces depend on every rounding in it: with a crate, its next
//! version would change traces without a new version of any method. It also keeps to the
//! bounds of the hyperparameters, and an objective that fails shortens the step.

use pulp::Simd;

use crate::error::EngineError;

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// Most iterations.
    pub iterations: usize,
    /// Stop when the slope of no free coordinate exceeds this.
    pub gradient_tolerance: f64,
    /// Stop when an iteration gains less than this, relative to max(|f|, 1).
    pub value_tolerance: f64,
    /// The farthest that a coordinate may move in one iteration.
    pub longest_step: f64,
}

/// Pairs of steps and gradient changes that are remembered.
const MEMORY: usize = 10;
/// Least share of the predicted decrease that a step must bring.
const ARMIJO: f64 = 1e-4;
/// Sums of at least as many terms are taken in [`LANES`] parts, side by side.
const LONG: usize = 1000;
const LANES: usize = 16;
/// Most times a step is shortened.
const BACKTRACKS: usize = 20;

/// What a minimisation learned of the objective's curvature: its last steps, with the changes of the
/// gradient. A minimisation of nearly the same objective may go on with it.
#[derive(Default)]
pub(crate) struct Curvature(Vec<Correction>);

struct Correction {
    step: Vec<f64>,
    change: Vec<f64>,
    /// The product of both.
    curvature: f64,
}

/// Minimises `objective` from `point`, which is replaced by the minimiser; returns
/// the least value. `objective` returns its value and fills in its gradient.
///
/// # Errors
/// Those of `objective` at the starting point; an error further on counts as a
/// step too far and shortens it.
pub(crate) fn minimise(
    objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64, EngineError>,
    point: &mut [f64],
    bounds: (&[f64], &[f64]),
    settings: Settings,
) -> Result<f64, EngineError> {
    minimise_on(
        &mut Curvature::default(),
        objective,
        point,
        bounds,
        settings,
    )
}

/// Minimises as [`minimise`] does, beginning with the `curvature` that an earlier minimisation left, and
/// leaves what it learns there. All points must have the same number of coordinates.
///
/// # Errors
/// Those of [`minimise`].
pub(crate) fn minimise_on(
    curvature: &mut Curvature,
    mut objective: impl FnMut(&[f64], &mut [f64]) -> Result<f64, EngineError>,
    point: &mut [f64],
    (lower, upper): (&[f64], &[f64]),
    settings: Settings,
) -> Result<f64, EngineError> {
    let corrections = &mut curvature.0;
    let size = point.len();
    for index in 0..size {
        point[index] = point[index].clamp(lower[index], upper[index]);
    }
    let mut gradient = vec![0.0; size];
    let mut value = objective(point, &mut gradient)?;
    let mut free = vec![true; size];
    let mut direction = vec![0.0; size];
    let mut trial = vec![0.0; size];
    let mut trial_gradient = vec![0.0; size];

    for _ in 0..settings.iterations {
        set_free(point, &gradient, (lower, upper), &mut free);
        let steepest = largest(&gradient, &free);
        if steepest <= settings.gradient_tolerance {
            break;
        }
        quasi_newton_direction(corrections, &gradient, &free, &mut direction);
        if dot(&direction, &gradient) >= 0.0 {
            corrections.clear();
            quasi_newton_direction(corrections, &gradient, &free, &mut direction);
        }
        let longest = largest(&direction, &free);
        let cap = if corrections.is_empty() {
            0.5
        } else {
            settings.longest_step
        };
        let mut scale = (cap / longest).min(1.0);

        let mut accepted = None;
        for _ in 0..BACKTRACKS {
            set_trial((point, &direction), scale, (lower, upper), &mut trial);
            let predicted: f64 = (0..size)
                .map(|index| gradient[index] * (trial[index] - point[index]))
                .sum();
            match objective(&trial, &mut trial_gradient) {
                Ok(trial_value) if trial_value <= value + ARMIJO * predicted => {
                    accepted = Some(trial_value);
                    break;
                }
                Ok(trial_value) => {
                    // The minimiser of the parabola through value, slope and trial value.
                    let curvature = trial_value - value - predicted;
                    let share = -0.5 * predicted / curvature;
                    scale *= if share.is_finite() {
                        share.clamp(0.1, 0.5)
                    } else {
                        0.1
                    };
                }
                Err(_) => scale *= 0.1,
            }
        }
        let Some(trial_value) = accepted else {
            break;
        };
        remember(corrections, point, &trial, &gradient, &trial_gradient);
        let gain = value - trial_value;
        point.copy_from_slice(&trial);
        gradient.copy_from_slice(&trial_gradient);
        value = trial_value;
        if gain <= settings.value_tolerance * value.abs().max(1.0) {
            break;
        }
    }
    Ok(value)
}

/// -H g on the free coordinates, H being the inverse Hessian of the corrections. All sums are in an order of their own, so that
/// they are the same bits with every width of vectors.
#[pulp::with_simd(quasi_newton_direction = pulp::Arch::new())]
#[inline(always)]
fn quasi_newton_direction_with<S: Simd>(
    _simd: S,
    corrections: &[Correction],
    gradient: &[f64],
    free: &[bool],
    direction: &mut [f64],
) {
    for index in 0..gradient.len() {
        direction[index] = if free[index] { -gradient[index] } else { 0.0 };
    }
    let all_free = free.iter().all(|&free| free);
    // Corrections without positive curvature on the free coordinates do not count.
    let mut curvatures = [0.0; MEMORY];
    for (curvature, correction) in curvatures.iter_mut().zip(corrections) {
        *curvature = match all_free {
            true => correction.curvature,
            false => masked_dot(&correction.step, &correction.change, free),
        };
    }
    // The direction stays 0 in the coordinates that are held, so that its products are those over the free ones.
    let mut shares = [0.0; MEMORY];
    for (number, correction) in corrections.iter().enumerate().rev() {
        if curvatures[number] > 0.0 {
            let product = dot(&correction.step, direction);
            shares[number] = product / curvatures[number];
            add_scaled(direction, -shares[number], &correction.change, free);
        }
    }
    let last = (0..corrections.len())
        .rev()
        .find(|&number| curvatures[number] > 0.0);
    if let Some(last) = last {
        let change = &corrections[last].change;
        let scale = curvatures[last] / masked_dot(change, change, free);
        direction.iter_mut().for_each(|entry| *entry *= scale);
    }
    for (number, correction) in corrections.iter().enumerate() {
        if curvatures[number] > 0.0 {
            let product = dot(&correction.change, direction);
            let share = shares[number] - product / curvatures[number];
            add_scaled(direction, share, &correction.step, free);
        }
    }
}

/// The product over the free coordinates.
#[inline(always)]
fn masked_dot(left: &[f64], right: &[f64], free: &[bool]) -> f64 {
    let pairs = left.iter().zip(free);
    let kept: Vec<f64> = pairs
        .map(|(entry, &free)| if free { *entry } else { 0.0 })
        .collect();
    dot(&kept, right)
}

#[inline(always)]
fn add_scaled(target: &mut [f64], scale: f64, source: &[f64], free: &[bool]) {
    for ((entry, added), &free) in target.iter_mut().zip(source).zip(free) {
        // Without a branch, so that it is vectorised.
        let moved = *entry + scale * added;
        *entry = if free { moved } else { *entry };
    }
}

/// Adds the last step and the change of the gradient along it, unless the objective does not curve upwards along the step.
fn remember(
    corrections: &mut Vec<Correction>,
    point: &[f64],
    trial: &[f64],
    gradient: &[f64],
    trial_gradient: &[f64],
) {
    let (mut step, mut change) = (Vec::new(), Vec::new());
    subtract(trial, point, &mut step);
    subtract(trial_gradient, gradient, &mut change);
    let curvature = dot(&step, &change);
    if curvature <= 1e-10 * (dot(&step, &step) * dot(&change, &change)).sqrt() {
        return;
    }
    if corrections.len() == MEMORY {
        corrections.remove(0);
    }
    corrections.push(Correction {
        step,
        change,
        curvature,
    });
}

/// Appends the differences of two vectors.
#[pulp::with_simd(subtract = pulp::Arch::new())]
#[inline(always)]
fn subtract_with<S: Simd>(_simd: S, left: &[f64], right: &[f64], differences: &mut Vec<f64>) {
    let pairs = left.iter().zip(right);
    differences.extend(pairs.map(|(left, right)| left - right));
}

#[inline(always)]
fn dot(left: &[f64], right: &[f64]) -> f64 {
    let in_order = |left: &[f64], right: &[f64]| -> f64 {
        let pairs = left.iter().zip(right);
        pairs.map(|(left, right)| left * right).sum()
    };
    if left.len() < LONG {
        return in_order(left, right);
    }
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (left, right) in left.iter().zip(right) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * right[lane];
        }
    }
    sums.iter().sum::<f64>() + in_order(left_rest, right_rest)
}

/// Frees the coordinates that are not held at a bound.
#[pulp::with_simd(set_free = pulp::Arch::new())]
#[inline(always)]
fn set_free_with<S: Simd>(
    _simd: S,
    point: &[f64],
    gradient: &[f64],
    (lower, upper): (&[f64], &[f64]),
    free: &mut [bool],
) {
    let bounds = lower.iter().zip(upper);
    let coordinates = point.iter().zip(gradient).zip(bounds);
    for (free, ((point, slope), (lower, upper))) in free.iter_mut().zip(coordinates) {
        // Without a branch, so that it is vectorised.
        let is_held = (*point <= *lower) & (*slope > 0.0) | (*point >= *upper) & (*slope < 0.0);
        *free = !is_held;
    }
}

/// Puts the point that is `scale` times the direction away, within the bounds, into `trial`.
#[pulp::with_simd(set_trial = pulp::Arch::new())]
#[inline(always)]
fn set_trial_with<S: Simd>(
    _simd: S,
    (point, direction): (&[f64], &[f64]),
    scale: f64,
    (lower, upper): (&[f64], &[f64]),
    trial: &mut [f64],
) {
    let bounds = lower.iter().zip(upper);
    let coordinates = point.iter().zip(direction).zip(bounds);
    for (trial, ((point, direction), (lower, upper))) in trial.iter_mut().zip(coordinates) {
        // Not `clamp`, whose check of the bounds is a branch.
        let moved = point + scale * direction;
        let raised = if moved < *lower { *lower } else { moved };
        *trial = if raised > *upper { *upper } else { raised };
    }
}

/// Largest magnitude of a free coordinate.
#[pulp::with_simd(largest = pulp::Arch::new())]
#[inline(always)]
fn largest_with<S: Simd>(_simd: S, vector: &[f64], free: &[bool]) -> f64 {
    let mut greatest = [0.0; LANES];
    let raise = |greatest: &mut f64, number: f64, free: bool| {
        let size = if free { number.abs() } else { 0.0 };
        *greatest = if size > *greatest { size } else { *greatest };
    };
    let (groups, rest) = vector.as_chunks::<LANES>();
    let (free_groups, free_rest) = free.as_chunks::<LANES>();
    for (numbers, free) in groups.iter().zip(free_groups) {
        for lane in 0..LANES {
            raise(&mut greatest[lane], numbers[lane], free[lane]);
        }
    }
    for ((greatest, number), free) in greatest.iter_mut().zip(rest).zip(free_rest) {
        raise(greatest, *number, *free);
    }
    greatest.into_iter().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests;
