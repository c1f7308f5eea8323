//! The types of the wire, each with what its declaration and its schema say together.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::declaration::{Body, Declarations, FieldText};
use super::one_line;

/// Every type that methods and events reach, in alphabetical order.
pub(super) struct Types {
    named: BTreeMap<String, NamedType>,
}

/// A type with a name of its own.
pub(super) struct NamedType {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) shape: Shape,
}

pub(super) enum Shape {
    Record(Vec<Field>),
    /// A closed list of strings.
    Words(Vec<Word>),
    /// Records that the field `tag` tells apart.
    Variants {
        tag: String,
        variants: Vec<Variant>,
    },
    /// A string with a meaning.
    Text,
    /// An integer with a meaning.
    Integer,
    /// A list of this type.
    List(String),
    /// Whatever JSON can be.
    Anything,
}

pub(super) struct Word {
    pub(super) text: String,
    pub(super) doc: String,
}

pub(super) struct Variant {
    pub(super) word: String,
    pub(super) doc: String,
    /// Without the tag.
    pub(super) fields: Vec<Field>,
}

pub(super) struct Field {
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) presence: Presence,
    pub(super) kind: Kind,
    pub(super) nullable: bool,
    /// The type in TypeScript, without `null` where the field is not nullable.
    pub(super) typescript: String,
}

/// When a field is there.
pub(super) enum Presence {
    Always,
    /// A parameter that may be left out; the default is JSON, and missing where leaving it out has a meaning of its own.
    MayBeLeftOut {
        default: Option<String>,
    },
    /// The daemon leaves it out where it does not apply.
    AbsentWhenInapplicable,
}

/// What a value is, in JSON's words.
pub(super) enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
    List(Box<Kind>),
    /// Anything that TypeScript's words allow.
    Anything,
    Named(String),
}

/// Who writes a type, which says what a field that is not required means.
#[derive(Clone, Copy, PartialEq)]
enum Writer {
    Client,
    Daemon,
}

impl Types {
    pub(super) fn new(
        declarations: &Declarations,
        parameters: &BTreeMap<String, Value>,
        results: &BTreeMap<String, Value>,
    ) -> Self {
        let named = declarations.iter().map(|(name, body)| {
            let (writer, schema) = match (parameters.get(name), results.get(name)) {
                (Some(schema), None) => (Writer::Client, schema),
                (None, Some(schema)) => (Writer::Daemon, schema),
                (Some(read), Some(written)) => {
                    assert_eq!(read, written, "{name} is not written as it is read");
                    (Writer::Daemon, written)
                }
                (None, None) => panic!("{name} has a declaration and no schema"),
            };
            let shape = Shape::new(name, body, schema, writer);
            (
                name.to_owned(),
                NamedType {
                    name: name.to_owned(),
                    doc: description(schema),
                    shape,
                },
            )
        });
        let named: BTreeMap<String, NamedType> = named.collect();
        for name in parameters.keys().chain(results.keys()) {
            assert!(named.contains_key(name), "{name} has a schema and no declaration");
        }
        Self { named }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &NamedType> {
        self.named.values()
    }

    pub(super) fn get(&self, name: &str) -> &NamedType {
        self.named
            .get(name)
            .unwrap_or_else(|| panic!("{name} is not among the types"))
    }

    /// Returns the names of the types that fields of others have.
    pub(super) fn used_by_fields(&self) -> BTreeSet<&str> {
        self.iter()
            .flat_map(NamedType::fields)
            .filter_map(|field| field.kind.name())
            .chain(self.iter().filter_map(|named| match &named.shape {
                Shape::List(element) => Some(element.as_str()),
                Shape::Record(_)
                | Shape::Words(_)
                | Shape::Variants { .. }
                | Shape::Text
                | Shape::Integer
                | Shape::Anything => None,
            }))
            .collect()
    }
}

impl NamedType {
    /// Returns all fields, those of every variant together.
    pub(super) fn fields(&self) -> Box<dyn Iterator<Item = &Field> + '_> {
        match &self.shape {
            Shape::Record(fields) => Box::new(fields.iter()),
            Shape::Variants { tag: _, variants } => {
                Box::new(variants.iter().flat_map(|variant| &variant.fields))
            }
            Shape::Words(_) | Shape::Text | Shape::Integer | Shape::List(_) | Shape::Anything => {
                Box::new(std::iter::empty())
            }
        }
    }
}

impl Shape {
    fn new(name: &str, body: &Body, schema: &Value, writer: Writer) -> Self {
        match body {
            Body::Record(texts) => {
                let here: BTreeSet<&str> = texts.iter().map(|text| text.name.as_str()).collect();
                let there: BTreeSet<&str> = schema["properties"]
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(key, _)| key.as_str())
                    .collect();
                assert_eq!(here, there, "the declaration and the schema of {name} differ");
                Self::Record(
                    texts
                        .iter()
                        .map(|text| Field::new(text, schema, writer))
                        .collect(),
                )
            }
            Body::Words(words) => Self::Words(
                words
                    .iter()
                    .map(|word| Word {
                        text: word.clone(),
                        doc: word_description(name, word, schema),
                    })
                    .collect(),
            ),
            Body::Variants(records) => {
                let tag = records[0][0].name.clone();
                let variants = records.iter().map(|texts| {
                    let word = texts[0].typescript.trim_matches('"').to_owned();
                    let schema = array(&schema["oneOf"])
                        .find(|schema| schema["properties"][&tag]["const"] == *word)
                        .unwrap_or_else(|| panic!("the schema of {name} has no variant {word}"));
                    let fields = texts[1..]
                        .iter()
                        .map(|text| Field::new(text, schema, writer))
                        .collect();
                    Variant {
                        word,
                        doc: description(schema),
                        fields,
                    }
                });
                Self::Variants {
                    variants: variants.collect(),
                    tag,
                }
            }
            Body::Alias(typescript) => {
                let element = typescript
                    .strip_prefix("Array<")
                    .and_then(|rest| rest.strip_suffix('>'));
                match (typescript.as_str(), element) {
                    ("string", _) => Self::Text,
                    ("number", _) => Self::Integer,
                    ("unknown", _) => Self::Anything,
                    (_, Some(element)) => Self::List(element.to_owned()),
                    (_, None) => panic!("{name} is a type that the reference has no words for"),
                }
            }
        }
    }
}

impl Field {
    fn new(text: &FieldText, of: &Value, writer: Writer) -> Self {
        let schema = &of["properties"][&text.name];
        let required = array(&of["required"]).any(|name| *name == text.name);
        let presence = match (required, writer) {
            (true, Writer::Client | Writer::Daemon) => Presence::Always,
            (false, Writer::Client) => {
                let default = schema.get("default").filter(|default| !default.is_null());
                Presence::MayBeLeftOut {
                    default: default.map(Value::to_string),
                }
            }
            (false, Writer::Daemon) => Presence::AbsentWhenInapplicable,
        };
        let (kind, nullable) = Kind::new(schema);
        // The daemon leaves an `Option` out instead of writing null; the derived types know only that it is an `Option`.
        let nullable = nullable && !matches!(presence, Presence::AbsentWhenInapplicable);
        let mut typescript = text.typescript.as_str();
        if !nullable {
            typescript = typescript.strip_suffix(" | null").unwrap_or(typescript);
        }
        Self {
            name: text.name.clone(),
            doc: description(schema),
            presence,
            kind,
            nullable,
            typescript: typescript.to_owned(),
        }
    }
}

impl Kind {
    /// Reads a schema: what the value is, and whether it may be null instead.
    fn new(schema: &Value) -> (Self, bool) {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference
                .rsplit('/')
                .next()
                .expect("a split text has a last piece");
            return (Self::Named(name.to_owned()), false);
        }
        if schema.get("anyOf").is_some() {
            let (null, other): (Vec<&Value>, Vec<&Value>) =
                array(&schema["anyOf"]).partition(|schema| schema["type"] == "null");
            let [other] = other.as_slice() else {
                panic!("an alternative that has no name: {schema}")
            };
            return (Self::new(other).0, !null.is_empty());
        }
        let words: Vec<&str> = match &schema["type"] {
            Value::String(word) => vec![word],
            words => array(words).filter_map(Value::as_str).collect(),
        };
        let nullable = words.contains(&"null");
        let kind = match words.into_iter().find(|word| *word != "null") {
            Some("string") => Self::Text,
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("boolean") => Self::Boolean,
            Some("array") => Self::List(Box::new(Self::new(&schema["items"]).0)),
            Some(word) => panic!("a type that the reference has no words for: {word}"),
            None => Self::Anything,
        };
        (kind, nullable)
    }

    /// Returns the name of the type, or of that of the list's members.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::List(kind) => kind.name(),
            Self::Text | Self::Integer | Self::Number | Self::Boolean | Self::Anything => None,
        }
    }
}

fn description(schema: &Value) -> String {
    one_line(schema["description"].as_str().unwrap_or_default())
}

/// Returns what a schema says of one word; words without a doc comment stand together in an `enum`.
fn word_description(name: &str, word: &str, schema: &Value) -> String {
    let is_listed = |schema: &Value| array(&schema["enum"]).any(|listed| listed == word);
    let documented = array(&schema["oneOf"]).find(|schema| schema["const"] == word);
    assert!(
        documented.is_some() || is_listed(schema) || array(&schema["oneOf"]).any(is_listed),
        "the schema of {name} has no word {word}",
    );
    documented.map(description).unwrap_or_default()
}

/// Returns the members of an array, none when it is no array.
fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
