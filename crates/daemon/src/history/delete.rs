//! Deleting a conversation for good: its rows, its words in the index, and what the file still has of them.
//!
//! Taking words out of the index is slow work, word by word. It is done some messages at a time, so that whoever reads or
//! writes in between does not wait for all of it.

use pupitre_protocol::{AgentName, ConversationId, MessageId};
use rusqlite::{OptionalExtension, TransactionBehavior, params};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::search::TAKE_OUT;
use super::store::Store;
use super::{History, HistoryError, Job};

/// The words of so many messages are taken out of the index at a time.
const MESSAGES: i64 = 50;

const NEXT_MESSAGES: &str = "
    SELECT m.key, m.id FROM message m JOIN conversation c ON c.key = m.conversation
    WHERE c.id = ?1 AND m.id > ?2 ORDER BY m.id LIMIT ?3";
const OUT_OF_INDEX: &str = "
    DELETE FROM said WHERE rowid IN (SELECT key FROM message WHERE conversation = ?1)";

impl History {
    /// Deletes a conversation and returns whose it was, `None` when there is none; returns when the file has nothing of it.
    pub(crate) async fn delete(&self, id: ConversationId) -> Result<Option<AgentName>, HistoryError> {
        let mut done_to = Some(MessageId(Uuid::nil()));
        while let Some(after) = done_to {
            let (respond, answer) = oneshot::channel();
            done_to = self.ask(Job::Unindex { id, after, respond }, answer).await?;
        }
        let (respond, answer) = oneshot::channel();
        self.ask(Job::Delete(id, respond), answer).await
    }
}

impl Store {
    /// Takes the next messages out of the index, and returns the last of them; `None` when there are no more.
    pub(super) fn unindex(
        &mut self,
        id: ConversationId,
        after: MessageId,
    ) -> rusqlite::Result<Option<MessageId>> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut last = None;
        {
            let mut next = transaction.prepare_cached(NEXT_MESSAGES)?;
            let mut rows = next.query(params![id.0.as_bytes(), after.0.as_bytes(), MESSAGES])?;
            let mut take_out = transaction.prepare_cached(TAKE_OUT)?;
            while let Some(row) = rows.next()? {
                take_out.execute([row.get::<_, i64>(0)?])?;
                last = Some(MessageId(super::read::uuid(row, 1)?));
            }
        }
        transaction.commit()?;
        Ok(last)
    }

    pub(super) fn delete(&mut self, id: ConversationId) -> rusqlite::Result<Option<AgentName>> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found: Option<(i64, AgentName)> = transaction
            .query_row(
                "SELECT key, agent FROM conversation WHERE id = ?1",
                [id.0.as_bytes()],
                |row| Ok((row.get(0)?, super::read::agent(row, 1)?)),
            )
            .optional()?;
        if let Some((key, _)) = &found {
            // What was written since.
            transaction.execute(OUT_OF_INDEX, [key])?;
            // Messages, parts, texts and requests go with it.
            transaction.execute("DELETE FROM conversation WHERE key = ?1", [key])?;
        }
        transaction.execute("DELETE FROM session WHERE conversation = ?1", [id.0.as_bytes()])?;
        transaction.commit()?;
        self.drop_leftovers()?;
        Ok(found.map(|(_, agent)| agent))
    }

    /// Gives back pages that nothing uses, and empties the log, which still has what was written before.
    fn drop_leftovers(&self) -> rusqlite::Result<()> {
        self.connection.execute_batch("PRAGMA incremental_vacuum")?;
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    }
}
