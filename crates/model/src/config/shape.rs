//! Whether a file has the shape that the schema asks for, and in what it has not.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use pupitre_protocol::configuration::{ProblemCause, ProblemSubject, ProblemTable, ValueType};
use serde_json::Value;

use super::ENTRIES;
use super::document::{Document, child};
use super::file::schema;
use super::hidden::{is_variable_name, sign_in_key};
use super::nearest::nearest;

/// A way in which a file has not the right shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misshape {
    pub(super) at: usize,
    pub(super) cause: ProblemCause,
    pub(super) what: What,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// Something that stands there.
    Present,
    /// Something that should stand there.
    Missing,
}

static VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| jsonschema::validator_for(schema()).expect("our own schema is a JSON Schema"));

/// Returns every way in which the file has not the shape of the schema.
pub(super) fn check(document: &Document) -> Vec<Misshape> {
    let mut misshapes = Vec::new();
    // A value that is wrong in two ways is told once.
    let mut told = BTreeSet::new();
    for error in VALIDATOR.iter_errors(&document.value) {
        let pointer = error.instance_path().as_str().to_owned();
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                for key in unexpected {
                    misshapes.push(Misshape {
                        at: key_place(document, &child(&pointer, key)),
                        cause: unknown_key(&pointer, key),
                        what: What::Present,
                    });
                }
            }
            ValidationErrorKind::PropertyNames { error } => {
                let key = error.instance().as_str().unwrap_or_default();
                misshapes.push(Misshape {
                    at: key_place(document, &child(&pointer, key)),
                    // What is left out may be a value that was meant to stand behind a sign of its own.
                    cause: ProblemCause::BadVariable,
                    what: What::Present,
                });
            }
            ValidationErrorKind::Required { property } => misshapes.push(Misshape {
                at: document.place(&pointer).value.start,
                cause: missing_key(document, &pointer, property.as_str().unwrap_or_default()),
                what: What::Missing,
            }),
            kind => {
                if told.insert(pointer.clone()) {
                    misshapes.push(Misshape {
                        at: document.place(&pointer).value.start,
                        cause: wrong_value(document, &pointer, &error, kind),
                        what: What::Present,
                    });
                }
            }
        }
    }
    misshapes
}

fn key_place(document: &Document, pointer: &str) -> usize {
    let place = document.place(pointer);
    place.key.as_ref().unwrap_or(&place.value).start
}

/// Returns the part of the schema that a value must obey.
fn schema_of(pointer: &str) -> &'static Value {
    let mut part = schema();
    for step in pointer.split('/').skip(1) {
        part = part
            .pointer(&format!("/properties/{step}"))
            .or_else(|| part.get("items"))
            .or_else(|| part.get("additionalProperties"))
            .unwrap_or(&Value::Null);
    }
    part
}

fn keys_of(pointer: &str) -> Vec<&'static str> {
    let properties = schema_of(pointer).get("properties").and_then(Value::as_object);
    properties
        .map(|properties| properties.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

/// Says whether a table of the file may have this key.
pub(super) fn is_known_key(table: &str, key: &str) -> bool {
    let keys = keys_of(table);
    // Where every key may stand, as in `env`, the schema names none.
    keys.is_empty() || keys.contains(&key)
}

/// Says whether a key has a meaning in any table of the file.
pub(super) fn is_key_of_some_table(key: &str) -> bool {
    static KEYS: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
        let tables = ["", "/limits", "/agents/0", "/channels/0", "/mcp_servers/0"];
        tables.into_iter().flat_map(keys_of).collect()
    });
    KEYS.contains(key)
}

/// Returns which table a pointer leads to.
fn table_of(pointer: &str) -> ProblemTable {
    match pointer.split('/').nth(1) {
        Some("limits") => ProblemTable::Limits,
        Some("agents") => ProblemTable::Agent,
        Some("channels") => ProblemTable::Channel,
        Some("mcp_servers") => ProblemTable::McpServer,
        Some(_) | None => ProblemTable::File,
    }
}

fn unknown_key(pointer: &str, key: &str) -> ProblemCause {
    let known = keys_of(pointer);
    let table = table_of(pointer);
    // What stands behind a sign in a key may be a value that was meant for `env`.
    if let Some(sign) = sign_in_key(key) {
        let sign = key[sign..=sign].to_owned();
        return ProblemCause::SignInKey { table, sign };
    }
    let meant = nearest(key, known.iter().copied());
    let key_name = key.to_owned();
    if meant.is_none() {
        if !pointer.is_empty() && keys_of("").contains(&key) {
            return ProblemCause::KeyOfFile { key: key_name, table };
        }
        let is_variable =
            |symbol: char| symbol.is_ascii_uppercase() || symbol.is_ascii_digit() || symbol == '_';
        if known.contains(&"env") && key.chars().all(is_variable) {
            return ProblemCause::KeyOfEnv { key: key_name, table };
        }
        for (other, header) in [("/limits", "[limits]"), ("/agents/0", "[[agents]]")] {
            if other != pointer && keys_of(other).contains(&key) {
                return ProblemCause::KeyOfTable {
                    key: key_name,
                    table,
                    header: header.to_owned(),
                };
            }
        }
    }
    ProblemCause::UnknownKey {
        key: key_name,
        table,
        suggestion: meant.map(str::to_owned),
        known: known.into_iter().map(str::to_owned).collect(),
    }
}

fn missing_key(document: &Document, pointer: &str, key: &str) -> ProblemCause {
    let named = document
        .value
        .pointer(&format!("{pointer}/name"))
        .and_then(Value::as_str);
    ProblemCause::MissingKey {
        key: key.to_owned(),
        table: table_of(pointer),
        name: named.map(str::to_owned),
    }
}

fn wrong_value(
    document: &Document,
    pointer: &str,
    error: &ValidationError<'_>,
    kind: &ValidationErrorKind,
) -> ProblemCause {
    let subject = subject(pointer);
    // No other keyword stands in our schema. The library's own words would quote the value, perhaps a secret.
    let other = |subject| ProblemCause::AgainstSchema {
        subject,
        keyword: kind.keyword().to_owned(),
    };
    match kind {
        ValidationErrorKind::Type { kind } => {
            let Some(wanted) = wanted_type(kind) else {
                return other(subject);
            };
            let found = document.place(pointer).found;
            let header = match (last_key(pointer), found) {
                (key @ ("agents" | "channels" | "mcp_servers"), ValueType::Table) => {
                    Some(format!("[[{key}]]"))
                }
                _ => None,
            };
            ProblemCause::WrongType {
                subject,
                wanted,
                found,
                header,
            }
        }
        ValidationErrorKind::Minimum { .. } | ValidationErrorKind::Maximum { .. } => {
            let bound = |name| schema_of(pointer).get(name).and_then(Value::as_i64);
            match (bound("minimum"), bound("maximum")) {
                (Some(least), Some(most)) => ProblemCause::OutOfRange { subject, least, most },
                (Some(_), None) | (None, Some(_)) | (None, None) => other(subject),
            }
        }
        ValidationErrorKind::Enum { options } => {
            let options: Vec<&str> = options
                .as_array()
                .map(|options| options.iter().filter_map(Value::as_str).collect())
                .unwrap_or_default();
            let word = error.instance().as_str().unwrap_or_default();
            let suggestion = nearest(word, options.iter().copied()).map(str::to_owned);
            let known = options.into_iter().map(str::to_owned).collect();
            if last_key(pointer) == "preset" {
                ProblemCause::UnknownPreset {
                    preset: word.to_owned(),
                    suggestion,
                    known,
                }
            } else {
                ProblemCause::UnknownValue {
                    subject,
                    value: word.to_owned(),
                    suggestion,
                    known,
                }
            }
        }
        ValidationErrorKind::Pattern { .. } | ValidationErrorKind::MaxLength { .. } => {
            match last_key(pointer) {
                "stopIdleAgentsAfter" => ProblemCause::BadDuration,
                _ => ProblemCause::BadName,
            }
        }
        ValidationErrorKind::MinLength { .. } => ProblemCause::Empty { subject },
        ValidationErrorKind::MinItems { .. } => ProblemCause::NoAgents {
            table: table_of(pointer),
        },
        ValidationErrorKind::MaxItems { .. } => ProblemCause::TooManyEntries {
            subject,
            most: u32::try_from(ENTRIES).expect("the limit is small"),
        },
        _ => other(subject),
    }
}

/// Returns the key that a pointer ends with; elements of an array have that of the array.
fn last_key(pointer: &str) -> &str {
    pointer
        .rsplit('/')
        .find(|step| step.parse::<usize>().is_err())
        .unwrap_or_default()
}

fn subject(pointer: &str) -> ProblemSubject {
    let key = last_key(pointer);
    let element = pointer
        .rsplit('/')
        .next()
        .is_some_and(|step| step.parse::<usize>().is_ok());
    let is_variable = pointer.split('/').nth(3) == Some("env") && key != "env";
    match (key.to_owned(), element) {
        (key, _) if key.is_empty() => ProblemSubject::File,
        // It may be a value that was meant to stand behind a name.
        (key, _) if is_variable && !is_variable_name(&key) => ProblemSubject::EnvValue,
        (key, true) => ProblemSubject::Element { key },
        (key, false) => ProblemSubject::Key { key },
    }
}

/// Returns the type that the schema asks for; no key takes one of several, or what TOML has not.
fn wanted_type(kind: &TypeKind) -> Option<ValueType> {
    match kind {
        TypeKind::Single(kind) => match kind {
            JsonType::Array => Some(ValueType::Array),
            JsonType::Boolean => Some(ValueType::Boolean),
            JsonType::Integer => Some(ValueType::Integer),
            JsonType::Object => Some(ValueType::Table),
            JsonType::String => Some(ValueType::String),
            JsonType::Null | JsonType::Number => None,
        },
        TypeKind::Multiple(_) => None,
    }
}
