//! What a viewer's own terminal answers to questions of the program: the pane has answered them, so it is kept back.

use std::borrow::Cow;

/// Bytes of an answer that are looked through for its end; a longer one is none.
const LONGEST_ANSWER_BYTES: usize = 4096;
const PASTE_BEGIN: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

/// Returns what a person typed, without what the terminal in front of the person answered by itself.
///
/// Answers are device attributes, status and mode reports, the place of the cursor, colours, versions: control sequences
/// that no key sends, and all strings (OSC, DCS, APC). Pasted text stays as it is. The place of a cursor in the first row
/// reads as F3 with a modifier, and stays. A sequence that is not complete stays too.
pub fn without_answers(typed: &[u8]) -> Cow<'_, [u8]> {
    let mut kept = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(escape) = memchr::memchr(b'\x1b', &typed[at..]).map(|place| at + place) {
        let rest = &typed[escape..];
        if rest.starts_with(PASTE_BEGIN) {
            at = match memchr::memmem::find(rest, PASTE_END) {
                Some(end) => escape + end + PASTE_END.len(),
                None => typed.len(),
            };
            continue;
        }
        match answer_length(rest) {
            Some(length) => {
                kept.extend_from_slice(&typed[from..escape]);
                at = escape + length;
                from = at;
            }
            None => at = escape + 1,
        }
    }
    if from == 0 {
        return Cow::Borrowed(typed);
    }
    kept.extend_from_slice(&typed[from..]);
    Cow::Owned(kept)
}

/// Returns the length of the answer with which the bytes begin, if they do.
fn answer_length(bytes: &[u8]) -> Option<usize> {
    let within = &bytes[..bytes.len().min(LONGEST_ANSWER_BYTES)];
    match within.get(1)? {
        b'[' => {
            let length = 2 + within[2..].iter().position(|byte| (0x40..0x7f).contains(byte))? + 1;
            is_report(&within[2..length]).then_some(length)
        }
        b']' | b'P' | b'_' | b'^' => string_length(within),
        _ => None,
    }
}

/// Says whether a control sequence, without its introducer, is a report that no key sends.
fn is_report(sequence: &[u8]) -> bool {
    let Some((last, parameters)) = sequence.split_last() else {
        return false;
    };
    let is_private = parameters
        .first()
        .is_some_and(|first| matches!(first, b'?' | b'>' | b'='));
    match last {
        // DA1 to DA3; XTSMGRAPHICS.
        b'c' | b'S' => is_private,
        // DSR, and what a terminal tells of colour schemes.
        b'n' => !parameters.is_empty(),
        // DECRPM.
        b'y' => parameters.ends_with(b"$"),
        // The flags of the kitty keyboard; keys have no question mark.
        b'u' => is_private,
        // Sizes in cells and pixels, states of the window.
        b't' => parameters.contains(&b';'),
        // CPR, but for F3 with a modifier, which is `CSI 1 ; m R`.
        b'R' => is_private || (parameters.contains(&b';') && !parameters.starts_with(b"1;")),
        _ => false,
    }
}

/// Returns the length of a string that is complete, with its terminator.
fn string_length(bytes: &[u8]) -> Option<usize> {
    let body = &bytes[2..];
    let end = body.iter().position(|byte| matches!(byte, b'\x07' | b'\x1b'))?;
    match (body[end], body.get(end + 1)) {
        (b'\x07', _) => Some(2 + end + 1),
        (_, Some(b'\\')) => Some(2 + end + 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_back() {
        for answer in [
            "\x1b[?62;22c",
            "\x1b[>1;10;0c",
            "\x1b[0n",
            "\x1b[?997;1n",
            "\x1b[12;40R",
            "\x1b[?12;40R",
            "\x1b[?2026;2$y",
            "\x1b[4;1$y",
            "\x1b[?1u",
            "\x1b[8;24;80t",
            "\x1b]11;rgb:0000/0000/0000\x1b\\",
            "\x1b]4;1;rgb:aa/bb/cc\x07",
            "\x1bP>|xterm(1)\x1b\\",
            "\x1bP1+r544e=7874\x1b\\",
            "\x1b_Gi=31;OK\x1b\\",
        ] {
            let typed = format!("a{answer}b");
            assert_eq!(&*without_answers(typed.as_bytes()), b"ab", "{answer:?}");
        }
    }

    #[test]
    fn keys_stay() {
        for keys in [
            "plain text\r",
            "\x1b",
            "\x1b\x1b[A",
            "\x1b[A",
            "\x1bOP",
            "\x1b[1;2R",
            "\x1b[15~",
            "\x1b[I\x1b[O",
            "\x1b[<0;10;20M\x1b[<0;10;20m",
            "\x1b[97;5u",
            "\x1b[27;5;92~",
            "\x1b[200~a paste with \x1b]0;t\x07 in it\x1b[201~",
            "\x1b[?62;22",
            "\x1b]11;rgb:00",
            "\x1bP",
            "é\x1bx",
        ] {
            assert_eq!(&*without_answers(keys.as_bytes()), keys.as_bytes(), "{keys:?}");
        }
    }
}
