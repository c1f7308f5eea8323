//! What may be meant by a word that is not known.

/// Returns the word that was probably meant.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let bare = |text: &str| -> String {
        text.chars()
            .filter(|symbol| symbol.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    // A long word of a file that went wrong is no word, and comparing it would take long.
    if word.len() > LONGEST_BYTES {
        return None;
    }
    let wanted = bare(word);
    let most = (wanted.chars().count() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&wanted, &bare(candidate)), candidate))
        .filter(|(distance, candidate)| *distance <= most && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

const LONGEST_BYTES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_miss_is_found_and_a_far_one_is_not() {
        let known = ["title", "icon", "maxRunningAgents", "cwd"];
        for (word, expected) in [
            ("titel", Some("title")),
            ("Title", Some("title")),
            ("max_running_agents", Some("maxRunningAgents")),
            ("cdw", Some("cwd")),
            ("colour", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }
}
