//! One line of the table: what was measured, beside what, and the figure to reach.

use std::fmt;
use std::time::Duration;

use super::process::Spread;

/// One measured figure.
pub(super) struct Row {
    /// The name of the benchmark that made it.
    pub(super) name: &'static str,
    pub(super) what: String,
    pub(super) value: Value,
    pub(super) peer: Option<Peer>,
    pub(super) reach: Reach,
}

impl Row {
    /// Returns a figure with nothing beside it.
    pub(super) fn alone(name: &'static str, what: impl Into<String>, value: Value, reach: Reach) -> Self {
        Self {
            name,
            what: what.into(),
            value,
            peer: None,
            reach,
        }
    }
}

/// Something else that does the same, measured in the same run.
pub(super) struct Peer {
    pub(super) what: String,
    pub(super) value: Value,
}

/// A measured amount; less is better for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Bytes(u64),
    Time(Spread),
    /// A time of which the least counts: what else the machine does can only add to it.
    LeastTime(Spread),
    Percentile(Percentile),
}

/// The time that so many percent of several times do not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Percentile {
    percent: u8,
    time: Duration,
    /// How many times there were.
    among: usize,
}

impl Percentile {
    /// Returns the percentile of `times` by the nearest rank; nothing when there are none.
    pub(super) fn of(percent: u8, mut times: Vec<Duration>) -> Option<Self> {
        times.sort();
        let rank = (times.len() * usize::from(percent)).div_ceil(100);
        Some(Self {
            percent,
            time: *times.get(rank.saturating_sub(1))?,
            among: times.len(),
        })
    }
}

/// The figure to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reach {
    AtMostBytes(u64),
    AtMostTime(Duration),
    /// Times what the peer needs, by the medians or by the least.
    AtMostTimesPeer(f64),
    /// Shown for whoever compares two versions; no figure was set.
    NotSet,
}

/// Whether the figure was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Reached,
    Missed,
    /// No figure was set, or there was nothing of the same kind to compare with.
    None,
}

impl Row {
    /// Returns the value divided by the peer's.
    pub(super) fn ratio(&self) -> Option<f64> {
        let peer = self.peer.as_ref()?;
        match (self.value, peer.value) {
            (Value::Bytes(ours), Value::Bytes(theirs)) => Some(ours as f64 / theirs as f64),
            (Value::Time(ours), Value::Time(theirs)) => {
                Some(ours.median.as_secs_f64() / theirs.median.as_secs_f64())
            }
            (Value::LeastTime(ours), Value::LeastTime(theirs)) => {
                Some(ours.least.as_secs_f64() / theirs.least.as_secs_f64())
            }
            (Value::Percentile(ours), Value::Percentile(theirs)) if ours.percent == theirs.percent => {
                Some(ours.time.as_secs_f64() / theirs.time.as_secs_f64())
            }
            (Value::Bytes(_) | Value::Time(_) | Value::LeastTime(_) | Value::Percentile(_), _) => None,
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        let reached = match (self.reach, self.value) {
            (Reach::AtMostBytes(limit), Value::Bytes(bytes)) => Some(bytes <= limit),
            (Reach::AtMostTime(limit), Value::Time(times)) => Some(times.median <= limit),
            (Reach::AtMostTime(limit), Value::LeastTime(times)) => Some(times.least <= limit),
            (Reach::AtMostTime(limit), Value::Percentile(percentile)) => Some(percentile.time <= limit),
            (Reach::AtMostTimesPeer(limit), _) => self.ratio().map(|ratio| ratio <= limit),
            (Reach::AtMostBytes(_), Value::Time(_) | Value::LeastTime(_) | Value::Percentile(_))
            | (Reach::AtMostTime(_), Value::Bytes(_))
            | (Reach::NotSet, _) => None,
        };
        match reached {
            Some(true) => Verdict::Reached,
            Some(false) => Verdict::Missed,
            None => Verdict::None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(formatter, "{}", megabytes(*bytes)),
            Self::Time(Spread { least, median, most }) => {
                write!(
                    formatter,
                    "{} ({} to {})",
                    time(*median),
                    time(*least),
                    time(*most)
                )
            }
            Self::Percentile(Percentile {
                percent,
                time: value,
                among,
            }) => write!(formatter, "{} p{percent} of {among}", time(*value)),
            Self::LeastTime(Spread { least, median, most }) => {
                write!(
                    formatter,
                    "{} least, {} median, {} most",
                    time(*least),
                    time(*median),
                    time(*most)
                )
            }
        }
    }
}

impl fmt::Display for Reach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMostBytes(limit) => write!(formatter, "at most {}", megabytes(*limit)),
            Self::AtMostTime(limit) => write!(formatter, "at most {}", time(*limit)),
            Self::AtMostTimesPeer(limit) => write!(formatter, "at most {limit} × the peer"),
            Self::NotSet => Ok(()),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Reached => "reached",
            Self::Missed => "MISSED",
            Self::None => "",
        })
    }
}

fn megabytes(bytes: u64) -> String {
    if bytes < 1_000_000 {
        format!("{:.1} kB", bytes as f64 / 1e3)
    } else {
        format!("{:.2} MB", bytes as f64 / 1e6)
    }
}

fn time(duration: Duration) -> String {
    let milliseconds = duration.as_secs_f64() * 1e3;
    if milliseconds < 0.1 {
        format!("{:.1} µs", milliseconds * 1e3)
    } else if milliseconds < 1000.0 {
        format!("{milliseconds:.2} ms")
    } else {
        format!("{:.2} s", milliseconds / 1e3)
    }
}
