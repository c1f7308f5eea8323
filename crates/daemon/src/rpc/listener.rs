//! The socket itself: a private folder, one daemon, no file touched that is not ours.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pupitre_protocol::limits::CONNECTIONS;
use pupitre_protocol::{ErrorKind, RpcError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::geteuid;
use tokio::net::{UnixListener, UnixStream};

use super::router::Call;
use super::{Daemon, Router, connection};

/// A socket that is bound, and the lock that says whose it is.
#[derive(Debug)]
pub(crate) struct Listener {
    listener: UnixListener,
    path: PathBuf,
    /// The socket's inode, so that only our own file is removed.
    inode: u64,
    /// Held as long as the daemon lives.
    _lock: File,
}

/// Why there is no socket.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListenError {
    #[error("a daemon already serves {}", path.display())]
    AlreadyServed { path: PathBuf },
    #[error("the folder {} {problem}", folder.display())]
    Folder { folder: PathBuf, problem: &'static str },
    #[error("{} is in the way: it is no socket left by a daemon of yours, so it is not touched", path.display())]
    InTheWay { path: PathBuf },
    #[error("the path {} is too long for a socket ({length} bytes; the limit is {LONGEST_PATH_BYTES}): set PUPITRE_SOCKET_PATH to a shorter one", path.display())]
    TooLong { path: PathBuf, length: usize },
    #[error("{}: {source}", path.display())]
    System { path: PathBuf, source: io::Error },
}

/// How long no connection is accepted after one could not be.
const AFTER_FAILURE: Duration = Duration::from_millis(100);

/// The longest path that a socket's address holds on Linux, in bytes (`sun_path` with its end; macOS has 104).
const LONGEST_PATH_BYTES: usize = 103;

impl Listener {
    /// Binds the socket. A stale one of ours is replaced; anything else there is left alone.
    ///
    /// # Errors
    ///
    /// When another daemon serves it, or the folder or the file at the path cannot be trusted.
    pub(crate) fn bind(path: &Path) -> Result<Self, ListenError> {
        let length = path.as_os_str().len();
        if length > LONGEST_PATH_BYTES {
            return Err(ListenError::TooLong {
                path: path.to_owned(),
                length,
            });
        }
        let system = |source| ListenError::System {
            path: path.to_owned(),
            source,
        };
        prepare_folder(path.parent().unwrap_or(Path::new(".")))?;
        let lock = lock(path)?;
        remove_stale(path)?;
        let listener = UnixListener::bind(path).map_err(system)?;
        // Until this line the folder keeps others out.
        fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(system)?;
        let inode = fs::symlink_metadata(path).map_err(system)?.ino();
        Ok(Self {
            listener,
            path: path.to_owned(),
            inode,
            _lock: lock,
        })
    }

    /// Accepts connections until the daemon closes, then removes the socket.
    pub(crate) async fn run(self, daemon: Arc<Daemon>, router: Arc<Router>) {
        let closing = daemon.tasks.closing.clone();
        let mut failing = false;
        loop {
            let accepted = tokio::select! {
                () = closing.cancelled() => break,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    failing = false;
                    welcome(&daemon, &router, stream);
                }
                Err(error) => {
                    // No descriptor left, most likely: those that are open go on, the next one may find room. Told once.
                    if !std::mem::replace(&mut failing, true) {
                        tracing::error!(%error, "connections cannot be accepted");
                    }
                    tokio::select! {
                        () = closing.cancelled() => break,
                        () = tokio::time::sleep(AFTER_FAILURE) => {}
                    }
                }
            }
        }
        self.remove();
    }

    fn remove(&self) {
        let is_ours = fs::symlink_metadata(&self.path).is_ok_and(|metadata| metadata.ino() == self.inode);
        if is_ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "the socket could not be removed");
        }
    }
}

fn welcome(daemon: &Arc<Daemon>, router: &Arc<Router>, stream: UnixStream) {
    let mut pid = None;
    let refusal = match stream.peer_cred() {
        Ok(peer) if peer.uid() == geteuid().as_raw() => {
            pid = peer.pid().and_then(|pid| u32::try_from(pid).ok());
            None
        }
        Ok(peer) => {
            let message = format!("user {} may not use the daemon of another user", peer.uid());
            Some(RpcError::new(ErrorKind::ForeignUser, message))
        }
        Err(error) => Some(RpcError::new(
            ErrorKind::ForeignUser,
            format!("it cannot be told who asks: {error}"),
        )),
    };
    let watched = stream.as_fd().try_clone_to_owned();
    let (read, write) = stream.into_split();
    let admitted = match refusal {
        Some(error) => Err(error),
        None => daemon.connections.admit(CONNECTIONS).ok_or_else(|| {
            let message = format!("{CONNECTIONS} connections are open, which is the limit");
            RpcError::new(ErrorKind::TooManyConnections, message).with_retry_after_ms(1_000)
        }),
    };
    let tasks = &daemon.tasks;
    match admitted {
        Ok(counted) => {
            let call = Call {
                daemon: Arc::clone(daemon),
                asker: daemon.guards.asker(pid),
            };
            let is_gone = move || watched.as_ref().is_ok_and(has_hung_up);
            tasks.spawn(connection::serve(
                call,
                Arc::clone(router),
                counted,
                is_gone,
                read,
                write,
            ));
        }
        Err(error) => {
            tasks.spawn(async move { connection::refuse(write, &error).await });
        }
    }
}

/// Says whether the other end of a socket is closed as a whole, for reading too.
fn has_hung_up(socket: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(socket, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut polled, Some(&now)).is_ok() && polled[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
}

fn prepare_folder(folder: &Path) -> Result<(), ListenError> {
    let wrong = |problem| ListenError::Folder {
        folder: folder.to_owned(),
        problem,
    };
    let system = |source| ListenError::System {
        path: folder.to_owned(),
        source,
    };
    match DirBuilder::new().mode(0o700).recursive(true).create(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(wrong("is no folder")),
        Err(error) => return Err(system(error)),
    }
    let metadata = fs::metadata(folder).map_err(system)?;
    if !metadata.is_dir() {
        return Err(wrong("is no folder"));
    }
    if metadata.uid() != geteuid().as_raw() {
        return Err(wrong("belongs to another user, so no socket is put there"));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(wrong(
            "may be written by others, so no socket is put there: chmod go-w it, or use another",
        ));
    }
    Ok(())
}

/// Takes the lock beside the socket. It outlives the file's name, so that a crash never leaves it taken.
fn lock(path: &Path) -> Result<File, ListenError> {
    let mut lock_path = path.as_os_str().to_owned();
    lock_path.push(".lock");
    let lock_path = PathBuf::from(lock_path);
    let system = |source| ListenError::System {
        path: lock_path.clone(),
        source,
    };
    let flags = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).expect("the flag is a small number");
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(flags);
    let file = options.open(&lock_path).map_err(system)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(ListenError::AlreadyServed {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(system(source)),
    }
}

/// Removes a socket that a daemon of this user left behind, and nothing else.
fn remove_stale(path: &Path) -> Result<(), ListenError> {
    let system = |source| ListenError::System {
        path: path.to_owned(),
        source,
    };
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(system(error)),
    };
    let is_our_socket = metadata.file_type().is_socket() && metadata.uid() == geteuid().as_raw();
    // Somebody may listen there who knows nothing of the lock.
    let is_stale = is_our_socket
        && std::os::unix::net::UnixStream::connect(path)
            .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
    if !is_stale {
        return Err(ListenError::InTheWay {
            path: path.to_owned(),
        });
    }
    fs::remove_file(path).map_err(system)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(mode: u32) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::set_permissions(folder.path(), Permissions::from_mode(mode)).expect("it is ours");
        folder
    }

    fn error_of(path: &Path) -> String {
        Listener::bind(path)
            .map(|_| ())
            .expect_err("it must be refused")
            .to_string()
    }

    #[tokio::test]
    async fn a_new_socket_is_private_and_so_is_its_folder() {
        let parent = folder(0o755);
        let path = parent.path().join("run/pupitre.sock");
        let _listener = Listener::bind(&path).expect("it can be bound");
        let mode = |path: &Path| fs::symlink_metadata(path).expect("it is there").mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().expect("it has one")), 0o700);
    }

    #[tokio::test]
    async fn one_daemon_a_socket() {
        let parent = folder(0o700);
        let path = parent.path().join("pupitre.sock");
        let first = Listener::bind(&path).expect("it can be bound");
        assert!(error_of(&path).starts_with("a daemon already serves"));
        // A daemon that was killed leaves its socket, which is replaced.
        drop(first);
        assert!(path.exists());
        Listener::bind(&path).expect("the stale one is replaced");
    }

    #[tokio::test]
    async fn nothing_else_is_touched() {
        let parent = folder(0o700);
        let target = parent.path().join("precious");
        fs::write(&target, "kept").expect("it can be written");
        let link = parent.path().join("link.sock");
        std::os::unix::fs::symlink(&target, &link).expect("a link can be made");
        let foreign = parent.path().join("foreign.sock");
        let _listening = std::os::unix::net::UnixListener::bind(&foreign).expect("a socket of somebody else");
        for path in [&target, &link, &foreign] {
            assert!(error_of(path).contains("is in the way"), "{}", path.display());
        }
        assert_eq!(fs::read_to_string(&target).expect("still there"), "kept");
        assert!(foreign.exists() && link.exists());
    }

    #[tokio::test]
    async fn a_folder_that_others_may_write_is_refused() {
        for mode in [0o777, 0o770, 0o707] {
            let parent = folder(mode);
            assert!(
                error_of(&parent.path().join("pupitre.sock")).contains("may be written by others"),
                "{mode:o}"
            );
        }
        let parent = folder(0o700);
        let file = parent.path().join("file");
        fs::write(&file, "").expect("it can be written");
        assert!(error_of(&file.join("pupitre.sock")).contains("is no folder"));
        assert!(error_of(&parent.path().join("x".repeat(120))).contains("too long for a socket"));
    }
}
