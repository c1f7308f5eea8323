//! `pupitre` alone: finds or starts the daemon, shows what is there, opens the page, and says what to do next.

use pupitre_protocol::agent::AgentView;
use pupitre_protocol::method::{agent, system};
use pupitre_protocol::system::{Empty, IdentifyReply};

use super::agents::configuration_words;
use super::app;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::output::neutral::one_line;
use crate::output::{Output, style};

pub(super) fn run(desk: &Desk, output: &mut Output) -> Result<(), Failure> {
    let mut client = desk.find_or_start(output)?;
    let daemon = client.call::<system::Identify>(&Empty {})?;
    let agents = client.call::<agent::List>(&Empty {})?.agents;
    output.line(&one_line(&format!(
        "pupitre {} is running, with {}",
        daemon.version, daemon.config_path
    )))?;
    if let Some(words) = configuration_words(&daemon, &agents) {
        output.styled_line(style::BAD, &one_line(&words))?;
    }
    output.line("")?;
    if !agents.is_empty() {
        output.agents(&agents)?;
        output.line("")?;
    }
    app::open_for_who_is_there(&mut client, output)?;
    output.line(&what_next(&daemon, &agents))?;
    Ok(())
}

fn what_next(daemon: &IdentifyReply, agents: &[AgentView]) -> String {
    match (agents.first(), &daemon.config_error) {
        (Some(agent), _) => format!("next: pupitre ask {} \"hello\"", agent.name),
        (None, Some(_)) => "next: mend the configuration with `pupitre config edit`".to_owned(),
        (None, None) => "next: declare an agent with `pupitre config edit`".to_owned(),
    }
}
