//! Going on from a snapshot: a stream is cut, and a fresh screen takes over at the cut.

use std::time::Instant;

use pupitre_terminal::Size;

use crate::differential::{screens_difference, snapshot_difference, unbounded};
use crate::stream::Random;

/// Of how many cuts one is followed to the end of the stream.
const FOLLOWED: usize = 8;

/// Cuts `bytes` at `cuts` random places. At each, a fresh screen that is fed the snapshot must be the same, also when
/// the screen was folded before; at some, it must be the same at the end of the stream too.
///
/// # Errors
///
/// What differs first, and where.
pub(crate) fn take_over(name: &str, size: Size, bytes: &[u8], cuts: usize) -> Result<(), String> {
    let mut random = Random::new(bytes.len() as u64);
    let mut places: Vec<usize> = (0..cuts).map(|_| random.below(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    let now = Instant::now();
    let mut whole = unbounded(size);
    whole.feed(bytes, now);
    let (mut screen, mut fed) = (unbounded(size), 0);
    for (index, cut) in places.into_iter().enumerate() {
        screen.feed(&bytes[fed..cut], now);
        fed = cut;
        if index % 3 == 1 {
            screen.freeze();
        }
        let differs = |difference: String, when: &str| format!("{name}, cut at {cut}, {when}: {difference}");
        if let Some(difference) = snapshot_difference(&screen) {
            return Err(differs(difference, "at once"));
        }
        if index % FOLLOWED == 0 {
            let mut fresh = unbounded(size);
            fresh.feed(&screen.snapshot(), now);
            fresh.feed(&bytes[cut..], now);
            if let Some(difference) = screens_difference(&whole, &fresh) {
                return Err(differs(difference, "at the end"));
            }
        }
    }
    Ok(())
}
