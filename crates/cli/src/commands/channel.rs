//! `pupitre channel`: rooms with several agents: list them, write to one, show what was said.

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use pupitre_client::Client;
use pupitre_protocol::channel::{ChannelMessagesParams, ChannelSendParams};
use pupitre_protocol::conversation::{ConversationParams, Message};
use pupitre_protocol::limits::CONVERSATION_MESSAGES_MOST;
use pupitre_protocol::method::{channel, chat};
use pupitre_protocol::system::Empty;
use pupitre_protocol::{AgentName, ErrorKind};

use crate::commands::message_text;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct ChannelArguments {
    #[command(subcommand)]
    verb: ChannelVerb,
}

#[derive(Debug, Subcommand)]
enum ChannelVerb {
    /// List the channels of the configuration
    List(ListArguments),
    /// Send a message to the agents that it mentions with @NAME, or to all, and print the messages' ids
    Send(SendArguments),
    /// Print what was said in a channel, and what each agent answered
    Show(ShowArguments),
}

#[derive(Debug, Args)]
struct ListArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct SendArguments {
    channel: String,
    /// The message; `-` reads it from stdin
    #[arg(value_name = "TEXT|-")]
    text: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct ShowArguments {
    channel: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(desk: &Desk, output: &mut Output, arguments: ChannelArguments) -> Result<(), Failure> {
    match arguments.verb {
        ChannelVerb::List(arguments) => list(desk, output, &arguments),
        ChannelVerb::Send(arguments) => send(desk, output, arguments),
        ChannelVerb::Show(arguments) => show(desk, output, arguments),
    }
}

fn list(desk: &Desk, output: &mut Output, arguments: &ListArguments) -> Result<(), Failure> {
    let reply = desk.find()?.call::<channel::List>(&Empty {})?;
    if arguments.json {
        output.json(&reply)?;
    } else if reply.channels.is_empty() {
        output.progress("the configuration has no channel")?;
    } else {
        output.channels(&reply.channels)?;
    }
    Ok(())
}

fn send(desk: &Desk, output: &mut Output, arguments: SendArguments) -> Result<(), Failure> {
    let SendArguments { channel, text, json } = arguments;
    let text = message_text(&text)?;
    let reply = desk
        .find_or_start(output)?
        .call::<channel::Send>(&ChannelSendParams { channel, text })?;
    if json {
        output.json(&reply)?;
        return Ok(());
    }
    for answer in &reply.entry.answers {
        match (&answer.message_id, &answer.error) {
            (Some(id), _) => output.line(&format!("{id}  {}", answer.agent))?,
            (None, error) => output.note(&format!(
                "{} did not take the message: {}",
                answer.agent,
                error.as_deref().unwrap_or_default()
            ))?,
        }
    }
    Ok(())
}

fn show(desk: &Desk, output: &mut Output, arguments: ShowArguments) -> Result<(), Failure> {
    let ShowArguments { channel, json } = arguments;
    let mut client = desk.find()?;
    let reply = client.call::<channel::Messages>(&ChannelMessagesParams { channel })?;
    if json {
        output.json(&reply)?;
        return Ok(());
    }
    if reply.truncated {
        output.note("older messages were left out")?;
    }
    let mut conversations: BTreeMap<AgentName, Vec<Message>> = BTreeMap::new();
    for answer in reply.entries.iter().flat_map(|entry| &entry.answers) {
        if !conversations.contains_key(&answer.agent) {
            conversations.insert(answer.agent.clone(), messages_of(&mut client, &answer.agent)?);
        }
    }
    for entry in &reply.entries {
        output.channel_entry(entry, &conversations)?;
    }
    Ok(())
}

/// Returns the newest messages of an agent's current conversation; none for an agent that is no longer there.
fn messages_of(client: &mut Client, agent: &AgentName) -> Result<Vec<Message>, Failure> {
    let params = ConversationParams {
        agent: agent.clone(),
        conversation: None,
        before: None,
        limit: Some(u32::try_from(CONVERSATION_MESSAGES_MOST).expect("a small number")),
    };
    match client.call::<chat::Conversation>(&params) {
        Ok(view) => Ok(view.messages),
        Err(pupitre_client::CallError::Rpc(error)) if error.kind() == Some(ErrorKind::NotFound) => {
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}
