//! The daemon that a command talks to: where it is, with which configuration, found or started.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use pupitre_client::location::CONFIG_VARIABLE;
use pupitre_client::{Client, ConnectError, Environment, Location, check_identity};
use pupitre_protocol::AgentName;
use pupitre_protocol::method::{agent, system};
use pupitre_protocol::system::{Empty, IdentifyReply};

use crate::failure::Failure;
use crate::launch;
use crate::output::Output;

const CONFIG_FILE: &str = "pupitre.toml";

/// Where the daemon is, and the configuration that a new one would get.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) location: Location,
    pub(crate) config: ConfigChoice,
    pub(crate) home: PathBuf,
}

/// A configuration file, and who named it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfigChoice {
    /// Absolute.
    pub(crate) path: PathBuf,
    pub(crate) source: ConfigSource,
}

/// Who named the configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConfigSource {
    /// `--config`.
    Flag,
    /// `PUPITRE_CONFIG`.
    Environment,
    /// Nobody: it is where it always is.
    Default,
}

impl ConfigSource {
    /// Returns the word of `--config-source`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Default => "default",
        }
    }
}

impl Desk {
    /// Returns the desk of this process. `config` is what `--config` gave.
    pub(crate) fn of_process(config: Option<&Path>) -> Result<Self, Failure> {
        let variable = |name: &str| std::env::var_os(name);
        let environment = Environment {
            variable: &variable,
            home: std::env::home_dir(),
        };
        Self::new(&environment, config)
    }

    fn new(environment: &Environment<'_>, config: Option<&Path>) -> Result<Self, Failure> {
        Ok(Self {
            location: environment.location()?,
            config: choose_config(environment, config)?,
            home: environment.home()?.to_owned(),
        })
    }

    /// Connects to the daemon that runs.
    pub(crate) fn find(&self) -> Result<Client, Failure> {
        let (client, identity) = self.find_with_any_configuration()?;
        self.check_configuration(&identity)?;
        Ok(client)
    }

    /// Connects to the daemon that runs, whatever configuration it holds: to say so, or to have it hold another one.
    pub(crate) fn find_with_any_configuration(&self) -> Result<(Client, IdentifyReply), Failure> {
        let mut client = Client::connect(&self.location.socket)?;
        let identity = client.call::<system::Identify>(&Empty {})?;
        check_identity(&identity)?;
        Ok((client, identity))
    }

    /// Connects to the daemon, and starts it in the background when none runs.
    pub(crate) fn find_or_start(&self, output: &mut Output) -> Result<Client, Failure> {
        match self.find() {
            Err(Failure::NoDaemon) => {
                output.progress("starting the daemon…")?;
                launch::start_in_background(self)?;
                self.find()
            }
            outcome => outcome,
        }
    }

    /// Connects to the daemon that runs, whatever protocol it speaks: to stop it. Only a flag claims a configuration here:
    /// whoever has a variable set for another one must be able to stop this one.
    pub(crate) fn find_of_any_protocol(&self) -> Result<Client, Failure> {
        let mut client = Client::connect(&self.location.socket)?;
        if self.config.source == ConfigSource::Flag {
            let identity = client.call::<system::Identify>(&Empty {})?;
            self.check_configuration(&identity)?;
        }
        Ok(client)
    }

    /// Opens another connection to the daemon that was found.
    pub(crate) fn connect_again(&self) -> Result<Client, Failure> {
        Client::connect(&self.location.socket).map_err(|error| match error {
            ConnectError::NoDaemon { .. } => Failure::DaemonGone,
            other => Failure::Connect(other),
        })
    }

    /// A daemon holds one configuration: whoever names another one must be told.
    fn check_configuration(&self, daemon: &IdentifyReply) -> Result<(), Failure> {
        let named_by = match self.config.source {
            ConfigSource::Default => return Ok(()),
            ConfigSource::Environment => CONFIG_VARIABLE,
            ConfigSource::Flag => "--config",
        };
        let held = PathBuf::from(&daemon.config_path);
        let wanted = self.config.path.clone();
        if canonical(&held) == canonical(&wanted) {
            Ok(())
        } else {
            Err(Failure::OtherConfiguration {
                held,
                wanted,
                named_by,
            })
        }
    }
}

/// Returns the agent with this name. A text that can be no agent's name is not found either, and what exists is named.
pub(crate) fn agent_named(client: &mut Client, name: &str) -> Result<AgentName, Failure> {
    if let Ok(name) = name.parse() {
        return Ok(name);
    }
    let agents = client.call::<agent::List>(&Empty {})?.agents;
    Err(Failure::NoSuchTarget {
        what: "agent",
        name: name.to_owned(),
        candidates: agents.into_iter().map(|agent| agent.name.to_string()).collect(),
    })
}

/// Returns the path as UTF-8, which is all that JSON can carry.
pub(crate) fn utf8(path: PathBuf) -> Result<String, Failure> {
    path.into_os_string().into_string().map_err(|path| {
        Failure::Input(format!(
            "the path {} is no UTF-8, and cannot be sent",
            path.display()
        ))
    })
}

/// Returns the path without symbolic links, or as it is where nothing is there.
fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The order of the configuration page, Where it is.
fn choose_config(environment: &Environment<'_>, flag: Option<&Path>) -> Result<ConfigChoice, Failure> {
    if let Some(path) = flag {
        return Ok(ConfigChoice {
            path: absolute(path)?,
            source: ConfigSource::Flag,
        });
    }
    if let Some(path) = environment.value(CONFIG_VARIABLE) {
        return Ok(ConfigChoice {
            path: absolute(Path::new(&path))?,
            source: ConfigSource::Environment,
        });
    }
    let path = environment.config_folder()?.join(CONFIG_FILE);
    Ok(ConfigChoice {
        path,
        source: ConfigSource::Default,
    })
}

/// Returns the path as seen from this process's folder; the daemon's own is another one.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|error| Failure::Input(format!("cannot use the path {}: {error}", path.display())))
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsString;

    use pupitre_protocol::Epoch;

    use super::*;

    fn desk(variables: &[(&str, &str)], flag: Option<&str>) -> Desk {
        let variable = |name: &str| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        };
        let environment = Environment {
            variable: &variable,
            home: Some(PathBuf::from("/home/ada")),
        };
        Desk::new(&environment, flag.map(Path::new)).expect("a desk")
    }

    #[test]
    fn the_configuration_is_named_by_flag_then_environment_then_nobody() {
        let check = |variables: &[(&str, &str)], flag, path: &str, source| {
            assert_eq!(
                desk(variables, flag).config,
                ConfigChoice {
                    path: PathBuf::from(path),
                    source
                }
            );
        };
        check(
            &[],
            None,
            "/home/ada/.config/pupitre/pupitre.toml",
            ConfigSource::Default,
        );
        check(
            &[("XDG_CONFIG_HOME", "/etc/ada")],
            None,
            "/etc/ada/pupitre/pupitre.toml",
            ConfigSource::Default,
        );
        check(
            &[("PUPITRE_CONFIG", "/a.toml")],
            None,
            "/a.toml",
            ConfigSource::Environment,
        );
        check(
            &[("PUPITRE_CONFIG", "")],
            None,
            "/home/ada/.config/pupitre/pupitre.toml",
            ConfigSource::Default,
        );
        check(
            &[("PUPITRE_CONFIG", "/a.toml")],
            Some("/b.toml"),
            "/b.toml",
            ConfigSource::Flag,
        );
        let relative = desk(&[], Some("c.toml")).config.path;
        assert_eq!(
            relative,
            std::env::current_dir().expect("a folder").join("c.toml")
        );
    }

    #[test]
    fn another_configuration_than_the_daemons_is_an_error_that_names_both() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = folder.path().join("held.toml");
        std::fs::write(&held, "").expect("a file");
        let link = folder.path().join("link.toml");
        std::os::unix::fs::symlink(&held, &link).expect("a link");
        let daemon = IdentifyReply {
            name: "pupitre".to_owned(),
            version: "1".to_owned(),
            protocol: 1,
            epoch: Epoch("e".to_owned()),
            pid: 1,
            started_at: 0,
            config_path: held.to_str().expect("UTF-8").to_owned(),
            config_error: None,
            log_path: String::new(),
            home: String::new(),
        };
        desk(&[], link.to_str())
            .check_configuration(&daemon)
            .expect("the same file by another name");
        desk(&[], None)
            .check_configuration(&daemon)
            .expect("nobody names a file");
        for (desk, named_by) in [
            (desk(&[("PUPITRE_CONFIG", "/other.toml")], None), "PUPITRE_CONFIG"),
            (desk(&[], Some("/other.toml")), "--config"),
        ] {
            let failure = desk.check_configuration(&daemon).expect_err("another file");
            let sentence = failure.sentence().expect("a sentence");
            for word in ["held.toml", "/other.toml", named_by] {
                assert!(sentence.contains(word), "{word}: {sentence}");
            }
        }
    }
}
