//! Makes text that came from an agent harmless for a terminal: no control character, no terminal sequence and no
//! bidi override of it survives, whatever its pieces are.

use std::borrow::Cow;

/// Reads text piece by piece, so that a sequence that is split between two pieces is still removed whole.
#[derive(Debug, Default)]
pub(crate) struct Neutraliser {
    place: Place,
}

/// Where in a terminal sequence the text stands.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Text,
    /// Behind ESC, and behind its intermediate characters.
    Escape,
    /// In a control sequence (CSI), up to its final character.
    Control,
    /// In a string (title, hyperlink, device control) that ends with BEL or ST.
    String,
    /// In a string, behind an ESC that may begin its end.
    StringEscape,
}

impl Neutraliser {
    /// Returns what of the next piece may be shown. Line breaks and tabs stay.
    pub(crate) fn piece(&mut self, text: &str) -> String {
        text.chars().filter(|&character| self.keeps(character)).collect()
    }

    fn keeps(&mut self, character: char) -> bool {
        let (place, keep) = match self.place {
            Place::Text => begin(character),
            Place::Escape => match character {
                '[' => (Place::Control, false),
                ']' | 'P' | 'X' | '^' | '_' => (Place::String, false),
                ' '..='/' => (Place::Escape, false),
                '0'..='~' => (Place::Text, false),
                _ => begin(character),
            },
            Place::Control => match character {
                ' '..='?' => (Place::Control, false),
                '@'..='~' => (Place::Text, false),
                _ => begin(character),
            },
            Place::String => match character {
                '\u{7}' | '\u{9c}' => (Place::Text, false),
                '\u{1b}' => (Place::StringEscape, false),
                // A string that never ends must not swallow what follows it.
                '\n' => (Place::Text, true),
                _ => (Place::String, false),
            },
            Place::StringEscape => match character {
                '\\' => (Place::Text, false),
                '[' => (Place::Control, false),
                _ => begin(character),
            },
        };
        self.place = place;
        keep
    }
}

fn begin(character: char) -> (Place, bool) {
    match character {
        '\u{1b}' => (Place::Escape, false),
        '\u{9b}' => (Place::Control, false),
        '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => (Place::String, false),
        '\n' | '\t' => (Place::Text, true),
        _ => (Place::Text, !is_dangerous(character)),
    }
}

/// Returns whether a character may steer a terminal or turn the direction of text.
const fn is_dangerous(character: char) -> bool {
    matches!(character, '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a whole text, made harmless.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    if text
        .chars()
        .any(|character| is_dangerous(character) && !matches!(character, '\n' | '\t'))
    {
        Cow::Owned(Neutraliser::default().piece(text))
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns a whole text, made harmless and put on one line.
pub(crate) fn one_line(text: &str) -> String {
    neutral(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns JSON with the characters escaped that JSON allows and a terminal obeys. It stays the same JSON, since they
/// can stand nowhere but in strings.
pub(crate) fn neutral_json(json: &str) -> Cow<'_, str> {
    let dangerous = |character: char| is_dangerous(character) && !matches!(character, '\n' | '\t' | '\r');
    if !json.chars().any(dangerous) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if dangerous(character) {
            escaped.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(input: &str, expected: &str) {
        assert_eq!(neutral(input), expected, "{input:?}");
    }

    #[test]
    fn sequences_go_and_text_stays() {
        check("plain, été, 日本, 👩‍💻\n\ttabs", "plain, été, 日本, 👩‍💻\n\ttabs");
        check("\u{1b}[31mred\u{1b}[0m", "red");
        check("\u{9b}31mred", "red");
        check("\u{1b}]0;a title\u{7}after", "after");
        check("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link");
        check("\u{1b}Pq#0\u{9c}after", "after");
        check("\u{1b}(Bafter", "after");
        check("\u{1b}]never ends\nafter", "\nafter");
        check("a\r\nb\rc\u{8}\u{7f}", "a\nbc");
        check("\u{202e}evil\u{2066}", "evil");
        check("\u{1b}é", "é");
    }

    #[test]
    fn json_stays_the_same_json() {
        let value = serde_json::json!({"text": "\u{9b}31m\u{7f}\u{202e}é\u{1b}"});
        let written = serde_json::to_string_pretty(&value).expect("JSON");
        let escaped = neutral_json(&written);
        assert!(
            !escaped
                .chars()
                .any(|character| is_dangerous(character) && character != '\n'),
            "{escaped}"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&escaped).expect("JSON"),
            value
        );
    }

    /// Text in which control characters and the beginnings of sequences are frequent.
    fn nasty() -> impl Strategy<Value = String> {
        let character = prop_oneof![
            any::<char>(),
            (0_u32..0xa0).prop_map(|code| char::from_u32(code).expect("a code below the surrogates")),
            prop::sample::select(vec![
                '\u{1b}', '[', ']', '\\', '\u{7}', '\u{9b}', 'm', '\u{202e}', '\n'
            ]),
        ];
        prop::collection::vec(character, 0..40).prop_map(|characters| characters.into_iter().collect())
    }

    proptest! {
        #[test]
        fn nothing_dangerous_survives(pieces in prop::collection::vec(nasty(), 0..4)) {
            let mut neutraliser = Neutraliser::default();
            let shown: String = pieces.iter().map(|piece| neutraliser.piece(piece)).collect();
            let survives = |character: char| is_dangerous(character) && !matches!(character, '\n' | '\t');
            prop_assert!(!shown.chars().any(survives));
            // How the text is cut into pieces makes no difference.
            prop_assert_eq!(&shown, &Neutraliser::default().piece(&pieces.concat()));
            // What was made harmless once is left alone.
            prop_assert_eq!(neutral(&shown), shown.as_str());
        }

        #[test]
        fn one_line_is_one_line(text in nasty()) {
            prop_assert!(!one_line(&text).chars().any(char::is_control));
        }
    }
}
