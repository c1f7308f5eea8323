//! tmux beside which panes are measured: a server of its own, and a client in control mode, which has no terminal.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, Result};

use super::Skipped;
use crate::invocation::Invocation;

/// How many servers were started.
static STARTED: AtomicU32 = AtomicU32::new(0);

/// A server with windows of 200 by 50 and a history of 10,000 lines. Dropping it ends it.
pub(super) struct Tmux {
    server: String,
}

impl Tmux {
    /// Starts a server with a shell that waits in its first window.
    ///
    /// # Errors
    ///
    /// `Skipped` when tmux is not here.
    pub(super) fn start(name: &str) -> Result<Self> {
        if !Invocation::of("tmux").arguments(["-V"]).succeeds() {
            return Err(
                Skipped("needs tmux to stand beside (Debian: apt-get install tmux)".to_owned()).into(),
            );
        }
        // One that was just ended may still be there: no name is used twice.
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let tmux = Self {
            server: format!("pupitre-bench-{}-{name}-{number}", std::process::id()),
        };
        tmux.run(&["new-session", "-d", "-x", "200", "-y", "50", "cat"])?;
        // The limit of a window is the one that stood when it was made.
        tmux.run(&["set-option", "-g", "history-limit", "10000"])?;
        Ok(tmux)
    }

    /// Returns an invocation of a command of this server.
    pub(super) fn command(&self, arguments: &[&str]) -> Invocation {
        Invocation::of("tmux")
            .arguments(["-L", &self.server, "-f", "/dev/null"])
            .arguments(arguments.iter().copied())
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Result<()> {
        self.command(arguments).run()
    }

    /// Returns the name by which programs in its windows reach it.
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    pub(super) fn process(&self) -> Result<u32> {
        let process = self.command(&["display-message", "-p", "#{pid}"]).output()?;
        process
            .trim()
            .parse()
            .context("tmux does not tell its process id")
    }

    /// Attaches a client in control mode.
    pub(super) fn control(&self) -> Result<Control> {
        let mut client = self
            .command(&["-C", "attach-session"])
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start tmux")?;
        let input = client.stdin.take().context("it was piped")?;
        let output = client.stdout.take().context("it was piped")?;
        let mut control = Control {
            client,
            input,
            lines: BufReader::new(output).lines(),
        };
        // It begins with the answer to the command that attached it.
        control.read_answer()?;
        Ok(control)
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        // Whoever measures has its figures; a server that is gone already needs no end.
        self.run(&["kill-server"]).ok();
    }
}

/// A client in control mode: commands in, answers and news out, as lines.
pub(super) struct Control {
    client: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Control {
    /// Runs a command and returns its answer.
    pub(super) fn ask(&mut self, command: &str) -> Result<Vec<String>> {
        writeln!(self.input, "{command}").context("tmux does not read")?;
        self.read_answer()
    }

    fn read_answer(&mut self) -> Result<Vec<String>> {
        let (mut answer, mut has_begun) = (Vec::new(), false);
        loop {
            let line = self.lines.next().context("tmux ended")??;
            if line.starts_with("%begin ") {
                has_begun = true;
            } else if line.starts_with("%end ") {
                return Ok(answer);
            } else if line.starts_with("%error ") {
                anyhow::bail!("tmux refused: {}", answer.join(" "));
            } else if has_begun {
                answer.push(line);
            }
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        // An empty line detaches the client.
        writeln!(self.input).ok();
        self.client.wait().ok();
    }
}
