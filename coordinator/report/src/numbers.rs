//! How numbers are shown to readers. Files for machines have all digits instead.

use loto_statistics::by_iteration::Notation;
use loto_statistics::interval::Interval;

/// A score such as the improvement: two decimals, none from 100 on.
pub(crate) fn score(value: f64) -> String {
    let text = if value.abs() >= 99.995 {
        format!("{value:.0}")
    } else {
        format!("{value:.2}")
    };
    match text.as_str() {
        "-0.00" => "0.00".into(),
        _ => text,
    }
}

/// A difference of scores: a score that has its sign in any case.
pub(crate) fn difference(value: f64) -> String {
    let score = score(value);
    match score.as_str() {
        "0.00" => score,
        _ if value > 0.0 => format!("+{score}"),
        _ => score,
    }
}

/// An interval of scores: `[0.85, 0.88]`.
pub(crate) fn interval(interval: Interval) -> String {
    format!("[{}, {}]", score(interval.lower), score(interval.upper))
}

/// An interval of differences of scores.
pub(crate) fn difference_interval(interval: Interval) -> String {
    let [lower, upper] = [interval.lower, interval.upper].map(difference);
    format!("[{lower}, {upper}]")
}

/// A quantity that spans many orders of magnitude, such as ADTM: two significant digits.
pub(crate) fn magnitude(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        large if large.abs() >= 0.01 && large.abs() < 100.0 => significant(large),
        _ => format!("{value:.1e}"),
    }
}

/// An objective value in its own units: four significant digits.
pub fn value(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".into(),
        _ if (1e-3..1e6).contains(&size) => {
            let decimals = (3 - size.log10().floor() as i32).clamp(0, 9) as usize;
            format!("{value:.decimals$}")
        }
        _ => format!("{value:.3e}"),
    }
}

/// A duration in seconds: two significant digits, at most three decimals.
pub fn seconds(value: f64) -> String {
    match value {
        small if small < 0.001 => "<0.001".into(),
        small if small < 0.01 => format!("{small:.4}"),
        _ => significant(value),
    }
}

/// A probability: three decimals, `<0.001` below.
pub(crate) fn probability(value: f64) -> String {
    if value < 0.001 {
        "<0.001".into()
    } else {
        format!("{value:.3}")
    }
}

/// A test statistic: two decimals; infinite if there is no finite one.
pub(crate) fn statistic(value: f64) -> String {
    if value.is_finite() {
        format!("{value:.2}")
    } else {
        "infinite".into()
    }
}

/// A share as a percentage without decimals; only none is `0%`, and only all is `100%`.
pub(crate) fn percentage(value: f64) -> String {
    let rounded = format!("{:.0}%", 100.0 * value);
    match rounded.as_str() {
        "0%" if value > 0.0 => "<1%".into(),
        "100%" if value < 1.0 => ">99%".into(),
        _ => rounded,
    }
}

/// How the values of a statistic by iteration are written.
pub(crate) fn shown_as(notation: Notation) -> fn(f64) -> String {
    match notation {
        Notation::Percentage => percentage,
        Notation::Score => score,
        Notation::Magnitude => magnitude,
    }
}

/// A count with its noun: `1 task`, `1,234 tasks`.
pub fn count(number: u64, noun: &str) -> String {
    let plural = match noun {
        _ if number == 1 => "",
        noun if noun.ends_with('x') => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", grouped(number))
}

/// A whole number with commas between groups of three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The number with a true minus sign, for print.
pub(crate) fn typographic(number: &str) -> String {
    number.replace('-', "\u{2212}")
}

/// Two significant digits without an exponent.
fn significant(value: f64) -> String {
    let exponent = value.abs().log10().floor() as i32;
    let decimals = (1 - exponent).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_long_as_they_deserve() {
        assert_eq!(score(-563.27), "-563");
        assert_eq!(score(-0.001), "0.00");
        assert_eq!(score(99.999), "100");
        assert_eq!(difference(0.157), "+0.16");
        assert_eq!(difference(-770.0), "-770");
        assert_eq!(difference(0.001), "0.00");
        let limits = Interval {
            lower: -145.2,
            upper: 0.504,
        };
        assert_eq!(interval(limits), "[-145, 0.50]");
        assert_eq!(difference_interval(limits), "[-145, +0.50]");
        assert_eq!(magnitude(2.13e-5), "2.1e-5");
        assert_eq!(magnitude(0.0213), "0.021");
        assert_eq!(magnitude(0.0), "0");
        assert_eq!(value(0.123456), "0.1235");
        assert_eq!(value(-12.3456), "-12.35");
        assert_eq!(value(123_456.7), "123457");
        assert_eq!(value(1.5e-7), "1.500e-7");
        assert_eq!(value(0.0), "0");
        assert_eq!(seconds(0.4567), "0.46");
        assert_eq!(seconds(12.6), "13");
        assert_eq!(probability(1e-9), "<0.001");
        assert_eq!(percentage(0.0), "0%");
        assert_eq!(percentage(0.004), "<1%");
        assert_eq!(percentage(0.01), "1%");
        assert_eq!(percentage(0.95), "95%");
        assert_eq!(percentage(0.99), "99%");
        assert_eq!(percentage(0.996), ">99%");
        assert_eq!(percentage(1.0), "100%");
        assert_eq!(count(1, "task"), "1 task");
        assert_eq!(count(54_600, "black box"), "54,600 black boxes");
    }
}
