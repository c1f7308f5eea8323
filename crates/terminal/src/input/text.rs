//! Text as it is written to a program: as a paste where the program takes one, and without what would act as a key.

use crate::screen::modes::InputModes;

const PASTE_BEGIN: &str = "\x1b[200~";
const PASTE_END: &str = "\x1b[201~";

/// Why a text cannot be written without submitting it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextInputError {
    #[error("the text has line breaks, and the program takes no pastes: each of them would submit")]
    LineBreaks,
}

/// Returns the bytes that put `text` into a program's input line without submitting it: between the marks of a paste
/// where the program asked for them (mode 2004), else as if it was typed.
///
/// Control characters other than tabs and line breaks are removed, ESC and C1 among them: no part of the text can be
/// a key, or the end of the paste. Nothing is written for a text of which nothing is left.
///
/// # Errors
///
/// When the text has line breaks and the program takes no pastes.
pub fn text_input(text: &str, modes: &InputModes) -> Result<Vec<u8>, TextInputError> {
    let mut kept = String::with_capacity(text.len() + PASTE_BEGIN.len() + PASTE_END.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            // The key that breaks a line sends a carriage return, and so does a pasted line break.
            '\n' => kept.push('\r'),
            '\r' => {
                characters.next_if_eq(&'\n');
                kept.push('\r');
            }
            '\t' => kept.push('\t'),
            character if character.is_control() => {}
            character => kept.push(character),
        }
    }
    if modes.bracketed_paste && !kept.is_empty() {
        kept.insert_str(0, PASTE_BEGIN);
        kept.push_str(PASTE_END);
    } else if kept.contains('\r') {
        return Err(TextInputError::LineBreaks);
    }
    Ok(kept.into_bytes())
}
