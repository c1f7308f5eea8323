//! Words of a file as a sentence quotes them: short enough to be read.

/// The most characters that are quoted.
const QUOTED_CHARS: usize = 60;

/// Returns the word in quotes, its end left out when it is long.
pub(super) fn quoted(word: &str) -> String {
    format!("{:?}", clipped(word))
}

/// Returns the word, its end left out when it is long. Of several lines it is the first: where a quote is missing, the
/// others are what was meant to stand behind it.
pub(super) fn clipped(word: &str) -> String {
    let line = word
        .find(['\n', '\r'])
        .filter(|end| !word[*end..].trim().is_empty());
    let long = word.char_indices().nth(QUOTED_CHARS).map(|(end, _)| end);
    match line.into_iter().chain(long).min() {
        None => word.to_owned(),
        Some(end) => format!("{}…", &word[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_word_is_cut_between_two_characters() {
        assert_eq!(quoted("a\"b"), r#""a\"b""#);
        assert_eq!(quoted(&"é".repeat(60)), format!("{:?}", "é".repeat(60)));
        assert_eq!(quoted("sh\nenv = 1"), "\"sh…\"");
        assert_eq!(quoted("sh\n"), r#""sh\n""#);
        assert_eq!(quoted(&"é".repeat(61)), format!("\"{}…\"", "é".repeat(60)));
    }
}
