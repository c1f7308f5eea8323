//! Commands that an agent has the daemon run for it (ACP: terminals): each is a pane, which stays readable after the
//! agent has released it.

use std::collections::{BTreeMap, HashMap};

use pupitre_protocol::limits::{AGENT_TERMINALS, TERMINAL_OUTPUT_BYTES, TERMINAL_OUTPUT_BYTES_MOST};
use pupitre_protocol::surface::ExitStatus;
use pupitre_protocol::system::Empty;
use pupitre_protocol::{AgentName, ErrorKind, RpcError, SurfaceId};
use pupitre_terminal::LineNumber;
use tokio::sync::mpsc;

use super::Respond;
use super::acp::{AgentRequestId, TerminalExit, TerminalOutput, terminal_id};
use crate::pane::Pane;
use crate::process::Program;
use crate::surface::{CommandName, Surfaces};
use crate::tasks::Tasks;

/// The commands of one run of an agent.
#[derive(Debug, Default)]
pub(super) struct Terminals {
    known: HashMap<String, Terminal>,
    /// Who waits for the end of which login.
    logins: BTreeMap<u64, Respond<Empty>>,
    logins_begun: u64,
    /// How many are being started or have processes, released ones that are still being ended included.
    alive: usize,
    /// The agent is being ended: what starts now is ended too.
    is_ending: bool,
}

#[derive(Debug)]
struct Terminal {
    pane: Pane,
    most_bytes: usize,
    exit: Option<TerminalExit>,
    /// Who waits for its end.
    waiting: Vec<AgentRequestId>,
}

/// What is heard of a command.
#[derive(Debug)]
pub(super) enum TerminalNews {
    /// It runs, and `asked` is to be told so.
    Started {
        pane: Pane,
        most_bytes: usize,
        asked: AgentRequestId,
    },
    NotStarted {
        asked: AgentRequestId,
        reason: String,
    },
    Ended {
        surface: SurfaceId,
        exit: TerminalExit,
    },
    /// The agent's program asks its user to log in, on a terminal.
    LoginStarted {
        pane: Pane,
    },
    LoginEnded {
        login: u64,
        /// How its program ended, or why it could not be started.
        outcome: Result<TerminalExit, String>,
    },
    /// Nothing of one is left, and its guard is gone.
    Gone,
}

/// Why a command is not run.
#[derive(Debug, thiserror::Error)]
#[error("{AGENT_TERMINALS} commands run already, which is the limit: release one")]
pub(super) struct TooManyTerminals;

impl Terminals {
    /// Begins a command. What becomes of it comes as news.
    ///
    /// # Errors
    ///
    /// When as many run already as may.
    pub(super) fn create(
        &mut self,
        (tasks, surfaces): (&Tasks, &Surfaces),
        agent: &AgentName,
        (program, output_bytes): (Program, Option<u64>),
        asked: AgentRequestId,
        news: mpsc::UnboundedSender<TerminalNews>,
    ) -> Result<(), TooManyTerminals> {
        if self.alive >= AGENT_TERMINALS {
            return Err(TooManyTerminals);
        }
        self.alive += 1;
        let most_bytes = match output_bytes {
            Some(bytes) => usize::try_from(bytes).map_or(TERMINAL_OUTPUT_BYTES_MOST, |bytes| {
                bytes.min(TERMINAL_OUTPUT_BYTES_MOST)
            }),
            None => TERMINAL_OUTPUT_BYTES,
        };
        let (surfaces, agent) = (surfaces.clone(), agent.clone());
        tasks.spawn(async move {
            // Nobody hears any of it when the agent is gone.
            let tell = |word| drop(news.send(word));
            let made = surfaces
                .create_for_agent(&agent, program, CommandName::Derived)
                .await;
            match made {
                Ok(pane) => {
                    tell(TerminalNews::Started {
                        pane: pane.clone(),
                        most_bytes,
                        asked,
                    });
                    let exit = told(pane.ended().await);
                    let surface = pane.id();
                    tell(TerminalNews::Ended { surface, exit });
                    pane.gone().await;
                }
                Err(error) => {
                    let reason = error.message;
                    tell(TerminalNews::NotStarted { asked, reason });
                }
            }
            tell(TerminalNews::Gone);
        });
        Ok(())
    }

    /// Begins a login on a terminal. What becomes of it comes as news.
    ///
    /// # Errors
    ///
    /// When as many commands run already as may; whoever waits for the answer is given back.
    pub(super) fn log_in(
        &mut self,
        (tasks, surfaces): (&Tasks, &Surfaces),
        agent: &AgentName,
        program: Program,
        respond: Respond<Empty>,
        news: mpsc::UnboundedSender<TerminalNews>,
    ) -> Result<(), (Respond<Empty>, RpcError)> {
        if self.alive >= AGENT_TERMINALS {
            let error = RpcError::new(ErrorKind::TooManySurfaces, TooManyTerminals.to_string());
            return Err((respond, error));
        }
        self.alive += 1;
        self.logins_begun += 1;
        let login = self.logins_begun;
        self.logins.insert(login, respond);
        let (surfaces, agent) = (surfaces.clone(), agent.clone());
        tasks.spawn(async move {
            // Nobody hears any of it when the agent is gone.
            let tell = |word| drop(news.send(word));
            let made = surfaces
                .create_for_agent(&agent, program, CommandName::Login)
                .await;
            match made {
                Ok(pane) => {
                    tell(TerminalNews::LoginStarted { pane: pane.clone() });
                    let outcome = Ok(told(pane.ended().await));
                    tell(TerminalNews::LoginEnded { login, outcome });
                    pane.gone().await;
                }
                Err(error) => {
                    let outcome = Err(error.message);
                    tell(TerminalNews::LoginEnded { login, outcome });
                }
            }
            tell(TerminalNews::Gone);
        });
        Ok(())
    }

    /// Takes note of a command that runs. Returns by which id the agent knows it; `None` when the agent is being ended and
    /// needs none.
    pub(super) fn started(&mut self, pane: Pane, most_bytes: usize) -> Option<String> {
        if self.is_ending {
            pane.terminate();
            return None;
        }
        let id = terminal_id(pane.id());
        let terminal = Terminal {
            pane,
            most_bytes,
            exit: None,
            waiting: Vec::new(),
        };
        self.known.insert(id.clone(), terminal);
        Some(id)
    }

    /// Ends all of them, at once. Returns who waits for a login that will not be done.
    pub(super) fn end(&mut self) -> Vec<Respond<Empty>> {
        self.is_ending = true;
        for (_, terminal) in self.known.drain() {
            terminal.pane.terminate();
        }
        std::mem::take(&mut self.logins).into_values().collect()
    }

    /// Says whether somebody logs in.
    pub(super) fn has_login(&self) -> bool {
        !self.logins.is_empty()
    }

    /// Takes note that a login has ended, and returns who waited for it.
    pub(super) fn login_ended(&mut self, login: u64) -> Option<Respond<Empty>> {
        self.logins.remove(&login)
    }

    /// Takes note that nothing of one is left.
    pub(super) fn one_is_gone(&mut self) {
        self.alive = self.alive.saturating_sub(1);
    }

    /// Says whether nothing of any of them is left.
    pub(super) fn are_gone(&self) -> bool {
        self.alive == 0
    }

    /// Returns what a command has written, as text. `None` when there is none of this name.
    pub(super) fn output(&self, id: &str) -> Option<TerminalOutput> {
        let terminal = self.known.get(id)?;
        let whole = terminal.pane.inspect(|state| state.screen.read(usize::MAX, 0));
        let whole = whole.expect("the newest line is never past the end");
        let (output, is_cut) = end_of(&whole.text, terminal.most_bytes);
        Some(TerminalOutput {
            output: output.to_owned(),
            // Lines are numbered from 0: where the first is another, those before it are gone.
            truncated: is_cut || whole.first_line != LineNumber(0),
            exit_status: terminal.exit.clone(),
        })
    }

    /// Returns how a command ended, or remembers who waits for it. `None` when there is none of this name.
    pub(super) fn exit(&mut self, id: &str, asked: &AgentRequestId) -> Option<Option<TerminalExit>> {
        let terminal = self.known.get_mut(id)?;
        if terminal.exit.is_none() {
            terminal.waiting.push(asked.clone());
        }
        Some(terminal.exit.clone())
    }

    /// Ends a command at once; its output stays. Says whether there is one of this name.
    pub(super) fn kill(&self, id: &str) -> bool {
        self.known.get(id).is_some_and(|terminal| {
            terminal.pane.terminate();
            true
        })
    }

    /// Ends a command and forgets it. Returns who waited for its end, or `None` when there is none of this name.
    pub(super) fn release(&mut self, id: &str) -> Option<Vec<AgentRequestId>> {
        self.kill(id);
        self.known.remove(id).map(|terminal| terminal.waiting)
    }

    /// Takes note of how a command ended, and returns who waited for it.
    pub(super) fn ended(&mut self, surface: SurfaceId, exit: &TerminalExit) -> Vec<AgentRequestId> {
        let Some(terminal) = self.known.get_mut(&terminal_id(surface)) else {
            return Vec::new();
        };
        terminal.exit = Some(exit.clone());
        std::mem::take(&mut terminal.waiting)
    }
}

fn told(ExitStatus { code, signal }: ExitStatus) -> TerminalExit {
    TerminalExit {
        exit_code: code,
        signal,
    }
}

/// Returns the newest text within a limit, which begins with a whole character, and whether that is not all.
fn end_of(text: &str, most_bytes: usize) -> (&str, bool) {
    let begin = text.ceil_char_boundary(text.len().saturating_sub(most_bytes));
    (&text[begin..], begin > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_output_begins_with_a_whole_character() {
        assert_eq!(end_of("aé", 5), ("aé", false));
        assert_eq!(end_of("aébcd", 5), ("ébcd", true));
        assert_eq!(end_of("aébcd", 4), ("bcd", true));
        assert_eq!(end_of("aé", 0), ("", true));
    }
}
