//! Texts that an agent told, cut to what is kept of them, also while they grow.

use pupitre_protocol::MessageId;
use pupitre_protocol::limits::TOLD_TEXT_BYTES;

/// Stands where a text was cut.
const ELLIPSIS: char = '…';

/// Returns a text without the blanks around it, at most [`TOLD_TEXT_BYTES`] of it; the end of a longer one is cut and marked.
pub(super) fn told(text: &str) -> String {
    let mut beginning = Beginning::default();
    beginning.append(text);
    beginning.text()
}

/// The beginning of a text that grows.
#[derive(Debug, Clone, Default)]
struct Beginning {
    /// Without blanks in front.
    kept: String,
    is_cut: bool,
}

impl Beginning {
    fn append(&mut self, text: &str) {
        if self.is_cut {
            return;
        }
        let text = if self.kept.is_empty() {
            text.trim_start()
        } else {
            text
        };
        let room = TOLD_TEXT_BYTES - self.kept.len();
        self.is_cut = text.len() > room;
        self.kept.push_str(&text[..text.floor_char_boundary(room)]);
    }

    fn text(&self) -> String {
        if !self.is_cut {
            return self.kept.trim_end().to_owned();
        }
        let room = TOLD_TEXT_BYTES - ELLIPSIS.len_utf8();
        let mut text = self.kept[..self.kept.floor_char_boundary(room)]
            .trim_end()
            .to_owned();
        text.push(ELLIPSIS);
        text
    }
}

/// Where a part stands: its message, and its place in that.
type Place = (MessageId, u32);

/// The last text of a turn that is more than blanks.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    place: Option<Place>,
    beginning: Beginning,
    /// What it is as long as the last text has only blanks.
    before: Option<String>,
}

impl Answer {
    /// Takes what was added to a text; what stands before the last text is of no matter.
    pub(super) fn append(&mut self, place: Place, text: &str) {
        if Some(place) < self.place {
            return;
        }
        if Some(place) > self.place {
            self.begin(place);
        }
        self.beginning.append(text);
    }

    /// Takes a text as a whole.
    pub(super) fn replace(&mut self, place: Place, text: &str) {
        if Some(place) == self.place {
            self.beginning = Beginning::default();
        }
        self.append(place, text);
    }

    pub(super) fn text(self) -> Option<String> {
        self.last().or(self.before)
    }

    fn begin(&mut self, place: Place) {
        self.before = self.last().or(self.before.take());
        self.beginning = Beginning::default();
        self.place = Some(place);
    }

    fn last(&self) -> Option<String> {
        let text = self.beginning.text();
        (!text.is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    const fn place(message: u128, index: u32) -> Place {
        (MessageId(Uuid::from_u128(message)), index)
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(told("  short\n"), "short");
        assert_eq!(told(" \n"), "");
        let just = "x".repeat(TOLD_TEXT_BYTES);
        assert_eq!(told(&just), just);
        assert_eq!(
            told(&format!("{just}x")),
            format!("{}…", "x".repeat(TOLD_TEXT_BYTES - 3))
        );
        let wide = told(&"€".repeat(TOLD_TEXT_BYTES));
        assert!(
            wide.len() <= TOLD_TEXT_BYTES && wide.len() > TOLD_TEXT_BYTES - 3,
            "{}",
            wide.len()
        );
        assert!(wide.ends_with("€…"));
    }

    #[test]
    fn the_last_text_with_something_in_it_is_the_answer() {
        let mut answer = Answer::default();
        assert_eq!(answer.clone().text(), None);
        answer.append(place(1, 0), "I look");
        answer.append(place(1, 0), " at it.\n");
        answer.append(place(1, 2), "\n ");
        assert_eq!(answer.clone().text().as_deref(), Some("I look at it."));
        answer.append(place(1, 2), "It is ");
        answer.append(place(1, 0), "late");
        answer.append(place(1, 2), "good.");
        assert_eq!(answer.clone().text().as_deref(), Some("It is good."));
        answer.replace(place(1, 2), "It is bad.");
        answer.replace(place(1, 0), "other");
        assert_eq!(answer.clone().text().as_deref(), Some("It is bad."));
        answer.append(place(2, 0), "");
        assert_eq!(answer.text().as_deref(), Some("It is bad."));
    }

    proptest! {
        #[test]
        fn pieces_are_told_as_the_whole(pieces in vec(prop_oneof!["[ a€\n]{0,5}", "[x€]{900,1100}"], 0..6)) {
            let mut beginning = Beginning::default();
            pieces.iter().for_each(|piece| beginning.append(piece));
            let whole = told(&pieces.concat());
            prop_assert!(whole.len() <= TOLD_TEXT_BYTES);
            prop_assert_eq!(beginning.text(), whole);
        }
    }
}
