//! The runtime: the hub, the agents, their conversations and history, and the socket.
//!
//! One entry, [`serve`]; everything it needs of the world comes in as [`Options`].

mod agent;
mod clock;
pub mod configuration;
mod history;
mod http;
mod hub;
mod logging;
mod pane;
mod process;
mod rpc;
mod serve;
mod surface;
mod tasks;

use std::path::PathBuf;

pub use serve::{ServeError, serve};

/// What a daemon is started with.
pub struct Options {
    pub socket: PathBuf,
    /// Where logs and conversations are kept.
    pub state_folder: PathBuf,
    pub config: ConfigChoice,
    pub home: PathBuf,
    /// This program, which is started again as guard and as demo agent.
    pub executable: PathBuf,
    pub log_to: LogTarget,
    /// The port of the page, instead of the one in the configuration; 0 takes the one of the last time, or any.
    pub port: Option<u16>,
    /// The program's version.
    pub version: &'static str,
    /// Called once the socket answers.
    pub ready: Box<dyn FnOnce() + Send>,
}

/// Which configuration file is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigChoice {
    pub path: PathBuf,
    pub source: ConfigSource,
}

/// Who chose the configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigSource {
    /// `--config`; a missing file is an error.
    Flag,
    /// `PUPITRE_CONFIG`; a missing file is an error.
    Environment,
    /// The default place; a missing file is made, with the demo agent in it.
    Default,
}

/// Where the log goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogTarget {
    StderrAndFile,
    File,
}
