//! The numbers of surfaces and workspaces: never given twice on this machine, not after a restart either. Kept in a file
//! that says from where on numbers are free.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pupitre_protocol::{AgentName, SurfaceId};
use serde::{Deserialize, Serialize};

use crate::clock::epoch_ms;

/// How many numbers are taken at once: the file is written that much less often.
const BLOCK: u64 = 64;

/// Gives numbers.
#[derive(Debug)]
pub(crate) struct Numbers {
    path: PathBuf,
    next: u64,
    kept: Kept,
}

/// What stands in the file.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// Numbers from here on were never given.
    free_from: u64,
    /// The surfaces of agents, by the path of their configuration.
    agents: BTreeMap<String, BTreeMap<AgentName, u64>>,
}

impl Numbers {
    /// Reads the file of a state folder. Where it cannot be read, numbers begin where no earlier ones can be.
    pub(crate) fn open(state_folder: &Path) -> Self {
        let path = state_folder.join("surfaces.json");
        let kept = match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(io::Error::from),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Kept {
                free_from: 1,
                agents: BTreeMap::new(),
            }),
            Err(error) => Err(error),
        };
        let kept = kept.unwrap_or_else(|error| {
            tracing::error!(%error, path = %path.display(), "the numbers of surfaces are lost; they go on with larger ones");
            Kept {
                // Nobody makes a thousand surfaces a second for years.
                free_from: epoch_ms(),
                agents: BTreeMap::new(),
            }
        });
        Self {
            path,
            next: kept.free_from,
            kept,
        }
    }

    /// Returns a number that was never given.
    ///
    /// # Errors
    ///
    /// When the file cannot be written: a number that could come twice is not given.
    pub(crate) fn next(&mut self) -> io::Result<u64> {
        if self.next >= self.kept.free_from {
            self.kept.free_from = self.next + BLOCK;
            if let Err(error) = self.write() {
                self.kept.free_from = self.next;
                return Err(error);
            }
        }
        let number = self.next;
        self.next += 1;
        Ok(number)
    }

    /// Returns the surface of an agent's conversations, the same one for ever.
    ///
    /// # Errors
    ///
    /// When it is a new one and the file cannot be written.
    pub(crate) fn of_agent(&mut self, config: &str, agent: &AgentName) -> io::Result<SurfaceId> {
        let known = self.kept.agents.get(config).and_then(|agents| agents.get(agent));
        if let Some(number) = known {
            return Ok(SurfaceId(*number));
        }
        let number = self.next()?;
        let agents = self.kept.agents.entry(config.to_owned()).or_default();
        agents.insert(agent.clone(), number);
        self.write()?;
        Ok(SurfaceId(number))
    }

    fn write(&self) -> io::Result<()> {
        let new = self.path.with_extension("new");
        let mut file = File::create(&new)?;
        file.write_all(&serde_json::to_vec(&self.kept)?)?;
        file.sync_all()?;
        std::fs::rename(&new, &self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_comes_twice_not_after_a_restart_either() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let agent: AgentName = "demo".parse().expect("a name");
        let mut given = std::collections::BTreeSet::new();
        let mut of_agent = None;
        for _ in 0..3 {
            let mut numbers = Numbers::open(folder.path());
            for _ in 0..100 {
                assert!(given.insert(numbers.next().expect("the file can be written")));
            }
            let surface = numbers.of_agent("/a.toml", &agent).expect("it can be kept");
            assert_eq!(
                *of_agent.get_or_insert(surface),
                surface,
                "the agent keeps its own"
            );
            given.insert(surface.0);
        }
        let mut numbers = Numbers::open(folder.path());
        let other = numbers.of_agent("/b.toml", &agent).expect("it can be kept");
        assert!(
            given.insert(other.0),
            "the agent of another configuration is another one"
        );
    }

    #[test]
    fn a_file_that_cannot_be_read_gives_no_number_again() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut numbers = Numbers::open(folder.path());
        let before: Vec<u64> = (0..500).map(|_| numbers.next().expect("a number")).collect();
        std::fs::write(folder.path().join("surfaces.json"), "{ no").expect("it can be written");
        let after = Numbers::open(folder.path()).next().expect("a number");
        assert!(before.iter().all(|number| *number < after));
    }
}
