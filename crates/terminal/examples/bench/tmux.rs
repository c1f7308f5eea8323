//! A server of tmux of our own, to stand beside.
#![expect(clippy::disallowed_methods, reason = "a bench starts what it compares with")]

use std::process::{Child, Command, Stdio};

/// A server with one window of 200 by 50 and a history of 10,000 lines. Dropping it ends it.
pub(crate) struct Tmux {
    server: String,
}

impl Tmux {
    /// Starts a server with `program` in its window; nothing when tmux is not here.
    pub(crate) fn start(program: &str) -> Option<Self> {
        let tmux = Self {
            server: format!("pupitre-bench-{}", std::process::id()),
        };
        // The limit of a window is the one that stood when it was made.
        let size = ["new-session", "-d", "-x", "200", "-y", "50", "sleep 600"];
        let limit = ["set-option", "-g", "history-limit", "10000"];
        let window = ["new-window", program];
        (tmux.runs(&size) && tmux.runs(&limit) && tmux.runs(&window)).then_some(tmux)
    }

    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Runs a command of tmux; false when it failed.
    pub(crate) fn runs(&self, arguments: &[&str]) -> bool {
        let mut command = self.command(arguments);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }

    /// Attaches a client in control mode, which takes commands and tells output as lines.
    pub(crate) fn control(&self) -> Child {
        self.command(&["-C", "attach-session"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it was started a moment ago")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command
            .args(["-L", &self.server, "-f", "/dev/null"])
            .args(arguments);
        command
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.runs(&["kill-server"]);
    }
}
