//! The command line's grammar: what every verb shares, and how a wrong use is told on one line.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::commands::agents::AgentsArguments;
use crate::commands::app::AppArguments;
use crate::commands::ask::AskArguments;
use crate::commands::channel::ChannelArguments;
use crate::commands::chat::ChatArguments;
use crate::commands::config::ConfigArguments;
use crate::commands::doctor::DoctorArguments;
use crate::commands::pane::arrange::{
    NewArguments, RenameArguments, ResizeArguments, SelectArguments, SplitArguments, TargetArguments,
    WorkspaceArguments,
};
#[cfg(unix)]
use crate::commands::pane::attach::AttachArguments;
use crate::commands::pane::look::{
    FleetArguments, ListArguments, ReadArguments, SearchArguments, StatusArguments,
};
use crate::commands::pane::wait::WaitArguments;
use crate::commands::serve::ServeArguments;
use crate::commands::watch::WatchArguments;

/// One desk from which a person, a script, or another agent runs a fleet of AI coding agents.
///
/// Alone, it starts the daemon when none runs, shows what is there, and opens the page.
#[derive(Debug, Parser)]
#[command(name = "pupitre", version)]
pub(crate) struct Arguments {
    /// The configuration file
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    #[command(flatten)]
    Client(ClientVerb),
    /// The configuration file: path, check, schema, init, edit, recent, open
    Config(ConfigArguments),
    /// Run the daemon in the foreground
    Serve(ServeArguments),
    /// Be a scripted ACP agent, on stdin and stdout
    DemoAgent,
}

/// The verbs that ask something of the daemon.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientVerb {
    /// Ask an agent, and print its answer as it comes
    Ask(AskArguments),
    /// Conversations: show, send, cancel, answer, begin, open, search, delete, export
    Chat(ChatArguments),
    /// Rooms with several agents: list, send, show
    Channel(ChannelArguments),
    /// Agents: list, start, stop, logs, trace
    Agents(AgentsArguments),
    /// Print events as they happen, one JSON object a line
    Watch(WatchArguments),
    /// Look for what may be wrong
    Doctor(DoctorArguments),
    /// Open the page in a window of a browser
    App(AppArguments),
    /// Make a pane: your shell, a command or a terminal agent, in a terminal that the daemon holds
    New(NewArguments),
    /// Make a pane beside or below another one
    Split(SplitArguments),
    /// List panes and conversations
    #[command(alias = "list_panes")]
    Ls(ListArguments),
    /// List the agents at work
    Ps(FleetArguments),
    /// Say what a pane or conversation does
    Status(StatusArguments),
    /// Say where a state comes from
    Explain(StatusArguments),
    /// Print the text of a pane or conversation
    #[command(alias = "read_pane")]
    Read(ReadArguments),
    /// Find lines in panes and conversations
    #[command(alias = "search_pane")]
    Search(SearchArguments),
    /// Wait until something is at rest, or a line matches
    Wait(WaitArguments),
    /// Use a pane in this terminal
    #[cfg(unix)]
    Attach(AttachArguments),
    /// Bring a pane or conversation into view
    Focus(TargetArguments),
    /// Give a pane a name
    Rename(RenameArguments),
    /// Give a pane another size
    Resize(ResizeArguments),
    /// Close a pane, and end all that runs in it
    Close(TargetArguments),
    /// Make a workspace the current one
    Select(SelectArguments),
    /// Workspaces: list, new, rename, close
    Workspace(WorkspaceArguments),
    /// Stop the daemon, every agent and every pane
    Stop,
}

/// Returns a wrong use as one sentence: what is wrong, what may be meant, and how the verb is used.
pub(crate) fn sentence_of(error: &clap::Error) -> String {
    let rendered = error.render().to_string();
    let mut paragraphs = rendered.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let mut sentence = first.trim_start_matches("error: ").to_owned();
    for paragraph in paragraphs {
        let paragraph = paragraph.trim();
        // What follows points at the help, which the usage already tells.
        if paragraph.starts_with("tip: ") || paragraph.starts_with("Usage: ") {
            sentence.push_str("; ");
            sentence.push_str(&paragraph.replacen("Usage: ", "usage: ", 1));
        }
    }
    sentence
}

/// Returns whether the "error" is an answer to `--help` or `--version`.
pub(crate) fn is_answer(error: &clap::Error) -> bool {
    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
}

/// Returns whether the error is a verb that has verbs of its own, and was given none: it is told by their list.
pub(crate) fn lacks_verb(error: &clap::Error) -> bool {
    error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}
