//! Blots secrets out of text: whole ones, and those that lie over the seam between two pieces of text.
//!
//! Which values are secrets is decided elsewhere.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::Finder;
use pupitre_model::config::SECRET_BYTES;

use super::envelope::cut;

/// Values that JSON itself is made of are no secrets.
const JSON_WORDS: [&str; 3] = ["true", "false", "null"];

/// A line of a value that has several is a secret of its own from so many bytes on: what is logged is told line by line.
const SECRET_LINE_BYTES: usize = 8;

/// The end of a piece that goes on as a secret in the next one is blotted out from so many bytes on. What is shorter stays,
/// and what follows it goes: otherwise each word that ends as a secret begins would lose its end.
const OPEN_BYTES: usize = 4;

const BLOT: &str = "***";

/// Blots out the values of an agent's environment.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redactor {
    /// Each secret, and the ways in which JSON may write it.
    secrets: Vec<Finder<'static>>,
    /// The first byte of each.
    first_bytes: Vec<u8>,
    longest_bytes: usize,
}

/// The end of the last piece of a text, as far as it may be the beginning of a secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OpenEnd(String);

impl Redactor {
    /// Returns a redactor of these values, of which those below `SECRET_BYTES` count as no secrets.
    pub(crate) fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut forms = Vec::new();
        for value in values {
            let lines = value.lines().map(str::trim);
            let lines = lines.filter(|line| line.len() >= SECRET_LINE_BYTES && *line != value);
            for secret in std::iter::once(value).chain(lines) {
                if secret.len() >= SECRET_BYTES && !JSON_WORDS.contains(&secret) {
                    forms.extend(forms_of(secret));
                }
            }
        }
        forms.sort_unstable();
        forms.dedup();
        let mut first_bytes: Vec<u8> = forms.iter().map(|form| form.as_bytes()[0]).collect();
        first_bytes.dedup();
        Self {
            first_bytes,
            longest_bytes: forms.iter().map(String::len).max().unwrap_or(0),
            secrets: forms
                .iter()
                .map(|form| Finder::new(form.as_bytes()).into_owned())
                .collect(),
        }
    }

    /// Says whether there is nothing to blot out.
    pub(crate) fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Returns how long a secret can be, in bytes, in any of its forms.
    pub(crate) const fn longest_bytes(&self) -> usize {
        self.longest_bytes
    }

    /// Returns what the first `limit_bytes` of a text become, cut between two characters, with each secret replaced by
    /// `***`. A secret that lies across the cut is blotted out too.
    pub(crate) fn redact_start<'a>(&self, text: &'a str, limit_bytes: usize) -> Cow<'a, str> {
        self.redact_with(text, limit_bytes, Vec::new())
    }

    /// Does the same to a piece of text that goes on where the last one ended.
    pub(crate) fn redact_piece<'a>(
        &self,
        text: &'a str,
        limit_bytes: usize,
        open: &mut OpenEnd,
    ) -> Cow<'a, str> {
        let beyond_seams = self.seam_places(text, open);
        self.redact_with(text, limit_bytes, beyond_seams)
    }

    /// Does the same, and blots out these places as well.
    pub(crate) fn redact_with<'a>(
        &self,
        text: &'a str,
        limit_bytes: usize,
        places: Vec<Range<usize>>,
    ) -> Cow<'a, str> {
        let kept = cut(text, limit_bytes);
        let looked_at = &text.as_bytes()[..text.len().min(kept.len() + self.longest_bytes)];
        let mut secrets = self.places(looked_at);
        if !places.is_empty() {
            secrets.extend(places);
            secrets = joined(secrets);
        }
        if secrets.is_empty() {
            return Cow::Borrowed(kept);
        }
        let mut out = String::with_capacity(kept.len());
        let mut copied = 0;
        for secret in secrets.into_iter().take_while(|secret| secret.start < kept.len()) {
            out.push_str(&kept[copied..secret.start]);
            out.push_str(BLOT);
            copied = secret.end.min(kept.len());
        }
        out.push_str(&kept[copied..]);
        Cow::Owned(out)
    }

    /// Returns what belongs to secrets that began in the pieces before this one, or that go on in the next one.
    pub(crate) fn seam_places(&self, text: &str, open: &mut OpenEnd) -> Vec<Range<usize>> {
        if self.is_empty() || text.is_empty() {
            return Vec::new();
        }
        let before = open.0.len();
        let mut places = Vec::new();
        if before > 0 {
            open.0.push_str(cut(text, self.longest_bytes));
            let whole = self.places(open.0.as_bytes());
            let crossing = whole
                .iter()
                .find(|secret| secret.start < before && secret.end > before);
            places.extend(crossing.map(|secret| 0..secret.end - before));
        }
        if before == 0 || text.len() > self.longest_bytes {
            open.0.clear();
            let end = text.len().saturating_sub(self.longest_bytes);
            open.0.push_str(&text[text.ceil_char_boundary(end)..]);
        }
        let begin = self.open_end(&open.0);
        open.0.drain(..begin);
        if open.0.len() >= OPEN_BYTES {
            places.push(text.len().saturating_sub(open.0.len())..text.len());
        }
        places
    }

    /// Returns where the end of a text begins that is the beginning of a secret; its length when there is none.
    pub(crate) fn open_end(&self, text: &str) -> usize {
        let from = text.ceil_char_boundary(text.len().saturating_sub(self.longest_bytes));
        let mut starts = text[from..].char_indices().map(|(at, _)| from + at);
        let is_beginning = |end: &[u8]| {
            let mut secrets = self.secrets.iter().map(Finder::needle);
            self.first_bytes.contains(&end[0])
                && secrets.any(|secret| secret.len() > end.len() && secret.starts_with(end))
        };
        starts
            .find(|start| is_beginning(&text.as_bytes()[*start..]))
            .unwrap_or(text.len())
    }

    /// Returns where secrets stand, in order, those that touch or overlap as one.
    fn places(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for secret in &self.secrets {
            let mut at = 0;
            while let Some(start) = secret.find(&text[at..]).map(|start| at + start) {
                found.push(start..start + secret.needle().len());
                at = start + 1;
            }
        }
        joined(found)
    }
}

/// Returns places in order, those that touch or overlap as one.
fn joined(mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places.sort_unstable_by_key(|place| place.start);
    places.dedup_by(|next, before| {
        let joined = next.start <= before.end;
        if joined {
            before.end = before.end.max(next.end);
        }
        joined
    });
    places
}

/// Returns a secret as it is, as programs write it into JSON, and as they write that into JSON once more, each of the two in
/// its own way; and all that in a message, which is JSON again.
fn forms_of(secret: &str) -> Vec<String> {
    let once = json_texts(secret);
    let mut forms: Vec<String> = once.iter().flat_map(|json| json_texts(json)).collect();
    forms.sort_unstable();
    forms.dedup();
    forms.extend(forms.iter().map(|twice| json_text(twice)).collect::<Vec<_>>());
    forms.push(secret.to_owned());
    forms.extend(once);
    forms
}

/// Returns a text as programs write it into JSON, each way once: with or without what is beyond ASCII, with the signs of HTML
/// or the slash escaped.
fn json_texts(text: &str) -> Vec<String> {
    let json = json_text(text);
    let for_html = ["<", ">", "&"].iter().fold(json.clone(), |text, sign| {
        text.replace(sign, &format!("\\u{:04x}", sign.as_bytes()[0]))
    });
    let with_slashes = json.replace('/', "\\/");
    let mut texts = Vec::new();
    for form in [json, for_html, with_slashes] {
        texts.push(ascii_only(&form, |unit| format!("\\u{unit:04x}")));
        texts.push(ascii_only(&form, |unit| format!("\\u{unit:04X}")));
        texts.push(form);
    }
    texts.sort_unstable();
    texts.dedup();
    texts
}

fn json_text(text: &str) -> String {
    let json = serde_json::to_string(text).expect("text is JSON");
    json[1..json.len() - 1].to_owned()
}

/// Returns JSON text as programs write it that escape everything beyond ASCII.
fn ascii_only(json: &str, escape: impl Fn(u16) -> String) -> String {
    let mut out = String::with_capacity(json.len());
    for symbol in json.chars() {
        if symbol.is_ascii() {
            out.push(symbol);
        } else {
            out.extend(symbol.encode_utf16(&mut [0; 2]).iter().map(|unit| escape(*unit)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(secrets: &[&str], text: &str, expected: &str) {
        assert_eq!(
            Redactor::new(secrets.iter().copied()).redact_start(text, text.len()),
            expected
        );
    }

    #[test]
    fn secrets_are_blotted_out() {
        check(&["s3cret"], "a s3cret, s3crets3cret", "a ***, ***");
        check(&["s3cret", "abc"], "abc", "abc");
        check(
            &["true", "info"],
            r#"{"a":true,"b":"info"}"#,
            r#"{"a":true,"b":"***"}"#,
        );
        check(&[], "nothing", "nothing");
        check(&[""], "nothing", "nothing");
    }

    #[test]
    fn secrets_that_overlap_leave_nothing_of_either() {
        check(&["abcdef", "defghi", "abcd"], "x abcdefghi y", "x *** y");
        check(&["aaaa"], "aaaaaa", "***");
    }

    #[test]
    fn secrets_are_found_as_json_writes_them() {
        let secret = "pass\"wörd\\";
        check(&[secret], &serde_json::to_string(secret).unwrap(), "\"***\"");
        check(&[secret], r#""pass\"w\u00f6rd\\""#, "\"***\"");
        check(&[secret], r#""pass\"w\u00F6rd\\""#, "\"***\"");
        check(
            &[secret],
            r#"{"in":"{\"key\":\"pass\\\"wörd\\\\\"}"}"#,
            r#"{"in":"{\"key\":\"***\"}"}"#,
        );
        for twice in [r#"\"\\u00f6\\u00e9\""#, r#"\"\\u00F6\\u00E9\""#] {
            check(&["öé"], twice, r#"\"***\""#);
            let message = serde_json::to_string(twice).unwrap();
            check(&["öé"], &message, r#""\\\"***\\\"""#);
        }
        check(
            &["ö&/é"],
            r#"\\u00f6&/\\u00e9 ö\\u0026/é \u00f6&\\\/\u00e9 \\u00f6&\\\/\\u00e9"#,
            "*** *** *** ***",
        );
        check(&["a&b<c>/d"], r#"a\u0026b\u003cc\u003e/d a&b<c>\/d"#, "*** ***");
        check(&[secret], secret, "***");
    }

    #[test]
    fn the_cut_shows_no_half_of_a_secret() {
        let redactor = Redactor::new(["0123456789", "early secret"]);
        assert_eq!(redactor.redact_start("abcdef0123456789xyz", 10), "abcdef***");
        assert_eq!(redactor.redact_start("abcdef0123456789xyz", 6), "abcdef");
        assert_eq!(redactor.redact_start("early secret 0123456789", 16), "*** ***");
        assert_eq!(redactor.redact_start("éé", 3), "é");
    }

    #[test]
    fn each_line_of_a_secret_is_one() {
        let key = "-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqh\n-----END KEY-----\n";
        check(&[key], "it has MIIEvQIBADANBg and kqh", "it has *** and kqh");
        check(&[key], key, "***");
    }

    /// Returns what these pieces become, one after the other.
    fn pieces(secrets: &[&str], pieces: &[&str]) -> Vec<String> {
        let redactor = Redactor::new(secrets.iter().copied());
        let mut open = OpenEnd::default();
        let pieces = pieces.iter();
        pieces
            .map(|piece| redactor.redact_piece(piece, 100, &mut open).into_owned())
            .collect()
    }

    #[test]
    fn a_secret_over_a_seam_is_blotted_out_on_both_sides() {
        let secret = &["sk-51c7d0e2"];
        assert_eq!(pieces(secret, &["a sk-51c", "7d0e2 b"]), ["a ***", "*** b"]);
        assert_eq!(pieces(secret, &["a sk", "-51c7d0e2 b"]), ["a sk", "*** b"]);
        assert_eq!(pieces(secret, &["sk-51c7d0e", "2"]), ["***", "***"]);
        assert_eq!(
            pieces(secret, &["s", "k-", "", "51", "c7d", "0e2!"]),
            ["s", "k-", "", "***", "***", "***!"]
        );
        // What goes on otherwise is told from there on.
        assert_eq!(
            pieces(secret, &["as", "k me", "sk-51", " no"]),
            ["as", "k me", "***", " no"]
        );
        assert_eq!(
            pieces(&["abcdef"], &["abcabcd", "ef, abcdef abc", "def"]),
            ["abc***", "***, *** abc", "***"]
        );
    }

    proptest! {
        #[test]
        fn no_seam_shows_more_than_the_first_bytes(
            secret in "[ab1é]{4,9}",
            texts in prop::collection::vec("[ab1é ]{0,12}", 1..12),
        ) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let shown = pieces(&[&secret], &texts).concat();
            prop_assert!(!shown.contains(&secret), "{shown}");
            if !texts.concat().contains(&secret) {
                // Only ends of pieces are blotted out that could have gone on.
                prop_assert!(shown.replace("***", "").chars().count() <= texts.concat().chars().count());
            }
        }
    }
}
