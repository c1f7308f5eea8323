//! `pupitre agents trace`: the last messages between the daemon and one agent, and the ones that come.

use pupitre_protocol::agent::{AgentParams, AgentTraceReply};
use pupitre_protocol::event::{Event, EventKind};
use pupitre_protocol::method::agent;

use super::follow::Followed;
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
    let mut followed = Followed::begin(desk, name, EventKind::AgentTrace)?;
    let kept = followed.client.call::<agent::Trace>(&followed.agent)?;
    print_kept(output, &kept)?;
    let printed = kept.entries.last().map_or(0, |entry| entry.number);
    followed.each(|_, event| {
        if let Event::AgentTrace(traced) = &event
            && traced.entry.number > printed
        {
            output.trace_entry(&traced.entry)?;
        } else if let Event::Dropped(_) = event {
            output.note("some messages came too fast to be shown")?;
        }
        Ok(())
    })
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
