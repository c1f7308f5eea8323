//! Where things are: the socket, the state folder and the configuration folder, from the environment.
//!
//! The environment comes in as a value, so that every rule can be tested without touching the process's own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The variable that names the socket.
pub const SOCKET_VARIABLE: &str = "PUPITRE_SOCKET_PATH";
/// The variable that names the configuration file.
pub const CONFIG_VARIABLE: &str = "PUPITRE_CONFIG";

const FOLDER: &str = "pupitre";
const SOCKET_FILE: &str = "pupitre.sock";

/// The variables of a process and its home folder.
pub struct Environment<'caller> {
    /// Gives the value of a variable.
    pub variable: &'caller dyn Fn(&str) -> Option<OsString>,
    pub home: Option<PathBuf>,
}

/// Where one daemon is reached and where it keeps what it knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    pub socket: PathBuf,
    /// Logs and the history database.
    pub state_folder: PathBuf,
}

/// Says why no place can be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LocationError {
    #[error("the home folder is unknown; set HOME")]
    NoHome,
    #[error("PUPITRE_SOCKET_PATH must be an absolute path, and is \"{}\"", path.display())]
    RelativeSocket { path: PathBuf },
}

impl Environment<'_> {
    /// Returns where the daemon of this environment is.
    ///
    /// The socket is `PUPITRE_SOCKET_PATH`, else `$XDG_RUNTIME_DIR/pupitre/pupitre.sock`, else
    /// `run/pupitre.sock` in the state folder (protocol page, Socket).
    pub fn location(&self) -> Result<Location, LocationError> {
        let state_folder = self.state_folder()?;
        let socket = self.socket(&state_folder)?;
        Ok(Location { socket, state_folder })
    }

    /// Returns `$XDG_CONFIG_HOME/pupitre`, else `~/.config/pupitre`.
    pub fn config_folder(&self) -> Result<PathBuf, LocationError> {
        Ok(self.base_folder("XDG_CONFIG_HOME", ".config")?.join(FOLDER))
    }

    /// Returns the value of a variable that is set and not empty.
    pub fn value(&self, name: &str) -> Option<OsString> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// Returns the home folder.
    pub fn home(&self) -> Result<&Path, LocationError> {
        self.home.as_deref().ok_or(LocationError::NoHome)
    }

    fn state_folder(&self) -> Result<PathBuf, LocationError> {
        Ok(self.base_folder("XDG_STATE_HOME", ".local/state")?.join(FOLDER))
    }

    fn socket(&self, state_folder: &Path) -> Result<PathBuf, LocationError> {
        if let Some(path) = self.value(SOCKET_VARIABLE).map(PathBuf::from) {
            // A relative one would mean another socket in every folder, and the daemon's own folder is `/`.
            return if path.is_absolute() {
                Ok(path)
            } else {
                Err(LocationError::RelativeSocket { path })
            };
        }
        let folder = match self.absolute("XDG_RUNTIME_DIR") {
            Some(runtime) => runtime.join(FOLDER),
            None => state_folder.join("run"),
        };
        Ok(folder.join(SOCKET_FILE))
    }

    fn base_folder(&self, variable: &str, below_home: &str) -> Result<PathBuf, LocationError> {
        match self.absolute(variable) {
            Some(folder) => Ok(folder),
            None => Ok(self.home()?.join(below_home)),
        }
    }

    /// The XDG base directory specification: a relative path is to be ignored.
    fn absolute(&self, variable: &str) -> Option<PathBuf> {
        self.value(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], home: Option<&str>, expected: Result<(&str, &str), LocationError>) {
        let variable = |name: &str| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        };
        let environment = Environment {
            variable: &variable,
            home: home.map(PathBuf::from),
        };
        let expected = expected.map(|(socket, state)| Location {
            socket: PathBuf::from(socket),
            state_folder: PathBuf::from(state),
        });
        assert_eq!(environment.location(), expected, "{variables:?}");
    }

    #[test]
    fn the_socket_is_where_the_first_rule_says() {
        let home = Some("/home/ada");
        let state = "/home/ada/.local/state/pupitre";
        check(
            &[],
            home,
            Ok(("/home/ada/.local/state/pupitre/run/pupitre.sock", state)),
        );
        check(
            &[("XDG_RUNTIME_DIR", "/run/user/7")],
            home,
            Ok(("/run/user/7/pupitre/pupitre.sock", state)),
        );
        check(
            &[
                ("XDG_RUNTIME_DIR", "/run/user/7"),
                ("PUPITRE_SOCKET_PATH", "/tmp/a/s"),
            ],
            home,
            Ok(("/tmp/a/s", state)),
        );
        check(
            &[("XDG_STATE_HOME", "/state")],
            None,
            Ok(("/state/pupitre/run/pupitre.sock", "/state/pupitre")),
        );
    }

    #[test]
    fn empty_and_relative_folders_are_as_if_unset() {
        let expected = Ok((
            "/home/ada/.local/state/pupitre/run/pupitre.sock",
            "/home/ada/.local/state/pupitre",
        ));
        for value in ["", "run"] {
            check(
                &[("XDG_RUNTIME_DIR", value), ("XDG_STATE_HOME", value)],
                Some("/home/ada"),
                expected.clone(),
            );
        }
        check(&[("PUPITRE_SOCKET_PATH", "")], Some("/home/ada"), expected);
    }

    #[test]
    fn what_cannot_be_told_is_an_error() {
        check(&[], None, Err(LocationError::NoHome));
        check(
            &[("PUPITRE_SOCKET_PATH", "here/s")],
            Some("/home/ada"),
            Err(LocationError::RelativeSocket {
                path: PathBuf::from("here/s"),
            }),
        );
    }
}
