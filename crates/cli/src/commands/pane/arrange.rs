//! `new`, `split`, `select`, `focus`, `rename`, `resize`, `close`, `workspace`: making, arranging and closing panes.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use pupitre_protocol::WorkspaceId;
use pupitre_protocol::method::{surface, workspace};
use pupitre_protocol::surface::{
    EnvironmentVariable, PaneSize, SurfaceCreateParams, SurfaceParams, SurfaceRenameParams,
    SurfaceResizeParams, SurfaceView,
};
use pupitre_protocol::system::Empty;
use pupitre_protocol::workspace::{
    Direction, WorkspaceCreateParams, WorkspaceParams, WorkspaceRenameParams, WorkspaceSplitParams,
};

use crate::desk::{Desk, absolute, utf8};
use crate::failure::Failure;
use crate::output::Output;

/// What a new pane is made with.
#[derive(Debug, Args)]
struct PaneArguments {
    /// Its name, which it keeps; otherwise it is called after its program
    #[arg(long)]
    name: Option<String>,
    /// The folder in which its program starts; this one when not given
    #[arg(long, value_name = "FOLDER")]
    cwd: Option<PathBuf>,
    /// A variable for its program; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<EnvironmentVariable>,
    /// A terminal agent to start: claude, codex, gemini, …
    #[arg(long, value_name = "AGENT", conflicts_with = "command")]
    agent: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The program and its arguments; your shell when there is none
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// The workspace it goes into, by its id; the current one when not given
    #[arg(long, value_name = "ID")]
    workspace: Option<u64>,
    #[command(flatten)]
    pane: PaneArguments,
}

#[derive(Debug, Args)]
pub(crate) struct SplitArguments {
    /// The pane whose place is split
    #[arg(value_name = "TARGET")]
    target: String,
    /// Below it, instead of beside it
    #[arg(long)]
    below: bool,
    #[command(flatten)]
    pane: PaneArguments,
}

#[derive(Debug, Args)]
pub(crate) struct TargetArguments {
    /// An id, a name or its beginning, cmdline:TEXT or cwd:FOLDER
    #[arg(value_name = "TARGET")]
    target: String,
}

#[derive(Debug, Args)]
pub(crate) struct RenameArguments {
    /// An id, a name or its beginning, cmdline:TEXT or cwd:FOLDER
    #[arg(value_name = "TARGET")]
    target: String,
    name: String,
}

#[derive(Debug, Args)]
pub(crate) struct ResizeArguments {
    /// An id, a name or its beginning, cmdline:TEXT or cwd:FOLDER
    #[arg(value_name = "TARGET")]
    target: String,
    #[arg(value_parser = clap::value_parser!(u16).range(2..=1000))]
    columns: u16,
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1000))]
    rows: u16,
}

#[derive(Debug, Args)]
pub(crate) struct WorkspaceArguments {
    #[command(subcommand)]
    verb: WorkspaceVerb,
}

#[derive(Debug, Subcommand)]
enum WorkspaceVerb {
    /// List the workspaces
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make an empty one, which becomes the current one
    New { name: Option<String> },
    /// Give one another name
    Rename {
        /// An id, a name or its beginning
        workspace: String,
        name: String,
    },
    /// Close one with all its panes
    Close {
        /// An id, a name or its beginning
        workspace: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SelectArguments {
    /// The workspace that becomes the current one: an id, a name or its beginning
    workspace: String,
}

pub(crate) fn new(desk: &Desk, output: &mut Output, arguments: NewArguments) -> Result<(), Failure> {
    let NewArguments { workspace, pane } = arguments;
    let json = pane.json;
    let mut params = params_of(pane)?;
    params.workspace = workspace.map(WorkspaceId);
    let view = desk.find_or_start(output)?.call::<surface::Create>(&params)?;
    show_made(output, &view, json)
}

pub(crate) fn split(desk: &Desk, output: &mut Output, arguments: SplitArguments) -> Result<(), Failure> {
    let SplitArguments { target, below, pane } = arguments;
    let json = pane.json;
    let params = WorkspaceSplitParams {
        surface: target,
        direction: if below { Direction::Column } else { Direction::Row },
        pane: params_of(pane)?,
    };
    let view = desk.find()?.call::<workspace::Split>(&params)?;
    show_made(output, &view, json)
}

fn show_made(output: &mut Output, view: &SurfaceView, json: bool) -> Result<(), Failure> {
    if json {
        output.json(view)?;
    } else {
        output.line(&format!("{}  {}", view.surface_id, view.surface_name))?;
    }
    Ok(())
}

fn params_of(arguments: PaneArguments) -> Result<SurfaceCreateParams, Failure> {
    let PaneArguments {
        name,
        cwd,
        env,
        agent,
        json: _,
        command,
    } = arguments;
    let cwd = absolute(cwd.as_deref().unwrap_or(Path::new(".")))?;
    Ok(SurfaceCreateParams {
        command,
        agent,
        name,
        cwd: Some(utf8(cwd)?),
        env,
        workspace: None,
        size: None,
    })
}

fn variable(text: &str) -> Result<EnvironmentVariable, String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok(EnvironmentVariable {
            name: name.to_owned(),
            value: value.to_owned(),
        }),
        Some(_) | None => Err(format!("\"{text}\" is not NAME=VALUE")),
    }
}

pub(crate) fn focus(desk: &Desk, arguments: TargetArguments) -> Result<(), Failure> {
    let TargetArguments { target } = arguments;
    desk.find()?
        .call::<surface::Focus>(&SurfaceParams { surface: target })?;
    Ok(())
}

pub(crate) fn close(desk: &Desk, arguments: TargetArguments) -> Result<(), Failure> {
    let TargetArguments { target } = arguments;
    desk.find()?
        .call::<surface::Close>(&SurfaceParams { surface: target })?;
    Ok(())
}

pub(crate) fn rename(desk: &Desk, arguments: RenameArguments) -> Result<(), Failure> {
    let RenameArguments { target, name } = arguments;
    desk.find()?.call::<surface::Rename>(&SurfaceRenameParams {
        surface: target,
        name,
    })?;
    Ok(())
}

pub(crate) fn resize(desk: &Desk, arguments: ResizeArguments) -> Result<(), Failure> {
    let ResizeArguments {
        target,
        columns,
        rows,
    } = arguments;
    desk.find()?.call::<surface::Resize>(&SurfaceResizeParams {
        surface: target,
        size: PaneSize { columns, rows },
    })?;
    Ok(())
}

pub(crate) fn select(desk: &Desk, arguments: SelectArguments) -> Result<(), Failure> {
    let SelectArguments { workspace } = arguments;
    desk.find()?
        .call::<workspace::Select>(&WorkspaceParams { workspace })?;
    Ok(())
}

pub(crate) fn workspace(
    desk: &Desk,
    output: &mut Output,
    arguments: WorkspaceArguments,
) -> Result<(), Failure> {
    match arguments.verb {
        WorkspaceVerb::List { json } => {
            let reply = desk.find()?.call::<workspace::List>(&Empty {})?;
            if json {
                output.json(&reply)?;
            } else if reply.workspaces.is_empty() {
                output.progress("there is no workspace yet; `pupitre new` makes one with a pane in it")?;
            } else {
                output.workspaces(&reply.workspaces)?;
            }
        }
        WorkspaceVerb::New { name } => {
            let view = desk
                .find_or_start(output)?
                .call::<workspace::Create>(&WorkspaceCreateParams { name })?;
            output.line(&format!("{}  {}", view.workspace, view.name))?;
        }
        WorkspaceVerb::Rename { workspace, name } => {
            desk.find()?
                .call::<workspace::Rename>(&WorkspaceRenameParams { workspace, name })?;
        }
        WorkspaceVerb::Close { workspace } => {
            desk.find()?
                .call::<workspace::Close>(&WorkspaceParams { workspace })?;
        }
    }
    Ok(())
}
