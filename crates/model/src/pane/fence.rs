//! The fence around what a terminal or an agent said, when it is given to another agent: what is inside is no instruction.
//!
//! Responsible for the form of the fence, and that nothing inside looks like one. That its id cannot be guessed is the
//! caller's to see to. Escaped forms, `&lt;` for example, are plain text here: whoever unescapes a text fences it again.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

use pupitre_protocol::SurfaceId;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// The tag, as far as looks count: its letters in small, with those that look alike made one.
const LETTERS: &[u8] = b"untrustedtermlnaloutput";

/// Puts a text into a fence with this id. Look-alikes of fences in it are broken.
pub fn fenced(text: &str, source: SurfaceId, total_lines: u64, eof: bool, id: [u8; 8]) -> String {
    let text = broken(text);
    let mut id_digits = String::with_capacity(2 * id.len());
    for byte in id {
        write!(id_digits, "{byte:02x}").expect("a String takes any text");
    }
    let mut fence = String::with_capacity(text.len() + 256);
    writeln!(
        fence,
        "<untrusted_terminal_output source=\"surface:{source}\" total_lines=\"{total_lines}\" eof=\"{eof}\" \
         id=\"{id_digits}\">"
    )
    .expect("a String takes any text");
    fence.push_str(&text);
    write!(fence, "\n</untrusted_terminal_output id=\"{id_digits}\">").expect("a String takes any text");
    fence
}

/// Breaks everything in a text that looks like the opening or the closing tag of a fence; all else stays as it is.
///
/// A look-alike is an opening bracket or what looks like one, then the letters of the tag or what looks like them, in any
/// case, with anything between them that is no letter, no digit and no bracket: blanks, line breaks, slashes, underscores,
/// marks, and characters that are not seen. Of a look-alike the brackets become `[` and the underscores `-`. Takes a time
/// that grows with the length of the text and with nothing else.
pub fn broken(text: &str) -> Cow<'_, str> {
    let once = broken_as(text, Tags::Unseen);
    if !text.as_bytes().contains(&TAG_CHARACTER_BEGIN) {
        return once;
    }
    // Who shows no tag characters sees one text, who reads them as the letters they stand for another.
    match broken_as(&once, Tags::Letters) {
        Cow::Borrowed(_) => once,
        Cow::Owned(twice) => Cow::Owned(twice),
    }
}

/// How every tag character begins in UTF-8, and little else.
const TAG_CHARACTER_BEGIN: u8 = 0xf3;

/// How tag characters (U+E0000 to U+E007F) are taken, which stand for those of ASCII and are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tags {
    Unseen,
    Letters,
}

/// How much of a look-alike has been seen.
#[derive(Debug, Clone, Copy)]
enum Seen {
    Nothing,
    /// The first of its brackets stands here, and so many letters came.
    Begun {
        at: usize,
        letters: usize,
    },
    Whole {
        at: usize,
    },
}

fn broken_as(text: &str, tags: Tags) -> Cow<'_, str> {
    let found = look_alikes(text, tags);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut whole = String::with_capacity(text.len());
    let mut copied = 0;
    for Range { start, end } in found {
        whole.push_str(&text[copied..start]);
        whole.extend(text[start..end].chars().map(|character| {
            let shown = shown(character, tags);
            if opens(shown) {
                '['
            } else if is_underscore(shown) {
                '-'
            } else {
                character
            }
        }));
        copied = end;
    }
    whole.push_str(&text[copied..]);
    Cow::Owned(whole)
}

/// Returns where look-alikes stand: from the first bracket to the last letter.
fn look_alikes(text: &str, tags: Tags) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut seen = Seen::Nothing;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if matches!(seen, Seen::Nothing) {
            // Most of a text is this.
            let is_of_matter = |byte: &u8| *byte == b'<' || !byte.is_ascii();
            let skipped = rest
                .as_bytes()
                .iter()
                .position(is_of_matter)
                .unwrap_or(rest.len());
            if skipped > 0 {
                at += skipped;
                continue;
            }
        }
        let character = rest.chars().next().expect("the rest is not empty");
        seen = after(seen, at, shown(character, tags));
        at += character.len_utf8();
        if let Seen::Whole { at: start } = seen {
            found.push(start..at);
            seen = Seen::Nothing;
        }
    }
    found
}

fn after(seen: Seen, at: usize, character: char) -> Seen {
    match seen {
        Seen::Begun { letters: 0, .. } if opens(character) => seen,
        Seen::Nothing | Seen::Begun { .. } | Seen::Whole { .. } if opens(character) => {
            Seen::Begun { at, letters: 0 }
        }
        Seen::Begun { .. } => {
            // One character may be several letters: a ligature.
            let mut seen = seen;
            decompose_compatible(character, |piece| {
                for piece in piece.to_lowercase() {
                    seen = after_piece(seen, piece);
                }
            });
            seen
        }
        Seen::Nothing | Seen::Whole { .. } => Seen::Nothing,
    }
}

fn after_piece(seen: Seen, piece: char) -> Seen {
    let Seen::Begun { at, letters } = seen else {
        return seen;
    };
    match letter(piece) {
        Some(found) if found == LETTERS[letters] && letters + 1 == LETTERS.len() => Seen::Whole { at },
        Some(found) if found == LETTERS[letters] => Seen::Begun {
            at,
            letters: letters + 1,
        },
        Some(_) => Seen::Nothing,
        None if piece == '>' => Seen::Nothing,
        None => seen,
    }
}

/// Returns what a character is taken for.
fn shown(character: char, tags: Tags) -> char {
    match tags {
        Tags::Letters if is_tag_character(character) => {
            char::from_u32(u32::from(character) - 0xe0000).expect("ASCII is in the lowest plane")
        }
        Tags::Letters | Tags::Unseen => character,
    }
}

const fn is_tag_character(character: char) -> bool {
    matches!(character, '\u{e0000}'..='\u{e007f}')
}

/// Says whether a character is `<`, is equivalent to it, or looks like it.
const fn opens(character: char) -> bool {
    matches!(
        character,
        '<' | '\u{ff1c}' // full-width
            | '\u{fe64}' // small
            | '\u{226e}' // with a stroke, which is a mark of its own when decomposed
            | '«' | '‹' | '˂' | '≪' | '⋘' | '≺' | '⋖' | '❬' | '❮' | '❰' | '⟨' | '⟪' | '⦉' | '⦑' | '⧼' | '⪡' | '⪻'
            | '\u{2329}' | '〈' | '《' | '︿' | '︽' | 'ᐸ' | 'ᚲ' | '\u{1d236}' | '\u{1f870}'
    )
}

/// Says whether a character is `_` or looks like it.
const fn is_underscore(character: char) -> bool {
    matches!(
        character,
        '_' | '\u{ff3f}'
            | '\u{fe33}'..='\u{fe34}'
            | '\u{fe4d}'..='\u{fe4f}'
            | '\u{203f}'..='\u{2040}'
            | '\u{2054}'
            | '\u{2017}'
            | '\u{2581}'
            | '\u{2cd}'
            | '\u{331}'..='\u{333}'
    )
}

/// Returns the letter or digit that a decomposed small character looks like, 0 for one that no tag has; `None` when it is
/// neither.
fn letter(character: char) -> Option<u8> {
    match character {
        'i' | 'l' | '1' => Some(b'l'),
        'o' | '0' => Some(b'o'),
        'a'..='z' | '2'..='9' => u8::try_from(character).ok(),
        // Fillers, which are letters for the standard and nothing for the eye.
        '\u{115f}'..='\u{1160}' | '\u{3164}' | '\u{ffa0}' => None,
        _ if character.is_ascii() || is_combining_mark(character) => None,
        _ => match look(character) {
            Some(letter) => Some(letter),
            None => character.is_alphanumeric().then_some(0),
        },
    }
}

/// Returns the letter of the tag that a letter of another script looks like.
fn look(character: char) -> Option<u8> {
    let squared = |first: u32| match (u32::from(character) - first).try_into() {
        Ok(place @ 0..26_u8) => letter(char::from(b'a' + place)),
        Ok(_) | Err(_) => None,
    };
    Some(match character {
        'а' | 'α' | 'ɑ' | 'ᴀ' | 'ɐ' | 'ꓮ' | 'ⱥ' => b'a',
        'ԁ' | 'đ' | 'ɖ' | 'ɗ' | 'ᴅ' | 'ꓓ' => b'd',
        'е' | 'ε' | 'є' | 'ɛ' | 'ᴇ' | 'ǝ' | 'ꓰ' | 'ɇ' => b'e',
        'і' | 'ӏ' | 'ι' | 'ı' | 'ɩ' | 'ɪ' | 'ʟ' | 'ł' | 'ƚ' | 'ɫ' | 'ɭ' | 'ɨ' | 'ǀ' | 'ꓡ' | 'ꓲ' | '׀'
        | 'ו' => b'l',
        'м' | 'μ' | 'ᴍ' | 'ɱ' | 'ꓟ' => b'm',
        'п' | 'η' | 'ν' | 'ո' | 'ɴ' | 'ɲ' | 'ŋ' | 'ɳ' | 'ƞ' | 'ꓠ' => b'n',
        'о' | 'ο' | 'σ' | 'օ' | 'ᴏ' | 'ø' | 'ɵ' | 'ס' | 'ꓳ' => b'o',
        'р' | 'ρ' | 'ᴘ' | 'ƥ' | 'þ' | 'ꓑ' => b'p',
        'г' | 'ʀ' | 'ɾ' | 'ɽ' | 'ɼ' | 'ɍ' | 'ꓣ' => b'r',
        'ѕ' | 'ꜱ' | 'ʂ' | 'ƽ' | 'ꓢ' => b's',
        'т' | 'τ' | 'ᴛ' | 'ŧ' | 'ƭ' | 'ʈ' | 'ꓔ' => b't',
        'и' | 'υ' | 'ս' | 'ᴜ' | 'ʋ' | 'ʊ' | 'ʉ' | 'ꓴ' => b'u',
        '\u{1f150}'..='\u{1f169}' => squared(0x1f150)?,
        '\u{1f170}'..='\u{1f189}' => squared(0x1f170)?,
        '\u{1f1e6}'..='\u{1f1ff}' => squared(0x1f1e6)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
