//! OSC 7501, the Program Status Protocol (revision 0.4): what a program says of its own state.
//!
//! A report replaces the record of its id as a whole. Pairs that are malformed or unknown are skipped and the last of
//! a repeated key counts; bad base64, a control character or a broken limit makes the whole report void.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes of a sequence, its introducer and terminator included.
pub(crate) const SEQUENCE_BYTES: usize = 4096;
/// Records that one pane keeps; the one that was reported longest ago goes when there are more.
const RECORDS: usize = 64;
const ID_BYTES: usize = 128;
const ID_DEPTH: usize = 8;
const APP_BYTES: usize = 64;
const TEXT_BYTES: usize = 2048;

/// The id of a record: none for the program itself, `a/b` for what it says of its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RecordId(String);

impl RecordId {
    /// The record of the program itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// Returns whether this is the record of the program itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the id as it was written; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether this record is `other` or belongs to a part of it.
    pub fn is_within(&self, other: &Self) -> bool {
        let rest = self.0.strip_prefix(&other.0);
        rest.is_some_and(|rest| other.is_root() || rest.is_empty() || rest.starts_with('/'))
    }

    fn parse(text: &str) -> Option<Self> {
        let fits = text.len() <= ID_BYTES && text.split('/').count() <= ID_DEPTH;
        let plain = |part: &str| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        (fits && text.split('/').all(plain)).then(|| Self(text.to_owned()))
    }
}

/// What a program says of itself or of one of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusRecord {
    pub id: RecordId,
    pub state: StatusState,
    /// The program's name; empty when it gave none.
    pub app: String,
    /// What the record is about; empty when the program gave none.
    pub title: String,
    /// What goes on; empty when the program gave none.
    pub message: String,
    /// Percent that is done, where it can be known.
    pub progress: Option<u8>,
}

/// The states of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusState {
    Idle,
    Working,
    /// It waits for the person.
    Blocked(BlockedKind),
    Done,
    Error,
}

/// What a blocked program waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockedKind {
    Permission,
    Question,
    Auth,
    /// It did not say, or in a word that is not known.
    Unsaid,
}

/// A change of a pane's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusChange {
    /// A record is new or replaced.
    Set(StatusRecord),
    /// A record and those of its parts are gone.
    Cleared(RecordId),
}

/// What a sequence says.
pub(crate) enum StatusMessage {
    /// `?`: say that reports are understood.
    Query,
    Change(StatusChange),
}

/// Reads what stands behind `7501;`; nothing when the report is void.
pub(crate) fn parse(text: &[u8]) -> Option<StatusMessage> {
    if text == b"?" {
        return Some(StatusMessage::Query);
    }
    let text = std::str::from_utf8(text).ok()?;
    if text.chars().any(char::is_control) {
        return None;
    }
    let (mut state, mut kind, mut id) = (None, BlockedKind::Unsaid, RecordId::root());
    let (mut app, mut title, mut message, mut progress) = (String::new(), String::new(), String::new(), None);
    for (key, value) in text.split(':').filter_map(|pair| pair.split_once('=')) {
        match key {
            "state" => state = Some(value),
            "kind" => {
                kind = match value {
                    "permission" => BlockedKind::Permission,
                    "question" => BlockedKind::Question,
                    "auth" => BlockedKind::Auth,
                    _ => BlockedKind::Unsaid,
                }
            }
            "id" => id = RecordId::parse(value)?,
            "app" if value.len() <= APP_BYTES => value.clone_into(&mut app),
            "app" => return None,
            "title" => title = decoded(value)?,
            "msg" => message = decoded(value)?,
            "progress" => progress = value.parse().ok().filter(|percent: &u8| *percent <= 100),
            _ => {}
        }
    }
    let state = match state? {
        "idle" => StatusState::Idle,
        "working" => StatusState::Working,
        "blocked" => StatusState::Blocked(kind),
        "done" => StatusState::Done,
        "error" => StatusState::Error,
        "clear" => return Some(StatusMessage::Change(StatusChange::Cleared(id))),
        _ => return None,
    };
    let record = StatusRecord {
        id,
        state,
        app,
        title,
        message,
        progress,
    };
    Some(StatusMessage::Change(StatusChange::Set(record)))
}

fn decoded(text: &str) -> Option<String> {
    let text = String::from_utf8(STANDARD.decode(text).ok()?).ok()?;
    (text.len() <= TEXT_BYTES && !text.chars().any(char::is_control)).then_some(text)
}

/// The records of a pane, the one reported longest ago first.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatusRecords(Vec<StatusRecord>);

impl StatusRecords {
    pub(crate) fn apply(&mut self, change: &StatusChange) {
        match change {
            StatusChange::Set(record) => {
                self.0.retain(|known| known.id != record.id);
                if self.0.len() == RECORDS {
                    self.0.remove(0);
                }
                self.0.push(record.clone());
            }
            StatusChange::Cleared(id) => self.0.retain(|known| !known.id.is_within(id)),
        }
    }

    pub(crate) fn all(&self) -> &[StatusRecord] {
        &self.0
    }
}
