//! Declarations of TypeScript, as the types of this crate give them, taken apart.
//!
//! Responsible for the order of fields and variants and for their types in TypeScript; what they mean stands in the schemas.

use std::any::TypeId;
use std::collections::BTreeMap;

use ts_rs::{Config, TS, TypeVisitor};

/// Every type that methods and events reach, by name.
#[derive(Default)]
pub(super) struct Declarations {
    bodies: BTreeMap<String, (TypeId, Body)>,
}

/// The right side of a declaration.
#[derive(Debug, PartialEq)]
pub(super) enum Body {
    Record(Vec<FieldText>),
    /// Literal strings.
    Words(Vec<String>),
    /// Records that one field tells apart, the first of each.
    Variants(Vec<Vec<FieldText>>),
    /// Another name for this type.
    Alias(String),
}

/// A field: its name and its type.
#[derive(Debug, PartialEq)]
pub(super) struct FieldText {
    pub(super) name: String,
    pub(super) typescript: String,
}

impl Declarations {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &Body)> {
        self.bodies.iter().map(|(name, (_, body))| (name.as_str(), body))
    }
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Only types that could have a file of their own have a declaration; the others are strings, lists and the like.
        if T::output_path().is_some() {
            let config = Config::default();
            let name = T::ident(&config);
            if let Some((known, _)) = self.bodies.get(&name) {
                assert_eq!(
                    *known,
                    TypeId::of::<T>(),
                    "two types on the wire are called {name}"
                );
                return;
            }
            let body = Body::parse(&T::decl(&config));
            self.bodies.insert(name, (TypeId::of::<T>(), body));
        }
        T::visit_dependencies(self);
    }
}

impl Body {
    fn parse(declaration: &str) -> Self {
        let declaration = without_comments(declaration);
        let (_, body) = declaration
            .split_once('=')
            .expect("a declaration has a right side");
        let body = body.trim().trim_end_matches(';').trim();
        if body == "Record<symbol, never>" {
            return Self::Record(Vec::new());
        }
        let alternatives = split_outside(body, '|');
        let all_start_with = |start| {
            alternatives
                .iter()
                .all(|alternative| alternative.trim().starts_with(start))
        };
        if all_start_with('"') {
            Self::Words(
                alternatives
                    .iter()
                    .map(|word| word.trim().trim_matches('"').to_owned())
                    .collect(),
            )
        } else if !all_start_with('{') {
            Self::Alias(body.to_owned())
        } else if let [record] = alternatives.as_slice() {
            Self::Record(fields(record))
        } else {
            Self::Variants(alternatives.iter().map(|record| fields(record)).collect())
        }
    }
}

fn fields(record: &str) -> Vec<FieldText> {
    let inside = record
        .trim()
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let inside = inside.unwrap_or_else(|| panic!("no record: {record}"));
    split_outside(inside, ',')
        .into_iter()
        .filter(|field| !field.trim().is_empty())
        .map(|field| {
            let (name, typescript) = field.split_once(':').expect("a field has a type");
            let name = name.trim().trim_end_matches('?').trim_matches('"').to_owned();
            FieldText {
                name,
                typescript: typescript.trim().to_owned(),
            }
        })
        .collect()
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/**") {
        kept.push_str(before);
        rest = comment.split_once("*/").expect("a comment ends").1;
    }
    kept + rest
}

/// Splits a text at a character where it stands outside of brackets and strings.
fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut depth, mut quoted) = (0, 0, false);
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '{' | '[' | '(' | '<' if !quoted => depth += 1,
            '}' | ']' | ')' | '>' if !quoted => depth -= 1,
            _ if character == separator && depth == 0 && !quoted => {
                pieces.push(&text[start..at]);
                start = at + character.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}

#[test]
fn declarations_are_taken_apart() {
    let field = |name: &str, typescript: &str| FieldText {
        name: name.into(),
        typescript: typescript.into(),
    };
    let check = |declaration, expected| assert_eq!(Body::parse(declaration), expected, "{declaration}");
    check("type Id = string;", Body::Alias("string".into()));
    check("type Empty = Record<symbol, never>;", Body::Record(Vec::new()));
    check(
        "type Word = \"a:b\" | \"c|d\";",
        Body::Words(vec!["a:b".into(), "c|d".into()]),
    );
    check(
        "type View = { a: string, \n/**\n * Of x, \"y\".\n */\nb?: Array<{ c: number, }> | null, };",
        Body::Record(vec![
            field("a", "string"),
            field("b", "Array<{ c: number, }> | null"),
        ]),
    );
    check(
        "type Part = { \"kind\": \"text\", text: string, } | { \"kind\": \"end\" };",
        Body::Variants(vec![
            vec![field("kind", "\"text\""), field("text", "string")],
            vec![field("kind", "\"end\"")],
        ]),
    );
}
