//! `pupitre watch`: the daemon's events as they come, one JSON object a line.

use clap::Args;
use pupitre_client::StreamError;
use pupitre_protocol::event::{EventKind, SubscribeParams};
use pupitre_protocol::method::surface;
use pupitre_protocol::surface::SurfaceParams;
use pupitre_protocol::{AgentName, Cursor};

use crate::desk::Desk;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct WatchArguments {
    /// Only events of this type; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<EventKind>,
    /// Only events of this agent; may be repeated
    #[arg(long = "agent", value_name = "AGENT")]
    agents: Vec<AgentName>,
    /// Only events of this pane or conversation; may be repeated
    #[arg(long = "surface", value_name = "TARGET")]
    surfaces: Vec<String>,
    /// First what came after this cursor, EPOCH:SEQ of the last frame that was read
    #[arg(long, value_name = "CURSOR")]
    since: Option<Cursor>,
}

pub(super) fn run(desk: &Desk, output: &mut Output, arguments: WatchArguments) -> Result<(), Failure> {
    let WatchArguments {
        types,
        agents,
        surfaces,
        since,
    } = arguments;
    let mut client = desk.find()?;
    let mut ids = Vec::new();
    for surface in surfaces {
        ids.push(
            client
                .call::<surface::Status>(&SurfaceParams { surface })?
                .surface_id,
        );
    }
    let params = SubscribeParams {
        types: some(types),
        agents: some(agents),
        surfaces: some(ids),
        since,
    };
    let mut stream = client.subscribe(&params)?;
    while let Some(line) = stream.next_line() {
        output.json_line(&line.map_err(StreamError::Read)?)?;
        // A burst is written at once, and its last line at once too.
        if !stream.has_line() {
            output.flush()?;
        }
    }
    Err(Failure::DaemonGone)
}

/// A filter that nobody gave does not filter.
fn some<T>(values: Vec<T>) -> Option<Vec<T>> {
    (!values.is_empty()).then_some(values)
}
