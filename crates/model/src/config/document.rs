//! The text of a file as values with places: what TOML says, as JSON, and where each key and value stands.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a text says, as far as it can be read.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) value: Value,
    /// By JSON pointer.
    places: BTreeMap<String, Place>,
    pub(super) syntax: Vec<SyntaxError>,
}

/// Where a value stands, in bytes, and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Where its key stands; elements of an array have none.
    pub(super) key: Option<Range<usize>>,
    pub(super) value: Range<usize>,
    /// What TOML calls it, with its article.
    pub(super) found: &'static str,
}

/// Text that is no TOML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) at: usize,
    pub(super) message: String,
}

impl Document {
    pub(super) fn read(text: &str) -> Self {
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut document = Self {
            value: Value::Null,
            places: BTreeMap::new(),
            syntax: errors
                .iter()
                .map(|error| SyntaxError {
                    at: error.span().map_or(0, |span| span.start),
                    message: error.message().trim_end().to_owned(),
                })
                .collect(),
        };
        let whole = Place {
            key: None,
            value: table.span(),
            found: "a table",
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
            DeValue::String(text) => (Value::String(text.to_string()), "a string"),
            DeValue::Integer(integer) => {
                let number = i64::from_str_radix(integer.as_str(), integer.radix());
                // What is too large for TOML is out of every range here.
                let json = number.map_or_else(|_| Value::from(f64::MAX), Value::from);
                (json, "an integer")
            }
            // No key takes one, and to a JSON Schema 1.0 is an integer.
            DeValue::Float(_) => (Value::Null, "a float"),
            DeValue::Boolean(value) => (Value::Bool(*value), "a boolean"),
            DeValue::Datetime(_) => (Value::Null, "a date or time"),
            DeValue::Array(array) => {
                let elements = array.iter().enumerate();
                let elements = elements
                    .map(|(index, element)| self.value(element, &format!("{pointer}/{index}"), None))
                    .collect();
                (Value::Array(elements), "an array")
            }
            DeValue::Table(table) => (self.table(table, pointer), "a table"),
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
        assert_eq!(document.place("/b/0/e").found, "a date or time");
    }

    #[test]
    fn what_is_no_toml_leaves_the_rest() {
        let document = Document::read("a = \nb = 2\n");
        assert_eq!(document.syntax.len(), 1);
        assert_eq!(document.syntax[0].at, 4);
        assert_eq!(document.value["b"], 2);
    }
}
