//! The configuration file: found, read, watched, written; and what is in force.
//!
//! One task owns it. What the text means is decided in `model`; what the agents make of a change is in `agents.rs`.
//! The command line uses `check`, `create` and `discover` without a daemon.

mod agents;
mod browse;
mod file;
mod machine;
mod obstacle;
mod recent;
mod save;
mod task;
mod watch;

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pupitre_model::config::{Config, Counts, FILE_BYTES, Verdict, sentence};
use pupitre_protocol::RpcError;
use pupitre_protocol::configuration::{
    ChannelView, ConfigContentReply, ConfigKnownReply, ConfigRecentReply, ConfigSaveParams, ConfigSaveReply,
    ConfigSource, ConfigValidateReply, ConfigView, Problem, ProblemCause,
};
use tokio::sync::{mpsc, oneshot, watch as latest};

pub(crate) use agents::Agents;
pub(crate) use browse::browse;
pub use file::{Found, create, discover};
pub use machine::{Checked, Machine, check, check_text};
pub use obstacle::{Obstacle, Standing, standing};
pub(crate) use task::{ConfigTask, Loaded, Surroundings};

/// Why there is no configuration file to hold.
#[derive(Debug, thiserror::Error)]
pub enum ConfigurationError {
    #[error("the configuration file {}, which {named_by} names, does not exist", path.display())]
    Missing { path: PathBuf, named_by: &'static str },
    #[error("the configuration file cannot be used: {0}")]
    Obstructed(#[from] Obstacle),
    #[error("the configuration file {}: {source}", path.display())]
    System { path: PathBuf, source: io::Error },
}

/// The configuration that is in force, and how its file is.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    /// As it was named.
    pub(crate) path: PathBuf,
    /// With links resolved, as it was when it was opened: conversations belong to it.
    pub(crate) canonical: PathBuf,
    pub(crate) source: ConfigSource,
    pub(crate) created: bool,
    /// The last one that was valid, or the defaults without any agent.
    pub(crate) config: Arc<Config>,
    /// Whether the file is valid as it is now.
    pub(crate) valid: bool,
    /// Problems and warnings of the file as it is now.
    pub(crate) problems: Vec<Problem>,
}

impl Held {
    pub(crate) fn view(&self) -> ConfigView {
        let (warnings, problems) = self.problems.iter().cloned().partition(|problem| problem.warning);
        ConfigView {
            path: self.path.display().to_string(),
            source: self.source,
            created: self.created,
            valid: self.valid,
            problems,
            warnings,
            theme: self.config.theme,
            language: self.config.language,
            max_running_agents: u32::try_from(self.config.limits.running_agents)
                .expect("the file allows 64 at most"),
            channels: self.channels(),
        }
    }

    pub(crate) fn channels(&self) -> Vec<ChannelView> {
        let channels = self.config.channels.iter();
        channels
            .map(|channel| ChannelView {
                name: channel.name.clone(),
                title: channel.title.clone(),
                agents: channel.agents.clone(),
            })
            .collect()
    }

    /// Returns the first thing that keeps the file from being used.
    pub(crate) fn error(&self) -> Option<String> {
        first_problem(&self.problems)
    }
}

/// Returns where the first problem is, and what; warnings are none.
fn first_problem(problems: &[Problem]) -> Option<String> {
    let problem = problems.iter().find(|problem| !problem.warning)?;
    let Problem {
        line,
        column,
        message,
        cause: _,
        warning: _,
    } = problem;
    Some(format!("line {line}, column {column}: {message}"))
}

type Answer<Reply> = Result<Reply, RpcError>;
type Respond<Reply> = oneshot::Sender<Answer<Reply>>;

/// What is asked of the task.
pub(crate) enum ConfigRequest {
    /// Answered once the file and what it names were looked at.
    Look(Respond<()>),
    Content(Respond<ConfigContentReply>),
    Validate(String, Respond<ConfigValidateReply>),
    Save(ConfigSaveParams, Respond<ConfigSaveReply>),
    Open(PathBuf, Respond<ConfigView>),
    Recent(Respond<ConfigRecentReply>),
    Known(Respond<ConfigKnownReply>),
}

/// Reaches the task; what is in force is known without asking.
#[derive(Debug, Clone)]
pub(crate) struct ConfigHandle {
    requests: mpsc::UnboundedSender<ConfigRequest>,
    held: latest::Receiver<Arc<Held>>,
}

impl std::fmt::Debug for ConfigRequest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("ConfigRequest")
    }
}

impl ConfigHandle {
    /// Returns what is in force now.
    pub(crate) fn held(&self) -> Arc<Held> {
        Arc::clone(&self.held.borrow())
    }

    /// Asks the task, and waits for its answer.
    pub(crate) async fn ask<Reply>(
        &self,
        request: impl FnOnce(Respond<Reply>) -> ConfigRequest,
    ) -> Answer<Reply> {
        let gone = || {
            RpcError::new(
                pupitre_protocol::ErrorKind::ShuttingDown,
                "the daemon is shutting down",
            )
        };
        let (respond, answer) = oneshot::channel();
        self.requests.send(request(respond)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

/// What came of a look at the file.
#[derive(Debug)]
struct Look {
    content: Content,
    verdict: Verdict,
}

/// What stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Bytes(Vec<u8>),
    /// Why nothing could be read.
    Unreadable(ProblemCause),
}

/// Returns the files that were opened in the program, as this state folder remembers them.
pub fn recent_files(state_folder: &Path) -> ConfigRecentReply {
    ConfigRecentReply(recent::Recent::in_folder(state_folder).view())
}

/// Reads a configuration file, and no more of it than shows that it is too large.
///
/// # Errors
///
/// When it cannot be read, or is a pipe, a device or a folder.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let no_file = || io::Error::other("it is no regular file");
    if !std::fs::metadata(path)?.is_file() {
        return Err(no_file());
    }
    // What took its place meanwhile may be a pipe, and opening one would wait for whoever writes into it.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(no_file());
    }
    let mut bytes = Vec::new();
    let most = u64::try_from(FILE_BYTES).expect("the limit is far below 2^64") + 1;
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read(path: &Path) -> Content {
    match read_file(path) {
        Ok(bytes) => Content::Bytes(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Content::Unreadable(ProblemCause::FileGone),
        Err(error) => unreadable(&error),
    }
}

fn unreadable(error: &dyn std::error::Error) -> Content {
    Content::Unreadable(ProblemCause::FileUnreadable {
        error: error.to_string(),
    })
}

/// Judges what stands in the file; that nothing could be read is a problem at its beginning.
fn judge(content: Content, path: &Path, machine: &Machine) -> Look {
    let verdict = match &content {
        Content::Bytes(bytes) => check(bytes, path, machine).verdict,
        Content::Unreadable(cause) => Verdict {
            config: None,
            problems: vec![Problem {
                line: 1,
                column: 1,
                message: sentence(cause),
                cause: Some(cause.clone()),
                warning: false,
            }],
            counts: Counts {
                problems: 1,
                warnings: 0,
            },
        },
    };
    Look { content, verdict }
}
