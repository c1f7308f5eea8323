//! `pupitre agents logs`: the last lines of one agent's log, and the ones that come.

use pupitre_protocol::agent::{AgentParams, LogLine};
use pupitre_protocol::event::{Event, EventKind, SubscribeParams};
use pupitre_protocol::method::agent;

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
    // Lines that came between the subscription and the question are in both.
    let printed = kept.last().map_or(0, |line| line.number);
    for received in stream {
        let Some(frame) = received?.frame else { continue };
        match frame.event {
            Event::AgentLog(logged) if logged.number <= printed => {}
            Event::AgentLog(logged) => {
                if logged.missed > 0 {
                    output.note(&format!("{} lines came too fast to be shown", logged.missed))?;
                }
                output.line(&log_line(frame.stamp.ts, logged.stray, &logged.line))?;
            }
            Event::Dropped(_) => output.note("some lines came too fast to be shown")?,
            // The filter lets nothing else through, and an unanswered cursor was not given.
            Event::AgentState(_)
            | Event::AgentTrace(_)
            | Event::ConversationChanged(_)
            | Event::ConfigChanged(_)
            | Event::ChannelUpdated(_)
            | Event::MessageUpdated(_)
            | Event::MessageDelta(_)
            | Event::TurnChanged(_)
            | Event::PermissionRequested(_)
            | Event::PermissionResolved(_)
            | Event::UsageChanged(_)
            | Event::CommandsChanged(_)
            | Event::SessionChanged(_)
            | Event::Subscribed(_)
            | Event::Heartbeat(_)
            | Event::Resync(_) => {}
        }
    }
    Err(Failure::DaemonGone)
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
