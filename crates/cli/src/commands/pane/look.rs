//! `ls`, `ps`, `status`, `read`, `search`, `explain`: looking at surfaces.

use clap::Args;
use pupitre_protocol::WorkspaceId;
use pupitre_protocol::method::{fleet, surface};
use pupitre_protocol::surface::{SurfaceListParams, SurfaceParams, SurfaceReadParams, SurfaceSearchParams};
use pupitre_protocol::system::Empty;

use crate::desk::Desk;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Only the surfaces of this workspace
    #[arg(long, value_name = "ID")]
    workspace: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FleetArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// An id, a name or its beginning, cmdline:TEXT or cwd:FOLDER
    #[arg(value_name = "TARGET")]
    target: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReadArguments {
    /// An id, a name or its beginning, cmdline:TEXT or cwd:FOLDER
    #[arg(value_name = "TARGET")]
    target: String,
    /// How many lines
    #[arg(long, value_name = "N", default_value_t = pupitre_protocol::limits::READ_LINES, value_parser = clap::value_parser!(u32).range(1..=i64::from(pupitre_protocol::limits::READ_LINES_MOST)))]
    lines: u32,
    /// Leave out this many of the newest lines
    #[arg(long, value_name = "N", conflicts_with = "after")]
    offset: Option<u64>,
    /// Only what came after this mark
    #[arg(long, value_name = "MARK")]
    after: Option<String>,
    /// Print JSON
    #[arg(long, conflicts_with = "raw")]
    json: bool,
    /// Without the fence
    #[arg(long)]
    raw: bool,
}

#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
pub(crate) struct SearchArguments {
    /// An id, a name or its beginning, cmdline:TEXT or cwd:FOLDER
    #[arg(
        value_name = "TARGET",
        required_unless_present = "all",
        conflicts_with = "all"
    )]
    target: Option<String>,
    /// A text, whatever its case
    #[arg(value_name = "PATTERN", required = true)]
    pattern: String,
    /// The pattern is a regular expression for one line
    #[arg(long)]
    regex: bool,
    /// The most lines, the newest ones
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(pupitre_protocol::limits::SURFACE_MATCHES_MOST)))]
    max: Option<u32>,
    /// In every pane and conversation
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn list(desk: &Desk, output: &mut Output, arguments: &ListArguments) -> Result<(), Failure> {
    let params = SurfaceListParams {
        workspace: arguments.workspace.map(WorkspaceId),
    };
    let reply = desk.find()?.call::<surface::List>(&params)?;
    if arguments.json {
        output.json(&reply)?;
    } else if reply.surfaces.is_empty() {
        output.progress("there is nothing; `pupitre new` makes a pane")?;
    } else {
        output.surfaces(&reply.surfaces)?;
    }
    Ok(())
}

pub(crate) fn fleet(desk: &Desk, output: &mut Output, arguments: &FleetArguments) -> Result<(), Failure> {
    let reply = desk.find()?.call::<fleet::List>(&Empty {})?;
    if arguments.json {
        output.json(&reply)?;
    } else if reply.agents.is_empty() {
        output.progress("no agent is at work")?;
    } else {
        output.fleet(&reply.agents)?;
    }
    Ok(())
}

pub(crate) fn status(desk: &Desk, output: &mut Output, arguments: StatusArguments) -> Result<(), Failure> {
    let StatusArguments { target, json } = arguments;
    let reply = desk
        .find()?
        .call::<surface::Status>(&SurfaceParams { surface: target })?;
    if json {
        output.json(&reply)?;
    } else {
        output.surface_status(&reply)?;
    }
    Ok(())
}

pub(crate) fn explain(desk: &Desk, output: &mut Output, arguments: StatusArguments) -> Result<(), Failure> {
    let StatusArguments { target, json } = arguments;
    let reply = desk
        .find()?
        .call::<surface::Explain>(&SurfaceParams { surface: target })?;
    if json {
        output.json(&reply)?;
    } else {
        output.explanation(&reply)?;
    }
    Ok(())
}

pub(crate) fn read(desk: &Desk, output: &mut Output, arguments: ReadArguments) -> Result<(), Failure> {
    let ReadArguments {
        target,
        lines,
        offset,
        after,
        json,
        raw,
    } = arguments;
    let params = SurfaceReadParams {
        surface: target,
        lines: Some(lines),
        offset,
        after,
        fence: (json || raw).then_some(false),
    };
    let reply = desk.find()?.call::<surface::Read>(&params)?;
    if json {
        output.json(&reply)?;
        return Ok(());
    }
    if reply.missing {
        output.note("some of what came after the mark is gone already")?;
    }
    if reply.truncated {
        output.note("older lines were left out: they are over --lines, or over the limit of an answer")?;
    }
    if !reply.text.is_empty() {
        output.untrusted(&reply.text)?;
    }
    Ok(())
}

pub(crate) fn search(desk: &Desk, output: &mut Output, arguments: SearchArguments) -> Result<(), Failure> {
    let SearchArguments {
        target,
        pattern,
        regex,
        max,
        all: _,
        json,
    } = arguments;
    let params = SurfaceSearchParams {
        surface: target,
        pattern,
        regex,
        max,
    };
    let reply = desk.find()?.call::<surface::Search>(&params)?;
    if json {
        output.json(&reply)?;
        return Ok(());
    }
    output.surface_matches(&reply)?;
    if reply.matches.is_empty() {
        output.progress("no line matches")?;
    } else if reply.truncated {
        output.note(&format!(
            "{} of {} lines are shown; `--max` shows more",
            reply.matches.len(),
            reply.total
        ))?;
    }
    Ok(())
}
