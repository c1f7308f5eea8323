//! Where the daemon's times and ids come from.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use pupitre_model::conversation::Stamps;
use uuid::Uuid;

/// The clock on the wall, and ids made from it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SystemStamps;

impl Stamps for SystemStamps {
    fn now_ms(&mut self) -> u64 {
        epoch_ms()
    }

    fn new_id(&mut self) -> Uuid {
        Uuid::now_v7()
    }
}

/// Returns the time in epoch milliseconds; 0 when the clock stands before 1970.
pub(crate) fn epoch_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Returns the milliseconds of a clock that never goes back, for deadlines.
pub(crate) fn steady_ms() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let start = START.get_or_init(Instant::now);
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}
