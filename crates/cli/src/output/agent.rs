//! Agents, their log lines and their trace, as people read them.

use std::io;

use anstyle::Style;
use pupitre_protocol::agent::{AgentState, AgentView, TraceDirection, TraceEntry};

use super::neutral::neutral;
use super::table::{Cell, Table};
use super::{Output, style, time};

impl Output {
    /// Writes the table of agents.
    pub(crate) fn agents(&mut self, agents: &[AgentView]) -> io::Result<()> {
        let mut table = Table::new(&["name", "state", "title", "why"]);
        for agent in agents {
            // The agent's last stderr lines follow the reason; they are shown by `agents logs`.
            let reason = agent
                .error
                .as_deref()
                .and_then(|error| error.lines().next())
                .unwrap_or_default();
            table.row(vec![
                Cell::styled(agent.name.as_str(), style::HEADING),
                Cell::styled(&state_words(agent), state_style(agent)),
                Cell::new(&agent.title),
                Cell::new(reason),
            ]);
        }
        self.table(&table)
    }

    /// Writes one message between the daemon and an agent: when, which way, what.
    pub(crate) fn trace_entry(&mut self, entry: &TraceEntry) -> io::Result<()> {
        let arrow = match entry.direction {
            TraceDirection::ToAgent => "->",
            TraceDirection::FromAgent => "<-",
        };
        let kept = u64::try_from(entry.text.len()).expect("a length fits 64 bits");
        let rest = entry.bytes.saturating_sub(kept);
        let cut = if rest == 0 {
            String::new()
        } else {
            format!(" … ({rest} bytes more)")
        };
        let text = neutral(&entry.text).replace('\n', " ");
        self.line(&format!("{} {arrow} {text}{cut}", time::time_of_day(entry.ts)))
    }
}

/// Returns one line of an agent's log as it is shown.
pub(crate) fn log_line(ts: u64, stray: bool, line: &str) -> String {
    let stray = if stray { "(stray, on stdout) " } else { "" };
    format!(
        "{} {stray}{}",
        time::time_of_day(ts),
        neutral(line).replace('\n', " ")
    )
}

/// Returns the state of an agent in words.
pub(crate) fn state_words(agent: &AgentView) -> String {
    let state = match (agent.stopping, agent.state) {
        (true, _) => "stopping…".to_owned(),
        (false, AgentState::Starting) => format!("{}…", AgentState::Starting.as_str()),
        (false, state) => state.as_str().to_owned(),
    };
    if agent.outdated {
        format!("{state}, restart to apply changes")
    } else {
        state
    }
}

const fn state_style(agent: &AgentView) -> Style {
    match agent.state {
        AgentState::Stopped => style::DIM,
        AgentState::Starting | AgentState::Busy => style::BUSY,
        AgentState::Ready => style::GOOD,
        AgentState::Error => style::BAD,
    }
}

#[cfg(test)]
mod tests {
    use pupitre_protocol::agent::AgentView;

    use super::*;
    use crate::output::Device;
    use crate::output::captured::output_on;

    fn agent(name: &str, state: AgentState) -> AgentView {
        AgentView {
            name: name.parse().expect("a name"),
            title: format!("The {name}"),
            icon: None,
            description: None,
            state,
            error: None,
            cause: None,
            outdated: false,
            stopping: false,
            pid: None,
            version: None,
            started_at: None,
            capabilities: None,
            auth_methods: Vec::new(),
        }
    }

    #[test]
    fn the_table_says_state_flags_and_reason() {
        let (mut output, out, _) = output_on(Device::Pipe);
        let failed = AgentView {
            error: Some("exited with code 3\nlast words".to_owned()),
            ..agent("codex", AgentState::Error)
        };
        let outdated = AgentView {
            outdated: true,
            ..agent("demo", AgentState::Ready)
        };
        let stopping = AgentView {
            stopping: true,
            ..agent("gemini", AgentState::Busy)
        };
        output
            .agents(&[failed, outdated, stopping])
            .expect("a capture takes everything");
        let expected = "\
name    state                            title       why
codex   error                            The codex   exited with code 3
demo    ready, restart to apply changes  The demo
gemini  stopping…                        The gemini
";
        assert_eq!(out.text(), expected);
    }

    #[test]
    fn a_log_line_is_harmless_and_says_when_it_was_stray() {
        let shown = log_line(0, true, "\u{1b}[2Jhello\tyou");
        assert!(shown.ends_with(" (stray, on stdout) hello\tyou"), "{shown}");
        assert!(log_line(0, false, "x").ends_with(" x"));
    }
}
