//! Writes `docs/reference/protocol.md` and `apps/web/src/gen/protocol.ts` from the types of this crate.
//!
//! Responsible for collecting what methods and events say of themselves and for comparing both files with those of the
//! checkout. How the files look stands in `generated/page.rs` and `generated/typescript.rs`.

mod declaration;
mod examples;
mod page;
mod source;
mod types;
mod typescript;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;
use ts_rs::{TS, TypeVisitor};

use crate::method::Access;
use crate::{EventKind, Method, RpcError};
use declaration::Declarations;
use types::Types;

/// What every method and every event says of itself.
pub(crate) struct Reference {
    methods: Vec<MethodEntry>,
    events: Vec<EventEntry>,
    declarations: Declarations,
    /// Parameters are read by the daemon: what has a default may be left out.
    parameters: SchemaGenerator,
    /// Everything else is written by the daemon: what is skipped is absent.
    results: SchemaGenerator,
}

/// A method and the names of its types.
struct MethodEntry {
    name: &'static str,
    access: Access,
    doc: String,
    params: String,
    reply: String,
}

/// A type of events and the name of its payload.
struct EventEntry {
    kind: EventKind,
    doc: String,
    payload: String,
}

impl Reference {
    fn collect() -> Self {
        let settings = SchemaSettings::draft2020_12;
        let mut reference = Self {
            methods: Vec::new(),
            events: Vec::new(),
            declarations: Declarations::default(),
            parameters: settings().for_deserialize().into_generator(),
            results: settings().for_serialize().into_generator(),
        };
        crate::method::describe(&mut reference);
        crate::event::describe(&mut reference);
        reference.result::<RpcError>();
        reference.result::<EventKind>();
        reference
    }

    pub(crate) fn method<M>(&mut self, doc: &str)
    where
        M: Method,
        M::Params: JsonSchema + TS + 'static,
        M::Reply: JsonSchema + TS + 'static,
    {
        self.parameters.subschema_for::<M::Params>();
        self.declarations.visit::<M::Params>();
        self.result::<M::Reply>();
        self.methods.push(MethodEntry {
            name: M::NAME,
            access: M::ACCESS,
            doc: one_line(doc),
            params: M::Params::schema_name().into_owned(),
            reply: M::Reply::schema_name().into_owned(),
        });
    }

    pub(crate) fn event<P: JsonSchema + TS + 'static>(&mut self, kind: EventKind, doc: &str) {
        self.result::<P>();
        let payload = P::schema_name().into_owned();
        self.events.push(EventEntry {
            kind,
            doc: one_line(doc),
            payload,
        });
    }

    fn result<T: JsonSchema + TS + 'static>(&mut self) {
        self.results.subschema_for::<T>();
        self.declarations.visit::<T>();
    }

    fn types(&self) -> Types {
        let schemas = |generator: &SchemaGenerator| -> BTreeMap<String, Value> {
            generator
                .definitions()
                .iter()
                .map(|(name, schema)| (name.clone(), schema.clone()))
                .collect()
        };
        Types::new(
            &self.declarations,
            &schemas(&self.parameters),
            &schemas(&self.results),
        )
    }
}

/// Returns a doc comment as one line of text.
fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compares a file of the checkout with what it should be, or, with `UPDATE=1`, writes it.
fn check_file(path_in_checkout: &str, expected: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path_in_checkout);
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        let folder = path.parent().expect("a file of the checkout stands in a folder");
        std::fs::create_dir_all(folder).expect("the folder can be made");
        std::fs::write(&path, expected).expect("the file can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found == expected {
        return;
    }
    let (line, (old, new)) = (1..)
        .zip(lines_of(&found).zip(lines_of(expected)))
        .find(|(_, (old, new))| old != new)
        .expect("texts that differ have a line that differs");
    panic!(
        "{path_in_checkout} is stale: run `cargo xtask gen`\nline {line} is:        {}\nline {line} should be: {}",
        old.unwrap_or("(the end)"),
        new.unwrap_or("(the end)"),
    );
}

/// Returns the lines, line breaks included, and then `None` for ever.
fn lines_of(text: &str) -> impl Iterator<Item = Option<&str>> {
    text.split_inclusive('\n')
        .map(Some)
        .chain(std::iter::repeat(None))
}

#[test]
fn the_reference_page_is_current() {
    let reference = Reference::collect();
    check_file(
        "docs/reference/protocol.md",
        &page::write(&reference, &reference.types()),
    );
}

#[test]
fn the_typescript_types_are_current() {
    let reference = Reference::collect();
    check_file(
        "apps/web/src/gen/protocol.ts",
        &typescript::write(&reference, &reference.types()),
    );
}

#[test]
fn every_method_event_and_type_says_what_it_is() {
    let reference = Reference::collect();
    let methods = reference
        .methods
        .iter()
        .map(|method| (method.name, method.doc.as_str()));
    let events = reference
        .events
        .iter()
        .map(|event| (event.kind.as_str(), event.doc.as_str()));
    let types = reference.types();
    let types = types
        .iter()
        .map(|named| (named.name.as_str(), named.doc.as_str()));
    let silent: Vec<&str> = methods
        .chain(events)
        .chain(types)
        .filter(|(_, doc)| doc.is_empty())
        .map(|(name, _)| name)
        .collect();
    assert!(silent.is_empty(), "these have no doc comment: {silent:?}");
}

#[test]
fn the_reference_has_every_method_and_every_event() {
    let reference = Reference::collect();
    let methods: Vec<&str> = reference.methods.iter().map(|method| method.name).collect();
    assert_eq!(methods, crate::method::NAMES);
    let events: Vec<EventKind> = reference.events.iter().map(|event| event.kind).collect();
    assert_eq!(events, EventKind::ALL);
}
