//! Writing a file so that it is the old one or the new one, whatever happens in between.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Names the bytes of a file, to notice that they are others.
pub(super) fn hash(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{:x}-{:016x}", bytes.len(), hasher.finish())
}

/// Writes the configuration: into the file that a link leads to, with the mode and, where that is allowed, the owner that
/// it has.
///
/// # Errors
///
/// When anything fails before the new file is in its place; then the old one is whole.
pub(super) fn write_configuration(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = path.canonicalize()?;
    let metadata = fs::metadata(&target)?;
    let file = begin(&target, bytes, metadata.permissions().mode() & 0o7777)?;
    // Only root may give files away; for everybody else the group may still be kept.
    let owner = (Some(metadata.uid()), Some(metadata.gid()));
    if std::os::unix::fs::chown(&file.path, owner.0, owner.1).is_err() {
        std::os::unix::fs::chown(&file.path, None, owner.1).ok();
    }
    file.finish(&target)
}

/// Writes a file of our own.
pub(super) fn write_whole(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    begin(path, bytes, mode)?.finish(path)
}

/// A file beside its place; it is removed unless it gets there.
struct Beside {
    path: PathBuf,
}

fn begin(target: &Path, bytes: &[u8], mode: u32) -> io::Result<Beside> {
    let folder = target
        .parent()
        .ok_or_else(|| io::Error::other("it is in no folder"))?;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    // Not ending in `.toml`: nobody shall take it for a configuration.
    let path = folder.join(format!(".{name}.{}.new", std::process::id()));
    // What a daemon with this number left behind when it was killed in the middle.
    fs::remove_file(&path).ok();
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)?;
    let beside = Beside { path };
    file.write_all(bytes)?;
    // Not with the file's creation: the umask would take from it.
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    file.sync_all()?;
    Ok(beside)
}

impl Beside {
    fn finish(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        // The new name must outlive the machine, too; some file systems cannot be told so.
        if let Some(folder) = target.parent() {
            File::open(folder)?.sync_all().ok();
        }
        Ok(())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // After a rename there is none.
        fs::remove_file(&self.path).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_nothing_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("p.toml");
        fs::write(&path, "old").expect("a file");
        // What is written beside it cannot take its place: that is a folder now.
        let beside = begin(&path, b"new", 0o600).expect("it can be written");
        let elsewhere = folder.path().join("elsewhere");
        fs::create_dir(&elsewhere).expect("a folder");
        beside
            .finish(&elsewhere)
            .expect_err("a file cannot replace a folder");
        let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(names.len(), 2, "{names:?}");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "old");
        write_configuration(&path, b"new").expect("it can be written");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
    }

    #[test]
    fn other_bytes_have_another_hash() {
        assert_eq!(hash(b"a"), hash(b"a"));
        assert_ne!(hash(b"a"), hash(b"b"));
    }
}
