//! The tables, and how a file comes from an older layout to the newest. A migration that was released never changes.

/// The steps from one layout to the next; `user_version` counts how many of them a file has.
pub(super) const MIGRATIONS: &[&str] = &[FIRST, SECOND, THIRD];

/// Integer keys join the tables, since they repeat in every row; the ids that everybody else knows stand once.
const FIRST: &str = "
CREATE TABLE conversation (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    config TEXT NOT NULL,
    agent TEXT NOT NULL,
    cwd TEXT NOT NULL,
    title TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    rev INTEGER NOT NULL,
    total INTEGER NOT NULL,
    usage TEXT
) STRICT;
CREATE INDEX conversation_changed ON conversation (updated_at);

CREATE TABLE current (
    config TEXT NOT NULL,
    agent TEXT NOT NULL,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    PRIMARY KEY (config, agent)
) STRICT, WITHOUT ROWID;
CREATE INDEX current_conversation ON current (conversation);

-- A session begins before the first message, and only that makes a conversation worth a row.
CREATE TABLE session (
    conversation BLOB NOT NULL PRIMARY KEY,
    session TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
    key INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    rev INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    role TEXT NOT NULL,
    turn BLOB,
    done INTEGER NOT NULL,
    queued INTEGER NOT NULL,
    stop_reason TEXT,
    error TEXT,
    code TEXT
) STRICT;
CREATE INDEX message_order ON message (conversation, id);
CREATE INDEX message_open ON message (conversation, id) WHERE done = 0 OR queued = 1;

-- Text and thought have their text in pieces; all other parts have a body.
CREATE TABLE part (
    message INTEGER NOT NULL REFERENCES message (key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT,
    PRIMARY KEY (message, idx)
) STRICT;

CREATE TABLE piece (
    message INTEGER NOT NULL REFERENCES message (key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    n INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (message, idx, n)
) STRICT;

CREATE TABLE whole (
    message INTEGER NOT NULL REFERENCES message (key) ON DELETE CASCADE,
    idx INTEGER NOT NULL,
    field TEXT NOT NULL,
    n INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (message, idx, field, n)
) STRICT;

CREATE TABLE permission (
    id BLOB NOT NULL PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (key) ON DELETE CASCADE,
    message BLOB NOT NULL,
    tool TEXT NOT NULL,
    options TEXT NOT NULL,
    outcome TEXT,
    asked_at INTEGER NOT NULL,
    resolved_at INTEGER
) STRICT;
CREATE INDEX permission_conversation ON permission (conversation);
";

/// What was said in channels; the answers stand in the agents' own conversations.
const SECOND: &str = "
CREATE TABLE channel_entry (
    id BLOB NOT NULL PRIMARY KEY,
    config TEXT NOT NULL,
    channel TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    text TEXT NOT NULL,
    answers TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_order ON channel_entry (config, channel, id);
";

/// Why a message has an error, and the text of finished ones, to be searched. Words that are deleted leave the index at once.
const THIRD: &str = r#"
ALTER TABLE message ADD COLUMN cause TEXT;
CREATE VIRTUAL TABLE said USING fts5(text, tokenize = "unicode61 remove_diacritics 2");
INSERT INTO said (said, rank) VALUES ('secure-delete', 1);
INSERT INTO said (rowid, text)
SELECT message, group_concat(whole, char(10) ORDER BY idx) FROM (
    SELECT piece.message AS message, piece.idx AS idx, group_concat(piece.text, '' ORDER BY piece.n) AS whole
    FROM message JOIN part ON part.message = message.key AND part.kind = 'text'
    JOIN piece ON piece.message = part.message AND piece.idx = part.idx
    WHERE message.done = 1 GROUP BY piece.message, piece.idx
) GROUP BY message;
"#;
