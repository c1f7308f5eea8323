//! One measured figure, as a line of JSON for `cargo xtask bench terminal`.

use serde_json::{Value, json};

/// What was measured, in seconds or bytes.
pub(crate) enum Measured {
    Seconds(Vec<f64>),
    /// That many percent of the times are not longer than what counts.
    Percentile(u8, Vec<f64>),
    Bytes(isize),
}

impl Measured {
    fn to_json(&self) -> Value {
        match self {
            Self::Seconds(times) => json!({"seconds": times}),
            Self::Percentile(percent, times) => json!({"seconds": times, "percentile": percent}),
            Self::Bytes(bytes) => json!({"bytes": bytes}),
        }
    }
}

/// The figure to reach.
pub(crate) enum AtMost {
    TimesPeer(f64),
    Seconds(f64),
    Bytes(isize),
}

/// Prints a figure. `peer` is what stands beside it, by its name.
#[expect(clippy::print_stdout, reason = "an example tells what it measures")]
pub(crate) fn print(
    what: &str,
    measured: &Measured,
    peer: Option<(&str, &Measured)>,
    at_most: Option<AtMost>,
) {
    let peer = peer.map(|(what, measured)| json!({"what": what, "measured": measured.to_json()}));
    let at_most = at_most.map(|at_most| match at_most {
        AtMost::TimesPeer(times) => json!({"times_peer": times}),
        AtMost::Seconds(seconds) => json!({"seconds": seconds}),
        AtMost::Bytes(bytes) => json!({"bytes": bytes}),
    });
    println!(
        "{}",
        json!({"what": what, "measured": measured.to_json(), "peer": peer, "at_most": at_most})
    );
}
