//! `pupitre agents logs`: the last lines of one agent's log, and the ones that come.

use std::collections::VecDeque;

use pupitre_protocol::agent::{AgentParams, LogLine};
use pupitre_protocol::event::{AgentLogged, Event, EventKind, SubscribeParams};
use pupitre_protocol::method::agent;

use crate::desk::{Desk, agent_named};
use crate::failure::Failure;
use crate::output::{Output, log_line};

/// How long before it is published a line may have come, in milliseconds.
const PUBLISHING_MS: u64 = 1_000;

/// Prints the lines that are kept.
pub(super) fn last(desk: &Desk, output: &mut Output, name: &str) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = agent_named(&mut client, name)?;
    let reply = client.call::<agent::Logs>(&AgentParams { agent })?;
    print_kept(output, &reply.lines)
}

/// Prints the lines that are kept and then those that come, until the daemon goes away.
pub(super) fn follow(desk: &Desk, output: &mut Output, name: &str) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = agent_named(&mut client, name)?;
    // Before the lines are asked for, so that none can come between.
    let stream = desk.connect_again()?.subscribe(&SubscribeParams {
        types: Some(vec![EventKind::AgentLog]),
        agents: Some(vec![agent.clone()]),
        since: None,
    })?;
    let kept = client.call::<agent::Logs>(&AgentParams { agent })?.lines;
    print_kept(output, &kept)?;
    let mut overlap = Overlap::of(kept);
    for received in stream {
        let Some(frame) = received?.frame else { continue };
        match frame.event {
            Event::Subscribed(_) => overlap.begins_at(frame.stamp.ts),
            Event::AgentLog(logged) if overlap.repeats(&logged) => {}
            Event::AgentLog(logged) => {
                if logged.missed > 0 {
                    output.note(&format!("{} lines came too fast to be shown", logged.missed))?;
                }
                output.line(&log_line(frame.stamp.ts, logged.stray, &logged.line))?;
            }
            Event::Dropped(_) => output.note("some lines came too fast to be shown")?,
            // The filter lets nothing else through, and an unanswered cursor was not given.
            Event::AgentState(_)
            | Event::ConversationChanged(_)
            | Event::MessageUpdated(_)
            | Event::MessageDelta(_)
            | Event::TurnChanged(_)
            | Event::PermissionRequested(_)
            | Event::PermissionResolved(_)
            | Event::UsageChanged(_)
            | Event::CommandsChanged(_)
            | Event::SessionChanged(_)
            | Event::Heartbeat(_)
            | Event::Resync(_) => {}
        }
    }
    Err(Failure::DaemonGone)
}

fn print_kept(output: &mut Output, lines: &[LogLine]) -> Result<(), Failure> {
    for LogLine { ts, line, stray } in lines {
        output.line(&log_line(*ts, *stray, line))?;
    }
    Ok(())
}

/// The lines that were printed from the kept ones and come once more as events: those that were written after the
/// subscription began and before the kept ones were read. They are the end of the kept ones and the beginning of the
/// events, and both have them in the same order.
struct Overlap {
    candidates: VecDeque<LogLine>,
}

impl Overlap {
    fn of(kept: Vec<LogLine>) -> Self {
        Self {
            candidates: kept.into(),
        }
    }

    /// Forgets the lines that came too early to be published after this time.
    fn begins_at(&mut self, ts: u64) {
        let earliest = ts.saturating_sub(PUBLISHING_MS);
        self.candidates.retain(|line| line.ts >= earliest);
    }

    /// Returns whether the line of this event was printed before.
    fn repeats(&mut self, logged: &AgentLogged) -> bool {
        let same = |line: &LogLine| line.line == logged.line && line.stray == logged.stray;
        match self.candidates.iter().position(same) {
            Some(at) => {
                self.candidates.drain(..=at);
                true
            }
            // The first line that was not printed: from here on none was.
            None => {
                self.candidates.clear();
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns which of the events are new, after these lines were printed and the subscription began at 5,000 ms.
    fn new_lines(kept: &[(u64, &str)], events: &[&str]) -> Vec<String> {
        let line = |&(ts, line): &(u64, &str)| LogLine {
            ts,
            line: line.to_owned(),
            stray: false,
        };
        let mut overlap = Overlap::of(kept.iter().map(line).collect());
        overlap.begins_at(5_000);
        let logged = |line: &&str| AgentLogged {
            agent: "demo".parse().expect("a name"),
            line: (*line).to_owned(),
            stray: false,
            missed: 0,
        };
        events
            .iter()
            .map(logged)
            .filter(|event| !overlap.repeats(event))
            .map(|event| event.line)
            .collect()
    }

    #[test]
    fn lines_that_were_printed_are_not_printed_again() {
        assert_eq!(
            new_lines(&[(1, "old"), (5_001, "a"), (5_002, "b")], &["a", "b", "c"]),
            ["c"]
        );
        assert_eq!(new_lines(&[(1, "old")], &["a", "b"]), ["a", "b"]);
        assert_eq!(
            new_lines(
                &[(4_990, "published late"), (5_001, "a")],
                &["published late", "a", "c"]
            ),
            ["c"]
        );
        assert_eq!(
            new_lines(&[(4_990, "published before"), (5_001, "a")], &["a", "c"]),
            ["c"]
        );
    }

    #[test]
    fn a_line_like_an_old_one_is_a_new_line() {
        assert_eq!(
            new_lines(&[(1, "tick"), (2, "tick")], &["tick", "tick"]),
            ["tick", "tick"]
        );
        assert_eq!(new_lines(&[(5_001, "tick")], &["tick", "tick"]), ["tick"]);
        assert_eq!(new_lines(&[(5_001, "a"), (5_002, "b")], &["a", "b", "a"]), ["a"]);
    }
}
