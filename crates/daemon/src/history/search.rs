//! Searching what was said: an index of the finished messages' text (FTS5), kept in step with each batch.
//!
//! A message is put in when it is finished, as a whole: chunks would cut its words, and each would cost the index. Text that
//! comes later is put in before the next search: taking a long message out, to put it in again, is slow.

use pupitre_protocol::conversation::{SearchMatch, SearchReply};
use pupitre_protocol::limits::REPLY_BYTES;
use pupitre_protocol::{AgentName, ConversationId, MessageId};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::excerpt::excerpt;
use super::read::{agent, title_from, uuid};
use super::store::Store;
use super::word::{from_word, natural};
use super::{History, HistoryError, Read};

/// What the matches may weigh in a reply.
const MATCHES_BYTES: usize = REPLY_BYTES / 2;
/// From so many letters on a word also finds what begins with it: shorter ones would find nearly everything.
const PREFIX_LETTERS: usize = 3;

const IS_DONE: &str = "SELECT done FROM message WHERE key = ?1";
pub(super) const TAKE_OUT: &str = "DELETE FROM said WHERE rowid = ?1";
const PUT_IN: &str = "
    INSERT INTO said (rowid, text)
    SELECT ?1, group_concat(whole, char(10) ORDER BY idx) FROM (
        SELECT piece.idx AS idx, group_concat(piece.text, '' ORDER BY piece.n) AS whole
        FROM piece JOIN part ON part.message = piece.message AND part.idx = piece.idx
        WHERE piece.message = ?1 AND part.kind = 'text' GROUP BY piece.idx
    ) HAVING count(*) > 0";
const SEARCH: &str = "
    SELECT c.id, c.agent, c.title, c.config, m.id, m.role, m.created_at,
        highlight(said, 0, char(64976), char(64977)),
        EXISTS (SELECT 1 FROM current WHERE config = ?3 AND agent = c.agent AND conversation = c.key),
        CASE WHEN c.title IS NULL THEN (
            SELECT substr(p.text, 1, 2000) FROM piece p WHERE p.message = (
                SELECT f.key FROM message f WHERE f.conversation = c.key AND f.role = 'user' ORDER BY f.id LIMIT 1
            ) ORDER BY p.idx, p.n LIMIT 1
        ) END
    FROM said JOIN message m ON m.key = said.rowid JOIN conversation c ON c.key = m.conversation
    WHERE said MATCH ?1 AND (?2 IS NULL OR c.agent = ?2) ORDER BY said.rowid DESC";

/// What is searched for, and where.
#[derive(Debug)]
pub(crate) struct Search {
    pub(crate) query: String,
    pub(crate) agent: Option<AgentName>,
    /// Which conversations are the current ones is said for this configuration.
    pub(crate) config: String,
    pub(crate) limit: usize,
}

impl History {
    /// Returns the newest messages that have all words of the query.
    pub(crate) async fn search(&self, search: Search) -> Result<SearchReply, HistoryError> {
        self.read(|respond| Read::Search { search, respond }).await
    }
}

impl Store {
    /// Brings the index to what these messages say now.
    pub(super) fn index_again(&mut self, messages: impl IntoIterator<Item = i64>) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        for message in messages {
            index_message(&transaction, message)?;
        }
        transaction.commit()
    }

    pub(super) fn search(&self, search: &Search) -> rusqlite::Result<SearchReply> {
        let mut reply = SearchReply {
            matches: Vec::new(),
            truncated: false,
        };
        let Some(query) = full_text_query(&search.query) else {
            return Ok(reply);
        };
        let mut statement = self.connection.prepare_cached(SEARCH)?;
        let agent = search.agent.as_ref().map(AgentName::as_str);
        let mut rows = statement.query(params![query, agent, search.config])?;
        let mut taken = 0;
        while let Some(row) = rows.next()? {
            let found = search_match(row)?;
            taken += serde_json::to_string(&found).expect("a match is JSON").len() + 1;
            if reply.matches.len() == search.limit || taken > MATCHES_BYTES {
                reply.truncated = true;
                break;
            }
            reply.matches.push(found);
        }
        Ok(reply)
    }
}

/// Brings the index to what the message says now; one that is not finished is not in it.
pub(super) fn index_message(connection: &Connection, message: i64) -> rusqlite::Result<()> {
    if is_done(connection, message)? {
        connection.prepare_cached(TAKE_OUT)?.execute([message])?;
        connection.prepare_cached(PUT_IN)?.execute([message])?;
    }
    Ok(())
}

/// Says whether there is such a message, and it is finished.
pub(super) fn is_done(connection: &Connection, message: i64) -> rusqlite::Result<bool> {
    let done = connection
        .prepare_cached(IS_DONE)?
        .query_row([message], |row| row.get(0))
        .optional()?;
    Ok(done.unwrap_or(false))
}

/// Returns a query of words as FTS5 reads it: each a string of its own, so that nothing in it is an operator. `None` when
/// there is no word.
fn full_text_query(query: &str) -> Option<String> {
    let mut terms = Vec::new();
    // Every second piece stands between two quotes; the last one may lack its end.
    for (number, piece) in query.split('"').enumerate() {
        if number % 2 == 1 {
            terms.push(format!("\"{}\"", piece.replace('\0', " ")));
        } else {
            terms.extend(piece.split_whitespace().map(|word| {
                let is_long =
                    word.chars().filter(|letter| letter.is_alphanumeric()).count() >= PREFIX_LETTERS;
                let star = if is_long { "*" } else { "" };
                format!("\"{}\"{star}", word.replace('\0', " "))
            }));
        }
    }
    terms.retain(|term| term.chars().any(char::is_alphanumeric));
    (!terms.is_empty()).then(|| terms.join(" AND "))
}

fn search_match(row: &Row<'_>) -> rusqlite::Result<SearchMatch> {
    let title: Option<String> = row.get(2)?;
    let beginning: Option<String> = row.get(9)?;
    Ok(SearchMatch {
        conversation: ConversationId(uuid(row, 0)?),
        agent: agent(row, 1)?,
        title: title.or_else(|| beginning.as_deref().and_then(title_from)),
        config: row.get(3)?,
        current: row.get(8)?,
        message_id: MessageId(uuid(row, 4)?),
        role: from_word(5, row.get_ref(5)?.as_str()?)?,
        created_at: natural(row.get(6)?),
        excerpt: excerpt(row.get_ref(7)?.as_str()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_words_and_no_language() {
        let check = |query: &str, expected: Option<&str>| {
            assert_eq!(full_text_query(query).as_deref(), expected, "{query}");
        };
        check("hello  World", Some("\"hello\"* AND \"World\"*"));
        check("of NOT in", Some("\"of\" AND \"NOT\"* AND \"in\""));
        check("say \"as it is\"", Some("\"say\"* AND \"as it is\""));
        check("open \"end", Some("\"open\"* AND \"end\""));
        check("c++ -- ()", Some("\"c++\""));
        check("text:a*", Some("\"text:a*\"*"));
        check(" ** ", None);
    }
}
