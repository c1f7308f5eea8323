//! The TypeScript file: every type, the table of methods, and the numbers that a page needs.

use super::Reference;
use super::source::Limit;
use super::types::{Field, NamedType, Presence, Shape, Types};

/// The limits that a page keeps to or shows.
const PAGE_LIMITS: &[&str] = &[
    "REQUEST_BYTES",
    "HEARTBEAT_MS",
    "FIELD_BYTES",
    "PART_WINDOW_BYTES",
    "CONVERSATION_MESSAGES",
    "CONVERSATION_MESSAGES_MOST",
    "PROMPT_BYTES",
    "ATTACHMENT_BYTES",
    "ATTACHMENTS",
    "QUEUED_MESSAGES",
    "LOG_LINES",
    "TRACE_MESSAGES",
];

/// Returns the text of `protocol.ts`.
pub(super) fn write(reference: &Reference, types: &Types) -> String {
    let mut file = String::from(
        "// The types of Pupitre's protocol: generated, do not edit: cargo xtask gen\n\
         // What they mean in full stands in docs/reference/protocol.md.\n\n",
    );
    file.push_str(&comment(
        "",
        "The number of the protocol that these types describe.",
    ));
    file.push_str(&format!("export const PROTOCOL = {};\n\n", crate::PROTOCOL));
    file.push_str(&limits());
    file.push_str(&methods(reference));
    file.push_str(&events(reference));
    for named in types.iter() {
        file.push('\n');
        file.push_str(&declaration(named));
    }
    file
}

fn limits() -> String {
    let limits = Limit::all();
    let mut text = comment(
        "",
        "The limits that a page keeps to or shows; the unit stands in the name.",
    );
    text.push_str("export const LIMITS = {\n");
    for name in PAGE_LIMITS {
        let limit = limits
            .iter()
            .find(|limit| limit.name == *name)
            .unwrap_or_else(|| panic!("there is no limit {name}"));
        text.push_str(&comment("  ", &limit.doc));
        text.push_str(&format!("  {name}: {},\n", limit.value));
    }
    text + "} as const;\n\n"
}

fn methods(reference: &Reference) -> String {
    let mut text = comment("", "Every method: its parameters and its reply.");
    text.push_str("export interface Methods {\n");
    for method in &reference.methods {
        text.push_str(&comment("  ", &method.doc));
        text.push_str(&format!(
            "  \"{}\": {{ params: {}; reply: {} }};\n",
            method.name, method.params, method.reply
        ));
    }
    text.push_str("}\n\n");
    text.push_str(&comment("", "The name of every method."));
    text.push_str("export const METHODS = [\n");
    for method in &reference.methods {
        text.push_str(&format!("  \"{}\",\n", method.name));
    }
    text + "] as const satisfies readonly (keyof Methods)[];\n\n"
}

fn events(reference: &Reference) -> String {
    let mut text = comment(
        "",
        "Something that happened, or a control frame of the stream itself.",
    );
    text.push_str("export type Event =\n");
    for event in &reference.events {
        text.push_str(&comment("  ", &event.doc));
        text.push_str(&format!(
            "  | ({{ type: \"{}\" }} & {})\n",
            event.kind.as_str(),
            event.payload
        ));
    }
    text = end_with_semicolon(text);
    text.push('\n');
    text.push_str(&comment(
        "",
        "An event with its stamp, as a reader gets it; `ts` is in epoch milliseconds.",
    ));
    text + "export type Frame = Event & { epoch: string; seq: number; ts: number };\n"
}

fn declaration(named: &NamedType) -> String {
    let NamedType { name, doc, shape } = named;
    let mut text = comment("", doc);
    match shape {
        Shape::Record(fields) if fields.is_empty() => {
            text.push_str(&format!("export type {name} = Record<symbol, never>;\n"));
        }
        Shape::Record(fields) => {
            text.push_str(&format!("export type {name} = {{\n"));
            for each in fields {
                text.push_str(&comment("  ", &each.doc));
                text.push_str(&format!("  {};\n", field(each)));
            }
            text.push_str("};\n");
        }
        Shape::Words(words) => {
            text.push_str(&format!("export type {name} =\n"));
            for word in words {
                text.push_str(&comment("  ", &word.doc));
                text.push_str(&format!("  | \"{}\"\n", word.text));
            }
            text = end_with_semicolon(text);
        }
        Shape::Variants { tag, variants } => {
            text.push_str(&format!("export type {name} =\n"));
            for variant in variants {
                text.push_str(&comment("  ", &variant.doc));
                let mut members = vec![format!("{tag}: \"{}\"", variant.word)];
                members.extend(variant.fields.iter().map(field));
                text.push_str(&format!("  | {{ {} }}\n", members.join("; ")));
            }
            text = end_with_semicolon(text);
        }
        Shape::Text => text.push_str(&format!("export type {name} = string;\n")),
        Shape::Integer => text.push_str(&format!("export type {name} = number;\n")),
        Shape::List(element) => text.push_str(&format!("export type {name} = {element}[];\n")),
        Shape::Anything => text.push_str(&format!("export type {name} = unknown;\n")),
    }
    text
}

fn field(field: &Field) -> String {
    let mark = match field.presence {
        Presence::Always => "",
        Presence::MayBeLeftOut { .. } | Presence::AbsentWhenInapplicable => "?",
    };
    format!("{}{mark}: {}", field.name, field.typescript)
}

/// Returns a doc comment on a line of its own, nothing when there is none.
fn comment(indent: &str, doc: &str) -> String {
    assert!(!doc.contains("*/"), "this would end its comment: {doc}");
    if doc.is_empty() {
        String::new()
    } else {
        format!("{indent}/** {doc} */\n")
    }
}

/// Ends a list of alternatives.
fn end_with_semicolon(text: String) -> String {
    text.trim_end().to_owned() + ";\n"
}

#[test]
fn numbers_are_numbers() {
    let reference = Reference::collect();
    let file = write(&reference, &reference.types());
    let line = file.lines().find(|line| line.contains("bigint"));
    assert_eq!(
        line, None,
        "JSON.parse makes no bigint: say `ts(type = \"number\")` at the field"
    );
}

#[test]
fn what_may_be_missing_has_a_question_mark() {
    let reference = Reference::collect();
    let file = write(&reference, &reference.types());
    for expected in [
        // A parameter with a default, and one that may also be null.
        "  attachments?: Array<string>;\n",
        "  since?: Cursor | null;\n",
        // Absent where it does not apply, and never null.
        "  cost?: Cost;\n",
        "  truncated?: boolean;\n",
        // Always there.
        "  version: string | null;\n",
        "export type Heartbeat = Record<symbol, never>;\n",
        "  | { outcome: \"selected\"; optionId: string; answeredBy: AnsweredBy }\n",
    ] {
        assert!(file.contains(expected), "{expected}");
    }
}
