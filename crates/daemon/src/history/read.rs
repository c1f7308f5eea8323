//! Reading conversations back: never more than was asked for, newest messages first.

use pupitre_model::conversation::{Conversation, Page, Stored, WholeField, compose};
use pupitre_protocol::conversation::{
    ConversationSummary, ConversationView, HistoryReply, Message, Part, PartKind, Usage,
};
use pupitre_protocol::limits::{CONVERSATION_MESSAGES, REPLY_BYTES};
use pupitre_protocol::{AgentName, ConversationId, MessageId};
use rusqlite::types::Type;
use rusqlite::{OptionalExtension, Row, params};
use uuid::Uuid;

use super::TakenUp;
use super::store::Store;
use super::unwritten::part_bytes;
use super::word::{from_json, from_word, is_text, natural};

/// A conversation that is taken up gets no more than so many bytes of messages at first.
const TAKEN_UP_BYTES: usize = 4 << 20;
/// What the list of conversations may weigh in a reply.
const LIST_BYTES: usize = REPLY_BYTES / 2;
/// How much of its first message stands for the title that a conversation does not have, in characters.
const TITLE_CHARACTERS: usize = 80;
/// Comes after every id there is.
const LAST: MessageId = MessageId(Uuid::max());

const CONVERSATION: &str = "
    SELECT c.key, c.id, c.agent, c.cwd, c.title, c.created_at, c.rev, c.total, c.usage, s.session, c.config
    FROM conversation c LEFT JOIN session s ON s.conversation = c.id";
pub(super) const NEWEST: &str = "
    SELECT m.key, m.id, m.rev, m.created_at, m.role, m.turn, m.done, m.queued, m.stop_reason, m.error, m.code, m.cause
    FROM message m WHERE m.conversation = ?1 AND m.id < ?2 ORDER BY m.id DESC";
pub(super) const OLDEST_OPEN: &str = "
    SELECT min(id) FROM message WHERE conversation = ?1 AND (done = 0 OR queued = 1)";
const CONVERSATION_OF: &str = "
    SELECT c.id FROM message m JOIN conversation c ON c.key = m.conversation WHERE m.id = ?1";
const PARTS: &str = "SELECT idx, kind, body FROM part WHERE message = ?1 ORDER BY idx";
pub(super) const PIECES: &str = "SELECT text FROM piece WHERE message = ?1 AND idx = ?2 ORDER BY n";
const PART: &str = "
    SELECT p.message, p.kind, p.body FROM message m JOIN part p ON p.message = m.key WHERE m.id = ?1 AND p.idx = ?2";
const WHOLES: &str = "SELECT field, text FROM whole WHERE message = ?1 AND idx = ?2 ORDER BY field, n";
/// The first text of the first user message is looked up only where there is no title.
pub(super) const LIST: &str = "
    SELECT c.id, c.agent, c.title, c.cwd, c.created_at, c.updated_at, c.total,
        EXISTS (SELECT 1 FROM current WHERE config = ?1 AND agent = c.agent AND conversation = c.key) AS is_current,
        CASE WHEN c.title IS NULL THEN (
            SELECT substr(p.text, 1, 2000) FROM piece p WHERE p.message = (
                SELECT m.key FROM message m WHERE m.conversation = c.key AND m.role = 'user' ORDER BY m.id LIMIT 1
            ) ORDER BY p.idx, p.n LIMIT 1
        ) END,
        c.config
    FROM conversation c WHERE (?2 IS NULL OR c.agent = ?2) ORDER BY c.updated_at DESC, c.key DESC";

const ONE_SUMMARY: &str = "
    SELECT c.id, c.agent, c.title, c.cwd, c.created_at, c.updated_at, c.total,
        EXISTS (SELECT 1 FROM current WHERE config = c.config AND agent = c.agent AND conversation = c.key),
        CASE WHEN c.title IS NULL THEN (
            SELECT substr(p.text, 1, 2000) FROM piece p WHERE p.message = (
                SELECT m.key FROM message m WHERE m.conversation = c.key AND m.role = 'user' ORDER BY m.id LIMIT 1
            ) ORDER BY p.idx, p.n LIMIT 1
        ) END,
        c.config, c.key
    FROM conversation c WHERE c.id = ?1";

/// The row of a conversation.
struct Found {
    key: i64,
    stored: Stored,
    session: Option<String>,
    config: String,
}

impl Store {
    pub(super) fn current(&self, config: &str, agent: &AgentName) -> rusqlite::Result<Option<TakenUp>> {
        let id = self
            .connection
            .prepare_cached(
                "SELECT c.id FROM current u JOIN conversation c ON c.key = u.conversation
                 WHERE u.config = ?1 AND u.agent = ?2",
            )?
            .query_row([config, agent.as_str()], |row| uuid(row, 0))
            .optional()?;
        match id {
            Some(id) => self.load(ConversationId(id)),
            None => Ok(None),
        }
    }

    pub(super) fn load(&self, id: ConversationId) -> rusqlite::Result<Option<TakenUp>> {
        let Some(Found {
            key,
            mut stored,
            session,
            config,
        }) = self.find(id)?
        else {
            return Ok(None);
        };
        stored.newest = self.newest(key, &stored.agent, id)?;
        Ok(Some(TakenUp {
            stored,
            session,
            config,
        }))
    }

    pub(super) fn page(
        &self,
        id: ConversationId,
        before: Option<MessageId>,
        limit: usize,
    ) -> rusqlite::Result<Page> {
        match self.find(id)? {
            Some(found) => self.page_of(&found, before, limit),
            None => Ok(Page::default()),
        }
    }

    pub(super) fn view(
        &self,
        id: ConversationId,
        before: Option<MessageId>,
        limit: usize,
    ) -> rusqlite::Result<Option<ConversationView>> {
        let Some(found) = self.find(id)? else {
            return Ok(None);
        };
        let page = self.page_of(&found, before, limit)?;
        let Stored {
            id,
            agent,
            cwd,
            title,
            created_at: _,
            rev,
            total,
            usage,
            newest: _,
        } = found.stored;
        Ok(Some(ConversationView {
            agent,
            conversation: id,
            read_only: true,
            title,
            cwd,
            rev,
            messages: page.messages,
            total,
            truncated: page.truncated,
            busy: false,
            stalled: false,
            queued: 0,
            usage,
            commands: Vec::new(),
            permissions: Vec::new(),
            elicitations: Vec::new(),
            login: None,
            modes: None,
            config_options: Vec::new(),
        }))
    }

    /// Returns a part as JSON, whole.
    pub(super) fn part(&self, message: MessageId, index: u32) -> rusqlite::Result<Option<String>> {
        let mut statement = self.connection.prepare_cached(PART)?;
        let found = statement
            .query_row(params![message.0.as_bytes(), index], |row| {
                let key: i64 = row.get(0)?;
                Ok((key, self.part_of(row, key, index)?))
            })
            .optional()?;
        let Some((key, part)) = found else { return Ok(None) };
        let part = compose(part, self.wholes(key, index)?);
        Ok(Some(serde_json::to_string(&part).expect("a part is JSON")))
    }

    pub(super) fn conversation_of(&self, message: MessageId) -> rusqlite::Result<Option<ConversationId>> {
        self.connection
            .prepare_cached(CONVERSATION_OF)?
            .query_row([message.0.as_bytes()], |row| uuid(row, 0).map(ConversationId))
            .optional()
    }

    pub(super) fn list(&self, agent: Option<&AgentName>, config: &str) -> rusqlite::Result<HistoryReply> {
        let mut reply = HistoryReply {
            conversations: Vec::new(),
            truncated: false,
        };
        let mut taken = 0;
        let mut statement = self.connection.prepare_cached(LIST)?;
        let mut rows = statement.query(params![config, agent.map(AgentName::as_str)])?;
        while let Some(row) = rows.next()? {
            let summary = summary(row)?;
            if summary.messages == 0 && !summary.current {
                continue;
            }
            taken += serde_json::to_string(&summary).expect("a summary is JSON").len() + 1;
            if taken > LIST_BYTES {
                reply.truncated = true;
                break;
            }
            reply.conversations.push(summary);
        }
        Ok(reply)
    }

    fn find(&self, id: ConversationId) -> rusqlite::Result<Option<Found>> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{CONVERSATION} WHERE c.id = ?1"))?;
        statement.query_row([id.0.as_bytes()], found).optional()
    }

    /// Returns what a conversation that is taken up begins with: the newest messages within a bound, and, since the
    /// daemon's end must be told in them, all that were open or waiting, as far as a running one would hold them.
    fn newest(&self, key: i64, agent: &AgentName, id: ConversationId) -> rusqlite::Result<Vec<Message>> {
        let open = self
            .connection
            .prepare_cached(OLDEST_OPEN)?
            .query_row([key], |row| row.get::<_, Option<[u8; 16]>>(0))?
            .map(|bytes| MessageId(Uuid::from_bytes(bytes)));
        let mut messages = Vec::new();
        let mut bytes = 0;
        self.newest_first(key, agent, id, LAST, |message| {
            bytes += message.parts.iter().map(part_bytes).sum::<usize>();
            let is_new = messages.len() < CONVERSATION_MESSAGES && bytes <= TAKEN_UP_BYTES;
            let was_held = messages.len() < Conversation::HELD_MESSAGES && bytes <= Conversation::HELD_BYTES;
            let wanted =
                is_new || (was_held && open.is_some_and(|open| message.id >= open)) || messages.is_empty();
            if wanted {
                messages.push(message);
            }
            wanted
        })?;
        messages.reverse();
        Ok(messages)
    }

    fn page_of(&self, found: &Found, before: Option<MessageId>, limit: usize) -> rusqlite::Result<Page> {
        let Stored { agent, id, .. } = &found.stored;
        let mut messages = Vec::new();
        let mut bytes = 0;
        self.newest_first(found.key, agent, *id, before.unwrap_or(LAST), |message| {
            if messages.len() == limit {
                return false;
            }
            bytes += message.parts.iter().map(part_bytes).sum::<usize>();
            messages.push(message);
            bytes <= REPLY_BYTES
        })?;
        Ok(Page::of_newest_first(messages.into_iter()))
    }

    /// Hands over the messages before `before`, the newest first, until `take` wants no more.
    fn newest_first(
        &self,
        key: i64,
        agent: &AgentName,
        conversation: ConversationId,
        before: MessageId,
        mut take: impl FnMut(Message) -> bool,
    ) -> rusqlite::Result<()> {
        let mut statement = self.connection.prepare_cached(NEWEST)?;
        let mut rows = statement.query(params![key, before.0.as_bytes()])?;
        while let Some(row) = rows.next()? {
            if !take(self.message_of(row, agent, conversation)?) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the message of a row, with its parts.
    pub(super) fn message_of(
        &self,
        row: &Row<'_>,
        agent: &AgentName,
        conversation: ConversationId,
    ) -> rusqlite::Result<Message> {
        let mut message = message(row, agent, conversation)?;
        message.parts = self.parts(row.get(0)?)?;
        Ok(message)
    }

    /// Returns the key of a conversation, and what a list says of it.
    pub(super) fn summary_of(
        &self,
        id: ConversationId,
    ) -> rusqlite::Result<Option<(i64, ConversationSummary)>> {
        let mut statement = self.connection.prepare_cached(ONE_SUMMARY)?;
        statement
            .query_row([id.0.as_bytes()], |row| Ok((row.get(10)?, summary(row)?)))
            .optional()
    }

    fn parts(&self, message: i64) -> rusqlite::Result<Vec<Part>> {
        let mut parts = Vec::new();
        let mut statement = self.connection.prepare_cached(PARTS)?;
        let mut rows = statement.query([message])?;
        while let Some(row) = rows.next()? {
            let index: u32 = row.get(0)?;
            // A part that was lost leaves its place to nobody: the ones after it are known by their index.
            while parts.len() < index as usize {
                parts.push(Part::Text { text: String::new() });
            }
            parts.push(self.part_of(row, message, index)?);
        }
        Ok(parts)
    }

    /// Returns the part whose kind and body are the second and third column of the row.
    fn part_of(&self, row: &Row<'_>, message: i64, index: u32) -> rusqlite::Result<Part> {
        let kind: PartKind = from_word(1, row.get_ref(1)?.as_str()?)?;
        if !is_text(kind) {
            return from_json(2, row.get_ref(2)?.as_str()?);
        }
        let mut text = String::new();
        let mut statement = self.connection.prepare_cached(PIECES)?;
        let mut rows = statement.query(params![message, index])?;
        while let Some(row) = rows.next()? {
            text.push_str(row.get_ref(0)?.as_str()?);
        }
        Ok(if kind == PartKind::Thought {
            Part::Thought { text }
        } else {
            Part::Text { text }
        })
    }

    pub(super) fn wholes(&self, message: i64, index: u32) -> rusqlite::Result<Vec<(WholeField, String)>> {
        let mut wholes = Vec::<(WholeField, String)>::new();
        let mut statement = self.connection.prepare_cached(WHOLES)?;
        let mut rows = statement.query(params![message, index])?;
        while let Some(row) = rows.next()? {
            let field = field(row)?;
            let text = row.get_ref(1)?.as_str()?;
            match wholes.last_mut() {
                Some((last, whole)) if *last == field => whole.push_str(text),
                Some(_) | None => wholes.push((field, text.to_owned())),
            }
        }
        Ok(wholes)
    }
}

fn found(row: &Row<'_>) -> rusqlite::Result<Found> {
    let usage: Option<Usage> = row
        .get_ref(8)?
        .as_str_or_null()?
        .map(|json| from_json(8, json))
        .transpose()?;
    Ok(Found {
        key: row.get(0)?,
        stored: Stored {
            id: ConversationId(uuid(row, 1)?),
            agent: agent(row, 2)?,
            cwd: row.get(3)?,
            title: row.get(4)?,
            created_at: natural(row.get(5)?),
            rev: natural(row.get(6)?),
            total: natural(row.get(7)?),
            usage,
            newest: Vec::new(),
        },
        session: row.get(9)?,
        config: row.get(10)?,
    })
}

fn message(row: &Row<'_>, agent: &AgentName, conversation: ConversationId) -> rusqlite::Result<Message> {
    let turn: Option<[u8; 16]> = row.get(5)?;
    Ok(Message {
        id: MessageId(uuid(row, 1)?),
        agent: agent.clone(),
        conversation,
        rev: natural(row.get(2)?),
        created_at: natural(row.get(3)?),
        role: from_word(4, row.get_ref(4)?.as_str()?)?,
        turn: turn.map(|bytes| MessageId(Uuid::from_bytes(bytes))),
        parts: Vec::new(),
        done: row.get(6)?,
        queued: row.get(7)?,
        stop_reason: row
            .get_ref(8)?
            .as_str_or_null()?
            .map(|word| from_word(8, word))
            .transpose()?,
        error: row.get(9)?,
        code: row
            .get_ref(10)?
            .as_str_or_null()?
            .map(|word| from_word(10, word))
            .transpose()?,
        // One of another version costs itself alone: the sentence still tells.
        cause: row
            .get_ref(11)?
            .as_str_or_null()?
            .and_then(|json| serde_json::from_str(json).ok()),
    })
}

fn summary(row: &Row<'_>) -> rusqlite::Result<ConversationSummary> {
    let title: Option<String> = row.get(2)?;
    let beginning: Option<String> = row.get(8)?;
    Ok(ConversationSummary {
        id: ConversationId(uuid(row, 0)?),
        agent: agent(row, 1)?,
        title: title.or_else(|| beginning.as_deref().and_then(title_from)),
        cwd: row.get(3)?,
        created_at: natural(row.get(4)?),
        updated_at: natural(row.get(5)?),
        messages: natural(row.get(6)?),
        current: row.get(7)?,
        config: row.get(9)?,
    })
}

/// Returns the beginning of a message as one line.
pub(super) fn title_from(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    let mut title: String = line.chars().take(TITLE_CHARACTERS).collect();
    if title.len() < line.len() {
        title.push('…');
    }
    (!title.is_empty()).then_some(title)
}

fn field(row: &Row<'_>) -> rusqlite::Result<WholeField> {
    let word = row.get_ref(0)?.as_str()?;
    WholeField::ALL
        .into_iter()
        .find(|field| field.as_str() == word)
        .ok_or_else(|| {
            let error = format!("\"{word}\" is no field of a part");
            rusqlite::Error::FromSqlConversionFailure(0, Type::Text, error.into())
        })
}

pub(super) fn agent(row: &Row<'_>, column: usize) -> rusqlite::Result<AgentName> {
    row.get_ref(column)?
        .as_str()?
        .parse()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

pub(super) fn uuid(row: &Row<'_>, column: usize) -> rusqlite::Result<Uuid> {
    Ok(Uuid::from_bytes(row.get(column)?))
}
