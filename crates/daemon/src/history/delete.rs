//! Deleting a conversation for good: its rows, its words in the index, and what the file still has of them.
//!
//! Theory of operation: all of it goes in steps, each a job of its own, so that whoever reads or writes in between waits
//! for one step and not for all. Words leave the index in one of two ways. The index can take out one word of one message
//! at once, which costs a search for its place: cheap for few messages. Or it notes the messages as gone, and then is
//! written anew without them, a few pages at a time: that costs in proportion to the whole index, but far less for each
//! message. The words are gone before the first row is. From then on the conversation is in no list; when the daemon
//! ends before the last row is gone, the next start finishes that.

use std::ops::ControlFlow;

use pupitre_protocol::{AgentName, ConversationId, MessageId};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::search::TAKE_OUT;
use super::store::Store;
use super::{History, HistoryError, Job};

/// The words of so many messages are taken out of the index, one by one, in one step.
const WORD_BY_WORD_MESSAGES: i64 = 50;
/// So many messages are noted as gone from the index, or their rows deleted, in one step.
const MESSAGES: i64 = 500;
/// So many pages of the index are written anew in one step.
const INDEX_PAGES: i64 = 16;
/// So many pages that nothing uses are given back in one step.
const FREE_PAGES: i64 = 128;
/// Taking the words of a message out one by one takes as long as writing the index of so many messages anew.
const WORTH_OF_ONE: i64 = 32;

const SHARE: &str = "
    SELECT max(total, 0), (SELECT total(max(total, 0)) FROM conversation) FROM conversation WHERE id = ?1";
const NEXT_MESSAGES: &str = "
    SELECT m.key, m.id FROM message m JOIN conversation c ON c.key = m.conversation
    WHERE c.id = ?1 AND m.id > ?2 ORDER BY m.id LIMIT ?3";
/// Tells the index whether words that are deleted leave it at once.
const AT_ONCE: &str = "INSERT INTO said (said, rank) VALUES ('secure-delete', ?1)";
/// Below 0 it begins to write all of the index anew, above it goes on with what was begun; by so many pages.
const WRITE_ANEW: &str = "INSERT INTO said (said, rank) VALUES ('merge', ?1)";
/// A negative number of messages says that the conversation is being deleted.
const HIDE: &str = "UPDATE conversation SET total = -1 WHERE key = ?1 AND total >= 0";
const BEGUN: &str = "SELECT id FROM conversation WHERE total < 0";
const OUT_OF_INDEX: &str = "
    DELETE FROM said WHERE rowid IN (SELECT key FROM message WHERE conversation = ?1 ORDER BY id LIMIT ?2)";
/// Parts and texts go with the messages.
const ROWS: &str = "
    DELETE FROM message WHERE key IN (SELECT key FROM message WHERE conversation = ?1 ORDER BY id LIMIT ?2)";

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    Begin,
    /// Taking out, word by word, the messages after this one.
    WordByWord {
        after: MessageId,
    },
    /// Noting as gone the messages after this one.
    NoteGone {
        after: MessageId,
    },
    BeginAnew,
    GoOnAnew,
    Rows,
    /// Giving back what the file does not use any more.
    Leftovers(AgentName),
}

/// What a step leads to; in the end, whose conversation it was.
pub(super) type Step = ControlFlow<Option<AgentName>, Stage>;

impl History {
    /// Deletes a conversation and returns whose it was, `None` when there is none; returns when the file has nothing of it.
    pub(crate) async fn delete(&self, id: ConversationId) -> Result<Option<AgentName>, HistoryError> {
        let mut stage = Stage::Begin;
        loop {
            let (respond, answer) = oneshot::channel();
            match self.ask(Job::Delete { id, stage, respond }, answer).await? {
                ControlFlow::Continue(next) => stage = next,
                ControlFlow::Break(agent) => return Ok(agent),
            }
        }
    }
}

impl Store {
    /// Does one step, all of it or nothing.
    pub(super) fn delete(&mut self, id: ConversationId, stage: Stage) -> rusqlite::Result<Step> {
        match stage {
            Stage::Begin => self.choose(id).map(ControlFlow::Continue),
            Stage::WordByWord { after } => {
                let last = self.in_transaction(|connection| {
                    out_of_index_after(connection, id, after, WORD_BY_WORD_MESSAGES)
                })?;
                Ok(ControlFlow::Continue(match last {
                    Some(after) => Stage::WordByWord { after },
                    None => Stage::Rows,
                }))
            }
            Stage::NoteGone { after } => {
                let last = self.in_transaction(|connection| note_gone(connection, id, after))?;
                Ok(ControlFlow::Continue(match last {
                    Some(after) => Stage::NoteGone { after },
                    None => Stage::BeginAnew,
                }))
            }
            Stage::BeginAnew => self.write_anew(-INDEX_PAGES).map(ControlFlow::Continue),
            Stage::GoOnAnew => self.write_anew(INDEX_PAGES).map(ControlFlow::Continue),
            Stage::Rows => self.in_transaction(|connection| rows(connection, id)),
            Stage::Leftovers(agent) => self.give_back(agent),
        }
    }

    /// Chooses how the words leave the index.
    fn choose(&self, id: ConversationId) -> rusqlite::Result<Stage> {
        let share: Option<(i64, f64)> = self
            .connection
            .query_row(SHARE, [id.0.as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let after = MessageId(Uuid::nil());
        Ok(match share {
            Some((own, all)) if all < (own * WORTH_OF_ONE) as f64 => Stage::NoteGone { after },
            Some(_) | None => Stage::WordByWord { after },
        })
    }

    /// Writes some pages of the index anew; what was noted as gone stays behind.
    fn write_anew(&mut self, pages: i64) -> rusqlite::Result<Stage> {
        let before = self.connection.total_changes();
        self.in_transaction(|connection| {
            connection.prepare_cached(WRITE_ANEW)?.execute([pages])?;
            Ok(())
        })?;
        // The command itself counts as one change; more say that there was something to do.
        // Source: https://sqlite.org/fts5.html#the_merge_command
        let is_done = self.connection.total_changes() - before < 2;
        Ok(if is_done { Stage::Rows } else { Stage::GoOnAnew })
    }

    /// Gives back some of the pages that nothing uses; after the last, empties the log, which still has what was written before.
    fn give_back(&mut self, agent: AgentName) -> rusqlite::Result<Step> {
        let unused = |connection: &Connection| {
            connection.query_row("PRAGMA freelist_count", [], |row| row.get::<_, i64>(0))
        };
        let before = unused(&self.connection)?;
        {
            let mut statement = self
                .connection
                .prepare(&format!("PRAGMA incremental_vacuum({FREE_PAGES})"))?;
            let mut rows = statement.query([])?;
            // Each row is one page.
            while rows.next()?.is_some() {}
        }
        let after = unused(&self.connection)?;
        if after > 0 && after < before {
            return Ok(ControlFlow::Continue(Stage::Leftovers(agent)));
        }
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(ControlFlow::Break(Some(agent)))
    }

    /// Finishes deletions that the end of a daemon cut off.
    pub(super) fn finish_deletions(&mut self) -> rusqlite::Result<()> {
        let begun = self.begun_deletions()?;
        for id in begun {
            let mut stage = Stage::Rows;
            while let ControlFlow::Continue(next) = self.delete(id, stage)? {
                stage = next;
            }
        }
        Ok(())
    }

    fn begun_deletions(&self) -> rusqlite::Result<Vec<ConversationId>> {
        let mut statement = self.connection.prepare(BEGUN)?;
        let ids = statement.query_map([], |row| super::read::uuid(row, 0).map(ConversationId))?;
        ids.collect()
    }

    fn in_transaction<Answer>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<Answer>,
    ) -> rusqlite::Result<Answer> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let answer = work(&transaction)?;
        transaction.commit()?;
        Ok(answer)
    }
}

/// Takes the next messages out of the index, and returns the last of them; `None` when there are no more.
fn out_of_index_after(
    connection: &Connection,
    id: ConversationId,
    after: MessageId,
    messages: i64,
) -> rusqlite::Result<Option<MessageId>> {
    let mut last = None;
    let mut next = connection.prepare_cached(NEXT_MESSAGES)?;
    let mut rows = next.query(params![id.0.as_bytes(), after.0.as_bytes(), messages])?;
    let mut take_out = connection.prepare_cached(TAKE_OUT)?;
    while let Some(row) = rows.next()? {
        take_out.execute([row.get::<_, i64>(0)?])?;
        last = Some(MessageId(super::read::uuid(row, 1)?));
    }
    Ok(last)
}

/// Notes the next messages as gone from the index, and returns the last of them; `None` when there are no more.
fn note_gone(
    connection: &Connection,
    id: ConversationId,
    after: MessageId,
) -> rusqlite::Result<Option<MessageId>> {
    let mut at_once = connection.prepare_cached(AT_ONCE)?;
    at_once.execute([0])?;
    let last = out_of_index_after(connection, id, after, MESSAGES)?;
    // The index takes in what it was told when it is written; until then it goes by what holds at that time.
    connection.prepare_cached(WRITE_ANEW)?.execute([1])?;
    at_once.execute([1])?;
    Ok(last)
}

/// Deletes some messages, and with the last ones the conversation itself.
fn rows(connection: &Connection, id: ConversationId) -> rusqlite::Result<Step> {
    let found: Option<(i64, AgentName)> = connection
        .query_row(
            "SELECT key, agent FROM conversation WHERE id = ?1",
            [id.0.as_bytes()],
            |row| Ok((row.get(0)?, super::read::agent(row, 1)?)),
        )
        .optional()?;
    if let Some((key, agent)) = &found {
        connection.execute(HIDE, [key])?;
        connection.execute("DELETE FROM current WHERE conversation = ?1", [key])?;
        // What was written since.
        connection
            .prepare_cached(OUT_OF_INDEX)?
            .execute([*key, MESSAGES])?;
        let deleted = connection.prepare_cached(ROWS)?.execute([*key, MESSAGES])?;
        if deleted > 0 {
            return Ok(ControlFlow::Continue(Stage::Rows));
        }
        connection.execute("DELETE FROM conversation WHERE key = ?1", [key])?;
        connection.execute("DELETE FROM session WHERE conversation = ?1", [id.0.as_bytes()])?;
        return Ok(ControlFlow::Continue(Stage::Leftovers(agent.clone())));
    }
    connection.execute("DELETE FROM session WHERE conversation = ?1", [id.0.as_bytes()])?;
    Ok(ControlFlow::Break(None))
}
