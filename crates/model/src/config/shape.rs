//! Whether a file has the shape that the schema asks for, and in which words it has not.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::ENTRIES;
use super::document::{Document, child};
use super::file::schema;
use super::hidden::{is_variable_name, sign_in_key};
use super::nearest::nearest;
use super::quote::quoted;

/// A way in which a file has not the right shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misshape {
    pub(super) at: usize,
    pub(super) message: String,
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
                        message: unknown_key(&pointer, key),
                        what: What::Present,
                    });
                }
            }
            ValidationErrorKind::PropertyNames { error } => {
                let key = error.instance().as_str().unwrap_or_default();
                misshapes.push(Misshape {
                    at: key_place(document, &child(&pointer, key)),
                    // What is left out may be a value that was meant to stand behind a sign of its own.
                    message: "a variable has a name without \"=\" and NUL characters; write NAME = \"value\""
                        .to_owned(),
                    what: What::Present,
                });
            }
            ValidationErrorKind::Required { property } => misshapes.push(Misshape {
                at: document.place(&pointer).value.start,
                message: missing_key(document, &pointer, property.as_str().unwrap_or_default()),
                what: What::Missing,
            }),
            kind => {
                if told.insert(pointer.clone()) {
                    misshapes.push(Misshape {
                        at: document.place(&pointer).value.start,
                        message: wrong_value(document, &pointer, &error, kind),
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
    let tables = ["", "/limits", "/agents/0", "/channels/0", "/mcp_servers/0"];
    tables.iter().any(|table| keys_of(table).contains(&key))
}

/// Returns what a table is, with its article.
fn table_name(pointer: &str) -> &'static str {
    match pointer.split('/').nth(1) {
        Some("limits") => "[limits]",
        Some("agents") => "an agent",
        Some("channels") => "a channel",
        Some("mcp_servers") => "an MCP server",
        Some(_) | None => "the file",
    }
}

fn unknown_key(pointer: &str, key: &str) -> String {
    let known = keys_of(pointer);
    // What stands behind a sign in a key may be a value that was meant for `env`.
    if let Some(sign) = sign_in_key(key) {
        return format!(
            "unknown key in {}: it has a \"{}\" between its quotes",
            table_name(pointer),
            &key[sign..=sign]
        );
    }
    if let Some(meant) = nearest(key, known.iter().copied()) {
        return format!("unknown key {}; did you mean \"{meant}\"?", quoted(key));
    }
    if !pointer.is_empty() && keys_of("").contains(&key) {
        return format!(
            "unknown key {} in {}: it is a key of the whole file; write it above the first table, such as [[agents]]",
            quoted(key),
            table_name(pointer)
        );
    }
    let is_variable = |symbol: char| symbol.is_ascii_uppercase() || symbol.is_ascii_digit() || symbol == '_';
    if keys_of(pointer).contains(&"env") && key.chars().all(is_variable) {
        let name = quoted(key);
        return format!(
            "unknown key {name} in {}: variables stand in \"env\"",
            table_name(pointer)
        );
    }
    for (table, header) in [("/limits", "[limits]"), ("/agents/0", "[[agents]]")] {
        if table != pointer && keys_of(table).contains(&key) {
            return format!(
                "unknown key {} in {}: it belongs below {header}",
                quoted(key),
                table_name(pointer)
            );
        }
    }
    format!(
        "unknown key {} in {}; there are: {}",
        quoted(key),
        table_name(pointer),
        known.join(", ")
    )
}

fn missing_key(document: &Document, pointer: &str, key: &str) -> String {
    let named = document
        .value
        .pointer(&format!("{pointer}/name"))
        .and_then(Value::as_str);
    match named {
        Some(name) => format!("{} has no \"{key}\": {}", table_name(pointer), quoted(name)),
        None => format!("{} has no \"{key}\"", table_name(pointer)),
    }
}

fn wrong_value(
    document: &Document,
    pointer: &str,
    error: &ValidationError<'_>,
    kind: &ValidationErrorKind,
) -> String {
    let place = document.place(pointer);
    let subject = subject(pointer);
    let value = error.instance().as_ref();
    match kind {
        ValidationErrorKind::Type { kind } => {
            let sentence = format!("{subject} must be {}, not {}", expected_type(kind), place.found);
            match (last_key(pointer), place.found) {
                (key @ ("agents" | "channels" | "mcp_servers"), "a table") => {
                    format!("{sentence}; write [[{key}]]")
                }
                _ => sentence,
            }
        }
        ValidationErrorKind::Minimum { .. } | ValidationErrorKind::Maximum { .. } => {
            let bound = |name| schema_of(pointer).get(name).map(Value::to_string);
            let range = match (bound("minimum"), bound("maximum")) {
                (Some(least), Some(most)) => format!("{least} to {most}"),
                (Some(least), None) => format!("at least {least}"),
                (None, Some(most)) => format!("at most {most}"),
                (None, None) => "in its range".to_owned(),
            };
            format!("{subject} must be {range}")
        }
        ValidationErrorKind::Enum { options } => {
            let options: Vec<&str> = options
                .as_array()
                .map(|options| options.iter().filter_map(Value::as_str).collect())
                .unwrap_or_default();
            let word = value.as_str().unwrap_or_default();
            let unknown = if last_key(pointer) == "preset" {
                format!("unknown preset {}", quoted(word))
            } else {
                format!("{subject} cannot be {}", quoted(word))
            };
            match nearest(word, options.iter().copied()) {
                Some(meant) => format!("{unknown}; did you mean \"{meant}\"?"),
                None => format!("{unknown}; there are: {}", options.join(", ")),
            }
        }
        ValidationErrorKind::Pattern { .. } | ValidationErrorKind::MaxLength { .. } => {
            match last_key(pointer) {
                "stopIdleAgentsAfter" => format!("{subject} must be \"30s\" to \"24h\", or \"never\""),
                _ => {
                    "a name has a-z, 0-9, \"-\" and \"_\", at most 32 of them, and not only digits".to_owned()
                }
            }
        }
        ValidationErrorKind::MinLength { .. } => format!("{subject} must not be empty"),
        ValidationErrorKind::MinItems { .. } => format!("{} needs at least one agent", table_name(pointer)),
        ValidationErrorKind::MaxItems { .. } => format!("{subject} has more than {ENTRIES} entries"),
        // No other keyword stands in our schema. The library's own words would quote the value, perhaps a secret.
        other => format!("{subject} does not obey \"{}\" of the schema", other.keyword()),
    }
}

/// Returns the key that a pointer ends with; elements of an array have that of the array.
fn last_key(pointer: &str) -> &str {
    pointer
        .rsplit('/')
        .find(|step| step.parse::<usize>().is_err())
        .unwrap_or_default()
}

fn subject(pointer: &str) -> String {
    let key = last_key(pointer);
    let element = pointer
        .rsplit('/')
        .next()
        .is_some_and(|step| step.parse::<usize>().is_ok());
    let is_variable = pointer.split('/').nth(3) == Some("env") && key != "env";
    match (key, element) {
        ("", _) => "the file".to_owned(),
        // It may be a value that was meant to stand behind a name.
        (key, _) if is_variable && !is_variable_name(key) => "a value of \"env\"".to_owned(),
        (key, true) => format!("an element of \"{key}\""),
        (key, false) => format!("\"{key}\""),
    }
}

fn expected_type(kind: &TypeKind) -> String {
    let word = |kind: jsonschema::JsonType| match kind {
        jsonschema::JsonType::Array => "an array",
        jsonschema::JsonType::Boolean => "true or false",
        jsonschema::JsonType::Integer => "an integer",
        jsonschema::JsonType::Null => "nothing",
        jsonschema::JsonType::Number => "a number",
        jsonschema::JsonType::Object => "a table",
        jsonschema::JsonType::String => "a string",
    };
    match kind {
        TypeKind::Single(kind) => word(*kind).to_owned(),
        TypeKind::Multiple(kinds) => kinds.iter().map(word).collect::<Vec<_>>().join(" or "),
    }
}
