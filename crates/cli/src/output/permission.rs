//! Permission requests, as people read them and answer them.

use std::io;

use pupitre_protocol::conversation::Permission;

use super::neutral::one_line;
use super::table::{Cell, Table};
use super::{Output, style, time};

/// How much of a tool's input a question shows, in characters.
const INPUT_SHOWN: usize = 400;

impl Output {
    /// Writes every request with the answers it offers.
    pub(crate) fn permissions(&mut self, permissions: &[Permission]) -> io::Result<()> {
        for permission in permissions {
            let head = format!(
                "{}  {}",
                permission.id,
                time::day_and_minute(permission.created_at)
            );
            self.styled_line(style::HEADING, &head)?;
            self.line(&one_line(&format!(
                "{} asks: {}",
                permission.agent, permission.tool_call.title
            )))?;
            let mut table = Table::new(&["option", "kind", "name"]);
            for option in &permission.options {
                table.row(vec![
                    Cell::new(&option.option_id),
                    Cell::new(&option.kind),
                    Cell::new(&option.name),
                ]);
            }
            self.table(&table)?;
            self.line("")?;
        }
        Ok(())
    }

    /// Asks a person at a terminal; the answer is a number.
    pub(crate) fn ask_permission(&mut self, permission: &Permission) -> io::Result<()> {
        let tool = &permission.tool_call;
        self.question(
            style::HEADING,
            &format!("{} asks: {}", permission.agent, tool.title),
        )?;
        for location in &tool.locations {
            self.question(style::DIM, &format!("in {}", location.path))?;
        }
        if let Some(input) = &tool.input {
            let shown: String = input.chars().take(INPUT_SHOWN).collect();
            self.question(style::DIM, &format!("with {shown}"))?;
        }
        for (index, option) in permission.options.iter().enumerate() {
            self.question(style::PLAIN, &format!("{}) {}", index + 1, option.name))?;
        }
        self.question(style::PLAIN, "0) answer without choosing")?;
        self.prompt("your choice:")
    }
}
