//! Holm's step-down correction for several tests.

/// Holm's adjusted p values, in the order given: comparing them with alpha
/// keeps the probability of any false rejection below alpha.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&left, &right| p_values[left].total_cmp(&p_values[right]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut greatest: f64 = 0.0;
    for (rejected, &position) in order.iter().enumerate() {
        let remaining = (p_values.len() - rejected) as f64;
        greatest = greatest.max((remaining * p_values[position]).min(1.0));
        adjusted[position] = greatest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_cases::{assert_close, reference};

    #[test]
    fn later_steps_never_fall_below_earlier_ones() {
        assert_eq!(holm(&[0.04, 0.03, 0.01]), [0.06, 0.06, 0.03]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn it_agrees_with_the_reference() {
        for case in &reference().holm {
            for (found, expected) in holm(&case.p_values).iter().zip(&case.adjusted) {
                assert_close(*found, *expected, "holm");
            }
        }
    }
}
