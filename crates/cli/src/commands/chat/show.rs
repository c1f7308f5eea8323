//! `pupitre chat show` and `chat part`: a conversation from its end backwards, and the whole of what was cut in it.

use clap::Args;
use pupitre_client::Client;
use pupitre_protocol::conversation::{ConversationParams, ConversationView, Part, PartParams};
use pupitre_protocol::limits::{CONVERSATION_MESSAGES, CONVERSATION_MESSAGES_MOST};
use pupitre_protocol::method::chat;
use pupitre_protocol::{AgentName, ConversationId, MessageId};

use super::id;
use crate::desk::{Desk, agent_named};
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(super) struct ShowArguments {
    /// The name of the agent, as `agents` lists it
    agent: String,
    /// How many messages
    #[arg(long, value_name = "N", default_value_t = CONVERSATION_MESSAGES, value_parser = at_least_one)]
    limit: usize,
    /// Only messages before this one
    #[arg(long, value_name = "MESSAGE", value_parser = id::<MessageId>)]
    before: Option<MessageId>,
    /// An earlier conversation of the agent, as `chat history` prints it
    #[arg(long, value_name = "ID", value_parser = id::<ConversationId>)]
    conversation: Option<ConversationId>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct PartArguments {
    /// The message's id, as `chat show` prints it
    #[arg(value_parser = id::<MessageId>)]
    message: MessageId,
    /// Which part of the message, from 0
    index: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least one message is shown".to_owned()),
        Ok(limit) => Ok(limit),
        Err(_) => Err("it is a number of messages".to_owned()),
    }
}

/// Prints a conversation.
pub(super) fn run(desk: &Desk, output: &mut Output, arguments: &ShowArguments) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = agent_named(&mut client, &arguments.agent)?;
    let view = read_back(&mut client, agent, arguments)?;
    if arguments.json {
        output.json(&view)?;
        return Ok(());
    }
    for message in &view.messages {
        output.message(message)?;
    }
    if !view.permissions.is_empty() {
        output.note("a permission request waits: `pupitre chat permissions`")?;
    }
    if !view.elicitations.is_empty() {
        output.note("a question waits: `pupitre chat permissions`")?;
    }
    if view.stalled {
        output.note(&format!(
            "the agent has said nothing for a while and may be stuck: wait, `pupitre chat cancel {0}`, or `pupitre agents restart {0}`",
            view.agent
        ))?;
    }
    if view.login.is_some() {
        output.note(&format!(
            "the turn waits until you have logged in: `pupitre agents login {}`",
            view.agent
        ))?;
    }
    Ok(())
}

/// Reads answers of `chat.conversation` backwards until there are as many messages as asked for.
fn read_back(
    client: &mut Client,
    agent: AgentName,
    arguments: &ShowArguments,
) -> Result<ConversationView, Failure> {
    let mut page = |conversation, before, missing: usize| {
        let limit =
            u32::try_from(missing.min(CONVERSATION_MESSAGES_MOST)).expect("the limit of a page is small");
        client.call::<chat::Conversation>(&ConversationParams {
            agent: agent.clone(),
            conversation,
            before,
            limit: Some(limit),
        })
    };
    let mut view = page(arguments.conversation, arguments.before, arguments.limit)?;
    // From here on this conversation, even when another one becomes the current one meanwhile.
    let conversation = Some(view.conversation);
    let mut pages = Vec::new();
    let mut missing = arguments.limit.saturating_sub(view.messages.len());
    let mut oldest = view.messages.first().map(|message| message.id);
    while let (1.., Some(before)) = (missing, oldest) {
        let older = page(conversation, Some(before), missing)?.messages;
        missing = missing.saturating_sub(older.len());
        oldest = older.first().map(|message| message.id);
        pages.push(older);
    }
    let newest = std::mem::take(&mut view.messages);
    view.messages = pages.into_iter().rev().flatten().chain(newest).collect();
    view.truncated = false;
    Ok(view)
}

/// Prints the whole of a part.
pub(super) fn part(desk: &Desk, output: &mut Output, arguments: &PartArguments) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let json = whole_part(&mut client, arguments)?;
    if arguments.json {
        output.json_line(&json)?;
        output.flush()?;
        return Ok(());
    }
    let part: Part = serde_json::from_str(&json)
        .map_err(|error| Failure::Input(format!("the daemon gave a part that cannot be read: {error}")))?;
    output.whole_part(&part)?;
    Ok(())
}

fn whole_part(client: &mut Client, arguments: &PartArguments) -> Result<String, Failure> {
    let mut json = String::new();
    let mut next = Some(0);
    while let Some(offset) = next {
        let params = PartParams {
            message_id: arguments.message,
            index: arguments.index,
            offset,
        };
        let window = client.call::<chat::Part>(&params)?;
        json.push_str(&window.json);
        // A part that grows meanwhile is read to where it ended; a window that brings nothing is the last one.
        next = window.next.filter(|&next| next > offset);
    }
    Ok(json)
}
