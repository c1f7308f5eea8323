//! The files that were opened in the program, in a small file of the state folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pupitre_protocol::configuration::RecentFile;

use super::save::write_whole;

/// How many are remembered.
const MOST: usize = 8;

/// The list, the last one first.
#[derive(Debug, Clone)]
pub(super) struct Recent {
    list: PathBuf,
    files: Vec<PathBuf>,
}

impl Recent {
    /// Returns the list of this state folder. One that cannot be read is empty: it is a convenience.
    pub(super) fn in_folder(state_folder: &Path) -> Self {
        let list = state_folder.join("recent-configurations.json");
        let files = fs::read(&list)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        Self { list, files }
    }

    pub(super) fn last(&self) -> Option<PathBuf> {
        self.files.first().cloned()
    }

    /// Puts a file at the head of the list.
    pub(super) fn remember(&mut self, path: &Path) -> io::Result<()> {
        self.files.retain(|file| file != path);
        self.files.insert(0, path.to_owned());
        self.files.truncate(MOST);
        let bytes = serde_json::to_vec(&self.files).map_err(io::Error::other)?;
        write_whole(&self.list, &bytes, 0o600)
    }

    pub(super) fn view(&self) -> Vec<RecentFile> {
        let files = self.files.iter();
        files
            .map(|path| RecentFile {
                path: path.display().to_string(),
                exists: path.is_file(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_eight_are_remembered_each_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut recent = Recent::in_folder(folder.path());
        assert_eq!(recent.last(), None);
        for number in (0..10).chain([5]) {
            recent
                .remember(&folder.path().join(number.to_string()))
                .expect("it can be written");
        }
        let again = Recent::in_folder(folder.path());
        let names: Vec<String> = again.view().into_iter().map(|file| file.path).collect();
        let names: Vec<&str> = names.iter().filter_map(|path| path.rsplit('/').next()).collect();
        assert_eq!(names, ["5", "9", "8", "7", "6", "4", "3", "2"]);
        fs::write(folder.path().join("recent-configurations.json"), "{").expect("a file");
        assert_eq!(Recent::in_folder(folder.path()).last(), None);
    }
}
