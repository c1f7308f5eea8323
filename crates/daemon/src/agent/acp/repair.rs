//! Makes readable what some agents write: a byte order mark, text before the JSON, bytes that are no UTF-8, half a
//! surrogate pair.
//!
//! Responsible for text only; whether it is a message is decided in `envelope`.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// Returns the line as text: without white space and byte order marks around it, what is no UTF-8 replaced.
pub(super) fn text(line: &[u8]) -> Cow<'_, str> {
    let around = |symbol: char| symbol.is_whitespace() || symbol == '\u{feff}' || symbol == '\0';
    // The lossy reading alone looks at each byte, which a line of megabytes feels.
    match std::str::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text.trim_matches(around)),
        Err(_) => Cow::Owned(String::from_utf8_lossy(line).trim_matches(around).to_owned()),
    }
}

/// Replaces each escape of half a surrogate pair (`\ud800`, without its other half) by the escape of the replacement
/// character. JavaScript writes them when it cuts a text inside a character, and no JSON reader of Rust takes them.
pub(super) fn surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut repaired = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(backslash) = memchr(b'\\', &bytes[at..]).map(|found| at + found) {
        at = match escaped_unit(bytes, backslash) {
            Some(0xd800..=0xdbff) if matches!(escaped_unit(bytes, backslash + 6), Some(0xdc00..=0xdfff)) => {
                backslash + 12
            }
            Some(0xd800..=0xdfff) => {
                repaired.push_str(&json[copied..backslash]);
                repaired.push_str(r"\ufffd");
                copied = backslash + 6;
                copied
            }
            Some(_) => backslash + 6,
            // The byte after a backslash is jumped over, so that a backslash that is itself escaped begins nothing.
            None => (backslash + 2).min(bytes.len()),
        };
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    repaired.push_str(&json[copied..]);
    Cow::Owned(repaired)
}

/// Returns the UTF-16 unit of the escape `\uXXXX` that begins at `at`.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
    let mut unit = 0;
    for digit in digits {
        unit = unit << 4 | u16::try_from(char::from(*digit).to_digit(16)?).expect("a digit is below 16");
    }
    Some(unit)
}

/// Tells whether a text shows something, or is only white space, control characters and escape sequences.
pub(super) fn shows_something(text: &str) -> bool {
    let mut symbols = text.chars();
    while let Some(symbol) = symbols.next() {
        if symbol == '\u{1b}' {
            match symbols.next() {
                // A control sequence goes on to its final letter.
                Some('[') => {
                    symbols.by_ref().any(|symbol| matches!(symbol, '@'..='~'));
                }
                // The title of a window and the like go on to a bell, or to an escape of their own.
                Some(']' | 'P' | 'X' | '^' | '_') => {
                    symbols
                        .by_ref()
                        .any(|symbol| matches!(symbol, '\u{7}' | '\u{1b}' | '\u{9c}'));
                }
                // Any other escape sequence is one symbol more.
                Some(_) | None => {}
            }
        } else if !symbol.is_control() && !symbol.is_whitespace() && symbol != '\u{feff}' {
            return true;
        }
    }
    false
}

/// Returns the JSON without white space between its tokens.
///
/// Works on the text, so that numbers of any size and the order of members stay as the agent wrote them.
pub(super) fn compact(json: &str) -> String {
    let bytes = json.as_bytes();
    let mut out = String::with_capacity(json.len());
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b' ' | b'\t' | b'\n' | b'\r' => {
                out.push_str(&json[copied..at]);
                at += 1;
                copied = at;
            }
            _ => at += 1,
        }
    }
    out.push_str(&json[copied..]);
    out
}

/// Returns where the string that opens at `open` ends, behind its closing quote.
fn end_of_string(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(found) = memchr2(b'"', b'\\', &bytes[at..]).map(|found| at + found) {
        if bytes[found] == b'"' {
            return found + 1;
        }
        at = (found + 2).min(bytes.len());
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_and_white_space_around_a_line_are_taken_off() {
        assert_eq!(text(b"\xef\xbb\xbf{}\r"), "{}");
        assert_eq!(text(b" \t{\"a\":\"\xff\"} "), "{\"a\":\"\u{fffd}\"}");
        assert_eq!(text(b"   "), "");
    }

    #[test]
    fn halves_of_a_pair_are_replaced_and_pairs_stay() {
        check_surrogates(r#""a\ud800b""#, r#""a\ufffdb""#);
        check_surrogates(r#""\uDC00\uD83D""#, r#""\ufffd\ufffd""#);
        check_surrogates(r#""\ud83d\ude00""#, r#""\ud83d\ude00""#);
        check_surrogates(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#);
        check_surrogates(r#""\\ud800""#, r#""\\ud800""#);
        check_surrogates(r#""\\\ud800""#, r#""\\\ufffd""#);
        check_surrogates(r#""\ud8"#, r#""\ud8"#);
        check_surrogates(r"\ud800\", r"\ufffd\");
    }

    fn check_surrogates(input: &str, expected: &str) {
        assert_eq!(surrogates(input), expected, "{input}");
    }

    #[test]
    fn escape_sequences_alone_show_nothing() {
        assert!(!shows_something("\u{1b}[2K\u{1b}[0;31m\u{1b}= \r\u{7}"));
        assert!(shows_something("\u{1b}[31mred\u{1b}[0m"));
        assert!(shows_something("x"));
        assert!(!shows_something("\u{1b}["));
        assert!(!shows_something("\u{1b}]0;title\u{7}\u{1b}[0m"));
        assert!(shows_something("\u{1b}]0;title\u{7}text"));
    }

    #[test]
    fn compact_json_keeps_its_strings_and_numbers() {
        let json = "{ \"a b\" : [ 1.50 , 123456789012345678901234567890 ],\n\t\"c\\\" d\": \"\\\\\" }";
        assert_eq!(
            compact(json),
            r#"{"a b":[1.50,123456789012345678901234567890],"c\" d":"\\"}"#
        );
    }

    proptest! {
        /// Whatever UTF-16 a JavaScript agent escapes, the repaired text is what UTF-16 decoding makes of it.
        #[test]
        fn repaired_text_reads_as_lossy_utf_16(units in proptest::collection::vec(
            prop_oneof![0xd800u16..=0xdfff, any::<u16>()], 0..40,
        )) {
            let json = format!("\"{}\"", units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>());
            let read: String = serde_json::from_str(&surrogates(&json)).unwrap();
            prop_assert_eq!(read, String::from_utf16_lossy(&units));
        }

        #[test]
        fn what_is_already_json_stays(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(surrogates(&json), json.as_str());
            prop_assert_eq!(compact(&json), json);
        }

        #[test]
        fn any_text_is_taken(text in r#"(\\|u|d|D|8|0|"|[a-f]|é| ){0,60}"#) {
            surrogates(&text);
            compact(&text);
        }
    }
}
