//! Text of a pane for whoever shows or reads it elsewhere: nothing in it steers a terminal or turns its direction.

use std::borrow::Cow;

/// Returns `text` without control characters (line feeds stay) and without the characters that turn the direction of
/// what stands around them.
///
/// What a screen gives as text went through the emulator, so no sequence is left in it to be taken out whole; but a
/// program may have printed C1 control characters as UTF-8, and overrides of direction, which stand on a cell as marks.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|character| is_harmless(*character)).collect())
}

fn is_harmless(character: char) -> bool {
    match character {
        '\n' | ' '..='~' => true,
        // Marks, embeddings, overrides and isolates of direction (Unicode annex 9).
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        _ => !character.is_control(),
    }
}
