//! Any snapshot and the events after it are what the conversation shows; and what holds after every step.

use proptest::collection::vec;
use proptest::prelude::*;
use pupitre_protocol::Event;
use pupitre_protocol::conversation::{ConversationView, Message, Role};
use pupitre_testkit::replica::Replica;

use super::Scene;
use super::operation::{Lengths, Operation, operation};

/// What happens, and who looks.
#[derive(Clone, Debug)]
enum Step {
    Happens(Operation),
    /// The owner sends what has changed.
    Take,
    /// A client takes a snapshot of so many messages. It gets again so many of the events that were sent before.
    Snapshot {
        limit: usize,
        repeated: usize,
    },
}

fn step(lengths: Lengths) -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => operation(lengths).prop_map(Step::Happens),
        3 => Just(Step::Take),
        1 => (1_usize..200, 0_usize..30).prop_map(|(limit, repeated)| Step::Snapshot { limit, repeated }),
    ]
}

/// A scene with the clients that follow it.
struct Followed {
    scene: Scene,
    sent: Vec<Event>,
    clients: Vec<Replica>,
}

impl Followed {
    fn new() -> Self {
        let scene = Scene::new();
        let first = scene.conversation.view(scene.conversation.held_page(None, 200).0);
        Self {
            scene,
            sent: Vec::new(),
            clients: vec![Replica::new(first)],
        }
    }

    fn send_events(&mut self) {
        let agent = self.scene.conversation.agent().clone();
        let id = self.scene.conversation.id();
        let revisions = self.scene.take();
        let events: Vec<Event> = revisions
            .into_iter()
            .filter_map(|revision| revision.into_event(&agent, id))
            .collect();
        for client in &mut self.clients {
            events.iter().for_each(|event| client.apply(event));
        }
        self.sent.extend(events);
    }

    /// The owner sends what has changed before it shows the conversation, as the daemon does.
    fn shown(&mut self, limit: usize) -> ConversationView {
        self.send_events();
        let conversation = &self.scene.conversation;
        conversation.view(conversation.held_page(None, limit).0)
    }

    fn perform(&mut self, step: Step) {
        match step {
            Step::Happens(operation) => {
                self.scene.perform(operation);
                check_state(&self.scene);
            }
            Step::Take => self.send_events(),
            Step::Snapshot { limit, repeated } => {
                let view = self.shown(limit);
                self.clients.iter().for_each(|client| client.assert_same(&view));
                let mut client = Replica::new(view);
                let late = self.sent.len().saturating_sub(repeated);
                self.sent[late..].iter().for_each(|event| client.apply(event));
                self.clients.push(client);
            }
        }
    }
}

/// What is true of a conversation at any time.
fn check_state(scene: &Scene) {
    let messages = scene.messages();
    let view = scene.conversation.view(scene.conversation.held_page(None, 1).0);
    let open: Vec<&Message> = messages.iter().filter(|message| !message.done).collect();
    if view.busy {
        assert!(open.len() <= 1, "one message at a time is open: {open:?}");
    } else {
        assert!(
            open.is_empty(),
            "nothing streams, yet a message is open: {open:?}"
        );
    }
    assert!(
        open.iter().all(|message| message.role == Role::Agent),
        "only answers stream"
    );
    let queued = messages.iter().filter(|message| message.queued).count();
    assert_eq!(queued, view.queued as usize, "every queued message is held");
    assert!(
        messages.iter().is_sorted_by(|left, right| left.id < right.id),
        "ids sort by creation"
    );
    assert!(
        messages.iter().all(|message| message.rev <= view.rev),
        "no message is ahead of its conversation"
    );
}

/// Each turn that is over has exactly one end.
fn check_ends(scene: &Scene) {
    let messages = scene.messages();
    let running = scene.conversation.turn();
    let asked = messages
        .iter()
        .filter(|message| message.role == Role::User && message.error.is_none() && !message.queued);
    for question in asked.filter(|message| Some(message.id) != running) {
        let ends = messages.iter().filter(|message| {
            message.role != Role::User
                && message.turn == Some(question.id)
                && (message.stop_reason.is_some() || message.error.is_some())
        });
        assert_eq!(ends.count(), 1, "ends of the turn {}", question.id);
    }
}

fn check_replay(steps: Vec<Step>) {
    let mut followed = Followed::new();
    for step in steps {
        followed.perform(step);
        check_ends(&followed.scene);
    }
    let view = followed.shown(1_000);
    followed
        .clients
        .iter()
        .for_each(|client| client.assert_same(&view));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_snapshot_and_the_events_after_it_are_the_conversation(
        steps in vec(step(Lengths { longest: 3_000, long_percent: 10 }), 1..120)
    ) {
        check_replay(steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn so_they_are_when_texts_are_huge(
        steps in vec(step(Lengths { longest: 300_000, long_percent: 20 }), 1..60)
    ) {
        check_replay(steps);
    }
}
