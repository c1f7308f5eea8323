//! Surfaces, the fleet, and texts of panes, as people read them.

use std::io;

use pupitre_model::pane::fence;
use pupitre_protocol::SurfaceId;
use pupitre_protocol::fleet::FleetAgent;
use pupitre_protocol::surface::{
    ExitStatus, Standing, SurfaceExplainReply, SurfaceKind, SurfaceSearchReply, SurfaceState, SurfaceStatus,
    SurfaceView, SurfaceWaitReply,
};
use pupitre_protocol::workspace::{Layout, WorkspaceView};

use super::neutral::{neutral, one_line};
use super::table::{Cell, Table};
use super::{Output, style, time};

impl Output {
    /// Writes the table of surfaces.
    pub(crate) fn surfaces(&mut self, surfaces: &[SurfaceView]) -> io::Result<()> {
        let mut table = Table::new(&[
            "id",
            "name",
            "state",
            "agent",
            "workspace",
            "size",
            "command",
            "folder",
        ]);
        for view in surfaces {
            let size = match view.kind {
                SurfaceKind::Pane => format!("{}×{}", view.columns, view.rows),
                SurfaceKind::Acp => String::new(),
            };
            let command = match (&view.exit_status, view.kind) {
                (Some(status), _) => format!("ended: {}", exit_words(status)),
                (None, SurfaceKind::Pane) => view.command.clone().unwrap_or_default(),
                (None, SurfaceKind::Acp) => view.title.clone().unwrap_or_default(),
            };
            table.row(vec![
                Cell::new(&view.surface_id.to_string()),
                Cell::styled(&told(&view.surface_name), style::HEADING),
                state_cell(&view.standing),
                Cell::new(match view.kind {
                    SurfaceKind::Pane => view.standing.tool.as_deref().unwrap_or_default(),
                    SurfaceKind::Acp => "acp",
                }),
                Cell::new(&view.workspace.map(|id| id.to_string()).unwrap_or_default()),
                Cell::new(&size),
                Cell::new(&told(&command)),
                Cell::new(&told(view.cwd.as_deref().unwrap_or_default())),
            ]);
        }
        self.table(&table)
    }

    /// Writes the table of agents at work.
    pub(crate) fn fleet(&mut self, agents: &[FleetAgent]) -> io::Result<()> {
        let mut table = Table::new(&["id", "name", "agent", "state", "for", "pid", "what"]);
        for agent in agents {
            let standing = &agent.standing;
            let what = match standing.state {
                SurfaceState::WaitingForInput => standing.message.as_deref(),
                SurfaceState::Errored | SurfaceState::UnknownRunning => standing.reason.as_deref(),
                SurfaceState::Thinking | SurfaceState::Stalled => standing.active_tool_name.as_deref(),
                SurfaceState::Finished | SurfaceState::Idle => standing.last_result.as_deref(),
            };
            let since = agent.waiting_ms.or(agent.idle_ms);
            table.row(vec![
                Cell::new(&agent.surface_id.to_string()),
                Cell::styled(&told(&agent.surface_name), style::HEADING),
                Cell::new(standing.tool.as_deref().unwrap_or_default()),
                state_cell(standing),
                Cell::new(&since.map(duration_words).unwrap_or_default()),
                Cell::new(&standing.pid.map(|pid| pid.to_string()).unwrap_or_default()),
                Cell::new(&told(&cut(what.unwrap_or_default()))),
            ]);
        }
        self.table(&table)
    }

    /// Writes the state of one surface, a line a fact.
    pub(crate) fn surface_status(&mut self, status: &SurfaceStatus) -> io::Result<()> {
        let standing = &status.standing;
        self.fact(
            "surface",
            &format!("{} {}", status.surface_id, status.surface_name),
        )?;
        self.standing(standing)?;
        if let Some(waiting) = status.waiting_ms {
            self.fact("waits for", &duration_words(waiting))?;
        }
        if let Some(idle) = status.idle_ms {
            self.fact("idle for", &duration_words(idle))?;
        }
        if let Some(turn) = &status.turn {
            self.fact("turn", turn)?;
        }
        if let Some(exit) = &status.exit_status {
            self.fact("program", &format!("ended: {}", exit_words(exit)))?;
        }
        self.fact("output", &status.output_generation.to_string())?;
        self.fact("mark", &status.mark)
    }

    fn standing(&mut self, standing: &Standing) -> io::Result<()> {
        self.fact("state", standing.state.as_str())?;
        if let Some(reason) = &standing.reason {
            self.fact("because", reason)?;
        }
        self.fact("evidence", standing.evidence.as_str())?;
        if let Some(tool) = &standing.tool {
            let pid = standing
                .pid
                .map(|pid| format!(", process {pid}"))
                .unwrap_or_default();
            self.fact("agent", &format!("{tool}{pid}"))?;
        }
        if let Some(tool) = &standing.active_tool_name {
            self.fact("runs", tool)?;
        }
        if let Some(message) = &standing.message {
            self.fact("asks", message)?;
        }
        if let Some(result) = &standing.last_result {
            self.fact("last result", &cut(result))?;
        }
        Ok(())
    }

    /// Writes what a state comes from.
    pub(crate) fn explanation(&mut self, reply: &SurfaceExplainReply) -> io::Result<()> {
        self.fact("surface", &format!("{} {}", reply.surface_id, reply.surface_name))?;
        self.standing(&reply.standing)?;
        if let Some(how) = &reply.recognised_by {
            self.fact("recognised", how)?;
        }
        for process in &reply.foreground {
            self.fact("foreground", &format!("{} {}", process.pid, process.command))?;
        }
        for record in &reply.status_records {
            let words: Vec<&str> = [
                Some(record.state.as_str()),
                record.kind.as_deref(),
                record.app.as_deref(),
                record.title.as_deref(),
                record.message.as_deref(),
            ]
            .into_iter()
            .flatten()
            .collect();
            let id = if record.id.is_empty() { "" } else { " of " };
            self.fact(
                "status",
                &format!(
                    "{}{id}{}: {}",
                    time::time_of_day(record.at),
                    record.id,
                    words.join(", ")
                ),
            )?;
        }
        for signal in &reply.signals {
            self.fact(
                &signal.signal,
                &format!("{} {}", time::time_of_day(signal.at), signal.text),
            )?;
        }
        Ok(())
    }

    fn fact(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.line(&format!("{name:<12}{}", told(value)))
    }

    /// Writes the table of workspaces.
    pub(crate) fn workspaces(&mut self, workspaces: &[WorkspaceView]) -> io::Result<()> {
        let mut table = Table::new(&["", "id", "name", "panes"]);
        for workspace in workspaces {
            let panes = workspace.layout.as_ref().map(panes_of).unwrap_or_default();
            let panes: Vec<String> = panes.iter().map(SurfaceId::to_string).collect();
            table.row(vec![
                Cell::styled(if workspace.current { "*" } else { "" }, style::GOOD),
                Cell::new(&workspace.workspace.to_string()),
                Cell::styled(&told(&workspace.name), style::HEADING),
                Cell::new(&panes.join(" ")),
            ]);
        }
        self.table(&table)
    }

    /// Writes text of a surface, line by line, without what would steer this terminal.
    pub(crate) fn untrusted(&mut self, text: &str) -> io::Result<()> {
        self.line(&neutral(text))
    }

    /// Writes lines that were found, each with its surface and what `read --offset` takes for it.
    pub(crate) fn surface_matches(&mut self, reply: &SurfaceSearchReply) -> io::Result<()> {
        for of_surface in reply
            .matches
            .chunk_by(|one, other| one.surface_id == other.surface_id)
        {
            let lines: Vec<String> = of_surface
                .iter()
                .map(|found| {
                    format!(
                        "{} {} {}: {}",
                        found.surface_id, found.surface_name, found.offset, found.text
                    )
                })
                .collect();
            self.fenced(reply.fence, of_surface[0].surface_id, &lines)?;
        }
        Ok(())
    }

    /// Writes what a wait found.
    pub(crate) fn waited(&mut self, reply: &SurfaceWaitReply) -> io::Result<()> {
        for found in &reply.matches {
            self.fenced(reply.fence, found.surface_id, &found.lines)?;
        }
        if reply.idle {
            let ids: Vec<String> = reply.surfaces.iter().map(SurfaceId::to_string).collect();
            self.progress(&format!(
                "at rest: {} ({})",
                ids.join(", "),
                reply.evidence.as_str()
            ))?;
        }
        Ok(())
    }

    fn fenced(&mut self, fence: bool, surface: SurfaceId, lines: &[String]) -> io::Result<()> {
        let text = lines.join("\n");
        let text = if fence {
            fence::fenced(&text, surface, lines.len() as u64, false, random())
        } else {
            text
        };
        self.untrusted(&text)
    }
}

/// Returns a name or a short text of a surface as it stands outside of any fence: in one line, and nothing that could be taken for
/// the tag of one.
fn told(text: &str) -> String {
    fence::broken(&one_line(text)).into_owned()
}

/// Returns bits that nobody can guess who wrote the text before they were drawn.
fn random() -> [u8; 8] {
    let (bits, _) = uuid::Uuid::new_v4().as_u64_pair();
    bits.to_be_bytes()
}

fn panes_of(layout: &Layout) -> Vec<SurfaceId> {
    match layout {
        Layout::Pane { surface } => vec![*surface],
        Layout::Split { parts, .. } => parts.iter().flat_map(|part| panes_of(&part.layout)).collect(),
    }
}

fn state_cell(standing: &Standing) -> Cell {
    let paint = match standing.state {
        SurfaceState::Thinking | SurfaceState::Stalled => style::BUSY,
        SurfaceState::WaitingForInput => style::HEADING,
        SurfaceState::Finished => style::GOOD,
        SurfaceState::Errored => style::BAD,
        SurfaceState::Idle | SurfaceState::UnknownRunning => style::PLAIN,
    };
    Cell::styled(standing.state.as_str(), paint)
}

/// Returns how a program ended, in plain words.
pub(crate) fn exit_words(status: &ExitStatus) -> String {
    match (status.code, &status.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by {signal}"),
        (None, None) => "nobody knows how".to_owned(),
    }
}

/// Returns a time in the largest unit that it has one of.
fn duration_words(milliseconds: u64) -> String {
    let seconds = milliseconds / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// Cuts a text for a table.
fn cut(text: &str) -> String {
    const CHARACTERS: usize = 60;
    let line = one_line(text);
    if line.chars().count() <= CHARACTERS {
        return line;
    }
    let mut cut: String = line.chars().take(CHARACTERS).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_their_largest_unit() {
        for (milliseconds, words) in [
            (999, "0 s"),
            (59_999, "59 s"),
            (60_000, "1 min"),
            (7_200_000, "2 h"),
            (259_200_000, "3 d"),
        ] {
            assert_eq!(duration_words(milliseconds), words);
        }
    }
}
