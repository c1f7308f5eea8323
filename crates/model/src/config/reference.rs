//! Writes the reference of the configuration file, in English and in French, and the schema file, from the schema.
//!
//! A test: a stale file fails, and `UPDATE=1` writes it.

mod french;

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use super::{schema, schema_text};

/// In which language a page is written.
#[derive(Debug, Clone, Copy)]
enum Tongue {
    English,
    French,
}

/// A table of the file, as the page shows it: its header, and the path of its schema.
const TABLES: [(&str, &str); 5] = [
    ("", ""),
    ("[limits]", "/properties/limits"),
    ("[[agents]]", "/properties/agents/items"),
    ("[[channels]]", "/properties/channels/items"),
    ("[[mcp_servers]]", "/properties/mcp_servers/items"),
];

impl Tongue {
    const fn choose(self, english: &'static str, french: &'static str) -> &'static str {
        match self {
            Self::English => english,
            Self::French => french,
        }
    }
}

fn page(tongue: Tongue) -> String {
    let mut page = String::from(tongue.choose(
        "# Reference of the configuration file\n\nGenerated from the program: `cargo xtask gen` writes it. What the file is, where it stands and what happens when it \
         changes is told in [Configuration](../en/configuration.md); the same as a JSON Schema is in \
         [pupitre.schema.json](pupitre.schema.json), and `pupitre config schema` prints it.\n",
        "# Référence du fichier de configuration\n\nGénérée à partir du programme : `cargo xtask gen` l’écrit. Ce qu’est le fichier, où il se trouve et ce qui se passe quand \
         il change est dit dans [Configuration](../fr/configuration.md) ; la même chose en JSON Schema se trouve dans \
         [pupitre.schema.json](pupitre.schema.json), et `pupitre config schema` l’affiche.\n",
    ));
    for (header, path) in TABLES {
        let table = schema().pointer(path).expect("the schema has this table");
        let title = if header.is_empty() {
            tongue
                .choose("Keys of the whole file", "Clés du fichier entier")
                .to_owned()
        } else {
            format!("`{header}`")
        };
        let _ = write!(page, "\n## {title}\n\n");
        if header.is_empty() {
            page.push_str(tongue.choose(
                "They stand above the first table.\n\n",
                "Elles se trouvent au-dessus de la première table.\n\n",
            ));
        }
        page.push_str(tongue.choose(
            "| key | value | default | meaning |\n|---|---|---|---|\n",
            "| clé | valeur | par défaut | sens |\n|---|---|---|---|\n",
        ));
        for (key, property) in table["properties"].as_object().expect("a table has keys") {
            if header.is_empty()
                && TABLES
                    .iter()
                    .any(|(header, _)| header.trim_matches(['[', ']']) == key)
            {
                continue;
            }
            let required = table["required"]
                .as_array()
                .is_some_and(|required| required.iter().any(|name| name == key));
            let meaning = match tongue {
                Tongue::English => property["description"]
                    .as_str()
                    .expect("every key is described")
                    .to_owned(),
                Tongue::French => french::meaning(header, key).to_owned(),
            };
            let _ = writeln!(
                page,
                "| `{key}` | {} | {} | {meaning} |",
                value(property, tongue),
                default(property, required, tongue)
            );
        }
    }
    page
}

/// Returns what a key takes.
fn value(property: &Value, tongue: Tongue) -> String {
    let list = |options: &Value| -> Option<String> {
        let options = options.as_array()?.iter().map(|option| format!("`{option}`"));
        Some(options.collect::<Vec<_>>().join(", "))
    };
    if let Some(options) = list(&property["enum"]) {
        return options;
    }
    match property["type"].as_str().expect("every key has one type") {
        "boolean" => "`true`, `false`".to_owned(),
        "integer" => {
            let bound = |name: &str| property[name].to_string();
            format!(
                "{} {} {} {}",
                tongue.choose("an integer from", "un entier de"),
                bound("minimum"),
                tongue.choose("to", "à"),
                bound("maximum")
            )
        }
        "array" => match list(&property["items"]["enum"]) {
            Some(options) => format!("{} {options}", tongue.choose("an array of", "un tableau de")),
            None => tongue
                .choose("an array of strings", "un tableau de textes")
                .to_owned(),
        },
        "object" => tongue
            .choose("a table of strings", "une table de textes")
            .to_owned(),
        "string" => tongue.choose("a string", "un texte").to_owned(),
        other => panic!("the page has no words for a value that is {other}"),
    }
}

fn default(property: &Value, required: bool, tongue: Tongue) -> String {
    match (property.get("default"), required) {
        (Some(default), _) => format!("`{default}`"),
        (None, true) => tongue.choose("needed", "obligatoire").to_owned(),
        (None, false) => "–".to_owned(),
    }
}

#[track_caller]
fn check_file(path_in_checkout: &str, expected: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path_in_checkout);
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, expected).expect("the file can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == expected,
        "{path_in_checkout} is stale: run `cargo xtask gen`"
    );
}

#[test]
fn the_reference_pages_are_current() {
    check_file("docs/reference/configuration.md", &page(Tongue::English));
    check_file("docs/reference/configuration.fr.md", &page(Tongue::French));
}

#[test]
fn the_schema_file_is_current() {
    check_file("docs/reference/pupitre.schema.json", &(schema_text() + "\n"));
}
