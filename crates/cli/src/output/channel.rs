//! Channels and what was said in them, as people read it.

use std::collections::BTreeMap;
use std::io;

use pupitre_protocol::AgentName;
use pupitre_protocol::channel::{ChannelAnswer, ChannelEntry};
use pupitre_protocol::configuration::ChannelView;
use pupitre_protocol::conversation::{Message, Part, Role};

use super::neutral::{neutral, one_line};
use super::table::{Cell, Table};
use super::{Output, style, time};

impl Output {
    /// Writes the table of channels.
    pub(crate) fn channels(&mut self, channels: &[ChannelView]) -> io::Result<()> {
        let mut table = Table::new(&["name", "title", "agents"]);
        for channel in channels {
            let agents: Vec<&str> = channel.agents.iter().map(AgentName::as_str).collect();
            table.row(vec![
                Cell::styled(&channel.name, style::HEADING),
                Cell::new(&channel.title),
                Cell::new(&agents.join(", ")),
            ]);
        }
        self.table(&table)
    }

    /// Writes one message of a channel, and below it the answer of each agent, from its conversation.
    pub(crate) fn channel_entry(
        &mut self,
        entry: &ChannelEntry,
        conversations: &BTreeMap<AgentName, Vec<Message>>,
    ) -> io::Result<()> {
        let head = format!("{} you", time::time_of_day(entry.created_at));
        self.styled_line(style::HEADING, &head)?;
        self.line(&neutral(&entry.text))?;
        for answer in &entry.answers {
            self.styled_line(style::HEADING, &format!("  {}", answer.agent))?;
            let messages = conversations
                .get(&answer.agent)
                .map(Vec::as_slice)
                .unwrap_or_default();
            for line in answer_words(answer, messages).lines() {
                self.line(&format!("  {}", neutral(line)))?;
            }
        }
        self.line("")
    }
}

/// Returns the text of an answer, or what there is instead of one.
fn answer_words(answer: &ChannelAnswer, messages: &[Message]) -> String {
    let Some(id) = answer.message_id else {
        return format!(
            "did not take it: {}",
            one_line(answer.error.as_deref().unwrap_or_default())
        );
    };
    let of_turn: Vec<&Message> = messages
        .iter()
        .filter(|message| message.turn == Some(id) && message.role != Role::User)
        .collect();
    let mut text = String::new();
    for part in of_turn.iter().flat_map(|message| &message.parts) {
        if let Part::Text { text: piece } = part {
            text.push_str(piece);
        }
    }
    let error = of_turn.iter().find_map(|message| message.error.as_deref());
    let is_there = messages.iter().any(|message| message.id == id);
    match (text.trim().is_empty(), error) {
        (false, None) => text,
        (false, Some(error)) => format!("{text}\n(failed: {error})"),
        (true, Some(error)) => format!("(failed: {error})"),
        (true, None) if !is_there => "(in an earlier conversation)".to_owned(),
        (true, None) if of_turn.iter().any(|message| message.stop_reason.is_some()) => "(no text)".to_owned(),
        (true, None) => "(no answer yet)".to_owned(),
    }
}
