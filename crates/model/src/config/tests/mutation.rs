//! A change of one scalar value or of one key either leaves a valid file, or is told where it stands.

use std::ops::Range;

use proptest::prelude::*;

use super::super::document::Document;
use super::super::{Facts, Reading};
use super::{EVERYTHING, EXECUTABLE};

/// A scalar value or a key of the file.
#[derive(Debug, Clone)]
struct Spot {
    pointer: String,
    at: Range<usize>,
}

fn spots() -> Vec<Spot> {
    let document = Document::read(EVERYTHING);
    let mut spots = Vec::new();
    for (pointer, place) in document.places() {
        let spot = |at: Range<usize>| Spot {
            pointer: pointer.to_owned(),
            at,
        };
        spots.extend(place.key.clone().map(spot));
        let scalar = document
            .value
            .pointer(pointer)
            .is_some_and(|value| !value.is_array() && !value.is_object());
        if scalar {
            spots.push(spot(place.value.clone()));
        }
    }
    spots
}

/// What is written in the place of a value or of a key.
fn replacement() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{1,12}",
        "\"[a-zA-Z0-9 ./$-]{0,40}\"",
        "-?[0-9]{1,20}",
        "[0-9]\\.[0-9]e[0-9]{1,3}",
        prop_oneof![
            Just("true"),
            Just("[]"),
            Just("{}"),
            Just("1979-05-27"),
            Just("nan"),
            Just("\"demo\""),
            Just("\"gemini\""),
            Just("\"never\""),
            Just("\"\\u0000\""),
            Just("name"),
            Just("preset"),
            Just("command"),
            Just("agents"),
            Just("'''"),
            Just("\""),
            Just("="),
            Just("#"),
            Just("\n"),
            Just(""),
        ]
        .prop_map(str::to_owned),
        "\\PC{0,12}",
    ]
}

/// Returns where a problem may stand after a change there.
fn expected_lines(spot: &Spot, replacement: &str, text: &str) -> Vec<u32> {
    let line_of =
        |at: usize| u32::try_from(EVERYTHING[..at].matches('\n').count() + 1).expect("a short text");
    let document = Document::read(EVERYTHING);
    // The changed line, and the next ones where the change opened what it did not close.
    let first = line_of(spot.at.start);
    let mut lines = vec![first];
    let added = u32::try_from(text.matches('\n').count()).expect("short")
        - u32::try_from(EVERYTHING.matches('\n').count()).expect("short");
    let last = u32::try_from(text.lines().count()).expect("short");
    lines.extend(first..=(first + added));
    // What is missing in a table is told at its header; a table's name may be its key.
    let parents = spot.pointer.match_indices('/').map(|(at, _)| &spot.pointer[..at]);
    lines.extend(parents.map(|parent| line_of(document.place(parent).value.start)));
    // What stands in a table is wrong where it stands when the table became another one.
    let below = format!("{}/", spot.pointer);
    for (pointer, place) in document.places() {
        if pointer.starts_with(&below) {
            lines.push(line_of(place.value.start) + added);
        }
    }
    // A name is told where it is referred to, or given a second time.
    if spot.pointer.starts_with("/agents/") || spot.pointer.starts_with("/mcp_servers/") {
        for (pointer, place) in document.places() {
            if pointer.ends_with("/name") || pointer.contains("/agents/") && !pointer.starts_with("/agents") {
                lines.push(line_of(place.value.start) + added);
            }
        }
    }
    // A key that is there already is told where it stands the second time.
    let siblings = spot.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
    for (pointer, place) in document.places() {
        if pointer
            .rsplit_once('/')
            .is_some_and(|(parent, key)| parent == siblings && key == replacement)
        {
            lines.push(line_of(place.value.start));
        }
    }
    // An open string or bracket is told at its end.
    lines.push(last);
    lines.push(last + 1);
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_change_is_valid_or_told_where_it_is(index in any::<prop::sample::Index>(), replacement in replacement()) {
        let spots = spots();
        let spot = &spots[index.index(spots.len())];
        let mut text = EVERYTHING.to_owned();
        text.replace_range(spot.at.clone(), &replacement);
        let verdict = Reading::of_text(&text, EXECUTABLE).verdict(&Facts::default());
        if verdict.config.is_none() {
            let expected = expected_lines(spot, &replacement, &text);
            let told: Vec<_> = verdict.problems.iter().filter(|problem| !problem.warning).collect();
            prop_assert!(
                told.iter().any(|problem| expected.contains(&problem.line)),
                "{spot:?} became {replacement:?}: lines {expected:?}, but {told:#?}"
            );
        }
    }

    #[test]
    fn no_damage_makes_a_problem_quote_a_secret(at in any::<prop::sample::Index>(), length in 0..4_usize, piece in "[\"'=\\[\\]{}#,\n a$]{0,3}") {
        const SECRET: &str = "sk-0123456789";
        let mut text = EVERYTHING.replace("\"abc\"", &format!("\"{SECRET}\""));
        let start = text.floor_char_boundary(at.index(text.len()));
        let end = text.ceil_char_boundary((start + length).min(text.len()));
        // Damage inside of it makes another word of it.
        let secret = text.find(SECRET).expect("it is there");
        prop_assume!(end <= secret || start >= secret + SECRET.len());
        text.replace_range(start..end, &piece);
        let verdict = Reading::of_text(&text, EXECUTABLE).verdict(&Facts::default());
        prop_assert!(!format!("{:?}", verdict.problems).contains(SECRET), "{text}\n{:#?}", verdict.problems);
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}", bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        drop(Reading::of_text(&text, EXECUTABLE).verdict(&Facts::default()));
        drop(Reading::of_bytes(&bytes, EXECUTABLE).verdict(&Facts::default()));
    }
}
