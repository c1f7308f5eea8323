//! `pupitre config`: where the configuration file is, what is wrong with it, its schema; making, editing, opening one.

mod editor;
pub(super) mod file;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use pupitre_protocol::configuration::{ConfigOpenParams, ConfigSource, ConfigValidateReply};
use pupitre_protocol::method::config;
use pupitre_protocol::system::Empty;
use serde::Serialize;

use crate::desk::{self, Desk, absolute, utf8};
use crate::failure::Failure;
use crate::interrupt::Interrupts;
use crate::output::Output;
use file::{CheckedFile, Holder, Lack, Place};

#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    #[command(subcommand)]
    verb: ConfigVerb,
}

#[derive(Debug, Subcommand)]
enum ConfigVerb {
    /// Print the path of the configuration file
    Path(JsonArguments),
    /// Say what is wrong with a configuration file
    Check(CheckArguments),
    /// Print the JSON Schema of the file, for editors
    Schema,
    /// Make a first file, with the demo agent and every known agent on PATH
    Init,
    /// Open the file in your editor, and check it afterwards
    Edit,
    /// List the files that were opened in the program
    Recent(JsonArguments),
    /// Stop every agent, and hold another file from now on
    Open(OpenArguments),
}

#[derive(Debug, Args)]
struct JsonArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct CheckArguments {
    /// The file; the configuration file when it is missing, stdin when it is `-`
    file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct OpenArguments {
    file: PathBuf,
}

pub(super) fn run(desk: &Desk, output: &mut Output, arguments: ConfigArguments) -> Result<(), Failure> {
    match arguments.verb {
        // Ctrl-C is the editor's.
        ConfigVerb::Edit => return edit(desk, output),
        ConfigVerb::Path(_)
        | ConfigVerb::Check(_)
        | ConfigVerb::Schema
        | ConfigVerb::Init
        | ConfigVerb::Recent(_)
        | ConfigVerb::Open(_) => {}
    }
    let _interrupts = Interrupts::leave_at_once().map_err(Failure::Signals)?;
    match arguments.verb {
        ConfigVerb::Path(arguments) => path(desk, output, &arguments),
        ConfigVerb::Check(arguments) => check(desk, output, &arguments),
        ConfigVerb::Schema => Ok(output.line(&pupitre_model::config::schema_text())?),
        ConfigVerb::Init => init(desk, output),
        ConfigVerb::Edit => edit(desk, output),
        ConfigVerb::Recent(arguments) => recent(desk, output, &arguments),
        ConfigVerb::Open(arguments) => open(desk, output, arguments),
    }
}

/// Where the file is, as `config path --json` prints it.
#[derive(Debug, Serialize)]
struct PathView {
    path: String,
    source: ConfigSource,
    exists: bool,
}

fn path(desk: &Desk, output: &mut Output, arguments: &JsonArguments) -> Result<(), Failure> {
    let Place { path, source, .. } = place_in_force(desk)?;
    if arguments.json {
        let exists = path.is_file();
        let path = utf8(path)?;
        output.json(&PathView { path, source, exists })?;
    } else {
        output.line(&utf8(path)?)?;
    }
    Ok(())
}

/// Returns the file that the daemon holds, else the one that a new daemon would find. That a flag or the environment names
/// another one than the daemon holds is an error.
pub(super) fn place_in_force(desk: &Desk) -> Result<Place, Failure> {
    match desk.find() {
        Ok(mut client) => {
            let held = client.call::<config::Current>(&Empty {})?;
            Ok(Place {
                path: PathBuf::from(held.path),
                source: held.source,
                holder: Holder::Daemon,
            })
        }
        Err(Failure::NoDaemon) => Ok(file::discover(desk)),
        Err(failure) => Err(failure),
    }
}

fn check(desk: &Desk, output: &mut Output, arguments: &CheckArguments) -> Result<(), Failure> {
    let checked = match &arguments.file {
        Some(file) if file == Path::new("-") => file::check_stdin(desk)?,
        // It is shown as it was given, so that an editor finds it from here.
        Some(file) => file::check(desk, file)?,
        None => {
            let place = place_in_force(desk)?;
            if let Some(lack) = file::lack(desk, &place) {
                return Err(Failure::Input(lack.into_words()));
            }
            file::check(desk, &place.path)?
        }
    };
    report(output, &checked, arguments.json)
}

/// Prints what is wrong; a file with a problem is a failure.
fn report(output: &mut Output, checked: &CheckedFile, json: bool) -> Result<(), Failure> {
    let reply = ConfigValidateReply {
        valid: checked.is_valid(),
        problems: checked.problems.clone(),
    };
    if json {
        output.json(&reply)?;
    } else {
        output.problems(&checked.name, &checked.text, &reply.problems, checked.counts)?;
    }
    if reply.valid {
        Ok(())
    } else {
        Err(Failure::Reported)
    }
}

fn init(desk: &Desk, output: &mut Output) -> Result<(), Failure> {
    let path = &desk.config.path;
    file::create(desk, path)?;
    output.line(&format!("made {}", path.display()))?;
    let agents = file::check(desk, path)?.agents;
    output.line(&format!("with these agents: {}", agents.join(", ")))?;
    Ok(())
}

fn edit(desk: &Desk, output: &mut Output) -> Result<(), Failure> {
    let place = place_in_force(desk)?;
    let path = &place.path;
    match file::lack(desk, &place) {
        None => {}
        Some(Lack::NotYet { .. }) => file::create(desk, path)?,
        Some(Lack::Wrong { words }) => return Err(Failure::Input(words)),
    }
    editor::edit(path)?;
    report(output, &file::check(desk, path)?, false)
}

fn recent(desk: &Desk, output: &mut Output, arguments: &JsonArguments) -> Result<(), Failure> {
    let reply = match desk.find() {
        Ok(mut client) => client.call::<config::Recent>(&Empty {})?,
        Err(Failure::NoDaemon) => file::recent(desk),
        Err(failure) => return Err(failure),
    };
    if arguments.json {
        output.json(&reply)?;
    } else if reply.0.is_empty() {
        output.progress("no file was opened in the program yet")?;
    } else {
        for file in &reply.0 {
            let gone = if file.exists { "" } else { "  (not there any more)" };
            output.line(&crate::output::neutral::one_line(&format!("{}{gone}", file.path)))?;
        }
    }
    Ok(())
}

fn open(desk: &Desk, output: &mut Output, arguments: OpenArguments) -> Result<(), Failure> {
    let path = utf8(absolute(&arguments.file)?)?;
    let found = match desk.config.source {
        // It names the file that the daemon holds until now.
        desk::ConfigSource::Flag => desk.find(),
        desk::ConfigSource::Environment | desk::ConfigSource::Default => {
            desk.find_with_any_configuration().map(|(client, _)| client)
        }
    };
    let mut client = match found {
        Err(Failure::NoDaemon) => desk.find_or_start(output)?,
        found => found?,
    };
    let held = client.call::<config::Open>(&ConfigOpenParams { path })?;
    output.line(&format!("{} is the configuration now", held.path))?;
    for problem in held.problems.iter().take(1) {
        output.note(&format!(
            "it cannot be used yet: line {}, column {}: {}; `pupitre config check` says more",
            problem.line, problem.column, problem.message
        ))?;
    }
    Ok(())
}
