//! The reference page: the text of `page.md`, with tables made of the methods, events and types.

use std::collections::BTreeSet;

use super::source::{ExitCodeEntry, Limit};
use super::types::{Field, Kind, NamedType, Presence, Shape, Types};
use super::{EventEntry, MethodEntry, Reference, examples};
use crate::event::EventClass;
use crate::method::Access;
use crate::{ErrorKind, RpcError};

/// Types that the page shows beside what they are about, at an anchor of the template.
const SHOWN_BY_TEMPLATE: &[&str] = &["ErrorKind", "EventKind"];

/// Returns the text of `protocol.md`.
pub(super) fn write(reference: &Reference, types: &Types) -> String {
    let page = Page {
        reference,
        types,
        shared: shared(types),
    };
    let mut text = include_str!("page.md").to_owned();
    for (place, content) in [
        ("{protocol}", crate::PROTOCOL.to_string()),
        ("{request}", examples::request()),
        ("{reply}", examples::reply()),
        ("{error}", examples::error()),
        ("{error_kinds}", page.error_kinds()),
        ("{exit_codes}", exit_codes()),
        ("{limits}", limits()),
        ("{methods_overview}", page.methods_overview()),
        ("{methods}", page.methods()),
        ("{events_overview}", page.events_overview()),
        ("{events}", page.events()),
        ("{types}", page.types()),
    ] {
        assert_eq!(
            text.matches(place).count(),
            1,
            "page.md has one place for {place}"
        );
        text = text.replace(place, content.trim_end());
    }
    page.linked(&text)
}

/// Returns the types that have a section of their own; the others stand in the one place that uses them.
fn shared(types: &Types) -> BTreeSet<&str> {
    let mut shared = types.used_by_fields();
    shared.insert("RpcError");
    for name in SHOWN_BY_TEMPLATE {
        shared.remove(name);
    }
    shared
}

struct Page<'reference> {
    reference: &'reference Reference,
    types: &'reference Types,
    shared: BTreeSet<&'reference str>,
}

impl Page<'_> {
    fn error_kinds(&self) -> String {
        let Shape::Words(words) = &self.types.get("ErrorKind").shape else {
            panic!("error kinds are words");
        };
        let rows = words.iter().map(|word| {
            let (meaning, codes) = split_codes(&word.doc);
            let kind: ErrorKind = serde_json::from_value(word.text.clone().into())
                .expect("the schema has the words of the enum");
            let exit_code = RpcError::new(kind, "").exit_code() as u8;
            vec![code(&word.text), codes.to_owned(), exit_code.to_string(), meaning]
        });
        table(&["`data.kind`", "Code", "Exit code", "Meaning"], rows)
    }

    fn methods_overview(&self) -> String {
        let rows = self.reference.methods.iter().map(|method| {
            let inside = match method.access {
                Access::Read => "yes",
                Access::Private | Access::Prompt | Access::Arrange => "gate",
                Access::Person => "gate, persons",
                Access::Decide => "never",
            };
            vec![code(method.name), inside.to_owned(), method.doc.clone()]
        });
        table(&["Method", "Inside", "What it does"], rows)
    }

    fn methods(&self) -> String {
        let mut text = String::new();
        let mut group = "";
        for method in &self.reference.methods {
            let (of, _) = method
                .name
                .split_once('.')
                .expect("a method's name is `group.verb`");
            if of != group {
                group = of;
                text.push_str(&format!("### Group `{group}`\n\n"));
            }
            text.push_str(&self.method(method));
        }
        text
    }

    fn method(&self, method: &MethodEntry) -> String {
        let mut text = heading("####", &method_anchor(method.name), &code(method.name));
        text.push_str(&format!("{}\n\n", method.doc));

        let params = self.types.get(&method.params);
        let Shape::Record(fields) = &params.shape else {
            panic!("parameters are an object: {}", params.name);
        };
        if fields.is_empty() {
            text.push_str("No parameters.\n\n");
        } else {
            text.push_str(&rest_of(
                &params.doc,
                &format!("Parameters of {}. ", code(method.name)),
            ));
            text.push_str(&self.parameters(fields));
        }

        let reply = self.types.get(&method.reply);
        if let Some(event) = self
            .reference
            .events
            .iter()
            .find(|event| event.payload == method.reply)
        {
            text.push_str(&format!(
                "Reply: the fields of {}.\n\n",
                event_link(event.kind.as_str())
            ));
            return text;
        }
        match &reply.shape {
            Shape::Record(fields) if fields.is_empty() => text.push_str("Reply: an empty object.\n\n"),
            Shape::Record(fields) if !self.shared.contains(reply.name.as_str()) => {
                text.push_str(&format!("Reply: {}\n\n", with_small_start(&reply.doc)));
                text.push_str(&self.fields(fields));
            }
            Shape::Text => text.push_str(&format!("Reply: a string: {}\n\n", with_small_start(&reply.doc))),
            Shape::Integer => text.push_str(&format!(
                "Reply: an integer: {}\n\n",
                with_small_start(&reply.doc)
            )),
            Shape::Anything => text.push_str(&format!("Reply: {}\n\n", with_small_start(&reply.doc))),
            Shape::List(element) => {
                let words = with_small_start(&reply.doc);
                text.push_str(&format!("Reply: an array of {}: {words}\n\n", type_link(element)));
            }
            Shape::Record(_) | Shape::Variants { .. } | Shape::Words(_) => {
                text.push_str(&format!("Reply: {}.\n\n", type_link(&reply.name)));
            }
        }
        text
    }

    fn events_overview(&self) -> String {
        let rows = self.reference.events.iter().map(|event| {
            vec![
                event_link(event.kind.as_str()),
                class(event.kind.class()).to_owned(),
                event.doc.clone(),
            ]
        });
        table(&["Type", "Class", "Sent when"], rows)
    }

    fn events(&self) -> String {
        self.reference
            .events
            .iter()
            .map(|event| self.event(event))
            .collect()
    }

    fn event(&self, event: &EventEntry) -> String {
        let name = event.kind.as_str();
        let mut text = heading("###", &event_anchor(name), &code(name));
        text.push_str(&format!(
            "{} Class: {}.\n\n",
            event.doc,
            class(event.kind.class())
        ));
        let payload = self.types.get(&event.payload);
        let Shape::Record(fields) = &payload.shape else {
            panic!("a payload is an object: {}", payload.name);
        };
        if fields.is_empty() {
            text.push_str("No fields beyond the stamp.\n\n");
        } else {
            text.push_str(&rest_of(&payload.doc, &format!("Payload of {}: ", code(name))));
            text.push_str(&self.fields(fields));
        }
        text.push_str(&format!(
            "```json\n{}\n```\n\n",
            examples::frame(event.kind).to_line()
        ));
        text
    }

    fn types(&self) -> String {
        let shared = || self.shared.iter().map(|name| self.types.get(name));
        let is_scalar = |named: &&NamedType| matches!(named.shape, Shape::Text | Shape::Integer);
        let mut text = String::from("### Strings and integers with a meaning\n\n");
        let rows = shared().filter(is_scalar).map(|named| {
            vec![
                format!("<a id=\"type-{}\"></a>{}", named.name, named.name),
                match named.shape {
                    Shape::Integer => "integer".to_owned(),
                    _ => "string".to_owned(),
                },
                named.doc.clone(),
            ]
        });
        text.push_str(&table(&["Type", "JSON", "Meaning"], rows));
        for named in shared().filter(|named| !is_scalar(named)) {
            text.push_str(&self.named_type(named));
        }
        text
    }

    fn named_type(&self, named: &NamedType) -> String {
        let mut text = heading("###", &format!("type-{}", named.name), &named.name);
        text.push_str(&format!("{}\n\n", named.doc));
        match &named.shape {
            Shape::Record(fields) => text.push_str(&self.fields(fields)),
            Shape::Words(words) if words.iter().all(|word| word.doc.is_empty()) => {
                let words: Vec<String> = words.iter().map(|word| code(&word.text)).collect();
                text.push_str(&format!("One of {}.\n\n", words.join(", ")));
            }
            Shape::Words(words) => {
                let rows = words.iter().map(|word| vec![code(&word.text), word.doc.clone()]);
                text.push_str(&table(&["Value", "Meaning"], rows));
            }
            Shape::Variants { tag, variants } => {
                let mut rows = Vec::new();
                for variant in variants {
                    let mut first = vec![code(&variant.word)];
                    let fields: Vec<String> = variant
                        .fields
                        .iter()
                        .map(|field| format!("{}: {}", marked_name(field), type_text(field)))
                        .collect();
                    first.push(fields.join(", "));
                    first.push(self.meaning_of_variant(&variant.doc, &variant.fields));
                    rows.push(first);
                }
                text.push_str(&table(&[&code(tag), "Other fields", "Meaning"], rows.into_iter()));
            }
            Shape::List(element) => text.push_str(&format!("An array of {}.\n\n", type_link(element))),
            Shape::Anything => text.push_str("Any JSON.\n\n"),
            Shape::Text | Shape::Integer => panic!("{} stands in the table of scalars", named.name),
        }
        text
    }

    fn parameters(&self, fields: &[Field]) -> String {
        let rows = fields.iter().map(|field| {
            let required = match &field.presence {
                Presence::Always => "yes".to_owned(),
                Presence::MayBeLeftOut { default: None } => "no".to_owned(),
                Presence::MayBeLeftOut {
                    default: Some(default),
                } => format!("no ({})", code(default)),
                Presence::AbsentWhenInapplicable => {
                    panic!("a parameter is not left out by the daemon: {}", field.name)
                }
            };
            vec![code(&field.name), type_text(field), required, self.meaning(field)]
        });
        table(&["Parameter", "Type", "Required", "Meaning"], rows)
    }

    fn fields(&self, fields: &[Field]) -> String {
        let rows = fields
            .iter()
            .map(|field| vec![marked_name(field), type_text(field), self.meaning(field)]);
        table(&["Field", "Type", "Meaning"], rows)
    }

    /// Returns what a field means: its own doc comment, else that of its type.
    fn meaning(&self, field: &Field) -> String {
        if !field.doc.is_empty() {
            return field.doc.clone();
        }
        let named = field.kind.name().map(|name| self.types.get(name));
        match named {
            // What an id is would be said in every second row.
            Some(named) if !matches!(named.shape, Shape::Text | Shape::Integer) => {
                first_sentence(&named.doc).to_owned()
            }
            Some(_) | None => String::new(),
        }
    }

    fn meaning_of_variant(&self, doc: &str, fields: &[Field]) -> String {
        match fields {
            [field] if doc.is_empty() => self.meaning(field),
            _ => doc.to_owned(),
        }
    }

    /// Makes links of the names of methods and events, except in headings and examples, and except of names that are
    /// mere words, which fields have too.
    fn linked(&self, text: &str) -> String {
        let methods = self
            .reference
            .methods
            .iter()
            .map(|method| (code(method.name), method_anchor(method.name)));
        let events = self.reference.events.iter().map(|event| event.kind.as_str());
        let events = events
            .filter(|name| name.contains(':'))
            .map(|name| (code(name), event_anchor(name)));
        let links: Vec<(String, String)> = methods.chain(events).collect();
        let mut linked = String::with_capacity(text.len() * 2);
        for line in text.split_inclusive('\n') {
            let mut line = line.to_owned();
            if !line.starts_with('#') && !line.starts_with('{') {
                for (name, anchor) in &links {
                    let link = format!("[{name}](#{anchor})");
                    line = line.replace(&link, name).replace(name, &link);
                }
            }
            linked.push_str(&line);
        }
        linked
    }
}

fn exit_codes() -> String {
    let rows = ExitCodeEntry::all()
        .into_iter()
        .map(|entry| vec![entry.number.to_string(), entry.doc]);
    table(&["Exit code", "Meaning"], rows)
}

fn limits() -> String {
    let rows = Limit::all()
        .into_iter()
        .map(|limit| vec![code(limit.name), limit.with_unit(), limit.doc_without_unit()]);
    table(&["Limit", "Value", "Meaning"], rows)
}

fn class(class: EventClass) -> &'static str {
    match class {
        EventClass::LifeCycle => "life-cycle",
        EventClass::Bulk => "bulk",
        EventClass::Control => "control",
    }
}

fn heading(level: &str, anchor: &str, title: &str) -> String {
    format!("<a id=\"{anchor}\"></a>\n\n{level} {title}\n\n")
}

fn method_anchor(name: &str) -> String {
    format!("method-{}", name.replace('.', "-"))
}

fn event_anchor(name: &str) -> String {
    format!("event-{}", name.replace(':', "-"))
}

fn event_link(name: &str) -> String {
    format!("[{}](#{})", code(name), event_anchor(name))
}

fn type_link(name: &str) -> String {
    format!("[{name}](#type-{name})")
}

fn type_text(field: &Field) -> String {
    let text = match &field.kind {
        Kind::Anything if field.typescript == "unknown" => "any JSON".to_owned(),
        Kind::Anything => field.typescript.replace(" | ", " or "),
        kind => kind_text(kind),
    };
    if field.nullable {
        format!("{text} or null")
    } else {
        text
    }
}

fn kind_text(kind: &Kind) -> String {
    match kind {
        Kind::Text => "string".to_owned(),
        Kind::Integer => "integer".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::List(kind) => match kind.as_ref() {
            Kind::Text | Kind::Integer | Kind::Number | Kind::Boolean => {
                format!("list of {}s", kind_text(kind))
            }
            Kind::List(_) | Kind::Anything | Kind::Named(_) => format!("list of {}", kind_text(kind)),
        },
        Kind::Anything => "any JSON".to_owned(),
        Kind::Named(name) => type_link(name),
    }
}

fn marked_name(field: &Field) -> String {
    match field.presence {
        Presence::Always | Presence::MayBeLeftOut { .. } => code(&field.name),
        Presence::AbsentWhenInapplicable => code(&format!("{}?", field.name)),
    }
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn first_sentence(text: &str) -> &str {
    text.split_once(". ")
        .map_or(text, |(first, _)| &text[..=first.len()])
}

/// Returns what a doc comment says after these first words, as a paragraph, nothing when it begins otherwise.
fn rest_of(doc: &str, first_words: &str) -> String {
    let rest = doc.strip_prefix(first_words).unwrap_or_default();
    let mut characters = rest.chars();
    let Some(first) = characters.next() else {
        return String::new();
    };
    format!("{}{}\n\n", first.to_uppercase(), characters.as_str())
}

fn with_small_start(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map(|first| first.to_lowercase().chain(characters).collect())
        .unwrap_or_default()
}

/// Splits "What it means (-32600)." into the meaning and the codes.
fn split_codes(doc: &str) -> (String, &str) {
    let (meaning, codes) = doc
        .strip_suffix(").")
        .and_then(|doc| doc.rsplit_once(" ("))
        .unwrap_or_else(|| panic!("the doc comment of an error kind ends with its code: {doc}"));
    (format!("{meaning}."), codes)
}

fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| {
        let cells = cells.iter().map(|cell| {
            if cell.is_empty() {
                " |".to_owned()
            } else {
                format!(" {cell} |")
            }
        });
        format!("|{}\n", cells.collect::<String>())
    };
    let mut text = line(heads.iter().map(|head| (*head).to_owned()).collect());
    text.push_str(&line(heads.iter().map(|_| "---".to_owned()).collect()));
    for row in rows {
        assert_eq!(row.len(), heads.len(), "a row has a cell for each head");
        text.push_str(&line(
            row.into_iter().map(|cell| cell.replace('|', "\\|")).collect(),
        ));
    }
    text.push('\n');
    text
}

#[test]
fn every_link_leads_somewhere() {
    let reference = Reference::collect();
    let page = write(&reference, &reference.types());
    let anchors: BTreeSet<String> = page
        .split("<a id=\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"').map(|(anchor, _)| anchor.to_owned()))
        .chain(page.lines().filter(|line| line.starts_with('#')).map(|line| {
            line.trim_start_matches('#')
                .trim()
                .to_lowercase()
                .replace(' ', "-")
        }))
        .collect();
    let links: BTreeSet<&str> = page
        .split("](#")
        .skip(1)
        .filter_map(|rest| rest.split_once(')').map(|(link, _)| link))
        .collect();
    let lost: Vec<&&str> = links.iter().filter(|link| !anchors.contains(**link)).collect();
    assert!(lost.is_empty(), "these links lead nowhere: {lost:?}");
    assert!(
        links.len() > reference.methods.len() + reference.events.len(),
        "the page has links"
    );
}

#[test]
fn every_error_kind_names_the_code_it_has() {
    let reference = Reference::collect();
    let types = reference.types();
    let Shape::Words(words) = &types.get("ErrorKind").shape else {
        panic!("error kinds are words")
    };
    for word in words {
        let kind: ErrorKind = serde_json::from_value(word.text.clone().into()).expect("a kind");
        let (_, codes) = split_codes(&word.doc);
        let code = kind.code().to_string();
        assert!(
            codes.split(" or ").any(|named| named == code),
            "{} has {code}: {}",
            word.text,
            word.doc
        );
    }
}
