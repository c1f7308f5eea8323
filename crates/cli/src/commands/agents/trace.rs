//! `pupitre agents trace`: the last messages between the daemon and one agent, and the ones that come.

use pupitre_protocol::agent::{AgentParams, AgentTraceReply};
use pupitre_protocol::event::{Event, EventKind, SubscribeParams};
use pupitre_protocol::method::agent;

use crate::desk::{Desk, agent_named};
use crate::failure::Failure;
use crate::output::Output;

/// Prints the messages that are kept.
pub(super) fn last(desk: &Desk, output: &mut Output, name: &str) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = agent_named(&mut client, name)?;
    let reply = client.call::<agent::Trace>(&AgentParams { agent })?;
    if reply.entries.is_empty() {
        output.note("nothing was said yet")?;
    }
    print_kept(output, &reply)
}

/// Prints the messages that are kept and then those that come, until the daemon goes away.
pub(super) fn follow(desk: &Desk, output: &mut Output, name: &str) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = agent_named(&mut client, name)?;
    // Before the messages are asked for, so that none can come between.
    let stream = desk.connect_again()?.subscribe(&SubscribeParams {
        types: Some(vec![EventKind::AgentTrace]),
        agents: Some(vec![agent.clone()]),
        since: None,
    })?;
    let kept = client.call::<agent::Trace>(&AgentParams { agent })?;
    print_kept(output, &kept)?;
    // Messages that came between the subscription and the question are in both.
    let printed = kept.entries.last().map_or(0, |entry| entry.number);
    for received in stream {
        let Some(frame) = received?.frame else { continue };
        match frame.event {
            Event::AgentTrace(traced) if traced.entry.number <= printed => {}
            Event::AgentTrace(traced) => output.trace_entry(&traced.entry)?,
            Event::Dropped(_) => output.note("some messages came too fast to be shown")?,
            // The filter lets nothing else through, and an unanswered cursor was not given.
            Event::AgentState(_)
            | Event::AgentLog(_)
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

fn print_kept(output: &mut Output, reply: &AgentTraceReply) -> Result<(), Failure> {
    if reply.truncated {
        output.note("older messages were left out")?;
    }
    for entry in &reply.entries {
        output.trace_entry(entry)?;
    }
    Ok(())
}
