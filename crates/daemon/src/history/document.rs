//! A conversation as a document, message by message: Markdown for people, JSON for programs.
//!
//! Responsible for the text alone; which messages, and how much of them at once, is `export.rs`.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use pupitre_protocol::conversation::{
    ConversationSummary, Diff, ExportFormat, Message, Part, Resource, Role, StopReason, SystemCode, ToolCall,
    ToolKind, ToolStatus,
};

/// Whether a message is the first of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    First,
    Later,
}

/// How many unchanged lines are shown around a change.
const CONTEXT_LINES: usize = 3;

/// Returns what stands before the first message.
pub(super) fn head(format: ExportFormat, summary: &ConversationSummary) -> String {
    match format {
        ExportFormat::Json => format!("{{\"conversation\":{},\n\"messages\":[\n", json(summary)),
        ExportFormat::Markdown => {
            let title = summary
                .title
                .as_deref()
                .map_or_else(|| format!("A conversation with {}", summary.agent), one_line);
            format!(
                "# {title}\n\n* Agent: {}\n* Folder: `{}`\n* Begun: {}\n* Conversation: {}\n",
                summary.agent,
                one_line(&summary.cwd),
                time(summary.created_at),
                summary.id
            )
        }
    }
}

/// Returns one message, with what separates it from the one before.
pub(super) fn message(format: ExportFormat, message: &Message, position: Position) -> String {
    match (format, position) {
        (ExportFormat::Json, Position::First) => json(message),
        (ExportFormat::Json, Position::Later) => format!(",\n{}", json(message)),
        (ExportFormat::Markdown, _) => markdown(message),
    }
}

/// Returns what stands behind the last message.
pub(super) const fn tail(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Json => "\n]}\n",
        ExportFormat::Markdown => "",
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("what the protocol has is JSON")
}

fn markdown(message: &Message) -> String {
    let author = match message.role {
        Role::User => "You",
        Role::Agent => message.agent.as_str(),
        Role::System => "Pupitre",
    };
    let mut text = format!("\n## {author}, {}\n", time(message.created_at));
    for part in &message.parts {
        let part = match part {
            Part::Text { text } => text.trim_end().to_owned(),
            Part::Thought { text } => quoted(text.trim_end()),
            Part::Tool { tool } => tool_call(tool),
            Part::Plan { entries } => {
                let entries = entries.iter().map(|entry| {
                    let mark = if entry.status == "completed" { 'x' } else { ' ' };
                    format!("- [{mark}] {}", one_line(&entry.content))
                });
                entries.collect::<Vec<_>>().join("\n")
            }
            Part::Image { image } => {
                let place = image.uri.as_deref().map(one_line);
                let place = place.unwrap_or_else(|| format!("{} bytes of base64", image.data.len()));
                format!("*({}: {place})*", one_line(&image.mime_type))
            }
            Part::Resource { resource } => resource_words(resource),
        };
        if !part.is_empty() {
            text.push('\n');
            text.push_str(&part);
            text.push('\n');
        }
    }
    for remark in remarks(message) {
        text.push_str(&format!("\n*{}*\n", one_line(&remark)));
    }
    text
}

fn remarks(message: &Message) -> Vec<String> {
    let code = message.code.map(|code| match code {
        SystemCode::AgentRestarted => "The agent was restarted and has forgotten what was said before.",
        SystemCode::AgentUnavailable => "The agent could not be reached.",
        SystemCode::TooManyRequests => {
            "The agent asked for too much at once: what came beyond was answered as cancelled."
        }
    });
    let end = message.stop_reason.and_then(|reason| match reason {
        StopReason::EndTurn => None,
        StopReason::Cancelled => Some("Cancelled."),
        StopReason::MaxTokens => Some("The agent reached its limit of tokens."),
        StopReason::MaxTurnRequests => Some("The agent reached its limit of requests."),
        StopReason::Refusal => Some("The agent refused."),
    });
    let words = code.into_iter().chain(end).map(str::to_owned);
    words.chain(message.error.clone()).collect()
}

fn tool_call(tool: &ToolCall) -> String {
    let kind = match tool.kind {
        ToolKind::Read => "Read",
        ToolKind::Edit => "Edit",
        ToolKind::Delete => "Delete",
        ToolKind::Move => "Move",
        ToolKind::Search => "Search",
        ToolKind::Execute => "Run",
        ToolKind::Think => "Think",
        ToolKind::Fetch => "Fetch",
        ToolKind::Other => "Tool",
    };
    let status = match (tool.status, tool.cancelled) {
        (_, true) => " (cancelled)",
        (ToolStatus::Pending | ToolStatus::InProgress, false) => " (not finished)",
        (ToolStatus::Completed, false) => "",
        (ToolStatus::Failed, false) => " (failed)",
    };
    let mut text = format!("**{kind}: {}**{status}", one_line(&tool.title));
    for location in &tool.locations {
        let line = location.line.map(|line| format!(":{line}")).unwrap_or_default();
        text.push_str(&format!("\n* `{}{line}`", one_line(&location.path)));
    }
    if let Some(input) = &tool.input {
        text.push_str("\n\n");
        text.push_str(&fenced("json", input));
    }
    for diff in &tool.diffs {
        text.push_str(&format!(
            "\n\n`{}`\n\n{}",
            one_line(&diff.path),
            fenced("diff", &changed_lines(diff))
        ));
    }
    if let Some(output) = tool.output.as_deref().filter(|output| !output.is_empty()) {
        text.push_str("\n\n");
        text.push_str(&fenced("", output));
    }
    text
}

fn resource_words(resource: &Resource) -> String {
    let uri = one_line(&resource.uri);
    let name = resource.name.as_deref().map_or_else(|| uri.clone(), one_line);
    let mut text = format!("[{name}](<{uri}>)");
    if let Some(content) = &resource.text {
        text.push_str("\n\n");
        text.push_str(&fenced("", content));
    }
    text
}

/// Returns what a change takes away and what it puts there, with a few lines around it.
fn changed_lines(diff: &Diff) -> String {
    let old: Vec<&str> = diff.old_text.as_deref().unwrap_or_default().lines().collect();
    let new: Vec<&str> = diff.new_text.lines().collect();
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let before = same(&mut old.iter().zip(&new));
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let after = same(&mut old_rest.iter().rev().zip(new_rest.iter().rev()));
    let (old_end, new_end) = (old.len() - after, new.len() - after);
    let around = |lines: &[&str]| lines.iter().map(|line| format!(" {line}")).collect::<Vec<_>>();
    let mut lines = around(&old[before.saturating_sub(CONTEXT_LINES)..before]);
    lines.extend(old[before..old_end].iter().map(|line| format!("-{line}")));
    lines.extend(new[before..new_end].iter().map(|line| format!("+{line}")));
    lines.extend(around(&old[old_end..old.len().min(old_end + CONTEXT_LINES)]));
    lines.join("\n")
}

/// Returns a text between fences that it does not have itself.
fn fenced(language: &str, text: &str) -> String {
    let longest = text
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

fn quoted(text: &str) -> String {
    let lines = text.lines().map(|line| format!("> {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a time in the time zone of the daemon, which is its user's.
fn time(epoch_ms: u64) -> String {
    let timestamp = i64::try_from(epoch_ms)
        .ok()
        .and_then(|ms| Timestamp::from_millisecond(ms).ok());
    match timestamp {
        Some(timestamp) => timestamp
            .to_zoned_datetime(TimeZone::system())
            .strftime("%Y-%m-%d %H:%M")
            .to_string(),
        None => format!("{epoch_ms} ms"),
    }
}

#[cfg(test)]
mod tests {
    use pupitre_protocol::conversation::{Location, PlanEntry};

    use super::*;

    fn check(part: Part, expected: &str) {
        let message = Message {
            id: "01930000-0000-7000-8000-000000000001".parse().unwrap(),
            agent: "demo".parse().unwrap(),
            conversation: "01930000-0000-7000-8000-000000000002".parse().unwrap(),
            rev: 1,
            created_at: 0,
            role: Role::Agent,
            turn: None,
            parts: vec![part],
            done: true,
            queued: false,
            stop_reason: None,
            error: None,
            cause: None,
            code: None,
        };
        let text = markdown(&message);
        let (head, body) = text.split_once("\n\n").unwrap();
        assert!(head.starts_with("\n## demo, 19"), "{head}");
        assert_eq!(body.trim_end(), expected);
    }

    #[test]
    fn parts_are_written_for_people() {
        check(
            Part::Text {
                text: "Hello **you**\n".into(),
            },
            "Hello **you**",
        );
        check(
            Part::Thought {
                text: "a\n\nb".into(),
            },
            "> a\n> \n> b",
        );
        let entry = |content: &str, status: &str| PlanEntry {
            content: content.into(),
            priority: "high".into(),
            status: status.into(),
        };
        let entries = vec![entry("look", "completed"), entry("mend", "pending")];
        check(Part::Plan { entries }, "- [x] look\n- [ ] mend");
    }

    #[test]
    fn a_tool_call_shows_what_it_did_and_no_fence_ends_early() {
        let tool = ToolCall {
            id: "t".into(),
            title: "Mend\nit".into(),
            kind: ToolKind::Edit,
            status: ToolStatus::Failed,
            input: Some("{}".into()),
            output: Some("see:\n```\nno\n```\n".into()),
            locations: vec![Location {
                path: "/a.rs".into(),
                line: Some(7),
            }],
            diffs: vec![Diff {
                path: "/a.rs".into(),
                old_text: Some("1\n2\n3\n4\n5\n6\n7\n8\n9\n".into()),
                new_text: "1\n2\n3\n4\nfive\nand more\n6\n7\n8\n9\n".into(),
                new_file: false,
            }],
            panes: Vec::new(),
            cancelled: false,
            truncated: false,
            permission: None,
        };
        check(
            Part::Tool { tool },
            "**Edit: Mend it** (failed)\n* `/a.rs:7`\n\n```json\n{}\n```\n\n`/a.rs`\n\n```diff\n 2\n 3\n 4\n-5\n+five\n+and more\n 6\n 7\n 8\n```\n\n````\nsee:\n```\nno\n```\n````",
        );
    }
}
