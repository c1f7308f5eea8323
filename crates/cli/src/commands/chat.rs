//! `pupitre chat`: the conversations of agents: show, send, cancel, withdraw, answer, set, begin, open, search, delete, export.

mod keeping;
mod settings;
mod show;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use pupitre_client::Client;
use pupitre_protocol::conversation::{
    AnswerElicitationParams, AnswerPermissionParams, CancelParams, CancelReply, ElicitationAction,
    HistoryParams, MessageParams, NewParams, OpenParams, PermissionsParams, SendParams, Wanted,
};
use pupitre_protocol::limits::ATTACHMENTS;
use pupitre_protocol::method::chat;
use pupitre_protocol::{AgentName, ConversationId, ElicitationId, MessageId, PermissionId};
use serde_json::{Map, Value};

use crate::commands::message_text;
use crate::desk::{Desk, absolute, agent_named, utf8};
use crate::failure::Failure;
use crate::form;
use crate::output::Output;
use keeping::{DeleteArguments, ExportArguments, SearchArguments};
use settings::{ModeArguments, OptionArguments};
use show::{PartArguments, ShowArguments};

#[derive(Debug, Args)]
pub(crate) struct ChatArguments {
    #[command(subcommand)]
    verb: ChatVerb,
}

#[derive(Debug, Subcommand)]
enum ChatVerb {
    /// Print the newest messages of a conversation
    Show(ShowArguments),
    /// Print the whole of a part that was cut
    Part(PartArguments),
    /// Send a message without waiting for the answer, and print its id
    Send(SendArguments),
    /// Cancel the running turn, or what the agent asks without one, and drop the messages that wait
    Cancel(OneAgent),
    /// Take back one message that waits
    Withdraw(WithdrawArguments),
    /// List the permission requests and the questions that wait for an answer
    Permissions(ListArguments),
    /// Answer a permission request
    Answer(AnswerArguments),
    /// Answer a question of an agent, with the values of its form
    Fill(FillArguments),
    /// Set the mode of the session; without MODE, list the modes
    Mode(ModeArguments),
    /// Set an option of the session, its model for example; without VALUE, list what there is
    Option(OptionArguments),
    /// Put the current conversation away and begin another
    New(NewArguments),
    /// List conversations, earlier ones included
    History(ListArguments),
    /// Make an earlier conversation the agent's current one
    Open(OpenArguments),
    /// Find words in what was said, in earlier conversations too
    Search(SearchArguments),
    /// Delete a conversation for good
    Delete(DeleteArguments),
    /// Print a whole conversation as a document, in Markdown or JSON
    Export(ExportArguments),
}

#[derive(Debug, Args)]
struct SendArguments {
    /// The name of the agent, as `agents` lists it
    agent: String,
    /// The message; `-` reads it from stdin
    #[arg(value_name = "TEXT|-")]
    text: String,
    /// A file to send along; may be repeated
    #[arg(long = "attach", value_name = "PATH")]
    attachments: Vec<PathBuf>,
}

#[derive(Debug, Args)]
struct OneAgent {
    /// The name of the agent, as `agents` lists it
    agent: String,
}

#[derive(Debug, Args)]
struct WithdrawArguments {
    /// The message's id, as `chat send` printed it
    #[arg(value_parser = id::<MessageId>)]
    message: MessageId,
}

#[derive(Debug, Args)]
struct ListArguments {
    /// Only this agent's
    agent: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct AnswerArguments {
    /// The request's id, as `chat permissions` prints it
    #[arg(value_parser = id::<PermissionId>)]
    id: PermissionId,
    /// The chosen option's id
    #[arg(required_unless_present = "dismiss", conflicts_with = "dismiss")]
    option: Option<String>,
    /// Answer without choosing; some agents end the turn then
    #[arg(long)]
    dismiss: bool,
}

#[derive(Debug, Args)]
struct FillArguments {
    /// The question's id, as `chat permissions` prints it
    #[arg(value_parser = id::<ElicitationId>)]
    id: ElicitationId,
    /// A value of the form; several choices with commas between. None agrees to a form without required fields, or to a visit
    #[arg(value_name = "FIELD=VALUE", value_parser = entry)]
    values: Vec<Entry>,
    /// Say no
    #[arg(long, conflicts_with_all = ["values", "dismiss"])]
    decline: bool,
    /// Leave it without an answer
    #[arg(long, conflicts_with = "values")]
    dismiss: bool,
}

#[derive(Debug, Args)]
struct NewArguments {
    /// The name of the agent, as `agents` lists it
    agent: String,
    /// The working directory of the conversation
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct OpenArguments {
    /// The conversation's id, as `chat history` prints it
    #[arg(value_parser = id::<ConversationId>)]
    id: ConversationId,
}

/// What is entered into one field of a form.
#[derive(Debug, Clone)]
struct Entry {
    field: String,
    text: String,
}

fn entry(given: &str) -> Result<Entry, &'static str> {
    let (field, text) = given
        .split_once('=')
        .ok_or("it is no value of a form: write FIELD=VALUE")?;
    Ok(Entry {
        field: field.to_owned(),
        text: text.to_owned(),
    })
}

/// Reads an id of ours.
fn id<Id: FromStr>(text: &str) -> Result<Id, &'static str> {
    text.parse()
        .map_err(|_| "it is no id; ids look like 01933a8c-0d2f-7c1e-9b1a-5f0e2d3c4b5a")
}

pub(super) fn run(desk: &Desk, output: &mut Output, arguments: ChatArguments) -> Result<(), Failure> {
    match arguments.verb {
        ChatVerb::Show(arguments) => show::run(desk, output, &arguments),
        ChatVerb::Part(arguments) => show::part(desk, output, &arguments),
        ChatVerb::Send(arguments) => send(desk, output, arguments),
        ChatVerb::Cancel(arguments) => cancel(desk, output, &arguments),
        ChatVerb::Withdraw(arguments) => withdraw(desk, output, &arguments),
        ChatVerb::Permissions(arguments) => permissions(desk, output, &arguments),
        ChatVerb::Answer(arguments) => answer(desk, output, arguments),
        ChatVerb::Fill(arguments) => fill(desk, output, &arguments),
        ChatVerb::Mode(arguments) => settings::mode(desk, output, &arguments),
        ChatVerb::Option(arguments) => settings::option(desk, output, &arguments),
        ChatVerb::New(arguments) => new(desk, output, arguments),
        ChatVerb::History(arguments) => history(desk, output, &arguments),
        ChatVerb::Open(arguments) => open(desk, output, &arguments),
        ChatVerb::Search(arguments) => keeping::search(desk, output, &arguments),
        ChatVerb::Delete(arguments) => keeping::delete(desk, output, &arguments),
        ChatVerb::Export(arguments) => keeping::export(desk, output, &arguments),
    }
}

fn send(desk: &Desk, output: &mut Output, arguments: SendArguments) -> Result<(), Failure> {
    let SendArguments {
        agent,
        text,
        attachments,
    } = arguments;
    if attachments.len() > ATTACHMENTS {
        return Err(Failure::Input(format!(
            "a message takes at most {ATTACHMENTS} files"
        )));
    }
    let attachments = attachments
        .into_iter()
        .map(attachment)
        .collect::<Result<_, _>>()?;
    let text = message_text(&text)?;
    let mut client = desk.find_or_start(output)?;
    let agent = agent_named(&mut client, &agent)?;
    let params = SendParams {
        agent: agent.clone(),
        text,
        attachments,
        uploads: Vec::new(),
    };
    let reply = client
        .call::<chat::Send>(&params)
        .map_err(Failure::about(&agent))?;
    output.line(&reply.message_id.to_string())?;
    Ok(())
}

/// Returns the absolute path of a file; whether it can be sent, the daemon judges.
fn attachment(path: PathBuf) -> Result<String, Failure> {
    utf8(absolute(&path)?)
}

fn cancel(desk: &Desk, output: &mut Output, arguments: &OneAgent) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = agent_named(&mut client, &arguments.agent)?;
    let params = CancelParams {
        agent: agent.clone(),
        message_id: None,
    };
    let reply = client
        .call::<chat::Cancel>(&params)
        .map_err(Failure::about(&agent))?;
    output.line(&cancel_words(&reply))?;
    Ok(())
}

fn cancel_words(reply: &CancelReply) -> String {
    let dropped = match reply.dropped.len() {
        0 => None,
        1 => Some("1 waiting message was dropped".to_owned()),
        several => Some(format!("{several} waiting messages were dropped")),
    };
    match (reply.cancelled, dropped) {
        (true, None) => "the turn was cancelled".to_owned(),
        (true, Some(dropped)) => format!("the turn was cancelled, {dropped}"),
        (false, Some(dropped)) => dropped,
        (false, None) => match reply.requests {
            0 => "there was nothing to cancel".to_owned(),
            1 => "1 request of the agent was answered as cancelled".to_owned(),
            several => format!("{several} requests of the agent were answered as cancelled"),
        },
    }
}

fn withdraw(desk: &Desk, output: &mut Output, arguments: &WithdrawArguments) -> Result<(), Failure> {
    desk.find()?.call::<chat::Withdraw>(&MessageParams {
        message_id: arguments.message,
    })?;
    output.line("the message was taken back")?;
    Ok(())
}

fn permissions(desk: &Desk, output: &mut Output, arguments: &ListArguments) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = optional_agent(&mut client, arguments)?;
    let reply = client.call::<chat::Permissions>(&PermissionsParams { agent })?;
    if arguments.json {
        output.json(&reply)?;
    } else if reply.permissions.is_empty() && reply.elicitations.is_empty() && reply.logins.is_empty() {
        output.progress("nothing waits for an answer")?;
    } else {
        output.permissions(&reply.permissions)?;
        output.elicitations(&reply.elicitations)?;
        output.logins(&reply.logins)?;
    }
    Ok(())
}

fn answer(desk: &Desk, output: &mut Output, arguments: AnswerArguments) -> Result<(), Failure> {
    // `--dismiss` and an option exclude each other, so that no option is a dismissal.
    let AnswerArguments {
        id,
        option: option_id,
        dismiss: _,
    } = arguments;
    desk.find()?
        .call::<chat::AnswerPermission>(&AnswerPermissionParams { id, option_id })?;
    output.line("answered")?;
    Ok(())
}

fn fill(desk: &Desk, output: &mut Output, arguments: &FillArguments) -> Result<(), Failure> {
    let given = &arguments.values;
    let is_doubled =
        |(place, entry): &(usize, &Entry)| given[..*place].iter().any(|before| before.field == entry.field);
    if let Some((_, Entry { field, .. })) = given.iter().enumerate().find(is_doubled) {
        return Err(Failure::Usage(format!(
            "the field \"{field}\" is given twice; several choices go into one, with commas between"
        )));
    }
    let mut client = desk.find()?;
    let (action, content) = match (arguments.decline, arguments.dismiss) {
        (true, _) => (ElicitationAction::Decline, Map::new()),
        (false, true) => (ElicitationAction::Cancel, Map::new()),
        (false, false) => {
            let open = client.call::<chat::Permissions>(&PermissionsParams { agent: None })?;
            let question = open.elicitations.into_iter().find(|open| open.id == arguments.id);
            // What is not open has no form; the daemon says what became of it.
            let fields = question.map(|question| question.wants);
            (ElicitationAction::Accept, values(fields, &arguments.values)?)
        }
    };
    let id = arguments.id;
    client.call::<chat::AnswerElicitation>(&AnswerElicitationParams { id, action, content })?;
    output.line("answered")?;
    Ok(())
}

/// Reads `FIELD=VALUE` by the fields of a form; one that it does not have goes as a text, for the daemon to refuse.
fn values(wants: Option<Wanted>, given: &[Entry]) -> Result<Map<String, Value>, Failure> {
    let fields = match wants {
        Some(Wanted::Form { fields }) => fields,
        Some(Wanted::Url { .. }) | None => Vec::new(),
    };
    let mut content = Map::new();
    for Entry { field: name, text } in given {
        let value = match fields.iter().find(|field| field.name == *name) {
            Some(field) => form::value(&field.input, text, form::Naming::ByValue).ok_or_else(|| {
                Failure::Input(format!(
                    "\"{text}\" does not fit the field {name}: {}",
                    form::takes(field)
                ))
            })?,
            None => text.as_str().into(),
        };
        content.insert(name.clone(), value);
    }
    Ok(content)
}

fn new(desk: &Desk, output: &mut Output, arguments: NewArguments) -> Result<(), Failure> {
    let NewArguments { agent, cwd } = arguments;
    let cwd = cwd.map(working_folder).transpose()?;
    let mut client = desk.find_or_start(output)?;
    let agent = agent_named(&mut client, &agent)?;
    let params = NewParams {
        agent: agent.clone(),
        cwd,
    };
    let reply = client
        .call::<chat::New>(&params)
        .map_err(Failure::about(&agent))?;
    output.line(&reply.conversation.to_string())?;
    Ok(())
}

fn history(desk: &Desk, output: &mut Output, arguments: &ListArguments) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = optional_agent(&mut client, arguments)?;
    let reply = client.call::<chat::History>(&HistoryParams { agent })?;
    if arguments.json {
        output.json(&reply)?;
        return Ok(());
    }
    output.conversations(&reply.conversations)?;
    if reply.truncated {
        output.note("older conversations were left out; name an agent to see more of it")?;
    }
    Ok(())
}

fn open(desk: &Desk, output: &mut Output, arguments: &OpenArguments) -> Result<(), Failure> {
    let reply = desk
        .find_or_start(output)?
        .call::<chat::Open>(&OpenParams { id: arguments.id })?;
    output.line(&format!(
        "{} is the current conversation of {}",
        reply.conversation, reply.agent
    ))?;
    Ok(())
}

fn optional_agent(client: &mut Client, arguments: &ListArguments) -> Result<Option<AgentName>, Failure> {
    arguments
        .agent
        .as_deref()
        .map(|name| agent_named(client, name))
        .transpose()
}

/// Returns a folder's one true path, for the working directory of a conversation.
pub(super) fn working_folder(path: PathBuf) -> Result<String, Failure> {
    let folder = path
        .canonicalize()
        .map_err(|error| Failure::Input(format!("cannot work in {}: {error}", path.display())))?;
    if !folder.is_dir() {
        return Err(Failure::Input(format!(
            "cannot work in {}: it is no folder",
            path.display()
        )));
    }
    utf8(folder)
}
