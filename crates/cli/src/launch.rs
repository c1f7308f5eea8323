//! Starts the daemon in the background: with `launch/browser.rs` the place of the command line where processes begin.
//!
//! Two who start it at once make one daemon: a lock beside the socket lets one of them start it, and the other finds it.

pub(crate) mod announcement;
pub(crate) mod browser;

use std::fs::{DirBuilder, File};
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use announcement::Announcement;
use pupitre_client::{Client, ConnectError};
use pupitre_model::environment::misleads;

use crate::desk::Desk;

/// How long a new daemon may take until it answers.
const START_LIMIT: Duration = Duration::from_secs(30);

/// What is kept of a new daemon's stderr, in bytes.
const LAST_WORDS_BYTES: u64 = 16 << 10;

const LOCK_FILE: &str = "start.lock";

/// Says why no daemon could be started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    #[error("cannot find this program's own file, to start the daemon with: {0}")]
    NoExecutable(#[source] io::Error),
    #[error("cannot make the folder {} for the daemon's socket: {source}", folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("cannot lock {}, so that only one daemon is started: {source}", path.display())]
    Lock { path: PathBuf, source: io::Error },
    #[error("cannot start the daemon: {0}")]
    Spawn(#[source] io::Error),
    /// In the daemon's own words.
    #[error("cannot start the daemon: {reason}")]
    Refused { reason: String },
    #[error("the daemon ended before it was ready ({how}): {last_words}; `pupitre serve` shows more")]
    Ended { how: String, last_words: String },
    #[error("the daemon was not ready within 30 s; `pupitre serve` shows what it does")]
    Slow,
    #[error(transparent)]
    Connect(#[from] ConnectError),
}

/// Makes a daemon answer at the desk's socket: starts one, or finds the one that another starter made meanwhile.
pub(crate) fn start_in_background(desk: &Desk) -> Result<(), LaunchError> {
    let _lock = lock(&desk.location.socket)?;
    match Client::connect(&desk.location.socket) {
        Ok(_) => return Ok(()),
        Err(ConnectError::NoDaemon { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let child = spawn(desk)?;
    match wait_until_ready(child) {
        Ok(()) => Ok(()),
        // Perhaps a person's own `pupitre serve` was faster; it takes no lock.
        Err(error) => Client::connect(&desk.location.socket)
            .map(drop)
            .map_err(|_| error),
    }
}

/// Waits for the right to start a daemon; it lasts as long as the file is open.
fn lock(socket: &Path) -> Result<File, LaunchError> {
    let folder = socket
        .parent()
        .expect("the path of a socket is absolute, and names a file");
    private_folder(folder).map_err(|source| LaunchError::Folder {
        folder: folder.to_owned(),
        source,
    })?;
    let path = folder.join(LOCK_FILE);
    let mut options = File::options();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(&path)
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|source| LaunchError::Lock { path, source })
}

/// Makes the folder, for nobody else, when it is not there. Whether one that is there is safe, the daemon judges.
fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command line's one place that starts the daemon"
)]
fn spawn(desk: &Desk) -> Result<Child, LaunchError> {
    let executable = std::env::current_exe().map_err(LaunchError::NoExecutable)?;
    let mut command = Command::new(executable);
    command
        .args(["serve", "--background", "--socket"])
        .arg(&desk.location.socket)
        .arg("--config")
        .arg(&desk.config.path)
        .args(["--config-source", desk.config.source.as_str()])
        // The caller's folder must not be kept busy for as long as the daemon lives.
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, _) in std::env::vars_os() {
        // A name that is no UTF-8 is none of those.
        if name.to_str().is_some_and(misleads) {
            command.env_remove(name);
        }
    }
    command.spawn().map_err(LaunchError::Spawn)
}

fn wait_until_ready(mut child: Child) -> Result<(), LaunchError> {
    let announced = read_apart(child.stdout.take().expect("stdout is piped"), first_line);
    let last_words = read_apart(child.stderr.take().expect("stderr is piped"), beginning);
    let line = match announced.recv_timeout(START_LIMIT) {
        Ok(line) => line,
        Err(RecvTimeoutError::Timeout) => return Err(LaunchError::Slow),
        Err(RecvTimeoutError::Disconnected) => String::new(),
    };
    match serde_json::from_str(&line) {
        Ok(Announcement::Ready(_)) => Ok(()),
        Ok(Announcement::Error(reason)) => Err(LaunchError::Refused { reason }),
        Err(_) => Err(ended(child, &last_words)),
    }
}

/// The daemon closed its stdout without an announcement.
fn ended(mut child: Child, last_words: &Receiver<String>) -> LaunchError {
    let how = match child.wait() {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    let last_words = match last_words.recv_timeout(START_LIMIT) {
        Ok(words) if !words.trim().is_empty() => words.trim().to_owned(),
        Ok(_) | Err(_) => "it said nothing".to_owned(),
    };
    LaunchError::Ended { how, last_words }
}

/// Reads on a thread of its own, which ends when the daemon lets go of the stream.
fn read_apart<T, Stream>(stream: Stream, read: fn(&mut BufReader<Stream>) -> io::Result<T>) -> Receiver<T>
where
    T: Send + 'static,
    Stream: Read + Send + 'static,
{
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        if let Ok(value) = read(&mut stream) {
            // Nobody waits for it any more when the daemon was ready.
            sender.send(value).ok();
        }
        // A daemon that writes more must not wait for a reader.
        io::copy(&mut stream, &mut io::sink()).ok();
    });
    receiver
}

fn first_line(stream: &mut BufReader<impl Read>) -> io::Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    Ok(line)
}

fn beginning(stream: &mut BufReader<impl Read>) -> io::Result<String> {
    let mut bytes = Vec::new();
    stream.take(LAST_WORDS_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
