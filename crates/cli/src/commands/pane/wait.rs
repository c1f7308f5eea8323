//! `wait`: blocks until a surface is at rest or a line of it matches.

use std::time::Duration;

use clap::Args;
use pupitre_protocol::limits::WAIT_TIMEOUT_MS_MOST;
use pupitre_protocol::method::surface;
use pupitre_protocol::surface::{Quorum, SurfaceWaitParams};

use super::{milliseconds, seconds};
use crate::desk::Desk;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct WaitArguments {
    /// What to wait for: an id, a name or its beginning, cmdline:TEXT or cwd:FOLDER; may be repeated
    #[arg(long = "match", value_name = "TARGET", required = true)]
    targets: Vec<String>,
    /// Until its turn has ended; where turns are not known, until it is quiet
    #[arg(long, required_unless_present = "pattern")]
    idle: bool,
    /// Until a line matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pattern: Option<String>,
    /// What is there already does not count
    #[arg(long, conflicts_with = "after")]
    new: bool,
    /// What was there at this mark does not count
    #[arg(long, value_name = "MARK")]
    after: Option<String>,
    /// One of the targets is enough
    #[arg(long, conflicts_with = "all")]
    any: bool,
    /// Each of the targets has to match
    #[arg(long)]
    all: bool,
    /// For how long no output has to come for quiet, in milliseconds
    #[arg(long = "for", value_name = "MS")]
    quiet_ms: Option<u64>,
    /// How long to wait, in seconds; 300 when not given
    #[arg(long, value_name = "S", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(desk: &Desk, output: &mut Output, arguments: WaitArguments) -> Result<(), Failure> {
    let WaitArguments {
        targets,
        idle,
        pattern,
        new,
        after,
        any,
        all,
        quiet_ms,
        timeout,
        json,
    } = arguments;
    let quorum = match (any, all) {
        (true, _) => Some(Quorum::Any),
        (false, true) => Some(Quorum::All),
        (false, false) => None,
    };
    if targets.len() > 1 && quorum.is_none() {
        return Err(Failure::Usage(
            "several targets: add --any when one of them is enough, or --all".to_owned(),
        ));
    }
    if targets.len() > 1 && after.is_some() {
        return Err(Failure::Usage("a mark is of one target".to_owned()));
    }
    let timeout_ms = timeout.map(milliseconds);
    if timeout_ms.is_some_and(|timeout| timeout > WAIT_TIMEOUT_MS_MOST) {
        return Err(Failure::Usage("a wait lasts a week at most".to_owned()));
    }
    let params = SurfaceWaitParams {
        surfaces: targets,
        idle,
        pattern,
        new,
        after,
        quorum,
        for_ms: quiet_ms,
        timeout_ms,
    };
    let reply = desk.find()?.call::<surface::Wait>(&params)?;
    if json {
        output.json(&reply)?;
    } else {
        output.waited(&reply)?;
    }
    Ok(())
}
