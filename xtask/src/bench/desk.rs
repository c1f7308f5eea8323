//! A daemon for measuring: with folders of its own, the demo agent without pauses, and lines of JSON in and out.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::Subject;
use crate::invocation::Invocation;

/// Far above what an answer takes: it only keeps a broken daemon from holding the run.
const ANSWER_LIMIT: Duration = Duration::from_secs(600);

/// A running daemon. Dropping it ends the daemon and removes its folders.
pub(super) struct Desk {
    folder: PathBuf,
    binary: PathBuf,
    daemon: Child,
    /// Keeps the pipe open, so that the daemon's log has somewhere to go.
    _stderr: Lines<BufReader<ChildStderr>>,
    /// From the start of the process until it answered.
    pub(super) started_in: Duration,
}

impl Desk {
    /// Starts a daemon and returns once it has answered.
    pub(super) fn start(subject: &Subject, name: &str) -> Result<Self> {
        Self::start_with(subject, name, None)
    }

    /// Starts a daemon that finds this configuration, or none.
    pub(super) fn start_with(subject: &Subject, name: &str, configuration: Option<&str>) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("pupitre-bench-{}-{name}", std::process::id()));
        std::fs::DirBuilder::new()
            .mode(0o700)
            .recursive(true)
            .create(folder.join("run"))
            .with_context(|| format!("cannot make {}", folder.display()))?;
        if let Some(configuration) = configuration {
            let path = folder.join("config/pupitre/pupitre.toml");
            std::fs::create_dir_all(path.parent().expect("it has two"))
                .and_then(|()| std::fs::write(&path, configuration))
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        let serve = at(&folder, subject.pupitre()).arguments(["serve"]);
        let begun = Instant::now();
        let mut daemon = serve
            .command()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start the daemon")?;
        let stderr = daemon.stderr.take().context("the daemon has no stderr")?;
        let mut lines = BufReader::new(stderr).lines();
        let is_ready = |line: &std::io::Result<String>| {
            line.as_ref().map_or(true, |line| line.contains("ready socket="))
        };
        match lines.find(is_ready) {
            Some(Ok(_)) => {}
            Some(Err(_)) | None => bail!("the daemon ended before it was ready"),
        }
        let mut desk = Self {
            folder,
            binary: subject.binary.clone(),
            daemon,
            _stderr: lines,
            started_in: Duration::ZERO,
        };
        desk.calls()?.call("system.ping", &json!({}))?;
        desk.started_in = begun.elapsed();
        Ok(desk)
    }

    /// Returns an invocation of `pupitre` that reaches this daemon.
    pub(super) fn pupitre(&self) -> Invocation {
        at(&self.folder, Invocation::of(&self.binary))
    }

    pub(super) fn socket(&self) -> PathBuf {
        socket(&self.folder)
    }

    /// Ends the daemon in order and returns how long that took, to the end of its process.
    pub(super) fn end(mut self) -> Result<Duration> {
        let begun = Instant::now();
        self.calls()?.call("system.shutdown", &json!({}))?;
        self.daemon.wait().context("cannot wait for the daemon")?;
        Ok(begun.elapsed())
    }

    pub(super) fn process(&self) -> u32 {
        self.daemon.id()
    }

    /// Opens a connection for calls.
    pub(super) fn calls(&self) -> Result<Calls> {
        let stream = UnixStream::connect(self.socket()).context("cannot reach the daemon")?;
        stream.set_read_timeout(Some(ANSWER_LIMIT))?;
        let lines = BufReader::new(stream.try_clone()?).lines();
        Ok(Calls { stream, lines })
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // An orderly end first, so that no agent outlives the measurement; then whatever is left.
        let asked = self
            .calls()
            .and_then(|mut calls| calls.call("system.shutdown", &json!({})));
        if asked.is_err() {
            self.daemon.kill().ok();
        }
        self.daemon.wait().ok();
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

fn at(folder: &Path, invocation: Invocation) -> Invocation {
    invocation
        .environment("HOME", folder)
        .environment("XDG_RUNTIME_DIR", folder.join("run"))
        .environment("XDG_CONFIG_HOME", folder.join("config"))
        .environment("XDG_STATE_HOME", folder.join("state"))
        .environment("PUPITRE_DEMO_PACE_MS", "0")
        .environment("PUPITRE_SOCKET_PATH", socket(folder))
}

fn socket(folder: &Path) -> PathBuf {
    folder.join("run/pupitre/pupitre.sock")
}

/// A connection that asks and reads lines of JSON.
pub(super) struct Calls {
    stream: UnixStream,
    lines: Lines<BufReader<UnixStream>>,
}

impl Calls {
    /// Calls a method and returns its result.
    pub(super) fn call(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.ask(method, params)?;
        let mut reply = self.next()?;
        match reply.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => bail!("{method} failed: {reply}"),
        }
    }

    /// Sends a request without waiting for what it brings.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Result<()> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        writeln!(self.stream, "{request}").context("the daemon does not read")
    }

    /// Returns the next line.
    pub(super) fn next(&mut self) -> Result<Value> {
        let line = self.lines.next().context("the daemon closed the connection")??;
        serde_json::from_str(&line).with_context(|| format!("the daemon did not write JSON: {line}"))
    }
}
