//! `pupitre chat search`, `chat delete` and `chat export`: kept conversations.

use clap::Args;
use pupitre_client::Client;
use pupitre_protocol::ConversationId;
use pupitre_protocol::conversation::{
    ConversationParams, DeleteParams, ExportFormat, ExportParams, SearchParams,
};
use pupitre_protocol::limits::{SEARCH_MATCHES, SEARCH_MATCHES_MOST};
use pupitre_protocol::method::chat;

use super::id;
use crate::desk::{Desk, agent_named};
use crate::failure::Failure;
use crate::output::{Document, Output};

#[derive(Debug, Args)]
pub(super) struct SearchArguments {
    /// Words that must all be in a message; a phrase in double quotes
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    /// Only conversations of this agent
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// How many messages at most, the newest first
    #[arg(long, value_name = "N", default_value_t = SEARCH_MATCHES, value_parser = limit)]
    limit: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct DeleteArguments {
    /// The conversation's id, as `chat history` prints it
    #[arg(value_parser = id::<ConversationId>)]
    id: ConversationId,
}

#[derive(Debug, Args)]
pub(super) struct ExportArguments {
    /// The conversation's id, as `chat history` prints it, or the name of an agent for its current one
    #[arg(value_name = "ID|AGENT")]
    conversation: String,
    /// Print JSON, with nothing left out
    #[arg(long)]
    json: bool,
}

fn limit(text: &str) -> Result<usize, String> {
    let limit = text
        .parse()
        .ok()
        .filter(|limit| (1..=SEARCH_MATCHES_MOST).contains(limit));
    limit.ok_or_else(|| format!("it is a number from 1 to {SEARCH_MATCHES_MOST}"))
}

pub(super) fn search(desk: &Desk, output: &mut Output, arguments: &SearchArguments) -> Result<(), Failure> {
    let query = arguments.words.join(" ");
    if !query.chars().any(char::is_alphanumeric) {
        return Err(Failure::Usage("there is no word to search for".to_owned()));
    }
    let mut client = desk.find()?;
    let agent = arguments
        .agent
        .as_deref()
        .map(|name| agent_named(&mut client, name))
        .transpose()?;
    let limit = u32::try_from(arguments.limit).expect("the limit of a search is small");
    let reply = client.call::<chat::Search>(&SearchParams {
        query,
        agent,
        limit: Some(limit),
    })?;
    if arguments.json {
        output.json(&reply)?;
        return Ok(());
    }
    output.matches(&reply.matches)?;
    if reply.matches.is_empty() {
        output.progress("nothing was found")?;
    }
    if reply.truncated {
        output.note("there are more; `--limit` shows more of them, more words fewer")?;
    }
    Ok(())
}

pub(super) fn delete(desk: &Desk, output: &mut Output, arguments: &DeleteArguments) -> Result<(), Failure> {
    desk.find()?
        .call::<chat::Delete>(&DeleteParams { id: arguments.id })?;
    output.line("the conversation was deleted")?;
    Ok(())
}

pub(super) fn export(desk: &Desk, output: &mut Output, arguments: &ExportArguments) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let id = conversation_named(&mut client, &arguments.conversation)?;
    let (format, mut document) = if arguments.json {
        (ExportFormat::Json, Document::json())
    } else {
        (ExportFormat::Markdown, Document::text())
    };
    let mut from = None;
    loop {
        let window = client.call::<chat::Export>(&ExportParams { id, format, from })?;
        output.document(&mut document, &window.text)?;
        match window.next {
            Some(next) => from = Some(next),
            None => return Ok(output.flush()?),
        }
    }
}

/// Returns the conversation with this id, or the current one of the agent with this name.
fn conversation_named(client: &mut Client, text: &str) -> Result<ConversationId, Failure> {
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    let agent = agent_named(client, text)?;
    let view = client.call::<chat::Conversation>(&ConversationParams {
        agent,
        conversation: None,
        before: None,
        limit: Some(1),
    })?;
    Ok(view.conversation)
}
