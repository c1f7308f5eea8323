//! What the daemon does for an agent on this machine: files beneath the session's folder, and commands.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::acp::{
    AgentRequestId, ClientCall, Congestion, FileText, NewTerminal, Nothing, Refusal, SessionStart,
    TerminalStarted, ToolServer,
};
use super::connection::LinkInput;
use super::files::{FileError, Folder, Lines};
use super::session::Session;
use super::task::AgentTask;
use super::terminals::TerminalNews;
use crate::process::Program;

/// The outcome of work with files.
#[derive(Debug)]
pub(super) enum FileDone {
    Read(Result<String, FileError>),
    Written(Result<(), FileError>),
}

/// Some work with a file, and the request that is answered with its outcome.
pub(super) struct FileJob {
    id: AgentRequestId,
    work: Box<dyn FnOnce() -> FileDone + Send>,
}

/// Does the work with files of one run of an agent, one after the other: what an agent writes first is there first.
pub(super) async fn work_with_files(
    mut jobs: mpsc::Receiver<FileJob>,
    done: mpsc::Sender<LinkInput>,
    congestion: Congestion,
) {
    while let Some(FileJob { id, work }) = jobs.recv().await {
        congestion.relieved().await;
        match tokio::task::spawn_blocking(work).await {
            // Nobody hears it when the agent is gone.
            Ok(outcome) => drop(done.send(LinkInput::FileDone(id, outcome)).await),
            Err(error) => tracing::error!(%error, "work with a file failed"),
        }
    }
}

impl AgentTask {
    /// Does what an agent asks of this machine, as far as it was offered.
    pub(super) fn take_client_call(&mut self, id: AgentRequestId, call: ClientCall) {
        let offer = self.definition.client;
        match call {
            ClientCall::ReadFile { .. } | ClientCall::WriteFile { .. } if !offer.fs => {
                self.refuse(&id, not_offered("files"));
            }
            ClientCall::ReadFile {
                session,
                path,
                line,
                limit,
            } => {
                let lines = Lines {
                    first: line,
                    count: limit,
                };
                self.with_folder(id, &session, move |folder| {
                    FileDone::Read(
                        Folder::open(folder).and_then(|folder| folder.read(Path::new(&path), lines)),
                    )
                });
            }
            ClientCall::WriteFile {
                session,
                path,
                content,
            } => {
                let umask = self.context.world.umask;
                self.with_folder(id, &session, move |folder| {
                    FileDone::Written(
                        Folder::open(folder)
                            .and_then(|folder| folder.write(Path::new(&path), &content, umask)),
                    )
                });
            }
            _ if !offer.terminal => self.refuse(&id, not_offered("terminals")),
            ClientCall::CreateTerminal { session, terminal } => self.create_terminal(id, &session, terminal),
            ClientCall::TerminalOutput(terminal) => {
                match self.terminals().and_then(|all| all.output(&terminal)) {
                    Some(output) => self.reply(&id, &output),
                    None => self.refuse(&id, no_terminal(&terminal)),
                }
            }
            ClientCall::TerminalExit(terminal) => {
                match self.terminals_mut().and_then(|all| all.exit(&terminal, &id)) {
                    Some(Some(exit)) => self.reply(&id, &exit),
                    // It is answered when the command ends.
                    Some(None) => {}
                    None => self.refuse(&id, no_terminal(&terminal)),
                }
            }
            ClientCall::KillTerminal(terminal) => {
                if self.terminals().is_some_and(|all| all.kill(&terminal)) {
                    self.reply(&id, &Nothing {});
                } else {
                    self.refuse(&id, no_terminal(&terminal));
                }
            }
            ClientCall::ReleaseTerminal(terminal) => {
                match self.terminals_mut().and_then(|all| all.release(&terminal)) {
                    Some(waiting) => {
                        for waiting in waiting {
                            self.refuse(&waiting, no_terminal(&terminal));
                        }
                        self.reply(&id, &Nothing {});
                    }
                    None => self.refuse(&id, no_terminal(&terminal)),
                }
            }
        }
    }

    /// Answers what was asked about files.
    pub(super) fn file_done(&mut self, id: &AgentRequestId, done: FileDone) {
        let error = match done {
            FileDone::Read(Ok(content)) => return self.reply(id, &FileText { content }),
            FileDone::Written(Ok(())) => return self.reply(id, &Nothing {}),
            FileDone::Read(Err(error)) | FileDone::Written(Err(error)) => error,
        };
        let reason = error.to_string();
        let shown = self.without_secrets(&reason);
        tracing::info!(agent = %self.definition.name, reason = shown, "a file was refused");
        self.refuse(
            id,
            match error {
                FileError::Missing { .. } => Refusal::Missing { what: reason },
                FileError::NotAbsolute { .. }
                | FileError::Outside { .. }
                | FileError::NotRegular { .. }
                | FileError::ReadOnly { .. }
                | FileError::TooLarge { .. }
                | FileError::NotText { .. } => Refusal::Wrong { reason },
                FileError::System { .. } => Refusal::Failed { reason },
            },
        );
    }

    /// Tells the agent what became of its commands.
    pub(super) fn take_terminal_news(&mut self, news: TerminalNews) {
        match news {
            TerminalNews::Started {
                pane,
                most_bytes,
                asked,
            } => {
                let id = self.terminals_mut().and_then(|all| all.started(pane, most_bytes));
                if let Some(terminal_id) = id {
                    self.reply(&asked, &TerminalStarted { terminal_id });
                }
            }
            TerminalNews::NotStarted { asked, reason } => self.refuse(&asked, Refusal::Failed { reason }),
            TerminalNews::LoginStarted { pane } => {
                // It ends with the agent, like a command; the agent knows nothing of it.
                if let Some(all) = self.terminals_mut() {
                    all.started(pane, 0);
                }
            }
            TerminalNews::LoginEnded { login, outcome } => {
                let waits = self.terminals_mut().and_then(|all| all.login_ended(login));
                if let Some(respond) = waits {
                    self.logged_in_on_terminal(outcome, respond);
                }
            }
            TerminalNews::Gone => {
                if let Some(all) = self.terminals_mut() {
                    all.one_is_gone();
                }
                self.look_at_tree();
            }
            TerminalNews::Ended { surface, exit } => {
                let waiting = self.terminals_mut().map(|all| all.ended(surface, &exit));
                for waiting in waiting.unwrap_or_default() {
                    self.reply(&waiting, &exit);
                }
            }
        }
    }

    /// Returns what a session of the current conversation begins with. A tool server that cannot be run is left out and told
    /// in the log.
    pub(super) fn session_start(&self) -> SessionStart {
        let servers = self.definition.mcp_servers.iter().filter_map(|server| {
            match Program::of_tool_server(&self.definition, server, &self.context.home) {
                Ok(program) => {
                    let mut argv = program.argv.into_iter();
                    Some(ToolServer {
                        name: server.name.clone(),
                        command: argv.next()?,
                        args: argv.collect(),
                        env: program.env,
                    })
                }
                Err(error) => {
                    tracing::warn!(agent = %self.definition.name, server = server.name, %error, "a tool server is left out");
                    None
                }
            }
        });
        SessionStart {
            cwd: self.conversation.cwd().to_owned(),
            servers: servers.collect(),
        }
    }

    fn create_terminal(&mut self, id: AgentRequestId, session: &str, terminal: NewTerminal) {
        let Some(folder) = self.session_folder(session) else {
            return self.refuse(&id, no_session(session));
        };
        let output_bytes = terminal.output_bytes;
        let program = match Program::of_command(
            &self.definition,
            terminal.into_parts(),
            &folder,
            &self.context.home,
        ) {
            Ok(program) => program,
            Err(error) => {
                let reason = error.to_string();
                return self.refuse(&id, Refusal::Failed { reason });
            }
        };
        let context = Arc::clone(&self.context);
        let name = self.definition.name.clone();
        let Some(link) = &mut self.link else { return };
        let news = link.terminal_news.clone();
        let places = (&context.world.tasks, &context.surfaces);
        let created = link
            .terminals
            .create(places, &name, (program, output_bytes), id.clone(), news);
        if let Err(error) = created {
            let reason = error.to_string();
            self.refuse(&id, Refusal::Failed { reason });
        }
    }

    fn with_folder(
        &mut self,
        id: AgentRequestId,
        session: &str,
        work: impl FnOnce(&Path) -> FileDone + Send + 'static,
    ) {
        let Some(folder) = self.session_folder(session) else {
            return self.refuse(&id, no_session(session));
        };
        let Some(link) = &self.link else { return };
        let job = FileJob {
            id,
            work: Box::new(move || work(&folder)),
        };
        // A line is only read when there is room, and the worker ends with the link, which is still there. A line that holds a
        // batch may ask for more than there is room for.
        if let Err(TrySendError::Full(job)) = link.files.try_send(job) {
            let reason = "too much is asked of files at once".to_owned();
            self.refuse(&job.id, Refusal::Failed { reason });
        }
    }

    fn session_folder(&self, session: &str) -> Option<PathBuf> {
        let is_ours = match &self.session {
            Session::Open { id } => id == session,
            // The answer that names the session is still on its way.
            Session::Opening { .. } => true,
            Session::Closed { .. } => false,
        };
        is_ours.then(|| PathBuf::from(self.conversation.cwd()))
    }

    fn terminals(&self) -> Option<&super::terminals::Terminals> {
        self.link.as_ref().map(|link| &link.terminals)
    }

    fn terminals_mut(&mut self) -> Option<&mut super::terminals::Terminals> {
        self.link.as_mut().map(|link| &mut link.terminals)
    }

    pub(super) fn reply(&mut self, id: &AgentRequestId, result: &impl serde::Serialize) {
        if let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) {
            connection.reply(id, result);
        }
    }

    pub(super) fn refuse(&mut self, id: &AgentRequestId, refusal: Refusal) {
        if let Some(connection) = self.link.as_mut().and_then(|link| link.connection.as_mut()) {
            connection.refuse(id, &refusal);
        }
    }
}

fn not_offered(what: &str) -> Refusal {
    Refusal::UnknownMethod {
        method: format!("for {what}: they are not offered to this agent"),
    }
}

fn no_terminal(id: &str) -> Refusal {
    Refusal::Missing {
        what: format!("there is no terminal {id} (any longer)"),
    }
}

fn no_session(id: &str) -> Refusal {
    Refusal::Missing {
        what: format!("there is no session {id} (any longer)"),
    }
}
