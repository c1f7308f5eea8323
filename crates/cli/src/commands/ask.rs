//! `pupitre ask`: one turn in an agent's conversation, from the message to the end of the answer.

mod permission;
mod printer;
mod question;
mod session;
mod turn;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use clap::Args;
use pupitre_client::Client;
use pupitre_protocol::AgentName;
use pupitre_protocol::conversation::{ConversationParams, NewParams};
use pupitre_protocol::method::chat;

use crate::commands::chat::working_folder;
use crate::commands::message_text;
use crate::desk::{Desk, agent_named};
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::output::{Device, Output};
use permission::Rule;
use printer::Style;

#[derive(Debug, Args)]
pub(crate) struct AskArguments {
    /// The name of the agent, as `agents` lists it
    agent: String,
    /// What to ask; `-` reads it from stdin
    #[arg(value_name = "TEXT|-")]
    text: String,
    /// Begin a new conversation
    #[arg(long)]
    new: bool,
    /// The working directory; when the current conversation has another one, a new one begins
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Print nothing but one JSON object at the end: message_id, stop_reason, error, text, usage
    #[arg(long)]
    json: bool,
    /// Answer permission requests with the first option that allows once
    #[arg(long, conflicts_with = "deny")]
    allow: bool,
    /// Answer permission requests with the first option that rejects once
    #[arg(long)]
    deny: bool,
}

pub(super) fn run(
    desk: &Desk,
    output: &mut Output,
    interrupts: &Interrupts,
    arguments: &AskArguments,
) -> Result<(), Failure> {
    let text = message_text(&arguments.text)?;
    let cwd = arguments.cwd.clone().map(working_folder).transpose()?;
    let mut client = desk.find_or_start(output)?;
    let agent = agent_named(&mut client, &arguments.agent)?;
    prepare_conversation(&mut client, &agent, arguments, cwd)?;
    let asking = session::Asking {
        agent,
        text,
        rule: rule(arguments, output),
        style: if arguments.json {
            Style::Json
        } else {
            Style::Stream(output.device())
        },
    };
    session::ask(desk, client, output, interrupts, asking)
}

/// Begins a new conversation when one was asked for, or when the current one works in another folder.
fn prepare_conversation(
    client: &mut Client,
    agent: &AgentName,
    arguments: &AskArguments,
    cwd: Option<String>,
) -> Result<(), Failure> {
    let begins = match &cwd {
        _ if arguments.new => true,
        Some(cwd) => works_elsewhere(client, agent, Path::new(cwd))?,
        None => false,
    };
    if begins {
        let params = NewParams {
            agent: agent.clone(),
            cwd,
        };
        client.call::<chat::New>(&params).map_err(Failure::about(agent))?;
    }
    Ok(())
}

fn works_elsewhere(client: &mut Client, agent: &AgentName, cwd: &Path) -> Result<bool, Failure> {
    let params = ConversationParams {
        agent: agent.clone(),
        conversation: None,
        before: None,
        limit: Some(1),
    };
    let current = PathBuf::from(client.call::<chat::Conversation>(&params)?.cwd);
    // A folder that is gone is another one than the one that is there.
    Ok(current.canonicalize().map_or(true, |current| current != cwd))
}

/// A flag is an answer given beforehand; without one a person is asked, where there is one.
fn rule(arguments: &AskArguments, output: &Output) -> Rule {
    match (arguments.allow, arguments.deny) {
        (true, _) => Rule::AllowOnce,
        (false, true) => Rule::RejectOnce,
        (false, false) => match (permission::stdin_device(), output.side_device()) {
            (Device::Terminal, Device::Terminal) => Rule::AskPerson,
            (Device::Pipe, _) | (_, Device::Pipe) => Rule::Nobody,
        },
    }
}
