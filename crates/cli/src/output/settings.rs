//! Modes and options of a session, as people read them; a star marks what is in force.

use std::io;

use pupitre_protocol::conversation::{ConfigOption, Modes};
use serde_json::Value;

use super::table::{Cell, Table};
use super::{Output, style};

impl Output {
    /// Writes the table of modes.
    pub(crate) fn modes(&mut self, modes: &Modes) -> io::Result<()> {
        let mut table = Table::new(&["", "mode", "name", "description"]);
        for mode in &modes.available {
            table.row(vec![
                star(mode.id == modes.current),
                Cell::new(&mode.id),
                Cell::new(&mode.name),
                Cell::new(mode.description.as_deref().unwrap_or_default()),
            ]);
        }
        self.table(&table)
    }

    /// Writes the table of options, with the value of each.
    pub(crate) fn config_options(&mut self, options: &[ConfigOption]) -> io::Result<()> {
        let mut table = Table::new(&["option", "value", "name", "description"]);
        for option in options {
            table.row(vec![
                Cell::new(&option.id),
                Cell::styled(&value_words(&option.value), style::GOOD),
                Cell::new(&option.name),
                Cell::new(option.description.as_deref().unwrap_or_default()),
            ]);
        }
        self.table(&table)
    }

    /// Writes the table of what an option can be.
    pub(crate) fn config_choices(&mut self, option: &ConfigOption) -> io::Result<()> {
        let mut table = Table::new(&["", "value", "name", "group", "description"]);
        if option.choices.is_empty() {
            for value in [true, false] {
                let value = Value::Bool(value);
                table.row(vec![
                    star(option.value == value),
                    Cell::new(&value_words(&value)),
                    Cell::new(""),
                    Cell::new(""),
                    Cell::new(""),
                ]);
            }
        }
        for choice in &option.choices {
            table.row(vec![
                star(option.value.as_str() == Some(&choice.value)),
                Cell::new(&choice.value),
                Cell::new(&choice.name),
                Cell::new(choice.group.as_deref().unwrap_or_default()),
                Cell::new(choice.description.as_deref().unwrap_or_default()),
            ]);
        }
        self.table(&table)
    }
}

fn star(is_current: bool) -> Cell {
    Cell::styled(if is_current { "*" } else { "" }, style::GOOD)
}

/// Returns the value of an option as it is typed.
pub(crate) fn value_words(value: &Value) -> String {
    match value {
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
