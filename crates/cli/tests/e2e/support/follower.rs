//! Follows one agent's conversation as a client does: a snapshot and the events after it. Asked for the end of a turn,
//! it reads on; what it holds must at the end be what the daemon shows.

use std::time::{Duration, Instant};

use pupitre_protocol::MessageId;
use pupitre_protocol::conversation::{ConversationView, Message, Role};
use pupitre_protocol::event::{Event, Frame};
use pupitre_testkit::replica::Replica;

use super::{Desk, EndedTurn, Events, text_of};

/// A client of one conversation.
pub(crate) struct Follower<'desk> {
    desk: &'desk Desk,
    agent: String,
    events: Events,
    replica: Replica,
}

impl<'desk> Follower<'desk> {
    /// Begins to follow the current conversation of an agent.
    pub(crate) fn new(desk: &'desk Desk, agent: &str) -> Self {
        let events = desk.events();
        Self {
            desk,
            agent: agent.to_owned(),
            events,
            replica: Replica::new(desk.conversation(agent)),
        }
    }

    /// Waits longer, or less long, than usual.
    pub(crate) fn with_patience(mut self, patience: Duration) -> Self {
        self.events = self.events.with_patience(patience);
        self
    }

    /// Reads the next frame, and takes it in.
    #[track_caller]
    pub(crate) fn next(&mut self, name: &str) -> Frame {
        self.next_before(name, self.events.deadline())
    }

    #[track_caller]
    fn next_before(&mut self, name: &str, deadline: Instant) -> Frame {
        let frame = self.events.next_before(name, deadline);
        match &frame.event {
            // A client that lost something takes a snapshot and goes on from there.
            Event::Dropped(_) | Event::Resync(_) => {
                self.replica = Replica::new(self.desk.conversation(&self.agent))
            }
            event => self.replica.apply(event),
        }
        frame
    }

    /// Reads on until the turn of this message has ended.
    #[track_caller]
    pub(crate) fn wait_for_end_of_turn(&mut self, turn: MessageId) -> EndedTurn {
        let deadline = self.events.deadline();
        loop {
            let frame = self.next_before(&format!("the turn of {turn} ends"), deadline);
            if let Some(ended) = EndedTurn::of(&frame, turn) {
                return ended;
            }
        }
    }

    /// Reads on until all that the agent has said in this turn is this.
    #[track_caller]
    pub(crate) fn wait_for_text(&mut self, turn: MessageId, text: &str) {
        let shown: String = text.chars().take(200).collect();
        let deadline = self.events.deadline();
        while self.text(turn) != text {
            self.next_before(&format!("the turn of {turn} has the text {shown:?}"), deadline);
        }
    }

    /// Returns all text of the agent in this turn, so far.
    pub(crate) fn text(&self, turn: MessageId) -> String {
        let messages = self.messages().iter();
        messages
            .filter(|message| message.role == Role::Agent && message.turn == Some(turn))
            .map(text_of)
            .collect()
    }

    /// Returns the messages from the first that was there, or came.
    pub(crate) fn messages(&self) -> &[Message] {
        self.replica.messages()
    }

    /// Checks that the daemon shows the same, and returns what it shows.
    #[track_caller]
    pub(crate) fn expect_same(&mut self) -> ConversationView {
        let view = self.desk.conversation(&self.agent);
        // What changed after the last frame that was read, the snapshot may have before us.
        let deadline = self.events.deadline();
        while self.replica.rev() < view.rev {
            self.next_before("the events up to the snapshot come", deadline);
        }
        self.replica.assert_same(&view);
        view
    }
}
