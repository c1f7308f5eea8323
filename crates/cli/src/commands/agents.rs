//! `pupitre agents`: the agents and the state of each; start, stop, restart, logs and trace of one.

mod follow;
mod logs;
mod trace;

use clap::{Args, Subcommand};
use pupitre_client::Client;
use pupitre_protocol::agent::{AgentParams, AgentView, AuthenticateParams};
use pupitre_protocol::method::{Method, agent, system};
use pupitre_protocol::system::{Empty, IdentifyReply};

use crate::desk::{Desk, agent_named};
use crate::failure::Failure;
use crate::output::{Output, state_words};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AgentsArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    verb: Option<AgentVerb>,
}

#[derive(Debug, Subcommand)]
enum AgentVerb {
    /// Start an agent, and wait until it is ready
    Start(OneAgent),
    /// Stop an agent, and wait until nothing of it is left
    Stop(OneAgent),
    /// Stop an agent and start it again
    Restart(OneAgent),
    /// Log in with an agent that wants it, by one of the ways that it offers; without METHOD, list them
    Login(LoginArguments),
    /// Print the last lines that an agent wrote to stderr
    Logs(FollowArguments),
    /// Print the last protocol messages between the daemon and an agent
    Trace(FollowArguments),
}

#[derive(Debug, Args)]
struct OneAgent {
    #[arg(value_name = "NAME")]
    agent: String,
}

#[derive(Debug, Args)]
struct LoginArguments {
    #[arg(value_name = "NAME")]
    agent: String,
    /// The way's id, as `agents login NAME` lists it
    method: Option<String>,
}

#[derive(Debug, Args)]
struct FollowArguments {
    #[arg(value_name = "NAME")]
    agent: String,
    /// Go on with what comes
    #[arg(long)]
    follow: bool,
}

pub(super) fn run(desk: &Desk, output: &mut Output, arguments: AgentsArguments) -> Result<(), Failure> {
    match arguments.verb {
        None => list(desk, output, &arguments),
        Some(AgentVerb::Start(one)) => change::<agent::Start>(desk.find_or_start(output)?, output, &one),
        Some(AgentVerb::Stop(one)) => change::<agent::Stop>(desk.find()?, output, &one),
        Some(AgentVerb::Restart(one)) => change::<agent::Restart>(desk.find_or_start(output)?, output, &one),
        Some(AgentVerb::Login(arguments)) => login(desk, output, arguments),
        Some(AgentVerb::Logs(FollowArguments { agent, follow: false })) => logs::last(desk, output, &agent),
        Some(AgentVerb::Logs(FollowArguments { agent, follow: true })) => logs::follow(desk, output, &agent),
        Some(AgentVerb::Trace(FollowArguments { agent, follow: false })) => trace::last(desk, output, &agent),
        Some(AgentVerb::Trace(FollowArguments { agent, follow: true })) => {
            trace::follow(desk, output, &agent)
        }
    }
}

fn list(desk: &Desk, output: &mut Output, arguments: &AgentsArguments) -> Result<(), Failure> {
    let mut client = desk.find()?;
    let reply = client.call::<agent::List>(&Empty {})?;
    if arguments.json {
        output.json(&reply)?;
        return Ok(());
    }
    if !reply.agents.is_empty() {
        output.agents(&reply.agents)?;
    }
    let daemon = client.call::<system::Identify>(&Empty {})?;
    match (
        configuration_words(&daemon, &reply.agents),
        reply.agents.as_slice(),
    ) {
        (Some(words), []) => output.note(&format!("no agent: {words}"))?,
        (Some(words), [..]) => output.note(&words)?,
        (None, []) => output.note(&format!("no agent: there is none in {}", daemon.config_path))?,
        (None, [..]) => {}
    }
    Ok(())
}

/// Returns what keeps the configuration file from being used as it is, and what counts meanwhile.
pub(super) fn configuration_words(daemon: &IdentifyReply, agents: &[AgentView]) -> Option<String> {
    let error = daemon.config_error.as_ref()?;
    let meanwhile = match agents {
        [] => "the configuration cannot be used",
        [..] => {
            "the configuration cannot be used as it is now, and the last one that was right is still in force"
        }
    };
    Some(format!("{meanwhile}: {error}; `pupitre config check` says more"))
}

/// Starts the agent when it does not run, since only then it tells what it offers.
fn login(desk: &Desk, output: &mut Output, arguments: LoginArguments) -> Result<(), Failure> {
    let LoginArguments { agent, method } = arguments;
    let mut client = desk.find_or_start(output)?;
    let agent = agent_named(&mut client, &agent)?;
    let view = client
        .call::<agent::Start>(&AgentParams { agent: agent.clone() })
        .map_err(Failure::about(&agent))?;
    match method {
        Some(method_id) => {
            let on_terminal = view
                .auth_methods
                .iter()
                .any(|method| method.terminal && method.id == method_id);
            if on_terminal {
                output.note(&format!(
                    "log in on its terminal: `pupitre attach {agent}-login`, or Panes in the page"
                ))?;
            }
            output.progress(&format!("logging in with {agent}"))?;
            let params = AuthenticateParams {
                agent: agent.clone(),
                method_id,
            };
            client
                .call::<agent::Authenticate>(&params)
                .map_err(Failure::about(&agent))?;
            output.line(&format!("logged in with {agent}"))?;
        }
        None if view.auth_methods.is_empty() => {
            output.note(&format!(
                "{agent} offers no login here; log in with its own program"
            ))?;
        }
        None => output.auth_methods(&agent, &view.auth_methods)?,
    }
    Ok(())
}

/// Makes an agent change its state, and says which one it has now.
fn change<M>(mut client: Client, output: &mut Output, one: &OneAgent) -> Result<(), Failure>
where
    M: Method<Params = AgentParams, Reply = AgentView>,
{
    let agent = agent_named(&mut client, &one.agent)?;
    let view = client
        .call::<M>(&AgentParams { agent: agent.clone() })
        .map_err(Failure::about(&agent))?;
    output.line(&format!("{} is {}", view.name, state_words(&view)))?;
    Ok(())
}
