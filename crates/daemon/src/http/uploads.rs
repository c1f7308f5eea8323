//! Files that a page gave the daemon, kept below the state folder, each in a folder named by its id.
//!
//! An agent gets a link to a file and may read it long after the message, so files stay until newer ones need the room.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::body::{Body, Bytes};
use http_body_util::BodyExt as _;
use pupitre_model::conversation::Stamps as _;
use pupitre_protocol::UploadId;
use pupitre_protocol::limits::{ATTACHMENT_BYTES, UPLOAD_NAME_BYTES, UPLOADS_BYTES};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Semaphore;

use crate::clock::SystemStamps;

/// How many files are received at once; the next ones wait.
const AT_ONCE: usize = 4;

/// How long a browser may pause within a file.
const PAUSE: Duration = Duration::from_secs(30);

/// What is read and thrown away of a file over the limit, in bytes: a browser that is cut off while it sends shows no
/// answer.
const DISCARDED_BYTES: usize = 256 << 20;

/// What a file that is not whole yet is called; names of uploads never begin with a dot.
const PARTIAL: &str = ".partial";

/// The uploads of one daemon.
#[derive(Debug)]
pub(crate) struct Uploads {
    folder: PathBuf,
    room: Semaphore,
}

/// Why a file was not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum UploadError {
    #[error("the file is over {} MiB, which is the limit", ATTACHMENT_BYTES >> 20)]
    TooLarge,
    #[error("the browser sent nothing of the file for {} s", PAUSE.as_secs())]
    Stalled,
    #[error("the file did not arrive: {0}")]
    Broken(axum::Error),
    #[error("the file cannot be kept: {0}")]
    System(#[from] io::Error),
}

impl Uploads {
    /// # Errors
    ///
    /// When the folder cannot be used.
    pub(super) fn open(folder: PathBuf) -> io::Result<Self> {
        DirBuilder::new().mode(0o700).recursive(true).create(&folder)?;
        // What was on its way when a daemon ended is nobody's.
        for stored in stored(&folder)? {
            if stored.name.as_deref().is_none_or(|name| name == PARTIAL) {
                fs::remove_dir_all(&stored.folder)?;
            }
        }
        Ok(Self {
            folder,
            room: Semaphore::new(AT_ONCE),
        })
    }

    /// Keeps what a browser sends as the file of a new id. `name` is what the browser calls it.
    pub(super) async fn keep(&self, name: &str, content: Body) -> Result<UploadId, UploadError> {
        let _room = self.room.acquire().await.expect("the semaphore is never closed");
        let id = UploadId(SystemStamps.new_id());
        let folder = self.folder.join(id.to_string());
        tokio::fs::DirBuilder::new().mode(0o700).create(&folder).await?;
        let outcome = receive(&folder, &safe_name(name), content).await;
        let kept = match outcome {
            Ok(()) => self.make_room(id).await.map_err(UploadError::from),
            Err(error) => Err(error),
        };
        match kept {
            Ok(()) => Ok(id),
            Err(error) => {
                if let Err(left) = tokio::fs::remove_dir_all(&folder).await {
                    tracing::warn!(%left, folder = %folder.display(), "a failed upload could not be removed");
                }
                Err(error)
            }
        }
    }

    /// Returns the path of an upload; `None` when it is not there (any longer).
    pub(crate) async fn find(&self, id: UploadId) -> Option<PathBuf> {
        let folder = self.folder.join(id.to_string());
        let mut entries = tokio::fs::read_dir(folder).await.ok()?;
        let entry = entries.next_entry().await.ok()??;
        (entry.file_name() != PARTIAL).then(|| entry.path())
    }

    /// Removes the oldest uploads until all of them are within the limit. The one that has just come stays.
    async fn make_room(&self, newest: UploadId) -> io::Result<()> {
        let folder = self.folder.clone();
        let work = move || {
            let mut uploads = stored(&folder)?;
            // Ids sort by creation.
            uploads.sort_by(|one, other| one.folder.cmp(&other.folder));
            let mut bytes: u64 = uploads.iter().map(|upload| upload.bytes).sum();
            for upload in uploads {
                if bytes <= UPLOADS_BYTES {
                    break;
                }
                let is_in_use = upload.folder.ends_with(newest.to_string())
                    || upload.name.as_deref().is_none_or(|name| name == PARTIAL);
                if !is_in_use {
                    fs::remove_dir_all(&upload.folder)?;
                    bytes -= upload.bytes;
                }
            }
            Ok(())
        };
        tokio::task::spawn_blocking(work)
            .await
            .map_err(io::Error::other)?
    }
}

/// A folder of an upload and what is in it.
struct Stored {
    folder: PathBuf,
    name: Option<String>,
    bytes: u64,
}

fn stored(folder: &Path) -> io::Result<Vec<Stored>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let folder = entry?.path();
        let file = fs::read_dir(&folder)?.next().transpose()?;
        let bytes = match &file {
            Some(file) => file.metadata()?.len(),
            None => 0,
        };
        found.push(Stored {
            folder,
            name: file.map(|file| file.file_name().to_string_lossy().into_owned()),
            bytes,
        });
    }
    Ok(found)
}

async fn receive(folder: &Path, name: &str, mut content: Body) -> Result<(), UploadError> {
    let partial = folder.join(PARTIAL);
    let mut file = tokio::fs::File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&partial)
        .await?;
    let mut bytes = 0;
    while let Some(piece) = next_piece(&mut content).await? {
        bytes += piece.len();
        if bytes <= ATTACHMENT_BYTES {
            file.write_all(&piece).await?;
        } else if bytes > DISCARDED_BYTES {
            break;
        }
    }
    if bytes > ATTACHMENT_BYTES {
        return Err(UploadError::TooLarge);
    }
    file.flush().await?;
    tokio::fs::rename(&partial, folder.join(name)).await?;
    Ok(())
}

async fn next_piece(content: &mut Body) -> Result<Option<Bytes>, UploadError> {
    loop {
        let frame = tokio::time::timeout(PAUSE, content.frame())
            .await
            .map_err(|_| UploadError::Stalled)?;
        let Some(frame) = frame else { return Ok(None) };
        // What is no data are headers after the body, which nobody asked for.
        if let Ok(piece) = frame.map_err(UploadError::Broken)?.into_data() {
            return Ok(Some(piece));
        }
    }
}

/// Returns a name that stays in its folder, shows what it is, and fits every file system.
fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|character| !character.is_control()).collect();
    let clean = clean.trim().trim_start_matches('.');
    let (stem, ending) = match clean.rsplit_once('.') {
        Some((stem, ending)) if ending.len() < UPLOAD_NAME_BYTES / 2 => (stem, format!(".{ending}")),
        Some(_) | None => (clean, String::new()),
    };
    let stem = &stem[..stem.floor_char_boundary(UPLOAD_NAME_BYTES - ending.len())];
    match format!("{stem}{ending}") {
        name if name.is_empty() => "file".to_owned(),
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn uploads() -> (tempfile::TempDir, Uploads) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let uploads = Uploads::open(folder.path().join("uploads")).expect("a folder of ours");
        (folder, uploads)
    }

    #[test]
    fn a_name_stays_in_its_folder() {
        for (given, expected) in [
            ("picture.png", "picture.png"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\ada\\a.txt", "a.txt"),
            ("/", "file"),
            ("..", "file"),
            (".", "file"),
            ("", "file"),
            (".partial", "partial"),
            (".bashrc", "bashrc"),
            ("a\0b\nc.txt", "abc.txt"),
            ("  spaced name.md ", "spaced name.md"),
            ("été à la mer.jpg", "été à la mer.jpg"),
        ] {
            assert_eq!(safe_name(given), expected, "{given:?}");
        }
        let long = safe_name(&format!("{}.png", "é".repeat(500)));
        assert!(
            long.len() <= UPLOAD_NAME_BYTES && long.ends_with("é.png"),
            "{long}"
        );
        assert!(safe_name(&format!("a.{}", "x".repeat(500))).len() <= UPLOAD_NAME_BYTES);
    }

    #[tokio::test]
    async fn a_file_is_kept_for_its_user_alone() {
        let (_folder, uploads) = uploads();
        let id = uploads
            .keep("../a.txt", Body::from("content"))
            .await
            .expect("it is small");
        let path = uploads.find(id).await.expect("it is there");
        assert!(path.ends_with(format!("{id}/a.txt")), "{}", path.display());
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "content");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().expect("its folder")), 0o700);
        assert_eq!(uploads.find(UploadId(SystemStamps.new_id())).await, None);
    }

    #[tokio::test]
    async fn a_file_over_the_limit_leaves_nothing() {
        let (folder, uploads) = uploads();
        let most = vec![b'x'; ATTACHMENT_BYTES];
        let id = uploads
            .keep("most", Body::from(most.clone()))
            .await
            .expect("it is within");
        let over = [most, vec![b'y']].concat();
        let refused = uploads
            .keep("over", Body::from(over))
            .await
            .expect_err("it is over");
        assert!(matches!(refused, UploadError::TooLarge), "{refused}");
        let left: Vec<_> = fs::read_dir(folder.path().join("uploads"))
            .expect("ours")
            .flatten()
            .collect();
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(uploads.find(id).await.is_some());
    }

    #[tokio::test]
    async fn the_oldest_make_room_and_what_was_on_its_way_is_removed() {
        let (folder, uploads) = uploads();
        let first = uploads.keep("first", Body::from("a")).await.expect("it is small");
        let path = uploads.find(first).await.expect("it is there");
        // Sparse: it takes no room, but counts.
        let file = fs::File::options().write(true).open(path).expect("ours");
        file.set_len(UPLOADS_BYTES).expect("a sparse file");
        let second = uploads
            .keep("second", Body::from("b"))
            .await
            .expect("it is small");
        assert_eq!(uploads.find(first).await, None);
        assert!(uploads.find(second).await.is_some());

        let partial = folder.path().join("uploads/half");
        fs::create_dir(&partial).expect("ours");
        fs::write(partial.join(PARTIAL), "half").expect("ours");
        let again = Uploads::open(folder.path().join("uploads")).expect("a folder of ours");
        assert!(!partial.exists());
        assert!(again.find(second).await.is_some());
    }
}
