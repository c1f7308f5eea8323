//! `pupitre app`: opens the page, or says where it is.

use clap::Args;
use pupitre_client::{CallError, Client};
use pupitre_protocol::ErrorKind;
use pupitre_protocol::method::system;
use pupitre_protocol::system::Empty;

use crate::desk::Desk;
use crate::failure::Failure;
use crate::launch::browser::{self, Opened};
use crate::output::neutral::one_line;
use crate::output::{Device, Output};

#[derive(Debug, Args)]
pub(crate) struct AppArguments {
    /// Print the address instead, which lets one browser in, once, within five minutes
    #[arg(long)]
    print_url: bool,
}

pub(super) fn run(desk: &Desk, output: &mut Output, arguments: &AppArguments) -> Result<(), Failure> {
    let mut client = desk.find_or_start(output)?;
    let url = client.call::<system::Page>(&Empty {})?.url;
    if arguments.print_url {
        output.line(&url)?;
        return Ok(());
    }
    open(&url, output)
}

/// Opens the page for the person at a terminal; whoever reads a pipe is only told where it is, and what an agent runs
/// nothing.
pub(super) fn open_for_who_is_there(client: &mut Client, output: &mut Output) -> Result<(), Failure> {
    let url = match client.call::<system::Page>(&Empty {}) {
        Ok(page) => page.url,
        Err(CallError::Rpc(error)) => {
            return match error.kind() {
                Some(ErrorKind::NotFromInside) => Ok(()),
                // Everything but the page works.
                Some(_) | None => Ok(output.line(&one_line(&error.message))?),
            };
        }
        Err(error) => return Err(error.into()),
    };
    match output.device() {
        Device::Terminal => open(&url, output),
        Device::Pipe => Ok(output.line(&where_it_is(&url))?),
    }
}

fn open(url: &str, output: &mut Output) -> Result<(), Failure> {
    let said = match browser::open(url) {
        Opened::Window => "the page opens in a window of its own".to_owned(),
        Opened::Browser => "the page opens in your browser".to_owned(),
        Opened::Nothing => where_it_is(url),
    };
    output.line(&said)?;
    Ok(())
}

fn where_it_is(url: &str) -> String {
    format!("the page, for one browser and five minutes: {url}")
}
