//! The few words that a search shows of a message: the place with the most of what was searched for.
//!
//! Responsible for choosing and cutting; what is found, the index has marked. SQLite's own `snippet` looks at each find once
//! for each other one: a long message with a thousand of them would hold everybody up.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use pupitre_protocol::conversation::ExcerptPiece;

/// Stand around what was found; Unicode has them for such uses, and no text means them.
const MARKS: [char; 2] = ['\u{fdd0}', '\u{fdd1}'];

/// What an excerpt may have, without the marks of what was left out.
const EXCERPT_BYTES: usize = 180;

/// Returns the best place of a marked text, in time that grows with its length.
pub(super) fn excerpt(marked: &str) -> Vec<ExcerptPiece> {
    let (text, finds) = without_marks(marked);
    let shown = best(&text, &finds);
    let (Some(first), Some(last)) = (finds[shown.clone()].first(), finds[shown.clone()].last()) else {
        let end = text.floor_char_boundary(EXCERPT_BYTES);
        return pieces(&text, 0..end, &[]);
    };
    let window = around(&text, first.start..last.end);
    pieces(&text, window, &finds[shown])
}

/// Returns the text, and where in it something was found.
fn without_marks(marked: &str) -> (String, Vec<Range<usize>>) {
    let mut text = String::with_capacity(marked.len());
    let mut finds = Vec::new();
    for (number, piece) in marked.split(MARKS).enumerate() {
        let begin = text.len();
        text.push_str(piece);
        if number % 2 == 1 && !piece.is_empty() {
            finds.push(begin..text.len());
        }
    }
    (text, finds)
}

/// Returns which finds are shown together: those with the most different words, then the most at all, then the first.
fn best(text: &str, finds: &[Range<usize>]) -> Range<usize> {
    let words: Vec<String> = finds
        .iter()
        .map(|find| text[find.clone()].to_lowercase())
        .collect();
    let mut best = 0..0;
    let mut best_score = (0, 0);
    let mut within: HashMap<&str, usize> = HashMap::new();
    let mut end = 0;
    for (begin, first) in finds.iter().enumerate() {
        while finds
            .get(end)
            .is_some_and(|find| end == begin || find.end - first.start <= EXCERPT_BYTES)
        {
            *within.entry(&words[end]).or_default() += 1;
            end += 1;
        }
        let score = (within.len(), end - begin);
        if score > best_score {
            best = begin..end;
            best_score = score;
        }
        let word = words[begin].as_str();
        match within.get_mut(word) {
            Some(count) if *count > 1 => *count -= 1,
            Some(_) | None => {
                within.remove(word);
            }
        }
    }
    best
}

/// Widens what was found to whole words on both sides, as far as there is room.
fn around(text: &str, found: Range<usize>) -> Range<usize> {
    let room = EXCERPT_BYTES.saturating_sub(found.len());
    let before = found
        .start
        .min((room / 2).max(room.saturating_sub(text.len() - found.end)));
    let mut start = text.ceil_char_boundary(found.start - before);
    let mut end = text.floor_char_boundary((found.end + room - before).min(text.len()));
    if start > 0 {
        let space = text[start..found.start]
            .char_indices()
            .find(|(_, character)| character.is_whitespace());
        start += space.map_or(0, |(at, character)| at + character.len_utf8());
    }
    if end < text.len() && !text[end..].starts_with(char::is_whitespace) {
        let space = text[found.end..end].rfind(char::is_whitespace);
        end = space.map_or(end, |space| found.end + space);
    }
    start..end
}

fn pieces(text: &str, window: Range<usize>, finds: &[Range<usize>]) -> Vec<ExcerptPiece> {
    let mut pieces = Vec::new();
    let mut push = |text: &str, found| {
        if !text.is_empty() {
            let text = text.to_owned();
            pieces.push(ExcerptPiece { text, found });
        }
    };
    let mut at = window.start;
    let mut lead = if window.start > 0 { "…" } else { "" };
    for find in finds {
        push(&format!("{lead}{}", &text[at..find.start]), false);
        lead = "";
        push(&cut(&text[find.clone()]), true);
        at = find.end;
    }
    let tail = if window.end < text.len() { "…" } else { "" };
    push(&format!("{lead}{}{tail}", &text[at..window.end]), false);
    pieces
}

/// Cuts a find that is longer than an excerpt: one word may have a megabyte.
fn cut(found: &str) -> Cow<'_, str> {
    let end = found.floor_char_boundary(EXCERPT_BYTES);
    if end < found.len() {
        Cow::Owned(format!("{}…", &found[..end]))
    } else {
        Cow::Borrowed(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Brackets stand for the marks, and around what was found.
    fn check(text: &str, expected: &str) {
        let marked = text.replace('[', "\u{fdd0}").replace(']', "\u{fdd1}");
        let shown: String = excerpt(&marked)
            .iter()
            .map(|piece| match piece.found {
                true => format!("[{}]", piece.text),
                false => piece.text.clone(),
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        check("[hit]", "[hit]");
        check("a [hit] and [more] of it\n", "a [hit] and [more] of it\n");
    }

    #[test]
    fn a_long_text_is_cut_around_what_was_found_at_whole_words() {
        let long = "lorem ipsum ".repeat(100);
        let seven = "lorem ipsum ".repeat(7);
        check(
            &format!("{long}[hit] {long}"),
            &format!("…{seven}[hit] {}…", seven.trim_end()),
        );
        // Where one side is short the other has the room.
        check(
            &format!("a [hit] {long}"),
            &format!("a [hit] {}lorem…", "lorem ipsum ".repeat(14)),
        );
        check(
            &format!("{long}[hit]!"),
            &format!("…ipsum {}[hit]!", "lorem ipsum ".repeat(14)),
        );
    }

    #[test]
    fn a_text_without_spaces_is_cut_between_characters() {
        let long = "é".repeat(500);
        let side = "é".repeat(44);
        check(&format!("{long}[hit]{long}"), &format!("…{side}[hit]{side}…"));
        check(&format!("[{long}]"), &format!("[{side}{side}éé…]"));
    }

    #[test]
    fn the_place_with_the_most_different_words_is_shown() {
        let gap = "far away ".repeat(40);
        let nine = "far away ".repeat(9);
        check(
            &format!("[one] [one] {gap}[Two] [one] [two]{gap}[one] [one] [one] [one]"),
            &format!("…{nine}[Two] [one] [two]{nine}far…"),
        );
    }

    #[test]
    fn many_finds_take_time_in_proportion() {
        // With time in proportion to the square of them this would not come to an end in a test's time.
        let many = "[hit] ".repeat(100_000);
        check(&many, &format!("{}…", "[hit] ".repeat(45).trim_end()));
    }
}
