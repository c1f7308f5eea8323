//! Words of a file as a sentence quotes them: short enough to be read.

/// The most characters that are quoted.
const QUOTED_CHARS: usize = 60;

/// Returns the word in quotes, its end left out when it is long.
pub(super) fn quoted(word: &str) -> String {
    format!("{:?}", clipped(word))
}

/// Returns the word, its end left out when it is long.
pub(super) fn clipped(word: &str) -> String {
    match word.char_indices().nth(QUOTED_CHARS) {
        None => word.to_owned(),
        Some((end, _)) => format!("{}…", &word[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_word_is_cut_between_two_characters() {
        assert_eq!(quoted("a\"b"), r#""a\"b""#);
        assert_eq!(quoted(&"é".repeat(60)), format!("{:?}", "é".repeat(60)));
        assert_eq!(quoted(&"é".repeat(61)), format!("\"{}…\"", "é".repeat(60)));
    }
}
