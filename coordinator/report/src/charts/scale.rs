//! Maps values to pixels, with ticks at round values.

use crate::numbers::typographic;

/// A tick of an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    /// What is written at the tick.
    pub(crate) label: Label,
}

/// What is written at a tick.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Label {
    /// Nothing: a minor tick.
    None,
    /// A number as it is to be read.
    Number(String),
    /// A multiple of a power of ten.
    Scientific {
        /// From 1 to 9.
        multiple: u32,
        /// The power.
        exponent: i32,
    },
}

/// A linear axis from `lower` to `upper`, drawn from pixel `start` to pixel `end`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Linear {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl Linear {
    /// The pixel of a value; values off the axis are put at its ends.
    pub(crate) fn pixel(&self, value: f64) -> f64 {
        let share = (value.clamp(self.lower, self.upper) - self.lower) / (self.upper - self.lower);
        self.start + share * (self.end - self.start)
    }

    /// Ticks at multiples of 1, 2 or 5 times a power of ten, about `count` of them; none on an axis too short to have any.
    pub(crate) fn ticks(&self, count: usize) -> Vec<Tick> {
        let rough = (self.upper - self.lower) / count.max(1) as f64;
        if !rough.is_normal() {
            return Vec::new();
        }
        let magnitude = 10f64.powf(rough.log10().floor());
        let fits = |factor: &f64| factor * magnitude >= rough * 0.999;
        let factor = [1.0, 2.0, 5.0].into_iter().find(fits);
        let step = factor.unwrap_or(10.0) * magnitude;
        let power = power_of_ten(step);
        let is_plain =
            power >= LEAST_PLAIN_POWER && self.lower.abs().max(self.upper.abs()) < PLAIN_BELOW;
        let write = |value: f64| match is_plain {
            true => format!("{value:.0$}", (-power).max(0) as usize),
            false => scientific(value, power),
        };
        let (first, last) = (self.lower / step, self.upper / step);
        let steps = (first - 1e-9).ceil() as i64..=(last + 1e-9).floor() as i64;
        let tick = |value: f64| Tick {
            value,
            label: Label::Number(typographic(&write(value))),
        };
        steps.map(|index| tick(index as f64 * step)).collect()
    }

    /// As [`Self::ticks`], at whole numbers.
    pub(crate) fn whole_ticks(&self, count: usize) -> Vec<Tick> {
        let mut ticks = self.ticks(count.min((self.upper - self.lower) as usize));
        ticks.retain(|tick| tick.value.fract() == 0.0);
        ticks
    }
}

/// Numbers on a linear axis are written out if its steps are at least this power of ten and its ends below this size.
const LEAST_PLAIN_POWER: i32 = -6;
const PLAIN_BELOW: f64 = 1e7;

/// A multiple of a power of ten, as in 1.25e-8.
fn scientific(value: f64, power: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = (power_of_ten(value.abs()) - power).max(0) as usize;
    format!("{value:.digits$e}")
}

/// The exponent of the greatest power of ten that is not above a number. A rounding error below one counts as that one.
fn power_of_ten(number: f64) -> i32 {
    ((1.0 + 1e-9) * number).log10().floor() as i32
}

/// A logarithmic axis from `lower` to `upper` (both above 0), drawn from pixel `start` to `end`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Logarithmic {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) start: f64,
    pub(crate) end: f64,
}

impl Logarithmic {
    /// The pixel of a value; values off the axis (0, too) are put at its ends.
    pub(crate) fn pixel(&self, value: f64) -> f64 {
        let position = value.clamp(self.lower, self.upper).log10();
        let (lower, upper) = (self.lower.log10(), self.upper.log10());
        self.start + (position - lower) / (upper - lower) * (self.end - self.start)
    }

    /// Ticks at powers of ten, thinned out to at most nine; below two decades with labelled steps between.
    pub(crate) fn ticks(&self) -> Vec<Tick> {
        let (lower, upper) = (self.lower.log10(), self.upper.log10());
        let decades = upper - lower;
        let step = (decades / 9.0).ceil().max(1.0) as i32;
        let labelled_steps: &[u32] = match decades {
            narrow if narrow < 1.3 => &[2, 3, 5],
            medium if medium < 2.5 => &[3],
            _ => &[],
        };
        let mut ticks = Vec::new();
        for exponent in lower.floor() as i32..=upper.ceil() as i32 {
            for multiple in 1..10u32 {
                let value = f64::from(multiple) * 10f64.powi(exponent);
                if value < self.lower * (1.0 - 1e-9) || value > self.upper * (1.0 + 1e-9) {
                    continue;
                }
                let is_labelled = match multiple {
                    1 => exponent.rem_euclid(step) == 0,
                    _ if step > 1 => continue,
                    _ => labelled_steps.contains(&multiple),
                };
                let label = match is_labelled {
                    true => self.label(multiple, exponent),
                    false => Label::None,
                };
                ticks.push(Tick { value, label });
            }
        }
        ticks
    }

    /// Plain numbers from 0.001 to 999 if the whole axis fits, powers of ten otherwise.
    fn label(&self, multiple: u32, exponent: i32) -> Label {
        if self.lower < 1e-3 || self.upper >= 1e3 {
            return Label::Scientific { multiple, exponent };
        }
        let decimals = (-exponent).max(0) as usize;
        let value = f64::from(multiple) * 10f64.powi(exponent);
        Label::Number(format!("{value:.decimals$}"))
    }
}

/// An axis of either kind.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Axis {
    Linear(Linear),
    Logarithmic(Logarithmic),
}

impl Axis {
    /// The pixel of a value; values off the axis are put at its ends.
    pub(crate) fn pixel(&self, value: f64) -> f64 {
        match self {
            Self::Linear(axis) => axis.pixel(value),
            Self::Logarithmic(axis) => axis.pixel(value),
        }
    }

    /// Ticks; about `count` of them on a linear axis.
    pub(crate) fn ticks(&self, count: usize) -> Vec<Tick> {
        match self {
            Self::Linear(axis) => axis.ticks(count),
            Self::Logarithmic(axis) => axis.ticks(),
        }
    }
}

/// Moves labels apart: the positions nearest to `wanted` (ascending) that are at least `gap` apart
/// and lie between `lower` and `upper`.
pub(crate) fn spread(wanted: &[f64], gap: f64, lower: f64, upper: f64) -> Vec<f64> {
    let room = (upper - lower) / wanted.len().saturating_sub(1).max(1) as f64;
    let gap = gap.min(room);
    // Labels that touch form a group, which is centred on the mean of what its labels want.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for &position in wanted {
        groups.push((position, 1));
        while let [.., (before, before_count), (last, last_count)] = groups[..] {
            let half_heights = gap * (before_count + last_count) as f64 / 2.0;
            if last - before >= half_heights - 1e-9 {
                break;
            }
            let count = before_count + last_count;
            let centre = (before * before_count as f64 + last * last_count as f64) / count as f64;
            groups.truncate(groups.len() - 2);
            groups.push((centre, count));
        }
    }
    let mut positions: Vec<f64> = Vec::with_capacity(wanted.len());
    for (centre, count) in groups {
        let top = centre - gap * (count - 1) as f64 / 2.0;
        positions.extend((0..count).map(|index| top + gap * index as f64));
    }
    let mut least = lower;
    for position in &mut positions {
        *position = position.max(least);
        least = *position + gap;
    }
    let mut most = upper;
    for position in positions.iter_mut().rev() {
        *position = position.min(most);
        most = *position - gap;
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<String> {
        let text = |tick: &Tick| match &tick.label {
            Label::None => None,
            Label::Number(number) => Some(number.clone()),
            Label::Scientific { multiple, exponent } => Some(format!("{multiple}e{exponent}")),
        };
        ticks.iter().filter_map(text).collect()
    }

    fn logarithmic(lower: f64, upper: f64) -> Logarithmic {
        Logarithmic {
            lower,
            upper,
            start: 100.0,
            end: 0.0,
        }
    }

    #[test]
    fn linear_ticks_are_round() {
        let axis = Linear {
            lower: -1.0,
            upper: 1.0,
            start: 0.0,
            end: 200.0,
        };
        assert_eq!(
            labels(&axis.ticks(4)),
            ["\u{2212}1.0", "\u{2212}0.5", "0.0", "0.5", "1.0"]
        );
        assert_eq!(axis.pixel(0.5), 150.0);
        assert_eq!(axis.pixel(-7.0), 0.0);
    }

    #[test]
    fn whole_ticks_are_written_as_whole_numbers() {
        let labels_of = |upper| {
            let axis = Linear {
                lower: 1.0,
                upper,
                start: 0.0,
                end: 200.0,
            };
            labels(&axis.whole_ticks(10))
        };
        assert_eq!(labels_of(1.0), [""; 0]);
        assert_eq!(labels_of(2.0), ["1", "2"]);
        assert_eq!(labels_of(6.0), ["1", "2", "3", "4", "5", "6"]);
        assert_eq!(labels_of(50.0).last().unwrap(), "50");
    }

    #[test]
    fn numbers_that_would_be_long_are_multiples_of_powers() {
        let labels_of = |lower, upper| {
            let axis = Linear {
                lower,
                upper,
                start: 0.0,
                end: 200.0,
            };
            labels(&axis.ticks(4))
        };
        let (minus, small) = ("\u{2212}", labels_of(-1e-8, 3e-8));
        assert_eq!(small[..2], [format!("{minus}1e{minus}8"), "0".to_owned()]);
        assert_eq!(
            small[2..],
            ["1e", "2e", "3e"].map(|power| format!("{power}{minus}8"))
        );
        assert_eq!(
            labels_of(9.8e99, 1.02e100),
            ["9.8e99", "9.9e99", "1.00e100", "1.01e100", "1.02e100"]
        );
        assert_eq!(labels_of(0.0, 4e-6)[1], "0.000001");
        assert!(labels_of(0.5, 0.5).is_empty() && labels_of(0.0, 5e-324).is_empty());
    }

    #[test]
    fn logarithmic_ticks_fit_the_range() {
        assert_eq!(
            labels(&logarithmic(1e-6, 0.01).ticks()),
            ["1e-6", "1e-5", "1e-4", "1e-3", "1e-2"]
        );
        assert_eq!(
            labels(&logarithmic(0.012, 0.15).ticks()),
            ["0.02", "0.03", "0.05", "0.1"]
        );
        assert_eq!(
            labels(&logarithmic(1.5e-5, 6e-5).ticks()),
            ["2e-5", "3e-5", "5e-5"]
        );
        assert!(labels(&logarithmic(1e-30, 1.0).ticks()).len() <= 10);
        assert_eq!(logarithmic(1e-2, 1.0).pixel(0.1), 50.0);
        assert_eq!(logarithmic(1e-2, 1.0).pixel(0.0), 100.0);
    }

    #[test]
    fn labels_move_apart_and_stay_inside() {
        assert_eq!(spread(&[10.0, 50.0], 14.0, 0.0, 100.0), [10.0, 50.0]);
        assert_eq!(spread(&[50.0, 50.0], 14.0, 0.0, 100.0), [43.0, 57.0]);
        assert_eq!(spread(&[98.0, 99.0], 14.0, 0.0, 100.0), [86.0, 100.0]);
        assert_eq!(
            spread(&[50.0; 6], 30.0, 0.0, 100.0),
            [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]
        );
    }
}
