//! One command a file: its arguments, what it asks of the daemon, and what it prints.

pub(crate) mod agents;
pub(crate) mod app;
pub(crate) mod ask;
pub(crate) mod channel;
pub(crate) mod chat;
pub(crate) mod config;
pub(crate) mod doctor;
mod home;
pub(crate) mod pane;
pub(crate) mod serve;
mod stop;
pub(crate) mod watch;

use std::io::Read as _;
use std::process::ExitCode;

use pupitre_protocol::ExitCode as Code;
use pupitre_protocol::limits::PROMPT_BYTES;

use crate::arguments::{Arguments, ClientVerb, Verb};
use crate::demo_agent;
use crate::desk::Desk;
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::output::Output;

/// Runs the command that was asked for.
pub(crate) fn run(arguments: Arguments) -> ExitCode {
    let Arguments { config, verb } = arguments;
    let mut output = Output::of_process();
    let desk = || Desk::of_process(config.as_deref());
    // The daemon and the demo agent have signals of their own.
    let outcome = match verb {
        Some(Verb::DemoAgent) => return demo_agent::run(),
        Some(Verb::Serve(arguments)) => desk().and_then(|desk| serve::run(desk, arguments)),
        Some(Verb::Config(arguments)) => desk().and_then(|desk| config::run(&desk, &mut output, arguments)),
        Some(Verb::Client(verb)) => desk().and_then(|desk| run_client(Some(verb), &desk, &mut output)),
        None => desk().and_then(|desk| run_client(None, &desk, &mut output)),
    };
    match outcome {
        Ok(()) => Code::Success.into(),
        Err(failure) => {
            if let Some(sentence) = failure.sentence() {
                // Where stderr is gone the exit code still tells.
                output.error(&sentence).ok();
            }
            failure.exit_code().into()
        }
    }
}

fn run_client(verb: Option<ClientVerb>, desk: &Desk, output: &mut Output) -> Result<(), Failure> {
    let interrupts = Interrupts::leave_at_once().map_err(Failure::Signals)?;
    match verb {
        None => home::run(desk, output),
        Some(ClientVerb::Ask(arguments)) => ask::run(desk, output, &interrupts, &arguments),
        Some(ClientVerb::Channel(arguments)) => channel::run(desk, output, arguments),
        Some(ClientVerb::Chat(arguments)) => chat::run(desk, output, arguments),
        Some(ClientVerb::Agents(arguments)) => agents::run(desk, output, arguments),
        Some(ClientVerb::Watch(arguments)) => watch::run(desk, output, arguments),
        Some(ClientVerb::Doctor(arguments)) => doctor::run(desk, output, &arguments),
        Some(ClientVerb::App(arguments)) => app::run(desk, output, &arguments),
        Some(ClientVerb::New(arguments)) => pane::arrange::new(desk, output, arguments),
        Some(ClientVerb::Split(arguments)) => pane::arrange::split(desk, output, arguments),
        Some(ClientVerb::Ls(arguments)) => pane::look::list(desk, output, &arguments),
        Some(ClientVerb::Ps(arguments)) => pane::look::fleet(desk, output, &arguments),
        Some(ClientVerb::Status(arguments)) => pane::look::status(desk, output, arguments),
        Some(ClientVerb::Explain(arguments)) => pane::look::explain(desk, output, arguments),
        Some(ClientVerb::Read(arguments)) => pane::look::read(desk, output, arguments),
        Some(ClientVerb::Search(arguments)) => pane::look::search(desk, output, arguments),
        Some(ClientVerb::Wait(arguments)) => pane::wait::run(desk, output, arguments),
        #[cfg(unix)]
        Some(ClientVerb::Attach(arguments)) => pane::attach::run(desk, output, arguments),
        Some(ClientVerb::Focus(arguments)) => pane::arrange::focus(desk, arguments),
        Some(ClientVerb::Rename(arguments)) => pane::arrange::rename(desk, arguments),
        Some(ClientVerb::Resize(arguments)) => pane::arrange::resize(desk, arguments),
        Some(ClientVerb::Close(arguments)) => pane::arrange::close(desk, arguments),
        Some(ClientVerb::Select(arguments)) => pane::arrange::select(desk, arguments),
        Some(ClientVerb::Workspace(arguments)) => pane::arrange::workspace(desk, output, arguments),
        Some(ClientVerb::Stop) => stop::run(desk, output),
    }
}

/// Returns the text of a message: the argument, or for `-` what stands on stdin.
fn message_text(argument: &str) -> Result<String, Failure> {
    let bytes = match argument {
        "-" => read_stdin()?,
        text => text.as_bytes().to_owned(),
    };
    if bytes.len() > PROMPT_BYTES {
        return Err(Failure::Input(format!(
            "the text is longer than {PROMPT_BYTES} bytes; put it into a file and send that with `chat send --attach`"
        )));
    }
    String::from_utf8(bytes).map_err(|_| Failure::Input("the text on stdin is no UTF-8".to_owned()))
}

/// Reads as much as shows that it is too much.
fn read_stdin() -> Result<Vec<u8>, Failure> {
    let most = u64::try_from(PROMPT_BYTES).expect("the limit is far below 2^64") + 1;
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Input(format!("cannot read the text from stdin: {error}")))?;
    Ok(bytes)
}
