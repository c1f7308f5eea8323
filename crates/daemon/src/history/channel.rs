//! What was said in channels. Seldom and small, so that it is written at once and not gathered.

use pupitre_protocol::ChannelEntryId;
use pupitre_protocol::channel::{ChannelEntry, ChannelMessagesReply};
use pupitre_protocol::limits::REPLY_BYTES;
use rusqlite::{Row, params};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::store::Store;
use super::word::{from_json, integer, natural};
use super::{History, HistoryError, Job, Respond};

/// What a list of entries may weigh in a reply.
const LIST_BYTES: usize = REPLY_BYTES / 2;

const ADD: &str = "
    INSERT INTO channel_entry (id, config, channel, created_at, text, answers) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
const NEWEST: &str = "
    SELECT id, created_at, text, answers FROM channel_entry WHERE config = ?1 AND channel = ?2 ORDER BY id DESC";

/// A channel of one configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) config: String,
    pub(crate) channel: String,
}

/// What is asked about channels.
pub(super) enum ChannelJob {
    Add(Room, ChannelEntry, Respond<()>),
    Entries(Room, Respond<ChannelMessagesReply>),
}

impl History {
    /// Keeps an entry; returns when it is written.
    pub(crate) async fn add_channel_entry(
        &self,
        room: Room,
        entry: ChannelEntry,
    ) -> Result<(), HistoryError> {
        let (respond, answer) = oneshot::channel();
        self.ask(Job::Channel(ChannelJob::Add(room, entry, respond)), answer)
            .await
    }

    /// Returns the newest entries of a channel, oldest first, as many as fit into a reply.
    pub(crate) async fn channel_entries(&self, room: Room) -> Result<ChannelMessagesReply, HistoryError> {
        let (respond, answer) = oneshot::channel();
        self.ask(Job::Channel(ChannelJob::Entries(room, respond)), answer)
            .await
    }
}

impl Store {
    pub(super) fn answer_channel(&self, job: ChannelJob) {
        let failed = |error: rusqlite::Error| HistoryError::Failed {
            reason: self.reason(&error),
        };
        // Nobody may be waiting any longer.
        match job {
            ChannelJob::Add(room, entry, respond) => {
                respond
                    .send(self.add_channel_entry(&room, &entry).map_err(failed))
                    .ok();
            }
            ChannelJob::Entries(room, respond) => {
                respond.send(self.channel_entries(&room).map_err(failed)).ok();
            }
        }
    }

    fn add_channel_entry(&self, room: &Room, entry: &ChannelEntry) -> rusqlite::Result<()> {
        let answers = serde_json::to_string(&entry.answers).expect("answers have string keys");
        self.connection.prepare_cached(ADD)?.execute(params![
            entry.id.0.as_bytes(),
            room.config,
            room.channel,
            integer(entry.created_at),
            entry.text,
            answers
        ])?;
        Ok(())
    }

    fn channel_entries(&self, room: &Room) -> rusqlite::Result<ChannelMessagesReply> {
        let mut statement = self.connection.prepare_cached(NEWEST)?;
        let mut rows = statement.query(params![room.config, room.channel])?;
        let mut entries = Vec::new();
        let mut bytes = 0;
        let mut truncated = false;
        while let Some(row) = rows.next()? {
            let entry = entry(row)?;
            bytes += 2 * entry.text.len() + 200 * (1 + entry.answers.len());
            if bytes > LIST_BYTES && !entries.is_empty() {
                truncated = true;
                break;
            }
            entries.push(entry);
        }
        entries.reverse();
        Ok(ChannelMessagesReply { entries, truncated })
    }
}

fn entry(row: &Row<'_>) -> rusqlite::Result<ChannelEntry> {
    let id: [u8; 16] = row.get(0)?;
    let answers: String = row.get(3)?;
    Ok(ChannelEntry {
        id: ChannelEntryId(Uuid::from_bytes(id)),
        created_at: natural(row.get(1)?),
        text: row.get(2)?,
        answers: from_json(3, &answers)?,
    })
}
