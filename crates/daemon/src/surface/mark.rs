//! Marks: moments of a surface, opaque to whoever holds one.

use pupitre_protocol::{ConversationId, Epoch, ErrorKind, MessageId, RpcError, SurfaceId};
use pupitre_terminal::LineNumber;

use crate::pane::PaneState;

/// A moment of a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) surface: SurfaceId,
    /// The output generation of a pane; what was published of a conversation.
    pub(crate) generation: u64,
    pub(crate) state_seq: u64,
    /// Where a conversation stood; none for a pane, and for a conversation without messages.
    pub(crate) place: Option<Place>,
    /// The line of a pane in which its cursor was, unless that was on the alternate screen.
    pub(crate) line: Option<LineNumber>,
}

/// Where a conversation stood: its newest message, and how much text of that there was, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) conversation: ConversationId,
    pub(crate) message: MessageId,
    pub(crate) bytes: usize,
}

impl Mark {
    /// Returns a mark of a pane, for now.
    pub(crate) fn of_pane(surface: SurfaceId, state: &PaneState) -> Self {
        let pupitre_terminal::Mark { generation, line } = state.screen.mark();
        Self {
            surface,
            generation,
            state_seq: state.standing().state_seq,
            place: None,
            line,
        }
    }

    /// Reads a mark of a pane.
    ///
    /// # Errors
    ///
    /// As `parse`, and when it is of a moment that has not come.
    pub(crate) fn parse_of_pane(
        text: &str,
        epoch: &Epoch,
        surface: SurfaceId,
        state: &PaneState,
    ) -> Result<Self, RpcError> {
        let mark = Self::parse(text, epoch, surface)?;
        if mark.generation > state.screen.generation() {
            let why = "the mark is of a moment that has not come: give one as it was printed";
            return Err(RpcError::new(ErrorKind::InvalidParams, why.to_owned()));
        }
        Ok(mark)
    }

    /// Writes the mark. It is good in this run of the daemon.
    pub(crate) fn to_text(&self, epoch: &Epoch) -> String {
        let Self {
            surface,
            generation,
            state_seq,
            place,
            line,
        } = self;
        let mut text = format!("{epoch}.{surface}.{generation}.{state_seq}");
        if let Some(LineNumber(line)) = line {
            text.push_str(&format!(".{line}"));
        }
        if let Some(Place {
            conversation,
            message,
            bytes,
        }) = place
        {
            text.push_str(&format!(".{conversation}.{message}.{bytes}"));
        }
        text
    }

    /// Reads a mark of this surface.
    ///
    /// # Errors
    ///
    /// `invalid_params` when it is none, belongs to another surface or to an earlier run of the daemon.
    pub(crate) fn parse(text: &str, epoch: &Epoch, surface: SurfaceId) -> Result<Self, RpcError> {
        let wrong = |why: String| RpcError::new(ErrorKind::InvalidParams, why);
        let no_mark =
            || wrong("this is no mark: give one as `status`, `read`, `wait` or `send` printed it".to_owned());
        let parts: Vec<&str> = text.split('.').collect();
        let [mark_epoch, of, generation, state_seq, place @ ..] = parts.as_slice() else {
            return Err(no_mark());
        };
        let mark = Self {
            surface: SurfaceId(of.parse().map_err(|_| no_mark())?),
            generation: generation.parse().map_err(|_| no_mark())?,
            state_seq: state_seq.parse().map_err(|_| no_mark())?,
            line: match place {
                [line] => Some(LineNumber(line.parse().map_err(|_| no_mark())?)),
                _ => None,
            },
            place: match place {
                [] | [_] => None,
                [conversation, message, bytes] => Some(Place {
                    conversation: conversation.parse().map_err(|_| no_mark())?,
                    message: message.parse().map_err(|_| no_mark())?,
                    bytes: bytes.parse().map_err(|_| no_mark())?,
                }),
                _ => return Err(no_mark()),
            },
        };
        if *mark_epoch != epoch.0 {
            return Err(wrong(
                "the mark is of an earlier run of the daemon: what came after it can no longer be told"
                    .to_owned(),
            ));
        }
        if mark.surface != surface {
            return Err(wrong(format!(
                "the mark is of surface {}, not of {surface}",
                mark.surface
            )));
        }
        Ok(mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written_and_nothing_else_is_one() {
        let epoch = Epoch("e1".to_owned());
        let surface = SurfaceId(7);
        let plain = Mark {
            surface,
            generation: 12,
            state_seq: 3,
            place: None,
            line: None,
        };
        let placed = Mark {
            place: Some(Place {
                conversation: ConversationId(uuid::Uuid::now_v7()),
                message: MessageId(uuid::Uuid::now_v7()),
                bytes: 40,
            }),
            ..plain.clone()
        };
        let in_line = Mark {
            line: Some(LineNumber(41)),
            ..plain.clone()
        };
        for mark in [plain.clone(), placed, in_line] {
            assert_eq!(Mark::parse(&mark.to_text(&epoch), &epoch, surface), Ok(mark));
        }
        let text = plain.to_text(&epoch);
        let kind = |text: &str, epoch: &Epoch, surface| {
            Mark::parse(text, epoch, surface).expect_err("it is none").kind()
        };
        let invalid = Some(ErrorKind::InvalidParams);
        for no_mark in [
            "",
            "e1",
            "e1.7.12",
            "e1.7.x.3",
            "e1.7.12.3.x",
            "e1.7.12.3.4.5",
            "e1.7.12.3.a.b.c",
        ] {
            assert_eq!(kind(no_mark, &epoch, surface), invalid, "{no_mark}");
        }
        assert_eq!(kind(&text, &Epoch("e2".to_owned()), surface), invalid);
        assert_eq!(kind(&text, &epoch, SurfaceId(8)), invalid);
    }
}
