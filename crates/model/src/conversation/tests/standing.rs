//! The state that the fleet shows of an agent is what its conversation says, whatever happens in whatever order.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use pupitre_protocol::agent::{AgentState, AgentView};
use pupitre_protocol::conversation::{Message, Part, Role, ToolCall, ToolKind, ToolStatus};
use pupitre_protocol::limits::TOLD_TEXT_BYTES;
use pupitre_protocol::surface::SurfaceState;
use pupitre_protocol::{AgentName, MessageId};
use uuid::Uuid;

use super::Scene;
use super::operation::{Lengths, Operation, operation};
use crate::conversation::Stall;
use crate::fleet::acp::{AcpStanding, Change};

#[derive(Clone, Debug)]
enum Step {
    Happens(Operation),
    Stall(Stall),
    Agent(AgentState),
    Seen,
}

fn step() -> impl Strategy<Value = Step> {
    let lengths = Lengths {
        longest: 3_000,
        long_percent: 10,
    };
    let state = prop_oneof![
        1 => Just(AgentState::Stopped),
        1 => Just(AgentState::Starting),
        6 => Just(AgentState::Ready),
        3 => Just(AgentState::Busy),
        1 => Just(AgentState::Error),
    ];
    prop_oneof![
        20 => operation(lengths).prop_map(Step::Happens),
        1 => prop_oneof![Just(Stall::Silent), Just(Stall::Heard)].prop_map(Step::Stall),
        3 => state.prop_map(Step::Agent),
        1 => Just(Step::Seen),
    ]
}

fn view(name: &AgentName, state: AgentState) -> AgentView {
    AgentView {
        name: name.clone(),
        title: String::new(),
        icon: None,
        description: None,
        state,
        error: None,
        cause: None,
        outdated: false,
        stopping: false,
        pid: None,
        version: None,
        started_at: None,
        capabilities: None,
        auth_methods: Vec::new(),
    }
}

type Messages = BTreeMap<MessageId, Message>;

/// What is expected, worked out each time from the conversation as a whole.
struct Expected {
    agent: AgentState,
    /// Every message, also those that the conversation has let go of.
    messages: Messages,
    /// The turn that runs, or the last one.
    turn: Option<MessageId>,
    /// The last turn whose end was taken in.
    ended: Option<MessageId>,
    /// The last turn whose good end a person has seen, or whose end another run of the agent made forgotten.
    over: Option<MessageId>,
    /// Questions that were open when the agent went.
    void: BTreeSet<Uuid>,
    last_result: Option<String>,
}

/// What is shown beside the state.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    state: SurfaceState,
    reason: Option<String>,
    message: Option<String>,
    tool: Option<String>,
    last_result: Option<String>,
    turn: Option<String>,
}

/// Returns the messages that answer a turn.
fn answers(messages: &Messages, turn: Option<MessageId>) -> impl Iterator<Item = &Message> {
    messages
        .values()
        .filter(move |message| message.role != Role::User && turn.is_some() && message.turn == turn)
}

fn failure(messages: &Messages, turn: Option<MessageId>) -> Option<String> {
    answers(messages, turn).find_map(|message| message.error.clone())
}

impl Expected {
    fn take_ends(&mut self, scene: &Scene) {
        let held = scene.messages().into_iter();
        self.messages.extend(held.map(|message| (message.id, message)));
        let running = scene.conversation.turn();
        self.turn = running.or(self.turn);
        if running.is_some() || self.turn == self.ended {
            return;
        }
        self.ended = self.turn;
        let mut texts = answers(&self.messages, self.turn)
            .filter(|message| message.role == Role::Agent)
            .flat_map(|message| &message.parts)
            .filter_map(|part| match part {
                Part::Text { text } if !text.trim().is_empty() => Some(text.as_str()),
                Part::Text { .. }
                | Part::Thought { .. }
                | Part::Tool { .. }
                | Part::Plan { .. }
                | Part::Image { .. }
                | Part::Resource { .. } => None,
            })
            .collect::<Vec<_>>();
        if let Some(text) = texts.pop() {
            self.last_result = Some(cut(text));
        }
    }

    fn agent(&mut self, scene: &Scene, state: AgentState) {
        self.agent = state;
        match state {
            AgentState::Stopped | AgentState::Error => {
                self.void.extend(asked(scene).into_iter().map(|(id, _)| id));
                self.seen(scene);
            }
            AgentState::Starting => self.seen(scene),
            AgentState::Ready | AgentState::Busy => {}
        }
    }

    fn seen(&mut self, scene: &Scene) {
        if !scene.conversation.is_busy() {
            self.over = self.ended;
        }
    }

    fn shown(&self, scene: &Scene) -> Shown {
        let Self { messages, turn, .. } = self;
        let turn = *turn;
        let busy = scene.conversation.is_busy();
        let question = asked(scene)
            .into_iter()
            .find(|(id, _)| !self.void.contains(id))
            .map(|(_, text)| text)
            .or_else(|| scene.conversation.login().map(|login| cut(&login.message)));
        let failure = failure(messages, turn);
        let has_process = matches!(self.agent, AgentState::Ready | AgentState::Busy);
        let (state, reason) = if self.agent == AgentState::Error {
            (SurfaceState::Errored, Some("the agent failed".to_owned()))
        } else if self.agent == AgentState::Stopped && !busy {
            (SurfaceState::Idle, Some("stopped".to_owned()))
        } else if !has_process {
            (SurfaceState::UnknownRunning, Some("starting".to_owned()))
        } else if question.is_some() {
            (SurfaceState::WaitingForInput, None)
        } else if busy && scene.conversation.stalled {
            (SurfaceState::Stalled, None)
        } else if busy || self.agent == AgentState::Busy {
            (SurfaceState::Thinking, None)
        } else if turn.is_none() || self.over == turn {
            (SurfaceState::Idle, None)
        } else if let Some(failure) = failure {
            (SurfaceState::Errored, Some(cut(&failure)))
        } else {
            (SurfaceState::Finished, None)
        };
        let is_active = matches!(
            state,
            SurfaceState::Thinking | SurfaceState::Stalled | SurfaceState::WaitingForInput
        );
        Shown {
            state,
            reason,
            message: question.filter(|_| state == SurfaceState::WaitingForInput),
            tool: running_tool(messages, turn).filter(|_| is_active && busy),
            last_result: self.last_result.clone(),
            turn: turn.map(|turn| turn.to_string()),
        }
    }
}

/// Returns what is open with the ids, oldest first.
fn asked(scene: &Scene) -> Vec<(Uuid, String)> {
    let permissions = scene.conversation.permissions().iter();
    let elicitations = scene.conversation.elicitations().iter();
    let mut asked: Vec<(Uuid, String)> = permissions
        .map(|asked| (asked.id.0, named(&asked.tool_call)))
        .chain(elicitations.map(|asked| (asked.id.0, cut(&asked.message))))
        .collect();
    asked.sort();
    asked
}

/// Returns the tool call that runs since the turn began to be answered.
fn running_tool(messages: &Messages, turn: Option<MessageId>) -> Option<String> {
    let first = answers(messages, turn)
        .find(|message| message.role == Role::Agent)?
        .id;
    let tools = |wanted: ToolStatus| {
        let newest_first = messages.range(first..).rev().map(|(_, message)| message);
        newest_first
            .flat_map(|message| message.parts.iter().rev())
            .find_map(move |part| match part {
                Part::Tool { tool } if tool.status == wanted => Some(named(tool)),
                Part::Tool { .. }
                | Part::Text { .. }
                | Part::Thought { .. }
                | Part::Plan { .. }
                | Part::Image { .. }
                | Part::Resource { .. } => None,
            })
    };
    tools(ToolStatus::InProgress).or_else(|| tools(ToolStatus::Pending))
}

fn cut(text: &str) -> String {
    let text = text.trim_start();
    if text.len() <= TOLD_TEXT_BYTES {
        return text.trim_end().to_owned();
    }
    let mut end = TOLD_TEXT_BYTES - "…".len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", text[..end].trim_end())
}

fn named(tool: &ToolCall) -> String {
    match (cut(&tool.title), tool.kind) {
        (title, ToolKind::Execute) if title.is_empty() => "execute".to_owned(),
        // The operations make no other kinds.
        (title, _) if title.is_empty() => "tool".to_owned(),
        (title, _) => title,
    }
}

fn check_steps(steps: Vec<Step>) {
    let mut scene = Scene::new();
    let agent = scene.conversation.agent().clone();
    let conversation = scene.conversation.id();
    let mut standing = AcpStanding::new(agent.clone(), 0);
    let mut expected = Expected {
        agent: AgentState::Stopped,
        messages: BTreeMap::new(),
        turn: None,
        ended: None,
        over: None,
        void: BTreeSet::new(),
        last_result: None,
    };
    for (now_ms, step) in (1..).zip(steps) {
        let told = format!("{step:?}");
        match step {
            Step::Happens(operation) => scene.perform(operation),
            Step::Stall(stall) => scene.conversation.set_stalled(stall),
            Step::Agent(state) => {
                let _: Change = standing.agent(&view(&agent, state), now_ms);
                expected.agent(&scene, state);
            }
            Step::Seen => {
                let _: Change = standing.seen(now_ms);
                if failure(&expected.messages, expected.ended).is_none() {
                    expected.seen(&scene);
                }
            }
        }
        for revision in scene.take() {
            if let Some(event) = revision.into_event(&agent, conversation) {
                let _: Change = standing.event(&event, now_ms);
            }
        }
        expected.take_ends(&scene);
        let now = standing.standing();
        let shown = Shown {
            state: now.state,
            reason: now.reason,
            message: now.message,
            tool: now.active_tool_name,
            last_result: now.last_result,
            turn: standing.turn(),
        };
        assert_eq!(shown, expected.shown(&scene), "after {told:.300}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn the_state_is_what_the_conversation_says(steps in vec(step(), 1..120)) {
        check_steps(steps);
    }
}
