//! Cutting what an agent sends to the limits of the protocol, so that no message, frame or reply outgrows them.
//!
//! Lengths are those of the JSON encoding, since that is what travels: a control character takes six bytes there.

use std::borrow::Cow;

use pupitre_protocol::conversation::{
    Command, ConfigOption, Diff, Media, Modes, PermissionOption, PlanEntry, Resource, ToolCall, Usage,
};
use pupitre_protocol::limits;
use serde_json::Value;

/// The longest title, name or hint of an agent's, in bytes.
pub(crate) const LABEL_BYTES: usize = 2 << 10;
/// The longest reason or error text that is kept, in bytes.
pub(crate) const REASON_BYTES: usize = 16 << 10;
/// The most bytes of one field of the tool call that a permission request shows; the message's part has more.
const ASKED_FIELD_BYTES: usize = 16 << 10;
/// The same when many requests are open, since all of them together are part of every snapshot.
const ASKED_FIELD_BYTES_OF_MANY: usize = 1 << 10;
/// So many open requests are many.
const MANY_ASKED: usize = 8;
/// The most answers that a permission request offers.
const ANSWERS: usize = 32;
/// The longest text in a permission request besides the fields of its tool call, in bytes.
const ASKED_LABEL_BYTES: usize = 256;
/// The most bytes of all commands, or of all options.
const LIST_BYTES: usize = 256 << 10;
/// The most bytes of all modes.
const MODES_BYTES: usize = 64 << 10;
/// The most bytes of all locations of a tool call, and the most of them.
const LOCATIONS_BYTES: usize = 64 << 10;
const LOCATIONS: usize = 200;
/// The most panes that are named by a tool call.
const TOOL_PANES: usize = 16;
/// The longest word that agents are free to choose, such as a type or a currency, in bytes.
const WORD_BYTES: usize = 256;
/// Stands at the end of a label that was cut.
const ELLIPSIS: char = '…';

/// Returns how many bytes JSON takes for the text, without its quotes.
pub(crate) fn json_len(text: &str) -> usize {
    text.bytes().map(json_byte_len).sum()
}

const fn json_byte_len(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 2,
        0x00..=0x1f => 6,
        _ => 1,
    }
}

/// Returns the longest beginning of the text that takes at most `limit` bytes of JSON, and whether that is less than all.
pub(crate) fn beginning(text: &str, limit: usize) -> (&str, bool) {
    let mut taken = 0;
    for (position, character) in text.char_indices() {
        let length = if character.is_ascii() {
            json_byte_len(character as u8)
        } else {
            character.len_utf8()
        };
        if taken + length > limit {
            return (&text[..position], true);
        }
        taken += length;
    }
    (text, false)
}

/// Cuts a short text and says so with an ellipsis.
pub(crate) fn label(text: &str, limit: usize) -> Cow<'_, str> {
    match beginning(text, limit) {
        (whole, false) => Cow::Borrowed(whole),
        (start, true) => Cow::Owned(format!("{start}{ELLIPSIS}")),
    }
}

fn shorten(text: &mut String, limit: usize) {
    if let Cow::Owned(short) = label(text, limit) {
        *text = short;
    }
}

fn shorten_some(text: &mut Option<String>, limit: usize) {
    if let Some(text) = text {
        shorten(text, limit);
    }
}

/// Cuts a text in place and returns the whole when it was too long.
pub(crate) fn take_whole(text: &mut String, limit: usize) -> Option<String> {
    let (start, cut) = beginning(text, limit);
    if !cut {
        return None;
    }
    let start = start.to_owned();
    Some(std::mem::replace(text, start))
}

/// Cuts the texts of diffs in place, together to `limit`, and returns the whole when they were too long.
pub(crate) fn take_whole_diffs(diffs: &mut Vec<Diff>, limit: usize) -> Option<Vec<Diff>> {
    let weight = |diff: &Diff| {
        json_len(&diff.path) + json_len(&diff.new_text) + diff.old_text.as_deref().map_or(0, json_len) + 80
    };
    if diffs.iter().map(weight).sum::<usize>() <= limit {
        return None;
    }
    let whole = diffs.clone();
    let mut room = limit;
    diffs.retain_mut(|diff| {
        if room < LABEL_BYTES {
            return false;
        }
        shorten(&mut diff.path, LABEL_BYTES / 2);
        let each = (room - LABEL_BYTES / 2) / 2;
        take_whole(&mut diff.new_text, each);
        if let Some(old) = &mut diff.old_text {
            take_whole(old, each);
        }
        room = room.saturating_sub(weight(diff));
        true
    });
    Some(whole)
}

/// Cuts what has no whole to go back to: title, panes and locations. Says whether locations were left out.
pub(crate) fn tool_labels(tool: &mut ToolCall, room: usize) -> bool {
    shorten(&mut tool.title, LABEL_BYTES.min(room / 4));
    tool.panes.truncate(TOOL_PANES);
    let count = tool.locations.len();
    let mut locations = std::mem::take(&mut tool.locations);
    locations.truncate(LOCATIONS);
    tool.locations = within(locations, LOCATIONS_BYTES.min(room / 4), |location| {
        shorten(&mut location.path, LABEL_BYTES);
        json_len(&location.path) + 40
    });
    tool.locations.len() < count
}

/// Cuts what names and describes an image.
pub(crate) fn media_labels(image: &mut Media) {
    shorten(&mut image.mime_type, WORD_BYTES);
    shorten_some(&mut image.uri, LABEL_BYTES);
}

/// Cuts what names and describes a resource.
pub(crate) fn resource_labels(resource: &mut Resource) {
    shorten(&mut resource.uri, LABEL_BYTES);
    shorten_some(&mut resource.name, LABEL_BYTES);
    shorten_some(&mut resource.mime_type, WORD_BYTES);
}

/// Cuts what is no number.
pub(crate) fn usage(usage: &mut Usage) {
    if let Some(cost) = &mut usage.cost {
        shorten(&mut cost.currency, WORD_BYTES);
    }
}

/// Returns the tool call as a permission request shows it beside so many others that are open.
pub(crate) fn asked(tool: &ToolCall, open: usize) -> ToolCall {
    let limit = if open < MANY_ASKED {
        ASKED_FIELD_BYTES
    } else {
        ASKED_FIELD_BYTES_OF_MANY
    };
    let mut asked = tool.clone();
    let mut cut = false;
    for field in [&mut asked.input, &mut asked.output].into_iter().flatten() {
        cut |= take_whole(field, limit).is_some();
    }
    cut |= take_whole_diffs(&mut asked.diffs, limit).is_some();
    asked.locations.truncate(20);
    for location in &mut asked.locations {
        shorten(&mut location.path, ASKED_LABEL_BYTES);
    }
    asked.truncated |= cut;
    asked
}

/// Cuts the answers that a permission request offers. One whose id is too long is left out: it could not be given.
pub(crate) fn permission_options(options: &mut Vec<PermissionOption>) {
    options.retain(|option| json_len(&option.option_id) <= ASKED_LABEL_BYTES);
    options.truncate(ANSWERS);
    for option in options {
        shorten(&mut option.name, ASKED_LABEL_BYTES);
        shorten(&mut option.kind, ASKED_LABEL_BYTES / 4);
    }
}

/// Cuts a plan; a last entry says how many there would be more.
pub(crate) fn plan(entries: Vec<PlanEntry>) -> Vec<PlanEntry> {
    let all = entries.len();
    let mut kept = within(entries, limits::FIELD_BYTES / 2, |entry| {
        shorten(&mut entry.content, LABEL_BYTES);
        shorten(&mut entry.priority, 64);
        shorten(&mut entry.status, 64);
        json_len(&entry.content) + 200
    });
    if kept.len() < all {
        let content = format!("{ELLIPSIS} {} more", all - kept.len());
        kept.push(PlanEntry {
            content,
            priority: "low".into(),
            status: "pending".into(),
        });
    }
    kept
}

/// Cuts the list of slash commands to what one frame carries.
pub(crate) fn commands(commands: Vec<Command>) -> Vec<Command> {
    within(commands, LIST_BYTES, |command| {
        shorten(&mut command.name, LABEL_BYTES);
        shorten(&mut command.description, LABEL_BYTES);
        shorten_some(&mut command.hint, LABEL_BYTES);
        json_len(&command.name)
            + json_len(&command.description)
            + command.hint.as_deref().map_or(0, json_len)
            + 60
    })
}

/// Cuts the modes of a session to what one frame carries. One whose id is too long is left out: it could not be chosen.
pub(crate) fn modes(modes: Modes) -> Modes {
    let Modes {
        mut current,
        mut available,
    } = modes;
    shorten(&mut current, LABEL_BYTES);
    available.retain(|mode| json_len(&mode.id) <= LABEL_BYTES);
    let available = within(available, MODES_BYTES, |mode| {
        shorten(&mut mode.name, LABEL_BYTES);
        shorten_some(&mut mode.description, LABEL_BYTES);
        json_len(&mode.id) + json_len(&mode.name) + some_len(&mode.description) + 60
    });
    Modes { current, available }
}

/// Cuts session options to what one frame carries. What has an id or a value that is too long is left out.
pub(crate) fn options(mut options: Vec<ConfigOption>) -> Vec<ConfigOption> {
    options.retain(|option| json_len(&option.id) <= LABEL_BYTES);
    let room = LIST_BYTES / options.len().max(1);
    within(options, LIST_BYTES, |option| {
        shorten(&mut option.name, LABEL_BYTES);
        shorten_some(&mut option.description, LABEL_BYTES);
        shorten_some(&mut option.category, WORD_BYTES);
        let value_len = if let Value::String(text) = &mut option.value {
            shorten(text, LABEL_BYTES);
            json_len(text)
        } else {
            0
        };
        let labels = json_len(&option.id)
            + json_len(&option.name)
            + some_len(&option.description)
            + some_len(&option.category)
            + value_len
            + 120;
        let mut choices = std::mem::take(&mut option.choices);
        choices.retain(|choice| json_len(&choice.value) <= LABEL_BYTES);
        let mut choices_len = 0;
        option.choices = within(choices, room.saturating_sub(labels), |choice| {
            shorten(&mut choice.name, LABEL_BYTES);
            shorten_some(&mut choice.description, LABEL_BYTES);
            shorten_some(&mut choice.group, LABEL_BYTES);
            let length = json_len(&choice.value)
                + json_len(&choice.name)
                + some_len(&choice.description)
                + some_len(&choice.group)
                + 80;
            choices_len += length;
            length
        });
        labels + choices_len.min(room.saturating_sub(labels))
    })
}

fn some_len(text: &Option<String>) -> usize {
    text.as_deref().map_or(0, json_len)
}

/// Returns the first items that together weigh at most `limit`; `weigh` may shorten an item.
fn within<T>(items: Vec<T>, limit: usize, mut weigh: impl FnMut(&mut T) -> usize) -> Vec<T> {
    let mut taken = 0;
    items
        .into_iter()
        .map_while(|mut item| {
            taken += weigh(&mut item);
            (taken <= limit).then_some(item)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lengths_are_those_of_the_encoder(text in any::<String>()) {
            let encoded = serde_json::to_string(&text).expect("a string is JSON");
            prop_assert_eq!(json_len(&text) + 2, encoded.len());
        }

        #[test]
        fn a_beginning_fits_and_is_one(text in any::<String>(), limit in 0_usize..64) {
            let (start, cut) = beginning(&text, limit);
            prop_assert!(json_len(start) <= limit);
            prop_assert!(text.starts_with(start));
            prop_assert_eq!(cut, start.len() < text.len());
        }
    }

    #[test]
    fn diffs_are_cut_together() {
        let diff = |length: usize| Diff {
            path: "a".into(),
            old_text: Some("o".repeat(length)),
            new_text: "n".repeat(length),
            new_file: false,
        };
        let mut diffs = vec![diff(10), diff(10)];
        assert_eq!(take_whole_diffs(&mut diffs, 1 << 20), None);
        let mut diffs = vec![diff(1 << 20), diff(1 << 20), diff(5)];
        let before = diffs.clone();
        assert_eq!(take_whole_diffs(&mut diffs, 64 << 10), Some(before));
        let encoded = serde_json::to_string(&diffs).expect("diffs are JSON");
        assert!(encoded.len() <= 64 << 10, "{}", encoded.len());
        assert_eq!(diffs[0].path, "a");
    }
}
