//! Exporting a conversation: window by window, one message in memory at a time.

use pupitre_model::conversation::compose;
use pupitre_protocol::ConversationId;
use pupitre_protocol::conversation::{ExportFormat, ExportPlace, ExportReply, Message};
use pupitre_protocol::limits::EXPORT_WINDOW_BYTES;
use rusqlite::params;
use uuid::Uuid;

use super::document::{self, Position};
use super::store::Store;
use super::{History, HistoryError, Read};

const OLDEST: &str = "
    SELECT m.key, m.id, m.rev, m.created_at, m.role, m.turn, m.done, m.queued, m.stop_reason, m.error, m.code, m.cause
    FROM message m WHERE m.conversation = ?1 AND m.id >= ?2 ORDER BY m.id";
const HAS_OLDER: &str = "SELECT EXISTS (SELECT 1 FROM message WHERE conversation = ?1 AND id < ?2)";

impl History {
    /// Returns a window of a conversation's document; `None` when there is no such conversation.
    pub(crate) async fn export(
        &self,
        id: ConversationId,
        format: ExportFormat,
        from: Option<ExportPlace>,
    ) -> Result<Option<ExportReply>, HistoryError> {
        self.read(|respond| Read::Export {
            id,
            format,
            from,
            respond,
        })
        .await
    }
}

impl Store {
    pub(super) fn export(
        &self,
        id: ConversationId,
        format: ExportFormat,
        from: Option<ExportPlace>,
    ) -> rusqlite::Result<Option<ExportReply>> {
        let Some((key, summary)) = self.summary_of(id)? else {
            return Ok(None);
        };
        let mut text = match from {
            None => document::head(format, &summary),
            Some(_) => String::new(),
        };
        let first = from.map_or(Uuid::nil(), |place| place.message.0);
        let mut position = match self.has_older(key, first)? {
            true => Position::Later,
            false => Position::First,
        };
        let mut statement = self.connection.prepare_cached(OLDEST)?;
        let mut rows = statement.query(params![key, first.as_bytes()])?;
        while let Some(row) = rows.next()? {
            let mut message = self.message_of(row, &summary.agent, id)?;
            self.complete(row.get(0)?, &mut message)?;
            let written = document::message(format, &message, position);
            position = Position::Later;
            let before = from
                .filter(|place| place.message == message.id)
                .map_or(0, |place| usize::try_from(place.offset).unwrap_or(usize::MAX));
            let rest = &written[written.floor_char_boundary(before)..];
            let piece = &rest[..rest.floor_char_boundary(EXPORT_WINDOW_BYTES - text.len())];
            text.push_str(piece);
            if piece.len() < rest.len() {
                let next = Some(ExportPlace {
                    message: message.id,
                    offset: (written.len() - rest.len() + piece.len()) as u64,
                });
                return Ok(Some(ExportReply { text, next }));
            }
        }
        text.push_str(document::tail(format));
        Ok(Some(ExportReply { text, next: None }))
    }

    fn has_older(&self, conversation: i64, message: Uuid) -> rusqlite::Result<bool> {
        self.connection
            .prepare_cached(HAS_OLDER)?
            .query_row(params![conversation, message.as_bytes()], |row| row.get(0))
    }

    /// Puts the whole of every field into a message that shows it cut.
    fn complete(&self, key: i64, message: &mut Message) -> rusqlite::Result<()> {
        for (index, part) in (0..).zip(&mut message.parts) {
            let wholes = self.wholes(key, index)?;
            if !wholes.is_empty() {
                *part = compose(part.clone(), wholes);
            }
        }
        Ok(())
    }
}
