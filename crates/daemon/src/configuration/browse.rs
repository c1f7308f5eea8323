//! What a page's own list of files shows of a folder.

use std::io;
use std::path::Path;

use pupitre_protocol::configuration::{BrowseEntry, ConfigBrowseReply};

/// The most entries that are shown.
const MOST: usize = 1_000;

/// Lists the folders and the `.toml` files of a folder.
///
/// # Errors
///
/// When the folder cannot be listed.
pub(crate) fn browse(folder: &Path) -> io::Result<ConfigBrowseReply> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        // Names that are no Unicode cannot be sent.
        let (Ok(name), Some(shown)) = (entry.file_name().into_string(), path.to_str()) else {
            continue;
        };
        let is_folder = path.is_dir();
        if is_folder || (name.ends_with(".toml") && path.is_file()) {
            entries.push(BrowseEntry {
                path: shown.to_owned(),
                name,
                folder: is_folder,
            });
        }
    }
    entries.sort_by(|left, right| (!left.folder, &left.name).cmp(&(!right.folder, &right.name)));
    let truncated = entries.len() > MOST;
    entries.truncate(MOST);
    Ok(ConfigBrowseReply {
        folder: folder.display().to_string(),
        parent: folder.parent().map(|parent| parent.display().to_string()),
        entries,
        truncated,
    })
}
