//! Conversations in a list.

use std::io;

use pupitre_protocol::conversation::ConversationSummary;

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
}
