//! Agents of others, in versions that were tried: how to install one into a cache folder, and how to start it with a
//! model server of the tests and a home of its own. What cannot be had is said, with the reason; nothing panics.

mod install;
mod launch;

use std::path::{Path, PathBuf};

pub use install::install;
pub use launch::Launch;

/// Name of the environment variable with the cache folder; without it `target/real-agents` is used.
pub const CACHE_VARIABLE: &str = "PUPITRE_AGENTS_CACHE";

/// Names the agents that tests are to run: `1` for those of [`RealAgent::small`], `all`, or names with commas between.
pub const WANTED_VARIABLE: &str = "PUPITRE_REAL_AGENTS";

/// Installs an agent, if it is wanted and can be had.
///
/// # Errors
///
/// The sentence that says why it is not there, for whoever skips a test.
pub fn obtain(agent: RealAgent) -> Result<(), String> {
    let wanted = std::env::var(WANTED_VARIABLE).unwrap_or_default();
    let is_wanted = match wanted.as_str() {
        "" | "0" => false,
        "1" => RealAgent::small().any(|small| small == agent),
        "all" => true,
        names => names.split(',').any(|name| name == agent.name()),
    };
    if !is_wanted {
        return Err(format!("{}: not in {WANTED_VARIABLE}={wanted:?}", agent.name()));
    }
    install(agent, &cache_folder())
        .map(drop)
        .map_err(|reason| reason.to_string())
}

/// An agent of others.
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
pub(crate) enum Package {
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

    /// Returns the agents that are small enough for every run: the others take hundreds of megabytes.
    pub fn small() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|agent| match agent {
            Self::TypeScriptExample | Self::PythonEcho | Self::Codex => true,
            Self::Claude | Self::Gemini | Self::OpenCode | Self::Qwen => false,
        })
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

    pub(crate) fn package(self) -> Package {
        match self {
            Self::TypeScriptExample => Package::Npm {
                name: "@agentclientprotocol/sdk",
                version: "0.28.1",
            },
            Self::PythonEcho => Package::PythonWithExamples {
                name: "agent-client-protocol",
                version: "0.12.1",
            },
            Self::Codex => Package::Npm {
                name: "@zed-industries/codex-acp",
                version: "0.16.0",
            },
            Self::Claude => Package::Npm {
                name: "@agentclientprotocol/claude-agent-acp",
                version: "0.49.0",
            },
            Self::Gemini => Package::Npm {
                name: "@google/gemini-cli",
                version: "0.61.0",
            },
            Self::OpenCode => Package::Npm {
                name: "opencode-ai",
                version: "1.18.33",
            },
            Self::Qwen => Package::Npm {
                name: "@qwen-code/qwen-code",
                version: "0.15.10",
            },
        }
    }

    /// Returns the folder of this version of the agent below `cache`.
    pub fn folder(self, cache: &Path) -> PathBuf {
        let version = match self.package() {
            Package::Npm { version, .. } | Package::PythonWithExamples { version, .. } => version,
        };
        cache.join(format!("{}-{version}", self.name()))
    }
}

/// Returns the cache folder: `PUPITRE_AGENTS_CACHE`, else `target/real-agents` of the project.
pub fn cache_folder() -> PathBuf {
    match std::env::var_os(CACHE_VARIABLE) {
        Some(folder) => PathBuf::from(folder),
        None => crate::fixtures::project().join("target/real-agents"),
    }
}
