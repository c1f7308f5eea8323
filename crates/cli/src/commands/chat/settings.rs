//! `pupitre chat mode` and `chat option`: what a session can be set to, and setting it.
//!
//! What there is, the conversation tells; whether it can be had now, the daemon judges.

use clap::Args;
use pupitre_client::Client;
use pupitre_protocol::AgentName;
use pupitre_protocol::conversation::{
    ConfigOption, ConversationParams, ConversationView, FieldInput, SetModeParams, SetOptionParams,
};
use pupitre_protocol::method::chat;
use serde_json::{Value, json};

use crate::desk::{Desk, agent_named};
use crate::failure::Failure;
use crate::form;
use crate::output::neutral::one_line;
use crate::output::{Output, value_words};

#[derive(Debug, Args)]
pub(super) struct ModeArguments {
    /// The name of the agent, as `agents` lists it
    agent: String,
    /// The mode's id or its name
    mode: Option<String>,
    /// Print the modes as JSON
    #[arg(long, conflicts_with = "mode")]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct OptionArguments {
    /// The name of the agent, as `agents` lists it
    agent: String,
    /// The option's id; without VALUE, list what it can be
    id: Option<String>,
    /// The value's id or its name; `on` or `off` for an option that is a switch
    value: Option<String>,
    /// Print the options, or the one, as JSON
    #[arg(long, conflicts_with = "value")]
    json: bool,
}

/// Lists the modes, or sets one.
pub(super) fn mode(desk: &Desk, output: &mut Output, arguments: &ModeArguments) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = agent_named(&mut client, &arguments.agent)?;
    let modes = view(&mut client, &agent)?.modes;
    let Some(given) = &arguments.mode else {
        if arguments.json {
            output.json(&json!({ "modes": modes }))?;
        } else if let Some(modes) = modes {
            output.modes(&modes)?;
        } else {
            none_known(output, "modes", &agent)?;
        }
        return Ok(());
    };
    let known = modes.iter().flat_map(|modes| &modes.available);
    let known: Vec<(&str, &str)> = known.map(|mode| (mode.id.as_str(), mode.name.as_str())).collect();
    let mode = named(&known, given).to_owned();
    let params = SetModeParams {
        agent: agent.clone(),
        mode: mode.clone(),
    };
    client
        .call::<chat::SetMode>(&params)
        .map_err(Failure::about(&agent))?;
    output.line(&one_line(&format!("the mode of {agent} is {mode}")))?;
    Ok(())
}

/// Lists the options or what one of them can be, or sets it.
pub(super) fn option(desk: &Desk, output: &mut Output, arguments: &OptionArguments) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let agent = agent_named(&mut client, &arguments.agent)?;
    let options = view(&mut client, &agent)?.config_options;
    let Some(id) = &arguments.id else {
        if arguments.json {
            output.json(&json!({ "config_options": options }))?;
        } else if options.is_empty() {
            none_known(output, "options", &agent)?;
        } else {
            output.config_options(&options)?;
        }
        return Ok(());
    };
    let option = options.iter().find(|option| option.id == *id);
    match (&arguments.value, option) {
        (Some(given), _) => set_option(&mut client, output, agent, id, option, given),
        (None, Some(option)) if arguments.json => Ok(output.json(option)?),
        (None, Some(option)) => Ok(output.config_choices(option)?),
        (None, None) if options.is_empty() => Ok(none_known(output, "options", &agent)?),
        (None, None) => Err(Failure::NoSuchTarget {
            what: "option",
            name: id.clone(),
            candidates: options.into_iter().map(|option| option.id).collect(),
        }),
    }
}

fn set_option(
    client: &mut Client,
    output: &mut Output,
    agent: AgentName,
    id: &str,
    option: Option<&ConfigOption>,
    given: &str,
) -> Result<(), Failure> {
    let value = match option {
        Some(option) if option.choices.is_empty() => switch(given)?,
        Some(option) => {
            let choices = option.choices.iter();
            let known: Vec<(&str, &str)> = choices
                .map(|choice| (choice.value.as_str(), choice.name.as_str()))
                .collect();
            named(&known, given).into()
        }
        // The daemon says what there is instead.
        None => given.into(),
    };
    let params = SetOptionParams {
        agent,
        id: id.to_owned(),
        value,
    };
    client
        .call::<chat::SetOption>(&params)
        .map_err(Failure::about(&params.agent))?;
    let SetOptionParams { agent, value, .. } = params;
    output.line(&one_line(&format!(
        "the option {id} of {agent} is {}",
        value_words(&value)
    )))?;
    Ok(())
}

/// Reads the value of an option that is on or off.
fn switch(given: &str) -> Result<Value, Failure> {
    let input = FieldInput::Boolean { default: None };
    form::value(&input, given, form::Naming::ByValue).ok_or_else(|| Failure::NoSuchTarget {
        what: "value",
        name: given.to_owned(),
        candidates: vec!["on".to_owned(), "off".to_owned()],
    })
}

/// Returns the id that is given, or that of the only one with this name; what is neither, the daemon refuses.
fn named<'a>(known: &[(&'a str, &str)], given: &'a str) -> &'a str {
    if known.iter().any(|(id, _)| *id == given) {
        return given;
    }
    let mut called = known
        .iter()
        .filter(|(_, name)| name.to_lowercase() == given.to_lowercase());
    match (called.next(), called.next()) {
        (Some((id, _)), None) => id,
        (_, _) => given,
    }
}

fn none_known(output: &mut Output, what: &str, agent: &AgentName) -> Result<(), Failure> {
    output.note(&format!(
        "no {what} are known of {agent}: it offers none, or has had no message since it was started"
    ))?;
    Ok(())
}

fn view(client: &mut Client, agent: &AgentName) -> Result<ConversationView, Failure> {
    let params = ConversationParams {
        agent: agent.clone(),
        conversation: None,
        before: None,
        limit: Some(1),
    };
    Ok(client.call::<chat::Conversation>(&params)?)
}
