//! A stream of events: named waits on its frames, which on failure say what came and what the daemon said.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use pupitre_client::{Closer, Received, StreamError};
use pupitre_protocol::MessageId;
use pupitre_protocol::agent::AgentState;
use pupitre_protocol::conversation::{Message, Permission, Role, StopReason, SystemCode};
use pupitre_protocol::event::{Event, Frame, SubscribeParams};

use super::daemon::Story;
use super::{Desk, PATIENCE};

/// How many of the last frames a failed test shows, and how much of each, in characters.
const SHOWN_FRAMES: usize = 60;
const SHOWN_CHARACTERS: usize = 400;

/// How many frames may wait for the test; more wait in the socket.
const WAITING_FRAMES: usize = 4_096;

/// A stream of events that is read in order.
pub(crate) struct Events {
    frames: Receiver<Result<Received, StreamError>>,
    closer: Closer,
    seen: VecDeque<String>,
    patience: Duration,
    story: Story,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EndedTurn {
    /// The user message that began it.
    pub(crate) turn: MessageId,
    pub(crate) stop_reason: Option<StopReason>,
    pub(crate) error: Option<String>,
    /// The message that ended it.
    pub(crate) message: Message,
}

impl Events {
    pub(super) fn open(desk: &Desk, params: &SubscribeParams) -> Self {
        let stream = desk.client().subscribe(params);
        let stream = stream.unwrap_or_else(|error| panic!("{error}\n{}", desk.story()));
        let closer = stream.closer().expect("a socket can be shared");
        let (sender, frames) = mpsc::sync_channel(WAITING_FRAMES);
        std::thread::spawn(move || {
            for received in stream {
                // The test has seen enough when nobody listens.
                if sender.send(received).is_err() {
                    break;
                }
            }
        });
        Self {
            frames,
            closer,
            seen: VecDeque::new(),
            patience: PATIENCE,
            story: desk.daemon().story().clone(),
        }
    }

    /// Waits longer, or less long, than usual.
    pub(crate) fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Reads on to the first frame that is wanted, and returns what was made of it.
    #[track_caller]
    pub(crate) fn wait_for<T>(&mut self, name: &str, mut pick: impl FnMut(&Frame) -> Option<T>) -> T {
        let deadline = self.deadline();
        loop {
            let frame = self.next_before(name, deadline);
            if let Some(picked) = pick(&frame) {
                return picked;
            }
        }
    }

    /// Reads on to the first frame that is wanted.
    #[track_caller]
    pub(crate) fn wait_until(&mut self, name: &str, mut is_wanted: impl FnMut(&Frame) -> bool) -> Frame {
        self.wait_for(name, |frame| is_wanted(frame).then(|| frame.clone()))
    }

    /// Reads on until the agent has this state.
    #[track_caller]
    pub(crate) fn wait_for_state(&mut self, agent: &str, state: AgentState) -> Option<String> {
        self.wait_for(&format!("{agent} is {}", state.as_str()), |frame| {
            match &frame.event {
                Event::AgentState(changed) if changed.agent.as_str() == agent && changed.state == state => {
                    Some(changed.error.clone())
                }
                _ => None,
            }
        })
    }

    /// Reads on until some text of an answer has come that has this in it, and returns that piece.
    #[track_caller]
    pub(crate) fn wait_for_text(&mut self, text: &str) -> String {
        self.wait_for(&format!("an answer with {text:?}"), |frame| {
            let piece = match &frame.event {
                Event::MessageDelta(delta) => delta.text.clone().or_else(|| {
                    let part = delta.part.as_ref()?;
                    serde_json::to_string(part).ok()
                })?,
                Event::MessageUpdated(updated) if updated.message.role == Role::Agent => {
                    super::text_of(&updated.message)
                }
                _ => return None,
            };
            piece.contains(text).then_some(piece)
        })
    }

    /// Reads on to the next permission request.
    #[track_caller]
    pub(crate) fn wait_for_permission(&mut self) -> Permission {
        self.wait_for("a permission request", |frame| match &frame.event {
            Event::PermissionRequested(requested) => Some(requested.clone().into_permission()),
            _ => None,
        })
    }

    /// Reads on until the turn of this message has ended.
    #[track_caller]
    pub(crate) fn wait_for_end_of_turn(&mut self, turn: MessageId) -> EndedTurn {
        self.wait_for(&format!("the end of the turn of {turn}"), |frame| {
            EndedTurn::of(frame, turn)
        })
    }

    /// Reads on until so many messages wait for the agent's current answer.
    #[track_caller]
    pub(crate) fn wait_for_queue(&mut self, agent: &str, queued: u32) {
        self.wait_until(&format!("{queued} messages wait for {agent}"), |frame| {
            matches!(&frame.event, Event::TurnChanged(changed)
                if changed.agent.as_str() == agent && changed.busy && changed.queued == queued)
        });
    }

    /// Reads on to the end of the stream, and returns how many frames there were.
    #[track_caller]
    pub(crate) fn wait_for_close(&mut self) -> usize {
        let deadline = Instant::now() + self.patience;
        let mut count = 0;
        loop {
            match self
                .frames
                .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            {
                Ok(received) => {
                    self.note(&received);
                    count += 1;
                }
                Err(RecvTimeoutError::Disconnected) => return count,
                Err(RecvTimeoutError::Timeout) => self.fail("the stream ends", "it is still open"),
            }
        }
    }

    /// Returns until when a wait that begins now may last.
    pub(crate) fn deadline(&self) -> Instant {
        Instant::now() + self.patience
    }

    /// Reads the next frame, whatever it is, as long as there is time.
    #[track_caller]
    pub(crate) fn next_before(&mut self, name: &str, deadline: Instant) -> Frame {
        let left = deadline.saturating_duration_since(Instant::now());
        let received = match self.frames.recv_timeout(left) {
            Ok(received) => received,
            Err(RecvTimeoutError::Timeout) => self.fail(name, "it did not come in time"),
            Err(RecvTimeoutError::Disconnected) => self.fail(name, "the stream has ended"),
        };
        self.note(&received);
        match received {
            Ok(Received {
                frame: Some(frame), ..
            }) => frame,
            Ok(Received { frame: None, line }) => {
                self.fail(name, &format!("a frame of an unknown type came: {line}"))
            }
            Err(error) => self.fail(name, &error.to_string()),
        }
    }

    fn note(&mut self, received: &Result<Received, StreamError>) {
        let text = match received {
            Ok(received) => received.line.chars().take(SHOWN_CHARACTERS).collect(),
            Err(error) => error.to_string(),
        };
        self.seen.push_back(text);
        if self.seen.len() > SHOWN_FRAMES {
            self.seen.pop_front();
        }
    }

    #[track_caller]
    fn fail(&self, name: &str, problem: &str) -> ! {
        let seen: Vec<&str> = self.seen.iter().map(String::as_str).collect();
        panic!(
            "waiting until {name}: {problem}\n--- the last frames\n{}\n{}",
            seen.join("\n"),
            self.story
        );
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        // The thread that reads ends with it; a stream that the daemon closed needs nothing.
        self.closer.close().ok();
    }
}

impl EndedTurn {
    /// Returns how the turn of a message ended, when this frame says that it did.
    pub(crate) fn of(frame: &Frame, turn: MessageId) -> Option<Self> {
        let Event::MessageUpdated(updated) = &frame.event else {
            return None;
        };
        let message = &updated.message;
        let is_end = match message.role {
            Role::Agent => {
                message.turn == Some(turn)
                    && message.done
                    && (message.stop_reason.is_some() || message.error.is_some())
            }
            // It was taken out of the queue.
            Role::User => message.id == turn && message.error.is_some(),
            Role::System => message.turn == Some(turn) && message.code == Some(SystemCode::AgentUnavailable),
        };
        is_end.then(|| Self {
            turn,
            stop_reason: message.stop_reason,
            error: message.error.clone(),
            message: message.clone(),
        })
    }
}
