//! Writing one batch in one transaction. The work grows with what the batch says, never with what is already there.

use pupitre_model::conversation::WholeField;
use pupitre_protocol::conversation::Message;
use pupitre_protocol::{AgentName, ConversationId, MessageId};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, params};

use super::digest::{ConversationChange, Digest, MessageChange, PartChange, PermissionChange};
use super::search::{index_message, is_done};
use super::store::Store;
use super::unwritten::Write;
use super::word::{integer, is_text, word};

/// The whole of a field is kept in pieces of at most so many bytes.
const PIECE_BYTES: usize = 1 << 20;

const PUT_CONVERSATION: &str = "
    INSERT INTO conversation (id, config, agent, cwd, title, created_at, updated_at, rev, total, usage)
    VALUES (?1, coalesce(?2, ''), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
    ON CONFLICT (id) DO UPDATE SET config = coalesce(?2, config), cwd = ?4, title = ?5,
        updated_at = coalesce(?11, updated_at), rev = ?8, total = ?9, usage = ?10";
const PUT_CURRENT: &str = "
    INSERT INTO current (config, agent, conversation) SELECT ?1, ?2, key FROM conversation WHERE id = ?3
    ON CONFLICT (config, agent) DO UPDATE SET conversation = excluded.conversation";
const PUT_SESSION: &str = "
    INSERT INTO session (conversation, session) VALUES (?1, ?2)
    ON CONFLICT (conversation) DO UPDATE SET session = excluded.session";
const DELETE_SESSION: &str = "DELETE FROM session WHERE conversation = ?1";
const ADD_MESSAGE: &str = "
    INSERT INTO message (id, conversation, created_at, role, turn, done, queued, stop_reason, error, code, rev, cause)
    SELECT ?1, key, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM conversation WHERE id = ?2";
const CHANGE_MESSAGE: &str = "
    UPDATE message SET turn = ?2, done = ?3, queued = ?4, stop_reason = ?5, error = ?6, code = ?7, rev = ?8, cause = ?9
    WHERE id = ?1";
const TOUCH_MESSAGE: &str = "UPDATE message SET rev = ?2 WHERE id = ?1";
const MESSAGE_KEY: &str = "SELECT key FROM message WHERE id = ?1";
const PUT_PART: &str = "
    INSERT INTO part (message, idx, kind, body) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT (message, idx) DO UPDATE SET kind = excluded.kind, body = excluded.body";
const BEGIN_PART: &str = "
    INSERT INTO part (message, idx, kind) VALUES (?1, ?2, ?3) ON CONFLICT (message, idx) DO NOTHING";
const DELETE_PIECES: &str = "DELETE FROM piece WHERE message = ?1 AND idx = ?2";
pub(super) const ADD_PIECE: &str = "
    INSERT INTO piece (message, idx, n, text)
    VALUES (?1, ?2, (SELECT coalesce(max(n), -1) + 1 FROM piece WHERE message = ?1 AND idx = ?2), ?3)";
const DELETE_WHOLE: &str = "DELETE FROM whole WHERE message = ?1 AND idx = ?2 AND field = ?3";
const ADD_WHOLE: &str = "INSERT INTO whole (message, idx, field, n, text) VALUES (?1, ?2, ?3, ?4, ?5)";
const ADD_PERMISSION: &str = "
    INSERT INTO permission (id, conversation, message, tool, options, asked_at)
    SELECT ?1, key, ?3, ?4, ?5, ?6 FROM conversation WHERE id = ?2";
const RESOLVE_PERMISSION: &str = "UPDATE permission SET outcome = ?2, resolved_at = ?3 WHERE id = ?1";

/// What became of a batch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// Changes of these messages had no place: what came before them was given up.
    pub(super) without_message: Vec<MessageId>,
    /// The keys of finished messages that got more text: the index does not have it yet.
    pub(super) late: Vec<i64>,
}

/// Says why a batch was not written.
#[derive(Debug)]
pub(super) enum WriteError {
    /// The disk, the file or another process is in the way: the same batch may go through later.
    InTheWay(rusqlite::Error),
    /// Something in the batch is refused, now and always.
    Refused(rusqlite::Error),
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            None | Some(ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig) => {
                Self::Refused(error)
            }
            Some(_) => Self::InTheWay(error),
        }
    }
}

impl Store {
    /// Writes a batch, all of it or nothing.
    pub(super) fn write<'batch>(
        &mut self,
        batch: impl Iterator<Item = &'batch Write>,
    ) -> Result<Written, WriteError> {
        let digest = Digest::of(batch);
        let transaction = self.connection.transaction()?;
        let written = write(&transaction, &digest)?;
        transaction.commit()?;
        Ok(written)
    }
}

fn write(transaction: &Transaction<'_>, digest: &Digest<'_>) -> rusqlite::Result<Written> {
    let mut written = Written::default();
    for conversation in digest.conversations.values() {
        put_conversation(transaction, conversation)?;
    }
    for ((config, agent), conversation) in &digest.current {
        put_current(transaction, config, agent, *conversation)?;
    }
    for (conversation, session) in &digest.sessions {
        match session {
            Some(session) => transaction
                .prepare_cached(PUT_SESSION)?
                .execute(params![conversation.0.as_bytes(), session])?,
            None => transaction
                .prepare_cached(DELETE_SESSION)?
                .execute([conversation.0.as_bytes()])?,
        };
    }
    for (id, message) in &digest.messages {
        match put_message(transaction, *id, message)? {
            Some(key) => {
                put_parts(transaction, key, message)?;
                if message.header.is_some() {
                    index_message(transaction, key)?;
                } else if message.parts.values().any(|part| is_text(part.kind)) && is_done(transaction, key)?
                {
                    written.late.push(key);
                }
            }
            None => written.without_message.push(*id),
        }
    }
    for permission in &digest.permissions {
        put_permission(transaction, permission)?;
    }
    Ok(written)
}

fn put_conversation(connection: &Connection, change: &ConversationChange<'_>) -> rusqlite::Result<()> {
    let ConversationChange {
        header,
        config,
        seen_at_ms,
        changed_at_ms,
    } = change;
    let usage = header
        .usage
        .as_ref()
        .map(|usage| serde_json::to_string(usage).expect("usage is JSON"));
    connection.prepare_cached(PUT_CONVERSATION)?.execute(params![
        header.id.0.as_bytes(),
        config,
        header.agent.as_str(),
        header.cwd,
        header.title,
        integer(header.created_at),
        integer(changed_at_ms.unwrap_or(*seen_at_ms)),
        integer(header.rev),
        integer(header.total),
        usage,
        changed_at_ms.map(integer),
    ])?;
    Ok(())
}

fn put_current(
    connection: &Connection,
    config: &str,
    agent: &AgentName,
    conversation: ConversationId,
) -> rusqlite::Result<()> {
    let parameters = params![config, agent.as_str(), conversation.0.as_bytes()];
    connection.prepare_cached(PUT_CURRENT)?.execute(parameters)?;
    Ok(())
}

/// Adds or changes the row of a message, and returns its key; `None` when there is no such message.
fn put_message(
    connection: &Connection,
    id: MessageId,
    change: &MessageChange<'_>,
) -> rusqlite::Result<Option<i64>> {
    match (change.added, change.header, change.rev) {
        (Some(added), Some(header), Some(rev)) => {
            add_message(connection, added.conversation, added.message, header, rev)?;
            Ok(Some(connection.last_insert_rowid()))
        }
        (None, Some(header), Some(rev)) => {
            change_message(connection, header, rev)?;
            key_of(connection, id)
        }
        (_, None, Some(rev)) => {
            connection
                .prepare_cached(TOUCH_MESSAGE)?
                .execute(params![id.0.as_bytes(), integer(rev)])?;
            key_of(connection, id)
        }
        (_, _, None) => key_of(connection, id),
    }
}

fn key_of(connection: &Connection, id: MessageId) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(MESSAGE_KEY)?
        .query_row([id.0.as_bytes()], |row| row.get(0))
        .optional()
}

fn add_message(
    connection: &Connection,
    conversation: ConversationId,
    message: &Message,
    header: &Message,
    rev: u64,
) -> rusqlite::Result<()> {
    connection.prepare_cached(ADD_MESSAGE)?.execute(params![
        message.id.0.as_bytes(),
        conversation.0.as_bytes(),
        integer(message.created_at),
        word(&message.role),
        header.turn.map(|turn| turn.0.into_bytes()),
        header.done,
        header.queued,
        header.stop_reason.as_ref().map(word),
        header.error,
        header.code.as_ref().map(word),
        integer(rev),
        cause_json(header),
    ])?;
    Ok(())
}

fn change_message(connection: &Connection, header: &Message, rev: u64) -> rusqlite::Result<()> {
    connection.prepare_cached(CHANGE_MESSAGE)?.execute(params![
        header.id.0.as_bytes(),
        header.turn.map(|turn| turn.0.into_bytes()),
        header.done,
        header.queued,
        header.stop_reason.as_ref().map(word),
        header.error,
        header.code.as_ref().map(word),
        integer(rev),
        cause_json(header),
    ])?;
    Ok(())
}

fn cause_json(header: &Message) -> Option<String> {
    let cause = header.cause.as_ref();
    cause.map(|cause| serde_json::to_string(cause).expect("a cause is JSON"))
}

fn put_parts(connection: &Connection, message: i64, change: &MessageChange<'_>) -> rusqlite::Result<()> {
    for (index, part) in &change.parts {
        put_part(connection, message, *index, part)?;
    }
    for ((index, field), whole) in &change.wholes {
        put_whole(connection, message, *index, *field, *whole)?;
    }
    Ok(())
}

fn put_part(
    connection: &Connection,
    message: i64,
    index: u32,
    change: &PartChange<'_>,
) -> rusqlite::Result<()> {
    let kind = word(&change.kind);
    if let Some(part) = change.replaced {
        let body = (!is_text(change.kind)).then(|| serde_json::to_string(part).expect("a part is JSON"));
        connection
            .prepare_cached(PUT_PART)?
            .execute(params![message, index, kind, body])?;
        connection
            .prepare_cached(DELETE_PIECES)?
            .execute(params![message, index])?;
    } else {
        connection
            .prepare_cached(BEGIN_PART)?
            .execute(params![message, index, kind])?;
    }
    let text = change.text();
    if !text.is_empty() {
        connection
            .prepare_cached(ADD_PIECE)?
            .execute(params![message, index, text])?;
    }
    Ok(())
}

fn put_whole(
    connection: &Connection,
    message: i64,
    index: u32,
    field: WholeField,
    whole: Option<&str>,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(DELETE_WHOLE)?
        .execute(params![message, index, field.as_str()])?;
    let mut add = connection.prepare_cached(ADD_WHOLE)?;
    let mut rest = whole.unwrap_or_default();
    for n in 0_i64.. {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        add.execute(params![message, index, field.as_str(), n, piece])?;
        rest = after;
    }
    Ok(())
}

fn put_permission(connection: &Connection, change: &PermissionChange<'_>) -> rusqlite::Result<()> {
    match change {
        PermissionChange::Asked(permission) => {
            let options = serde_json::to_string(&permission.options).expect("options are JSON");
            connection.prepare_cached(ADD_PERMISSION)?.execute(params![
                permission.id.0.as_bytes(),
                permission.conversation.0.as_bytes(),
                permission.message_id.0.as_bytes(),
                permission.tool_call.id,
                options,
                integer(permission.created_at),
            ])?;
        }
        PermissionChange::Resolved { id, outcome, at_ms } => {
            let outcome = serde_json::to_string(outcome).expect("an outcome is JSON");
            let parameters = params![id.0.as_bytes(), outcome, integer(*at_ms)];
            connection
                .prepare_cached(RESOLVE_PERMISSION)?
                .execute(parameters)?;
        }
    }
    Ok(())
}
