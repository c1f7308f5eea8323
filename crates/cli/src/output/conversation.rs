//! Conversations in a list.

use std::io;

use pupitre_protocol::conversation::{ConversationSummary, Role, SearchMatch};

use super::neutral::one_line;
use super::table::{Cell, Table};
use super::{Output, style, time};

impl Output {
    /// Writes the table of conversations; a star marks each agent's current one.
    pub(crate) fn conversations(&mut self, conversations: &[ConversationSummary]) -> io::Result<()> {
        let mut table = Table::new(&["", "id", "agent", "changed", "messages", "title"]);
        for conversation in conversations {
            table.row(vec![
                Cell::styled(if conversation.current { "*" } else { "" }, style::GOOD),
                Cell::new(&conversation.id.to_string()),
                Cell::new(conversation.agent.as_str()),
                Cell::new(&time::day_and_minute(conversation.updated_at)),
                Cell::new(&conversation.messages.to_string()),
                Cell::new(conversation.title.as_deref().unwrap_or_default()),
            ]);
        }
        self.table(&table)
    }

    /// Writes what a search found: where, and the text around it.
    pub(crate) fn matches(&mut self, matches: &[SearchMatch]) -> io::Result<()> {
        for found in matches {
            let author = match found.role {
                Role::User => "you",
                Role::Agent | Role::System => found.agent.as_str(),
            };
            let title = found.title.as_deref().unwrap_or_default();
            let head = format!(
                "{}  {}  {author}: {}",
                found.conversation,
                time::day_and_minute(found.created_at),
                one_line(title)
            );
            self.styled_line(style::HEADING, head.trim_end_matches([' ', ':']))?;
            let mut line = String::from("    ");
            for piece in &found.excerpt {
                let style = if piece.found { style::GOOD } else { style::PLAIN };
                line.push_str(&self.out.paint.text(style, &spaced(&piece.text)));
            }
            self.line(&line)?;
        }
        Ok(())
    }
}

/// Returns a piece of a line on one line, with the spaces at its ends.
fn spaced(text: &str) -> String {
    let space = |is_space: bool| if is_space { " " } else { "" };
    let inner = one_line(text);
    if inner.is_empty() {
        return space(!text.is_empty()).to_owned();
    }
    let (begins, ends) = (
        text.starts_with(char::is_whitespace),
        text.ends_with(char::is_whitespace),
    );
    format!("{}{inner}{}", space(begins), space(ends))
}
