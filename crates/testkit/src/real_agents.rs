//! Agents of others, in versions that were tried: how to install one into a cache folder, and how to start it with a
//! model server of the tests and a home of its own, over ACP or on a terminal. What cannot be had is said, with the
//! reason; nothing panics.

mod install;
mod launch;
mod terminal;

use std::path::{Path, PathBuf};

pub use install::install;
pub use launch::Launch;
pub use terminal::{Surroundings, TerminalAgent};

/// Name of the environment variable with the cache folder; without it `target/real-agents` is used.
pub const CACHE_VARIABLE: &str = "PUPITRE_AGENTS_CACHE";

/// Names the agents that tests are to run: `1` for those of every run, `all`, or names with commas between.
pub const WANTED_VARIABLE: &str = "PUPITRE_REAL_AGENTS";

/// Installs an agent, if it is wanted and can be had.
///
/// # Errors
///
/// The sentence that says why it is not there, for whoever skips a test.
pub fn obtain(agent: impl Into<AgentPackage>) -> Result<(), String> {
    let package = agent.into();
    let wanted = std::env::var(WANTED_VARIABLE).unwrap_or_default();
    let is_wanted = match wanted.as_str() {
        "" | "0" => false,
        "1" => package.runs == Runs::Always,
        "all" => true,
        names => names.split(',').any(|name| name == package.name),
    };
    if !is_wanted {
        return Err(format!("{}: not in {WANTED_VARIABLE}={wanted:?}", package.name));
    }
    install(package, &cache_folder())
        .map(drop)
        .map_err(|reason| reason.to_string())
}

/// What is installed of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentPackage {
    /// The name among those that are wanted, and of the folder.
    name: &'static str,
    source: Source,
    runs: Runs,
}

/// When the tests of an agent run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// Whenever real agents are wanted at all.
    Always,
    /// When it is named, or `all` are wanted.
    WhenNamed,
}

impl AgentPackage {
    /// Returns the package of this name, of agents over ACP and on a terminal.
    pub fn named(name: &str) -> Option<Self> {
        let terminal = TerminalAgent::ALL.into_iter().map(Self::from);
        let mut all = RealAgent::ALL.into_iter().map(Self::from).chain(terminal);
        all.find(|package| package.name == name)
    }

    pub fn name(self) -> &'static str {
        self.name
    }

    /// Returns the folder of this version below `cache`.
    pub fn folder(self, cache: &Path) -> PathBuf {
        let version = match self.source {
            Source::Npm { version, .. } | Source::PythonWithExamples { version, .. } => version,
        };
        cache.join(format!("{}-{version}", self.name))
    }
}

impl From<RealAgent> for AgentPackage {
    fn from(agent: RealAgent) -> Self {
        Self {
            name: agent.name(),
            source: agent.source(),
            runs: agent.runs(),
        }
    }
}

/// An agent of others that speaks ACP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RealAgent {
    /// The example of the TypeScript SDK: a turn of 5 s with a permission request, without a model.
    TypeScriptExample,
    /// The example of the Python SDK that says what it hears, without a model.
    PythonEcho,
    Codex,
    Claude,
    Gemini,
    OpenCode,
    Qwen,
}

/// Where an agent comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Npm {
        name: &'static str,
        version: &'static str,
    },
    /// The library, and its source archive for the examples in it.
    PythonWithExamples {
        name: &'static str,
        version: &'static str,
    },
}

/// Why an agent cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    #[error("{agent}: {program} cannot be started: {source}")]
    NoProgram {
        agent: &'static str,
        program: &'static str,
        source: std::io::Error,
    },
    #[error("{agent}: {program} failed ({status}): {last_words}")]
    Failed {
        agent: &'static str,
        program: &'static str,
        status: std::process::ExitStatus,
        last_words: String,
    },
    #[error("{agent}: {path} cannot be used: {source}", path = path.display())]
    Folder {
        agent: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{agent}: installed, but {path} is not there", path = path.display())]
    Incomplete { agent: &'static str, path: PathBuf },
    #[error("{agent}: not installed in {path}", path = path.display())]
    NotInstalled { agent: &'static str, path: PathBuf },
}

impl RealAgent {
    pub const ALL: [Self; 7] = [
        Self::TypeScriptExample,
        Self::PythonEcho,
        Self::Codex,
        Self::Claude,
        Self::Gemini,
        Self::OpenCode,
        Self::Qwen,
    ];

    /// Says which are small enough for every run: the others take hundreds of megabytes.
    fn runs(self) -> Runs {
        match self {
            Self::TypeScriptExample | Self::PythonEcho | Self::Codex => Runs::Always,
            Self::Claude | Self::Gemini | Self::OpenCode | Self::Qwen => Runs::WhenNamed,
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// Returns the name, which is also the one in the transcripts.
    pub fn name(self) -> &'static str {
        match self {
            Self::TypeScriptExample => "tsdk",
            Self::PythonEcho => "pyecho",
            Self::Codex => "codexz",
            Self::Claude => "claude",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Qwen => "qwen",
        }
    }

    fn source(self) -> Source {
        match self {
            Self::TypeScriptExample => Source::Npm {
                name: "@agentclientprotocol/sdk",
                version: "0.28.1",
            },
            Self::PythonEcho => Source::PythonWithExamples {
                name: "agent-client-protocol",
                version: "0.12.1",
            },
            Self::Codex => Source::Npm {
                name: "@zed-industries/codex-acp",
                version: "0.16.0",
            },
            Self::Claude => Source::Npm {
                name: "@agentclientprotocol/claude-agent-acp",
                version: "0.49.0",
            },
            Self::Gemini => Source::Npm {
                name: "@google/gemini-cli",
                version: "0.61.0",
            },
            Self::OpenCode => Source::Npm {
                name: "opencode-ai",
                version: "1.18.33",
            },
            Self::Qwen => Source::Npm {
                name: "@qwen-code/qwen-code",
                version: "0.15.10",
            },
        }
    }
}

/// Returns the cache folder: `PUPITRE_AGENTS_CACHE`, else `target/real-agents` of the project.
pub fn cache_folder() -> PathBuf {
    match std::env::var_os(CACHE_VARIABLE) {
        Some(folder) => PathBuf::from(folder),
        None => crate::fixtures::project().join("target/real-agents"),
    }
}
