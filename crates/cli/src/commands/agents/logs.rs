//! `pupitre agents logs`: the last lines of one agent's log, and the ones that come.

use pupitre_protocol::agent::{AgentParams, LogLine};
use pupitre_protocol::event::{Event, EventKind};
use pupitre_protocol::method::agent;

use super::follow::Followed;
use crate::desk::{Desk, agent_named};
use crate::failure::Failure;
use crate::output::{Output, log_line};

/// Prints the lines that are kept.
pub(super) fn last(desk: &Desk, output: &mut Output, name: &str) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = agent_named(&mut client, name)?;
    let reply = client.call::<agent::Logs>(&AgentParams { agent })?;
    if reply.truncated {
        output.note("older lines were left out")?;
    }
    if reply.lines.is_empty() {
        output.note("it has written nothing yet")?;
    }
    print_kept(output, &reply.lines)
}

/// Prints the lines that are kept and then those that come, until the daemon goes away.
pub(super) fn follow(desk: &Desk, output: &mut Output, name: &str) -> Result<(), Failure> {
    let mut followed = Followed::begin(desk, name, EventKind::AgentLog)?;
    let kept = followed.client.call::<agent::Logs>(&followed.agent)?.lines;
    print_kept(output, &kept)?;
    let printed = kept.last().map_or(0, |line| line.number);
    followed.each(|ts, event| {
        if let Event::AgentLog(logged) = &event
            && logged.number > printed
        {
            if logged.missed > 0 {
                output.note(&format!("{} lines came too fast to be shown", logged.missed))?;
            }
            output.line(&log_line(ts, logged.stray, &logged.line))?;
        } else if let Event::Dropped(_) = event {
            output.note("some lines came too fast to be shown")?;
        }
        Ok(())
    })
}

fn print_kept(output: &mut Output, lines: &[LogLine]) -> Result<(), Failure> {
    for LogLine {
        number: _,
        ts,
        line,
        stray,
    } in lines
    {
        output.line(&log_line(*ts, *stray, line))?;
    }
    Ok(())
}
