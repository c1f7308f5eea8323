//! Times as people read them: in their own time zone.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Returns the day and the minute.
pub(crate) fn day_and_minute(epoch_ms: u64) -> String {
    format(epoch_ms, "%Y-%m-%d %H:%M")
}

/// Returns the time of day with milliseconds.
pub(crate) fn time_of_day(epoch_ms: u64) -> String {
    format(epoch_ms, "%H:%M:%S%.3f")
}

fn format(epoch_ms: u64, pattern: &str) -> String {
    let timestamp = i64::try_from(epoch_ms)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    match timestamp {
        Some(timestamp) => timestamp
            .to_zoned_datetime(TimeZone::system())
            .strftime(pattern)
            .to_string(),
        // A time far outside of the calendar is still shown for what it is.
        None => format!("{epoch_ms} ms"),
    }
}
