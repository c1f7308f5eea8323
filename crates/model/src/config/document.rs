//! The text of a file as values with places: what TOML says, as JSON, and where each key and value stands.

use std::collections::BTreeMap;
use std::ops::Range;

use pupitre_protocol::configuration::{ProblemCause, ValueType};
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::sentence::sentence;
use super::unclosed::unclosed;

/// What a text says, as far as it can be read.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) value: Value,
    /// By JSON pointer.
    places: BTreeMap<String, Place>,
    /// What is told of text that is no TOML.
    pub(super) syntax: Vec<SyntaxError>,
    /// Where the text is no TOML, told or not, in bytes.
    pub(super) unreadable: Vec<usize>,
    /// Where something was opened and not closed, in bytes: what was read behind it is a guess.
    pub(super) certain_until: usize,
}

/// Where a value stands, in bytes, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Where its key stands; elements of an array have none.
    pub(super) key: Option<Range<usize>>,
    pub(super) value: Range<usize>,
    pub(super) found: ValueType,
}

/// Text that is no TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) at: usize,
    pub(super) cause: ProblemCause,
}

impl Document {
    pub(super) fn read(text: &str) -> Self {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut syntax: Vec<SyntaxError> = errors.iter().map(|error| syntax_error(text, error)).collect();
        let unreadable = syntax.iter().map(|error| error.at).collect();
        let mut certain_until = text.len() + 1;
        // Every line behind an opening without an end is a mistake to the parser, and to nobody else.
        if let Some(open) = (!syntax.is_empty()).then(|| unclosed(text)).flatten() {
            certain_until = open.at;
            syntax.retain(|error| error.at < open.at);
            syntax.push(SyntaxError {
                at: open.at,
                cause: open.what.cause(),
            });
        }
        let mut document = Self {
            value: Value::Null,
            places: BTreeMap::new(),
            syntax,
            unreadable,
            certain_until,
        };
        let whole = Place {
            key: None,
            value: table.span(),
            found: ValueType::Table,
        };
        document.places.insert(String::new(), whole);
        document.value = document.table(table.get_ref(), "");
        document
    }

    /// Returns where the value with this JSON pointer stands.
    pub(super) fn place(&self, pointer: &str) -> &Place {
        self.places
            .get(pointer)
            .unwrap_or_else(|| &self.places[&String::new()])
    }

    /// Returns every key and every value with its JSON pointer.
    pub(super) fn places(&self) -> impl Iterator<Item = (&str, &Place)> {
        self.places
            .iter()
            .map(|(pointer, place)| (pointer.as_str(), place))
    }

    fn table(&mut self, table: &DeTable<'_>, pointer: &str) -> Value {
        let mut map = Map::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let below = child(pointer, name);
            let value = self.value(value, &below, Some(key.span()));
            map.insert(name.to_owned(), value);
        }
        Value::Object(map)
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, pointer: &str, key: Option<Range<usize>>) -> Value {
        let (json, found) = match value.get_ref() {
            DeValue::String(text) => (Value::String(text.to_string()), ValueType::String),
            DeValue::Integer(integer) => {
                let number = i64::from_str_radix(integer.as_str(), integer.radix());
                // What is too large for TOML is out of every range here.
                let json = number.map_or_else(|_| Value::from(f64::MAX), Value::from);
                (json, ValueType::Integer)
            }
            // No key takes one, and to a JSON Schema 1.0 is an integer.
            DeValue::Float(_) => (Value::Null, ValueType::Float),
            DeValue::Boolean(value) => (Value::Bool(*value), ValueType::Boolean),
            DeValue::Datetime(_) => (Value::Null, ValueType::DateTime),
            DeValue::Array(array) => {
                let elements = array.iter().enumerate();
                let elements = elements
                    .map(|(index, element)| self.value(element, &format!("{pointer}/{index}"), None))
                    .collect();
                (Value::Array(elements), ValueType::Array)
            }
            DeValue::Table(table) => (self.table(table, pointer), ValueType::Table),
        };
        let place = Place {
            key,
            value: value.span(),
            found,
        };
        self.places.insert(pointer.to_owned(), place);
        json
    }
}

/// Returns what is told of an error of the parser, whose words for what has no quotes are about what it tried last.
fn syntax_error(text: &str, error: &toml::de::Error) -> SyntaxError {
    let span = error.span().unwrap_or_default();
    let word = text.get(span.clone()).unwrap_or_default();
    let said = error.message().trim_end();
    let is_unquoted = said.starts_with(&sentence(&ProblemCause::UnquotedText));
    let is_number_or_switch = said.starts_with("invalid float") || said.starts_with("invalid boolean");
    let is_switch = ["true", "false"].contains(&word.to_lowercase().as_str());
    let cause = if is_switch {
        ProblemCause::SwitchSpelling
    } else if is_unquoted && word.is_empty() {
        ProblemCause::MissingValue
    } else if is_unquoted || (is_number_or_switch && word.starts_with(char::is_alphabetic)) {
        ProblemCause::UnquotedText
    } else {
        // What happens while one writes is known by the parser's sentence.
        let known = common_errors();
        let known = known.into_iter().find(|cause| sentence(cause) == said);
        known.unwrap_or_else(|| ProblemCause::NotToml {
            said: said.to_owned(),
        })
    };
    SyntaxError {
        at: span.start,
        cause,
    }
}

fn common_errors() -> [ProblemCause; 8] {
    let quote = |quote: &str| ProblemCause::QuoteMissing {
        quote: quote.to_owned(),
    };
    let header = |bracket: &str| ProblemCause::HeaderNotClosed {
        bracket: bracket.to_owned(),
    };
    [
        ProblemCause::DuplicateKey,
        ProblemCause::BadKey,
        ProblemCause::MoreBehindValue,
        ProblemCause::KeyWithoutValue,
        quote("\""),
        quote("'"),
        header("]"),
        header("]]"),
    ]
}

/// Returns the JSON pointer of a member.
pub(super) fn child(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_place() {
        let text = "a = 1\n[[b]]\n'c/d' = [true, \"x\"]\ne = 2020-01-01\n";
        let document = Document::read(text);
        assert!(document.syntax.is_empty());
        assert_eq!(
            document.value,
            serde_json::json!({"a": 1, "b": [{"c/d": [true, "x"], "e": null}]})
        );
        let part = |pointer| &text[document.place(pointer).value.clone()];
        assert_eq!(part("/a"), "1");
        assert_eq!(part("/b/0"), "[[b]]");
        assert_eq!(part("/b/0/c~1d/1"), "\"x\"");
        assert_eq!(
            document.place("/b/0/c~1d").key.clone().map(|key| &text[key]),
            Some("'c/d'")
        );
        assert_eq!(document.place("/b/0/e").found, ValueType::DateTime);
    }

    #[test]
    fn a_word_without_quotes_is_told_as_one() {
        for (value, expected) in [
            ("nice", "string values must be quoted"),
            ("inferno", "string values must be quoted"),
            ("trueish", "string values must be quoted"),
            ("yes", "string values must be quoted"),
            ("~/src", "string values must be quoted"),
            (
                "True",
                "true and false are written in small letters, without quotes",
            ),
            ("", "the value is missing"),
        ] {
            for text in [format!("a = {value}\n"), format!("a = {value}")] {
                let document = Document::read(&text);
                let messages: Vec<String> = document
                    .syntax
                    .iter()
                    .map(|error| sentence(&error.cause))
                    .collect();
                assert_eq!(messages, [expected], "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_toml_leaves_the_rest() {
        let document = Document::read("a = \nb = 2\n");
        assert_eq!(document.syntax.len(), 1);
        assert_eq!(document.syntax[0].at, 4);
        assert_eq!(document.value["b"], 2);
    }
}
