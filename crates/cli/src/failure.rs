//! Why a command fails, and the exit code and the one sentence that this becomes at the edge.

use std::io;
use std::path::PathBuf;

use pupitre_client::{CallError, ConnectError, Incompatible, LocationError, StreamError};
use pupitre_protocol::{AgentName, ErrorKind, ExitCode, RpcError};

use crate::launch::LaunchError;

/// Everything that ends a command without success.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Location(#[from] LocationError),
    #[error("no daemon runs; start it with `pupitre`")]
    NoDaemon,
    #[error(transparent)]
    Connect(ConnectError),
    #[error(transparent)]
    Incompatible(#[from] Incompatible),
    #[error(
        "the daemon holds the configuration {}, and {named_by} names {}; `pupitre stop` ends it, `pupitre config open` has it hold another file",
        held.display(), wanted.display()
    )]
    OtherConfiguration {
        held: PathBuf,
        wanted: PathBuf,
        named_by: &'static str,
    },
    #[error(transparent)]
    Launch(#[from] LaunchError),
    #[error("{}", sentence_of(.0, None))]
    Call(#[source] CallError),
    /// What was asked concerns this agent.
    #[error("{}", sentence_of(error, Some(agent)))]
    CallAbout {
        agent: AgentName,
        #[source]
        error: CallError,
    },
    #[error("{}", stream_sentence(.0))]
    Stream(#[source] StreamError),
    #[error("the daemon went away; `pupitre` starts it again")]
    DaemonGone,
    #[error("the daemon went away during the answer; `pupitre chat show {agent}` shows what was kept")]
    DaemonGoneInTurn { agent: String },
    /// The target cannot be one, so the daemon was not asked for it.
    #[error("there is no {what} \"{name}\"{}", list_of(.candidates))]
    NoSuchTarget {
        what: &'static str,
        name: String,
        candidates: Vec<String>,
    },
    /// The arguments contradict each other.
    #[error("{0}")]
    Usage(String),
    /// What the person gave cannot be used.
    #[error("{0}")]
    Input(String),
    #[error("the turn did not end well: {reason}")]
    Turn { reason: String },
    #[error("cannot listen for Ctrl-C: {0}")]
    Signals(#[source] io::Error),
    #[error("{0}")]
    Serve(String),
    /// Said already, to whoever started this.
    #[error("")]
    Reported,
    #[error("interrupted")]
    Interrupted,
    #[error("cannot write the output: {0}")]
    Output(#[source] io::Error),
}

impl Failure {
    /// Returns what makes a failure of a call that concerns this agent, so that advice names it.
    pub(crate) fn about(agent: &AgentName) -> impl FnOnce(CallError) -> Self {
        let agent = agent.clone();
        move |error| Self::CallAbout { agent, error }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Call(CallError::Rpc(error))
            | Self::CallAbout {
                agent: _,
                error: CallError::Rpc(error),
            }
            | Self::Stream(StreamError::Call(CallError::Rpc(error))) => error.exit_code(),
            Self::NoSuchTarget { .. } => ExitCode::Target,
            Self::Usage(_) => ExitCode::Usage,
            Self::Interrupted => ExitCode::Interrupted,
            Self::Location(_)
            | Self::NoDaemon
            | Self::Connect(_)
            | Self::Incompatible(_)
            | Self::OtherConfiguration { .. }
            | Self::Launch(_)
            | Self::Call(_)
            | Self::CallAbout { .. }
            | Self::Stream(_)
            | Self::DaemonGone
            | Self::DaemonGoneInTurn { .. }
            | Self::Input(_)
            | Self::Turn { .. }
            | Self::Signals(_)
            | Self::Serve(_)
            | Self::Reported
            | Self::Output(_) => ExitCode::Failure,
        }
    }

    /// Returns what is said on stderr, when there is something to say.
    pub(crate) fn sentence(&self) -> Option<String> {
        match self {
            Self::Reported | Self::Interrupted => None,
            // Whoever read the output has seen enough, `head` for example.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => None,
            other => Some(other.to_string()),
        }
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::NoDaemon { .. } => Self::NoDaemon,
            other => Self::Connect(other),
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl From<StreamError> for Failure {
    fn from(error: StreamError) -> Self {
        Self::Stream(error)
    }
}

impl From<io::Error> for Failure {
    /// Only what is printed gives bare errors of the system; everything else has an error of its own.
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

fn stream_sentence(error: &StreamError) -> String {
    match error {
        StreamError::Call(error) => sentence_of(error, None),
        StreamError::BadFrame { .. } | StreamError::Read(_) => error.to_string(),
    }
}

fn sentence_of(error: &CallError, agent: Option<&AgentName>) -> String {
    match error {
        CallError::Rpc(error) => rpc_sentence(error, agent),
        CallError::TooLarge { .. } => format!("{error}; send less, or attach a file"),
        CallError::Disconnected { .. } => format!("{error}; `pupitre` starts it again"),
        CallError::BadReply { .. } => {
            format!("{error}; restart the daemon with `pupitre stop` and then `pupitre`")
        }
        CallError::Read(_) | CallError::Write(_) => error.to_string(),
    }
}

/// Returns the daemon's sentence, with what exists and what to do when it does not say so itself.
fn rpc_sentence(error: &RpcError, agent: Option<&AgentName>) -> String {
    // What an agent wrote before it failed follows the reason, line by line.
    let mut lines = error.message.lines();
    let mut sentence = lines.next().unwrap_or_default().to_owned();
    let wrote = if lines.next().is_some() {
        Wrote::Something
    } else {
        Wrote::Nothing
    };
    let candidates = error
        .data
        .as_ref()
        .and_then(|data| data.candidates.as_deref())
        .unwrap_or_default();
    if !candidates
        .iter()
        .all(|candidate| sentence.contains(candidate.as_str()))
    {
        sentence.push_str(&list_of(candidates));
    }
    let advice = error
        .kind()
        .and_then(|kind| what_to_do(kind, wrote, agent.map(AgentName::as_str)));
    match advice {
        Some(advice) if !sentence.contains("`pupitre") => format!("{sentence}; {advice}"),
        Some(_) | None => sentence,
    }
}

fn list_of(candidates: &[String]) -> String {
    match candidates {
        [] => String::new(),
        [only] => format!("; there is only {only}"),
        several => format!("; there are {}", several.join(", ")),
    }
}

/// Whether an agent that did not start wrote anything to its log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrote {
    Something,
    Nothing,
}

/// Returns advice; `agent` is the one that the call was about.
fn what_to_do(kind: ErrorKind, wrote: Wrote, agent: Option<&str>) -> Option<String> {
    let name = agent.unwrap_or("NAME");
    let advice = match kind {
        ErrorKind::StartFailed => {
            return (wrote == Wrote::Something)
                .then(|| format!("`pupitre agents logs {name}` shows what the agent wrote"));
        }
        ErrorKind::NotRunning => return Some(format!("`pupitre agents start {name}` starts it")),
        ErrorKind::NoSession => return Some(format!("`pupitre chat send {name} TEXT` sends it one")),
        ErrorKind::TurnRunning => {
            return Some(format!("wait for its end, or `pupitre chat cancel {name}`"));
        }
        ErrorKind::QueueFull => {
            return Some(format!("wait for an answer, or `pupitre chat cancel {name}`"));
        }
        ErrorKind::UnknownMethod => Some("the daemon may be older: `pupitre stop`, then `pupitre`"),
        // Another one than the agent that was asked for.
        ErrorKind::TooManyAgents => Some("`pupitre agents stop NAME` makes room"),
        ErrorKind::AlreadyAnswered => Some("`pupitre chat permissions` lists what is open"),
        ErrorKind::TooManyConnections | ErrorKind::Timeout => Some("try again"),
        ErrorKind::ShuttingDown => Some("try again when it is gone"),
        ErrorKind::Internal | ErrorKind::HistoryUnavailable => Some("the daemon's log says more"),
        ErrorKind::NoDisplay => Some("`pupitre config open FILE` opens one"),
        ErrorKind::SurfaceClosed
        | ErrorKind::ProgramEnded
        | ErrorKind::Asks
        | ErrorKind::TargetErrored
        | ErrorKind::TooManySurfaces
        | ErrorKind::ReadOnly
        | ErrorKind::FileError
        | ErrorKind::ParseError
        | ErrorKind::InvalidRequest
        | ErrorKind::TooLarge
        | ErrorKind::InvalidParams
        | ErrorKind::EmptyMessage
        | ErrorKind::ForeignUser
        | ErrorKind::GateClosed
        | ErrorKind::NotFromInside
        | ErrorKind::NotFound
        | ErrorKind::Ambiguous
        | ErrorKind::StartCancelled
        | ErrorKind::NotQueued
        | ErrorKind::NotSupported
        | ErrorKind::AuthRequired
        | ErrorKind::AgentError => None,
    };
    advice.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(error: RpcError, code: ExitCode, sentence: &str) {
        let failure = Failure::from(CallError::Rpc(Box::new(error)));
        assert_eq!(failure.exit_code(), code);
        assert_eq!(failure.sentence().as_deref(), Some(sentence));
    }

    #[test]
    fn the_daemons_errors_become_exit_codes_and_one_sentence() {
        let names = || vec!["demo".to_owned(), "codex".to_owned()];
        check(
            RpcError::new(ErrorKind::NotFound, "there is no agent \"x\"").with_candidates(names()),
            ExitCode::Target,
            "there is no agent \"x\"; there are demo, codex",
        );
        check(
            RpcError::new(ErrorKind::NotFound, "no agent \"x\": there are demo and codex")
                .with_candidates(names()),
            ExitCode::Target,
            "no agent \"x\": there are demo and codex",
        );
        check(
            RpcError::new(ErrorKind::StartFailed, "exited with code 3\nlast words"),
            ExitCode::Failure,
            "exited with code 3; `pupitre agents logs NAME` shows what the agent wrote",
        );
        check(
            RpcError::new(ErrorKind::Timeout, "too long"),
            ExitCode::Timeout,
            "too long; try again",
        );
        let unknown = RpcError {
            code: -32099,
            message: "something new".to_owned(),
            data: None,
        };
        check(unknown, ExitCode::Failure, "something new");
    }

    #[test]
    fn advice_names_the_agent_that_the_call_was_about() {
        let agent: AgentName = "gemini".parse().expect("a name");
        for (kind, message, expected) in [
            (
                ErrorKind::StartFailed,
                "exited with code 3\nlast words",
                "exited with code 3; `pupitre agents logs gemini` shows what the agent wrote",
            ),
            // What could not be run has written nothing.
            (ErrorKind::StartFailed, "not on PATH", "not on PATH"),
            (
                ErrorKind::NotRunning,
                "it rests",
                "it rests; `pupitre agents start gemini` starts it",
            ),
            (
                ErrorKind::NoSession,
                "there is none",
                "there is none; `pupitre chat send gemini TEXT` sends it one",
            ),
            (
                ErrorKind::TurnRunning,
                "busy",
                "busy; wait for its end, or `pupitre chat cancel gemini`",
            ),
            (
                ErrorKind::QueueFull,
                "full",
                "full; wait for an answer, or `pupitre chat cancel gemini`",
            ),
            (
                ErrorKind::TooManyAgents,
                "too many",
                "too many; `pupitre agents stop NAME` makes room",
            ),
        ] {
            let error = RpcError::new(kind, message);
            let failure = Failure::about(&agent)(CallError::Rpc(Box::new(error.clone())));
            assert_eq!(failure.sentence().as_deref(), Some(expected));
            assert_eq!(failure.exit_code(), error.exit_code());
        }
    }

    #[test]
    fn a_reader_that_has_seen_enough_is_no_error_to_report() {
        let closed = Failure::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(closed.sentence(), None);
        assert!(
            Failure::from(io::Error::from(io::ErrorKind::StorageFull))
                .sentence()
                .is_some()
        );
    }
}
