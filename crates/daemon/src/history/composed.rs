//! Parts put together for `chat.part`: kept for a moment, so that the windows of a long one cost no more than its length.

use std::time::{Duration, Instant};

use pupitre_protocol::MessageId;
use pupitre_protocol::conversation::PartReply;
use pupitre_protocol::limits::PART_WINDOW_BYTES;

/// A part of which no window was asked for so long is let go.
const UNUSED: Duration = Duration::from_secs(30);

/// The part that was put together last.
#[derive(Debug, Default)]
pub(super) struct Composed {
    last: Option<Last>,
}

#[derive(Debug)]
struct Last {
    message: MessageId,
    index: u32,
    json: String,
    used: Instant,
}

impl Composed {
    /// Returns the window at `offset`. A window at 0 sees the part as it is now, the ones after that the same text,
    /// so that together they are one JSON value whatever the agent changes in between.
    pub(super) fn window<Error>(
        &mut self,
        message: MessageId,
        index: u32,
        offset: u64,
        compose: impl FnOnce() -> Result<Option<String>, Error>,
    ) -> Result<Option<PartReply>, Error> {
        let kept = self
            .last
            .take()
            .filter(|last| offset > 0 && (last.message, last.index) == (message, index));
        let json = match kept {
            Some(last) => last.json,
            None => match compose()? {
                Some(json) => json,
                None => return Ok(None),
            },
        };
        let window = window(&json, offset);
        if window.next.is_some() {
            self.last = Some(Last {
                message,
                index,
                json,
                used: Instant::now(),
            });
        }
        Ok(Some(window))
    }

    pub(super) fn forget_unused(&mut self, now: Instant) {
        if self.forget_at().is_some_and(|at| at <= now) {
            self.last = None;
        }
    }

    /// Returns when the part that is kept is to be let go.
    pub(super) fn forget_at(&self) -> Option<Instant> {
        self.last.as_ref().map(|last| last.used + UNUSED)
    }
}

fn window(json: &str, offset: u64) -> PartReply {
    let start = usize::try_from(offset).map_or(json.len(), |offset| json.floor_char_boundary(offset));
    let rest = &json[start..];
    let piece = &rest[..rest.floor_char_boundary(PART_WINDOW_BYTES)];
    let next = (piece.len() < rest.len()).then_some((start + piece.len()) as u64);
    PartReply {
        json: piece.to_owned(),
        bytes: json.len() as u64,
        next,
    }
}
