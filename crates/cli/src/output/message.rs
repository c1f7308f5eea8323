//! The messages of a conversation, as people read them.

use std::io;

use pupitre_protocol::MessageId;
use pupitre_protocol::conversation::{
    Media, Message, Part, PlanEntry, Resource, Role, StopReason, SystemCode, ToolCall, ToolStatus,
};

use super::neutral::{neutral, one_line};
use super::{Output, style, time};

const INDENT: &str = "  ";

impl Output {
    /// Writes one message: who and when, its parts, how it ended.
    pub(crate) fn message(&mut self, message: &Message) -> io::Result<()> {
        let who = match message.role {
            Role::User => "you",
            Role::Agent => message.agent.as_str(),
            Role::System => "pupitre",
        };
        self.stream(style::HEADING, who)?;
        self.styled_line(
            style::DIM,
            &format!("  {}  {}", time::day_and_minute(message.created_at), message.id),
        )?;
        for (index, part) in message.parts.iter().enumerate() {
            self.part_of(message.id, index, part)?;
        }
        for remark in remarks(message) {
            self.styled_line(style::BUSY, &format!("{INDENT}({})", one_line(&remark)))?;
        }
        self.line("")
    }

    /// Writes the whole of one part, without leaving anything out.
    pub(crate) fn whole_part(&mut self, part: &Part) -> io::Result<()> {
        match part {
            Part::Text { text } | Part::Thought { text } => self.line(neutral(text).trim_end()),
            Part::Tool { tool } => self.whole_tool(tool),
            Part::Plan { entries } => self.plan(entries),
            Part::Image { image } => self.line(&media_words(image)),
            Part::Resource { resource } => {
                self.line(&resource_words(resource))?;
                match &resource.text {
                    Some(text) => self.line(neutral(text).trim_end()),
                    None => Ok(()),
                }
            }
        }
    }

    fn part_of(&mut self, id: MessageId, index: usize, part: &Part) -> io::Result<()> {
        let truncated = match part {
            Part::Text { text } => {
                self.line(neutral(text).trim_end())?;
                false
            }
            Part::Thought { text } => {
                for line in neutral(text).trim_end().lines() {
                    self.styled_line(style::DIM, &format!("{INDENT}{line}"))?;
                }
                false
            }
            Part::Tool { tool } => {
                self.styled_line(style::DIM, &format!("{INDENT}{}", tool_line(tool)))?;
                tool.truncated
            }
            Part::Plan { entries } => {
                self.plan(entries)?;
                false
            }
            Part::Image { image } => {
                self.styled_line(style::DIM, &format!("{INDENT}{}", media_words(image)))?;
                image.truncated
            }
            Part::Resource { resource } => {
                self.styled_line(style::DIM, &format!("{INDENT}{}", resource_words(resource)))?;
                resource.truncated
            }
        };
        if truncated {
            let hint = format!("{INDENT}{INDENT}cut; the whole: pupitre chat part {id} {index}");
            self.styled_line(style::DIM, &hint)?;
        }
        Ok(())
    }

    fn plan(&mut self, entries: &[PlanEntry]) -> io::Result<()> {
        for entry in entries {
            self.styled_line(
                style::DIM,
                &format!("{INDENT}plan: {}", one_line(&plan_entry_words(entry))),
            )?;
        }
        Ok(())
    }

    fn whole_tool(&mut self, tool: &ToolCall) -> io::Result<()> {
        self.styled_line(style::HEADING, &tool_line(tool))?;
        for location in &tool.locations {
            let line = location.line.map(|line| format!(":{line}")).unwrap_or_default();
            self.line(&format!("at {}{line}", one_line(&location.path)))?;
        }
        for (name, text) in [("input", &tool.input), ("output", &tool.output)] {
            if let Some(text) = text {
                self.styled_line(style::DIM, name)?;
                self.line(neutral(text).trim_end())?;
            }
        }
        for diff in &tool.diffs {
            self.styled_line(style::DIM, &format!("changes {}", one_line(&diff.path)))?;
            for (sign, text) in [
                ("-", diff.old_text.as_deref().unwrap_or_default()),
                ("+", &diff.new_text),
            ] {
                for line in neutral(text).lines() {
                    self.line(&format!("{sign}{line}"))?;
                }
            }
        }
        Ok(())
    }
}

/// Returns a tool call on one line.
pub(crate) fn tool_line(tool: &ToolCall) -> String {
    let place = match tool.panes.as_slice() {
        [] => String::new(),
        [pane] => format!(" in pane {pane}"),
        panes => {
            let panes: Vec<String> = panes.iter().map(ToString::to_string).collect();
            format!(" in panes {}", panes.join(", "))
        }
    };
    one_line(&format!("tool: {} ({}){place}", tool.title, tool_words(tool)))
}

/// Returns how far a tool call is.
const fn tool_words(tool: &ToolCall) -> &'static str {
    match (tool.cancelled, tool.status) {
        (true, _) => "cancelled",
        (false, ToolStatus::Pending) => "waiting",
        (false, ToolStatus::InProgress) => "running",
        (false, ToolStatus::Completed) => "done",
        (false, ToolStatus::Failed) => "failed",
    }
}

fn plan_entry_words(entry: &PlanEntry) -> String {
    let mark = match entry.status.as_str() {
        "completed" => "[x]",
        "in_progress" => "[>]",
        _ => "[ ]",
    };
    format!("{mark} {}", entry.content)
}

/// Returns a plan on one line: how far it is, and what is done now.
pub(crate) fn plan_words(entries: &[PlanEntry]) -> String {
    let completed = entries.iter().filter(|entry| entry.status == "completed").count();
    let current = entries.iter().find(|entry| entry.status == "in_progress");
    let current = current
        .map(|entry| format!(", now: {}", entry.content))
        .unwrap_or_default();
    format!("plan: {completed} of {} done{current}", entries.len())
}

/// Returns what stands for a part that is no text.
pub(crate) fn attachment_words(part: &Part) -> String {
    match part {
        Part::Image { image } => media_words(image),
        Part::Resource { resource } => resource_words(resource),
        Part::Text { .. } | Part::Thought { .. } => String::new(),
        Part::Tool { tool } => tool_line(tool),
        Part::Plan { entries } => plan_words(entries),
    }
}

fn media_words(media: &Media) -> String {
    let uri = media
        .uri
        .as_deref()
        .map(|uri| format!(" at {uri}"))
        .unwrap_or_default();
    one_line(&format!("[{}{uri}]", media.mime_type))
}

fn resource_words(resource: &Resource) -> String {
    one_line(&format!(
        "[{}]",
        resource.name.as_deref().unwrap_or(&resource.uri)
    ))
}

/// Returns what there is to say about a message besides its parts.
fn remarks(message: &Message) -> Vec<String> {
    let mut remarks = Vec::new();
    if message.queued {
        remarks.push("waits for the current answer".to_owned());
    }
    if let Some(code) = message.code {
        remarks.push(system_words(code).to_owned());
    }
    if let Some(reason) = message.stop_reason.and_then(unusual_end) {
        remarks.push(reason.to_owned());
    }
    if let Some(error) = &message.error {
        remarks.push(error.clone());
    }
    if message.role == Role::Agent && !message.done {
        remarks.push("still answering".to_owned());
    }
    remarks
}

/// Returns what a system message says.
pub(crate) const fn system_words(code: SystemCode) -> &'static str {
    match code {
        SystemCode::AgentRestarted => "the agent was restarted and has forgotten what was said before",
        SystemCode::AgentUnavailable => "the agent could not be reached",
        SystemCode::TooManyRequests => {
            "the agent asked for too much at once: what came beyond was answered as cancelled"
        }
    }
}

/// Returns how a turn ended, when it did not end by itself.
pub(crate) const fn unusual_end(reason: StopReason) -> Option<&'static str> {
    match reason {
        StopReason::EndTurn => None,
        StopReason::Cancelled => Some("cancelled"),
        StopReason::MaxTokens => Some("the agent reached its limit of tokens (max_tokens)"),
        StopReason::MaxTurnRequests => Some("the agent reached its limit of requests (max_turn_requests)"),
        StopReason::Refusal => Some("the agent refused (refusal)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Device;
    use crate::output::captured::output_on;

    const ID: &str = "01930000-0000-7000-8000-000000000001";

    fn message(role: Role, parts: Vec<Part>) -> Message {
        Message {
            id: ID.parse().expect("an id"),
            agent: "demo".parse().expect("a name"),
            conversation: "01930000-0000-7000-8000-000000000002".parse().expect("an id"),
            rev: 1,
            created_at: 0,
            role,
            turn: None,
            parts,
            done: true,
            queued: false,
            stop_reason: None,
            error: None,
            cause: None,
            code: None,
        }
    }

    /// Shows a message and compares everything below its header.
    fn check(message: &Message, expected: &str) {
        let (mut output, out, _) = output_on(Device::Pipe);
        output.message(message).expect("a capture takes everything");
        let text = out.text();
        let (_, body) = text.split_once('\n').expect("a header");
        assert_eq!(body, expected);
    }

    #[test]
    fn parts_are_shown_in_their_order_and_harmless() {
        let tool = ToolCall {
            id: "t".to_owned(),
            title: "Read\n\u{1b}[31msrc".to_owned(),
            kind: pupitre_protocol::conversation::ToolKind::Read,
            status: ToolStatus::Completed,
            input: None,
            output: None,
            locations: Vec::new(),
            diffs: Vec::new(),
            panes: Vec::new(),
            cancelled: false,
            truncated: true,
            permission: None,
        };
        let parts = vec![
            Part::Thought {
                text: "first\nsecond".to_owned(),
            },
            Part::Tool { tool },
            Part::Text {
                text: "# Done\n\n\u{1b}]0;title\u{7}all **good**\n".to_owned(),
            },
        ];
        let expected = format!(
            "  first\n  second\n  tool: Read src (done)\n    cut; the whole: pupitre chat part {ID} 1\n# Done\n\nall **good**\n\n"
        );
        check(&message(Role::Agent, parts), &expected);
    }

    #[test]
    fn what_happened_to_a_message_is_said() {
        let text = || vec![Part::Text { text: "x".to_owned() }];
        let ended = |stop_reason| Message {
            stop_reason,
            ..message(Role::Agent, text())
        };
        check(&ended(Some(StopReason::EndTurn)), "x\n\n");
        check(&ended(Some(StopReason::Cancelled)), "x\n  (cancelled)\n\n");
        check(
            &Message {
                queued: true,
                ..message(Role::User, text())
            },
            "x\n  (waits for the current answer)\n\n",
        );
        check(
            &Message {
                done: false,
                ..message(Role::Agent, text())
            },
            "x\n  (still answering)\n\n",
        );
        let lost = Message {
            code: Some(SystemCode::AgentUnavailable),
            error: Some("exited with code 3\nlast words".to_owned()),
            ..message(Role::System, Vec::new())
        };
        check(
            &lost,
            "  (the agent could not be reached)\n  (exited with code 3 last words)\n\n",
        );
    }
}
