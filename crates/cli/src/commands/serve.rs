//! `pupitre serve`: runs the daemon in this process. The only file of the command line that knows the daemon.

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::Args;
use pupitre_daemon::{LogTarget, Options};

use crate::desk::{ConfigChoice, ConfigSource, Desk};
use crate::failure::Failure;
use crate::launch::announcement::Announcement;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Announce on stdout when the socket answers, then let go of the terminal
    #[arg(long, hide = true)]
    background: bool,
    /// Where to listen, instead of where the environment says
    #[arg(long, hide = true, value_name = "PATH")]
    socket: Option<PathBuf>,
    /// The port of the page, instead of the configuration's; 0 takes the one of the last time, or any that is free
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Who named the configuration file
    #[arg(long, hide = true, value_name = "WHO", requires = "config")]
    config_source: Option<ConfigSource>,
}

pub(super) fn run(desk: Desk, arguments: ServeArguments) -> Result<(), Failure> {
    let ServeArguments {
        background,
        socket,
        port,
        config_source,
    } = arguments;
    let Desk {
        mut location,
        mut config,
        home,
    } = desk;
    if let Some(socket) = socket {
        location.socket = socket;
    }
    if let Some(source) = config_source {
        config.source = source;
    }
    let desk = Desk {
        location,
        config,
        home,
    };
    if background {
        in_background(desk, port)
    } else {
        in_foreground(desk, port)
    }
}

fn in_foreground(desk: Desk, port: Option<u16>) -> Result<(), Failure> {
    let socket = desk.location.socket.clone();
    let ready = move || {
        // Where stderr is gone nobody waits for the word.
        Output::of_process()
            .progress(&format!("ready at {}; Ctrl-C stops it", socket.display()))
            .ok();
    };
    let options = options(desk, port, LogTarget::StderrAndFile, Box::new(ready))?;
    pupitre_daemon::serve(options).map_err(|error| Failure::Serve(error.to_string()))
}

fn in_background(desk: Desk, port: Option<u16>) -> Result<(), Failure> {
    leave_the_callers_session();
    let ready = || {
        announce(&Announcement::Ready(true));
        let_go();
    };
    let outcome = options(desk, port, LogTarget::File, Box::new(ready)).and_then(|options| {
        pupitre_daemon::serve(options).map_err(|error| Failure::Serve(error.to_string()))
    });
    outcome.map_err(|failure| {
        // Once it was ready nobody reads this any more; the log has it.
        announce(&Announcement::Error(failure.to_string()));
        Failure::Reported
    })
}

fn options(
    desk: Desk,
    port: Option<u16>,
    log_to: LogTarget,
    ready: Box<dyn FnOnce() + Send>,
) -> Result<Options, Failure> {
    let Desk {
        location,
        config: ConfigChoice { path, source },
        home,
    } = desk;
    let source = match source {
        ConfigSource::Flag => pupitre_daemon::ConfigSource::Flag,
        ConfigSource::Environment => pupitre_daemon::ConfigSource::Environment,
        ConfigSource::Default => pupitre_daemon::ConfigSource::Default,
    };
    let executable = std::env::current_exe()
        .map_err(|error| Failure::Serve(format!("cannot find this program's own file: {error}")))?;
    Ok(Options {
        socket: location.socket,
        state_folder: location.state_folder,
        config: pupitre_daemon::ConfigChoice { path, source },
        home,
        executable,
        log_to,
        port,
        version: env!("CARGO_PKG_VERSION"),
        ready,
    })
}

/// Tells the starter. One that is gone needs no answer.
fn announce(announcement: &Announcement) {
    let line = serde_json::to_string(announcement).expect("an announcement has string keys");
    let mut out = io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).ok();
}

/// A session of its own: no terminal of the caller sends it signals. It can only fail where it is done already.
fn leave_the_callers_session() {
    #[cfg(unix)]
    rustix::process::setsid().ok();
}

/// Connects stdout and stderr with nothing, so that the caller's pipes end.
fn let_go() {
    #[cfg(unix)]
    if let Ok(nothing) = std::fs::File::options().write(true).open("/dev/null") {
        rustix::stdio::dup2_stdout(&nothing).ok();
        rustix::stdio::dup2_stderr(&nothing).ok();
    }
}
