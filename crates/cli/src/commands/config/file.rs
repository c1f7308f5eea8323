//! The configuration file without a daemon: found, made and checked, by the same code that a daemon uses.

use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use pupitre_client::location::CONFIG_VARIABLE;
use pupitre_daemon::configuration::{self as daemon, Standing};
use pupitre_model::config::{Counts, FILE_BYTES};
use pupitre_protocol::configuration::{ConfigRecentReply, ConfigSource, Problem};

use crate::desk::{self, Desk};
use crate::failure::Failure;

/// A configuration file, and who named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) path: PathBuf,
    pub(crate) source: ConfigSource,
    pub(crate) holder: Holder,
}

/// Whether a daemon holds a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    Daemon,
    /// A new daemon would take it.
    Nobody,
}

/// Why there is no file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lack {
    /// The next start makes it.
    NotYet { words: String },
    /// Somebody has to do something about it.
    Wrong { words: String },
}

impl Lack {
    pub(crate) fn into_words(self) -> String {
        match self {
            Self::NotYet { words } | Self::Wrong { words } => words,
        }
    }
}

/// A file that was checked.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    /// As problems name it.
    pub(crate) name: String,
    /// The text, with values of `env` blotted out, so that it can be shown.
    pub(crate) text: String,
    pub(crate) problems: Vec<Problem>,
    /// How many there are, also of those that are not told.
    pub(crate) counts: Counts,
    /// The names of its agents, when it is valid.
    pub(crate) agents: Vec<String>,
}

impl CheckedFile {
    pub(crate) fn is_valid(&self) -> bool {
        self.problems.iter().all(|problem| problem.warning)
    }
}

/// Returns the file that a new daemon would find.
pub(crate) fn discover(desk: &Desk) -> Place {
    let choice = pupitre_daemon::ConfigChoice {
        path: desk.config.path.clone(),
        source: match desk.config.source {
            desk::ConfigSource::Flag => pupitre_daemon::ConfigSource::Flag,
            desk::ConfigSource::Environment => pupitre_daemon::ConfigSource::Environment,
            desk::ConfigSource::Default => pupitre_daemon::ConfigSource::Default,
        },
    };
    let daemon::Found { path, source } = daemon::discover(&choice, &desk.location.state_folder);
    Place {
        path,
        source,
        holder: Holder::Nobody,
    }
}

/// Returns the files that were opened in the program.
pub(crate) fn recent(desk: &Desk) -> ConfigRecentReply {
    daemon::recent_files(&desk.location.state_folder)
}

/// Makes a first file.
pub(crate) fn create(desk: &Desk, path: &Path) -> Result<(), Failure> {
    match daemon::standing(path) {
        Standing::Absent => {
            daemon::create(path, &machine(desk)?).map_err(|error| Failure::Input(error.to_string()))
        }
        Standing::File => Err(Failure::Input(format!(
            "{} is there already; `pupitre config edit` opens it",
            path.display()
        ))),
        Standing::Obstructed(obstacle) => Err(Failure::Input(obstacle.to_string())),
    }
}

/// Returns why the configuration file cannot be read, when it is not there, with what to do.
pub(crate) fn lack(desk: &Desk, place: &Place) -> Option<Lack> {
    match daemon::standing(&place.path) {
        Standing::File => None,
        Standing::Absent => Some(absence(desk, place)),
        Standing::Obstructed(obstacle) => Some(Lack::Wrong {
            words: obstacle.to_string(),
        }),
    }
}

fn absence(desk: &Desk, place: &Place) -> Lack {
    let path = place.path.display();
    let words = match (place.holder, place.source) {
        (Holder::Daemon, _) => {
            let way_out = if desk.config.path == place.path {
                "`pupitre config init` makes a new one"
            } else {
                "`pupitre config open FILE` takes another one"
            };
            format!(
                "{path} is not there any more, and the daemon goes on with what it read last; put it back, or {way_out}"
            )
        }
        (Holder::Nobody, ConfigSource::Default) => {
            return Lack::NotYet {
                words: format!(
                    "{path} does not exist yet; `pupitre config init` makes it, and so does `pupitre`"
                ),
            };
        }
        (Holder::Nobody, ConfigSource::Flag) => {
            format!("{path}, which --config names, does not exist; `pupitre config init` makes it")
        }
        (Holder::Nobody, ConfigSource::Environment) => {
            format!("{path}, which {CONFIG_VARIABLE} names, does not exist; `pupitre config init` makes it")
        }
        (Holder::Nobody, ConfigSource::Recent) => format!("{path} is not there any more"),
    };
    Lack::Wrong { words }
}

/// Checks a file.
pub(crate) fn check(desk: &Desk, path: &Path) -> Result<CheckedFile, Failure> {
    let bytes = daemon::read_file(path)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    let checked = daemon::check(&bytes, path, &machine(desk)?);
    Ok(checked_file(&bytes, path.display().to_string(), checked))
}

/// Checks what stands on stdin, as if it stood in the configuration file.
pub(crate) fn check_stdin(desk: &Desk) -> Result<CheckedFile, Failure> {
    let most = u64::try_from(FILE_BYTES).expect("the limit is far below 2^64") + 1;
    let mut bytes = Vec::new();
    io::stdin()
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Input(format!("cannot read stdin: {error}")))?;
    let checked = daemon::check_text(&bytes, &desk.config.path, &machine(desk)?);
    Ok(checked_file(&bytes, "(stdin)".to_owned(), checked))
}

fn checked_file(bytes: &[u8], name: String, checked: daemon::Checked) -> CheckedFile {
    let daemon::Checked { verdict, secrets } = checked;
    let agents = verdict.config.iter().flat_map(|config| &config.agents);
    CheckedFile {
        name,
        text: blotted(&String::from_utf8_lossy(bytes), &secrets),
        agents: agents.map(|agent| agent.name.to_string()).collect(),
        problems: verdict.problems,
        counts: verdict.counts,
    }
}

/// Returns the names of the known agents whose commands are on `PATH`.
pub(crate) fn known_agents(desk: &Desk) -> Vec<&'static str> {
    let presets = machine(desk).map(|machine| machine.known_agents());
    presets
        .unwrap_or_default()
        .into_iter()
        .map(|preset| preset.name)
        .collect()
}

fn machine(desk: &Desk) -> Result<daemon::Machine, Failure> {
    let executable = std::env::current_exe()
        .map_err(|error| Failure::Input(format!("cannot find this program's own file: {error}")))?;
    Ok(daemon::Machine {
        executable,
        home: desk.home.clone(),
        running: None,
    })
}

/// Returns the text with stars in the place of secrets, character by character, so that columns stay.
fn blotted(text: &str, secrets: &[Range<usize>]) -> String {
    let mut secrets: Vec<&Range<usize>> = secrets.iter().collect();
    secrets.sort_by_key(|secret| secret.start);
    let mut secrets = secrets.into_iter().peekable();
    let mut hidden_until = 0;
    text.char_indices()
        .map(|(at, symbol)| {
            while let Some(secret) = secrets.next_if(|secret| secret.start <= at) {
                hidden_until = hidden_until.max(secret.end);
            }
            if at < hidden_until && symbol != '\n' {
                '*'
            } else {
                symbol
            }
        })
        .collect()
}
