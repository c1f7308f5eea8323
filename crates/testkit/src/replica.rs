//! What a client holds of a conversation: a snapshot, and the events after it, applied in the order they came.
//!
//! Responsible for the promise that the protocol makes to clients; a test compares it with what the daemon shows.

use pupitre_protocol::conversation::{ConversationView, Message, Part, PartKind};
use pupitre_protocol::event::MessageDelta;
use pupitre_protocol::{ConversationId, Event, MessageId};

/// A conversation in the hands of a client.
#[derive(Clone, Debug)]
pub struct Replica {
    view: ConversationView,
}

impl Replica {
    /// Begins with a snapshot.
    pub fn new(view: ConversationView) -> Self {
        Self { view }
    }

    /// Returns the revision that it has come to.
    pub fn rev(&self) -> u64 {
        self.view.rev
    }

    /// Returns the messages from the oldest of the snapshot on.
    pub fn messages(&self) -> &[Message] {
        &self.view.messages
    }

    /// Returns whether the agent is answering.
    pub fn is_busy(&self) -> bool {
        self.view.busy
    }

    /// Takes in an event; those of another conversation, and those that the snapshot has already, change nothing.
    ///
    /// Panics when the event cannot be applied, since then something before it is missing.
    pub fn apply(&mut self, event: &Event) {
        let Some((conversation, rev)) = standing(event) else {
            return;
        };
        if conversation != self.view.conversation || rev <= self.view.rev {
            return;
        }
        self.view.rev = rev;
        match event {
            Event::MessageUpdated(payload) => self.put(payload.message.clone()),
            Event::MessageDelta(delta) => self.change(delta),
            Event::TurnChanged(payload) => {
                self.view.busy = payload.busy;
                self.view.queued = payload.queued;
                self.view.stalled = payload.stalled;
                self.view.login.clone_from(&payload.login);
            }
            Event::PermissionRequested(payload) => {
                self.view.permissions.push(payload.clone().into_permission());
            }
            Event::PermissionResolved(payload) => {
                self.view.permissions.retain(|open| open.id != payload.id);
            }
            Event::ElicitationRequested(payload) => {
                self.view.elicitations.push(payload.elicitation.clone());
            }
            Event::ElicitationResolved(payload) => {
                self.view.elicitations.retain(|open| open.id != payload.id);
            }
            Event::UsageChanged(payload) => self.view.usage = Some(payload.usage.clone()),
            Event::CommandsChanged(payload) => self.view.commands.clone_from(&payload.commands),
            Event::SessionChanged(payload) => {
                if let Some(modes) = &payload.modes {
                    self.view.modes = Some(modes.clone());
                }
                if let Some(options) = &payload.config_options {
                    self.view.config_options.clone_from(options);
                }
                if let Some(title) = &payload.title {
                    self.view.title = Some(title.clone());
                }
            }
            Event::AgentState(_)
            | Event::AgentLog(_)
            | Event::AgentTrace(_)
            | Event::ConversationChanged(_)
            | Event::ConversationDeleted(_)
            | Event::ConfigChanged(_)
            | Event::SurfaceOpened(_)
            | Event::SurfaceClosed(_)
            | Event::SurfaceChanged(_)
            | Event::StateChanged(_)
            | Event::WorkspacesChanged(_)
            | Event::ChannelUpdated(_)
            | Event::Subscribed(_)
            | Event::Heartbeat(_)
            | Event::Dropped(_)
            | Event::Resync(_) => unreachable!("they have no revision"),
        }
    }

    fn put(&mut self, message: Message) {
        match self.place(message.id) {
            Place::Held(index) => self.view.messages[index] = message,
            Place::Next => {
                self.view.total += 1;
                self.view.messages.push(message);
            }
            Place::Before => {}
        }
    }

    fn change(&mut self, delta: &MessageDelta) {
        let message = match self.place(delta.message_id) {
            Place::Held(index) => &mut self.view.messages[index],
            Place::Next => panic!("the message of this delta never came: {delta:?}"),
            Place::Before => return,
        };
        message.rev = delta.rev;
        let index = delta.index as usize;
        let count = message.parts.len();
        assert!(
            index <= count,
            "part {index} does not follow on {count} parts: {delta:?}"
        );
        match (&delta.text, &delta.part) {
            (Some(text), None) if index == count => message.parts.push(text_part(delta.kind, text.clone())),
            (Some(text), None) => match &mut message.parts[index] {
                Part::Text { text: whole } if delta.kind == PartKind::Text => whole.push_str(text),
                Part::Thought { text: whole } if delta.kind == PartKind::Thought => whole.push_str(text),
                part => panic!("{delta:?} appends to a {:?}", part.kind()),
            },
            (None, Some(part)) => {
                assert_eq!(part.kind(), delta.kind, "a delta says of which kind its part is");
                if index == count {
                    message.parts.push(part.clone());
                } else {
                    message.parts[index] = part.clone();
                }
            }
            (Some(_), Some(_)) | (None, None) => panic!("a delta is either text or a part: {delta:?}"),
        }
    }

    fn place(&self, id: MessageId) -> Place {
        let messages = &self.view.messages;
        match messages.binary_search_by_key(&id, |message| message.id) {
            Ok(index) => Place::Held(index),
            Err(index) if index == messages.len() => Place::Next,
            Err(0) => Place::Before,
            Err(index) => panic!("message {id} came late, before {}", messages[index].id),
        }
    }

    /// Panics unless a snapshot shows the same, as far back as both reach.
    #[track_caller]
    pub fn assert_same(&self, now: &ConversationView) {
        let ours = &self.view;
        assert_eq!(ours.conversation, now.conversation, "conversation");
        assert!(
            ours.rev <= now.rev,
            "revision {} is ahead of {}",
            ours.rev,
            now.rev
        );
        let reach = ours.messages.len().min(now.messages.len());
        assert!(
            reach > 0 || ours.messages.len() == now.messages.len(),
            "one has no messages"
        );
        let newest = |messages: &[Message]| messages[messages.len() - reach..].to_vec();
        for (held, shown) in newest(&ours.messages).iter().zip(&newest(&now.messages)) {
            assert!(held == shown, "held:\n{}\nshown:\n{}", brief(held), brief(shown));
        }
        assert_eq!(ours.total, now.total, "number of messages");
        assert_eq!(
            (ours.busy, ours.queued),
            (now.busy, now.queued),
            "busy and queued"
        );
        assert_eq!(ours.permissions, now.permissions, "permissions");
        assert_eq!(ours.elicitations, now.elicitations, "questions");
        assert_eq!(ours.login, now.login, "login");
        assert_eq!(ours.usage, now.usage, "usage");
        assert_eq!(ours.commands, now.commands, "commands");
        assert_eq!(ours.modes, now.modes, "modes");
        assert_eq!(ours.config_options, now.config_options, "options");
        assert_eq!(ours.title, now.title, "title");
    }
}

/// Where a message stands among those that are held.
enum Place {
    Held(usize),
    Next,
    Before,
}

/// Returns the conversation and the revision that an event belongs to.
fn standing(event: &Event) -> Option<(ConversationId, u64)> {
    Some(match event {
        Event::MessageUpdated(payload) => (payload.conversation, payload.rev),
        Event::MessageDelta(payload) => (payload.conversation, payload.rev),
        Event::TurnChanged(payload) => (payload.conversation, payload.rev),
        Event::PermissionRequested(payload) => (payload.conversation, payload.rev),
        Event::PermissionResolved(payload) => (payload.conversation, payload.rev),
        Event::ElicitationRequested(payload) => (payload.conversation, payload.rev),
        Event::ElicitationResolved(payload) => (payload.conversation, payload.rev),
        Event::UsageChanged(payload) => (payload.conversation, payload.rev),
        Event::CommandsChanged(payload) => (payload.conversation, payload.rev),
        Event::SessionChanged(payload) => (payload.conversation, payload.rev),
        Event::AgentState(_)
        | Event::AgentLog(_)
        | Event::AgentTrace(_)
        | Event::ConversationChanged(_)
        | Event::ConversationDeleted(_)
        | Event::ConfigChanged(_)
        | Event::SurfaceOpened(_)
        | Event::SurfaceClosed(_)
        | Event::SurfaceChanged(_)
        | Event::StateChanged(_)
        | Event::WorkspacesChanged(_)
        | Event::ChannelUpdated(_)
        | Event::Subscribed(_)
        | Event::Heartbeat(_)
        | Event::Dropped(_)
        | Event::Resync(_) => return None,
    })
}

fn text_part(kind: PartKind, text: String) -> Part {
    match kind {
        PartKind::Text => Part::Text { text },
        PartKind::Thought => Part::Thought { text },
        PartKind::Tool | PartKind::Plan | PartKind::Image | PartKind::Resource => {
            panic!("text cannot begin a {kind:?}")
        }
    }
}

/// Returns the message as JSON, cut where it is long.
fn brief(message: &Message) -> String {
    const SHOWN_CHARACTERS: usize = 2_000;
    let json = serde_json::to_string(message).expect("messages are JSON");
    json.chars().take(SHOWN_CHARACTERS).collect()
}
