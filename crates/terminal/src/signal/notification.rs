//! OSC 9, 777 and 99: notifications for the person, and the progress that OSC 9;4 tells.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::clean_text;

/// Characters of a title or a body that are kept.
const TEXT_CHARACTERS: usize = 4096;
/// Bytes of an id of OSC 99 that are kept and given back.
const ID_BYTES: usize = 64;

/// A notification that a program asked its terminal to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    pub source: NotificationSource,
    /// Empty when the program gave none.
    pub title: String,
    pub body: String,
}

/// The sequence a notification came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationSource {
    Osc9,
    Osc777,
    Osc99,
}

/// The progress of what a program does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing runs.
    None,
    /// Percent that is done.
    Running(u8),
    /// It failed, at this percent.
    Failed(u8),
    /// Something runs, nobody knows how far.
    Unknown,
    /// It waits, at this percent.
    Paused(u8),
}

/// What OSC 9 says.
pub(crate) enum Osc9 {
    Notification(Notification),
    Progress(Progress),
}

/// Reads what stands behind `9;`. ConEmu's other subcommands (a small number, then `;`) are no text for a person.
pub(crate) fn parse_osc_9(text: &[u8]) -> Option<Osc9> {
    let mut parts = text.split(|byte| *byte == b';');
    let first = parts.next().unwrap_or_default();
    let number =
        |part: Option<&[u8]>| part.and_then(|part| std::str::from_utf8(part).ok()?.parse::<u32>().ok());
    if first == b"4" {
        let state = number(parts.next())?;
        let percent = number(parts.next()).unwrap_or(0).min(100) as u8;
        return Some(Osc9::Progress(match state {
            0 => Progress::None,
            1 => Progress::Running(percent),
            2 => Progress::Failed(percent),
            3 => Progress::Unknown,
            4 => Progress::Paused(percent),
            _ => return None,
        }));
    }
    if text.contains(&b';') && number(Some(first)).is_some_and(|number| number <= 12) {
        return None;
    }
    let body = clean_text(text, TEXT_CHARACTERS);
    let notification = Notification {
        source: NotificationSource::Osc9,
        title: String::new(),
        body,
    };
    (!notification.body.is_empty()).then_some(Osc9::Notification(notification))
}

/// Reads what stands behind `777;`: `notify;TITLE;BODY`.
pub(crate) fn parse_osc_777(text: &[u8]) -> Option<Notification> {
    let mut parts = text.strip_prefix(b"notify;")?.splitn(2, |byte| *byte == b';');
    let title = clean_text(parts.next()?, TEXT_CHARACTERS);
    let body = clean_text(parts.next().unwrap_or_default(), TEXT_CHARACTERS);
    Some(Notification {
        source: NotificationSource::Osc777,
        title,
        body,
    })
}

/// What OSC 99 asks for.
pub(crate) enum Osc99 {
    /// Show this.
    Notification(Notification),
    /// Say what is understood; the answer goes behind the id.
    Query { reply: Vec<u8> },
}

/// A notification of OSC 99 that is not complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Osc99Parts {
    id: Vec<u8>,
    title: String,
    body: String,
}

impl Osc99Parts {
    /// Reads what stands behind `99;`: `METADATA;PAYLOAD`, where metadata is `key=value` joined by colons.
    ///
    /// Title and body may come in pieces under one id; only the newest id is remembered.
    pub(crate) fn take(&mut self, text: &[u8]) -> Option<Osc99> {
        let mut halves = text.splitn(2, |byte| *byte == b';');
        let metadata = halves.next()?;
        let payload = halves.next().unwrap_or_default();
        let value = |key: &[u8]| {
            metadata
                .split(|byte| *byte == b':')
                .find_map(|pair| pair.strip_prefix(key)?.strip_prefix(b"="))
        };
        let id: Vec<u8> = value(b"i")
            .unwrap_or_default()
            .iter()
            .copied()
            .filter(|byte| is_id_byte(*byte))
            .collect();
        let id = id[..id.len().min(ID_BYTES)].to_vec();
        let kind = value(b"p").unwrap_or(b"title");
        if kind == b"?" {
            let reply = [b"\x1b]99;i=", &id[..], b":p=?;p=title,body\x1b\\"].concat();
            return Some(Osc99::Query { reply });
        }
        if self.id != id {
            *self = Self {
                id,
                ..Self::default()
            };
        }
        let decoded = value(b"e")
            .filter(|encoding| *encoding == b"1")
            .and_then(|_| STANDARD.decode(payload).ok());
        let piece = clean_text(decoded.as_deref().unwrap_or(payload), TEXT_CHARACTERS);
        let target = match kind {
            b"title" => &mut self.title,
            b"body" => &mut self.body,
            _ => return None,
        };
        if target.len() + piece.len() <= TEXT_CHARACTERS {
            target.push_str(&piece);
        }
        if value(b"d") == Some(b"0") {
            return None;
        }
        let Self { title, body, .. } = std::mem::take(self);
        let shown = Notification {
            source: NotificationSource::Osc99,
            title,
            body,
        };
        (!shown.title.is_empty() || !shown.body.is_empty()).then_some(Osc99::Notification(shown))
    }
}

fn is_id_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+.".contains(&byte)
}
