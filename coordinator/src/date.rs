//! Dates for people.

use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: u64 = 86_400;

/// "2026-11-22 05:58 UTC".
pub(crate) fn describe_date(time: SystemTime) -> String {
    let Moment { date, time, .. } = Moment::of(time);
    format!("{date} {time} UTC")
}

/// "2026-11-22T05:58:31Z".
pub(crate) fn iso_8601(time: SystemTime) -> String {
    let Moment {
        date,
        time,
        seconds,
    } = Moment::of(time);
    format!("{date}T{time}:{seconds:02}Z")
}

/// "05:58:31", in UTC.
pub(crate) fn time_of_day(time: SystemTime) -> String {
    let Moment { time, seconds, .. } = Moment::of(time);
    format!("{time}:{seconds:02}")
}

/// A time in UTC.
struct Moment {
    date: String,
    /// Hours and minutes.
    time: String,
    seconds: u64,
}

impl Moment {
    fn of(time: SystemTime) -> Self {
        let since_1970 = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = since_1970.as_secs();
        let (year, month, day) = civil_date(seconds / SECONDS_PER_DAY);
        Self {
            date: format!("{year:04}-{month:02}-{day:02}"),
            time: format!("{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60),
            seconds: seconds % 60,
        }
    }
}

/// Year, month and day of a day that is counted from 1970-01-01.
fn civil_date(days: u64) -> (u64, u64, u64) {
    // Years begin in March here, so that the day that is there in some years only is the last one. 400 years
    // have 146,097 days. See Neri and Schneider, Euclidean affine functions and their application to calendar
    // algorithms, 2023.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // From `date -u -d @SECONDS`.
        for (seconds, expected) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_399, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (1_735_689_599, "2024-12-31 23:59 UTC"),
            (1_763_791_200, "2025-11-22 06:00 UTC"),
            (4_107_542_400, "2100-03-01 00:00 UTC"),
        ] {
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            assert_eq!(describe_date(time), expected);
        }
        let time = UNIX_EPOCH + Duration::from_secs(951_782_399);
        assert_eq!(iso_8601(time), "2000-02-28T23:59:59Z");
    }
}
