//! `pupitre stop`: stops every agent and the daemon, and returns when the daemon is gone.

use pupitre_protocol::method::system;
use pupitre_protocol::system::Empty;

use crate::desk::Desk;
use crate::failure::Failure;
use crate::output::Output;

pub(super) fn run(desk: &Desk, output: &mut Output) -> Result<(), Failure> {
    let mut client = desk.find_of_any_protocol()?;
    output.progress("stopping the agents and the daemon…")?;
    client.call::<system::Shutdown>(&Empty {})?;
    client.wait_until_closed()?;
    output.line("the daemon has stopped")?;
    Ok(())
}
