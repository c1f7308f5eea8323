//! Events and views as they are published of an agent, each with what matters to its state.

use pupitre_protocol::agent::{AgentState, AgentView};
use pupitre_protocol::conversation::{
    Elicitation, ElicitationOutcome, Login, Message, Part, PartKind, Permission, PermissionOutcome, Role,
    ToolCall, ToolKind, ToolStatus, Wanted,
};
use pupitre_protocol::event::{
    ConversationChanged, ElicitationRequested, ElicitationResolved, MessageDelta, MessageUpdated,
    PermissionRequested, PermissionResolved, TurnChanged,
};
use pupitre_protocol::{AgentName, ConversationId, ElicitationId, Event, MessageId, PermissionId};
use uuid::Uuid;

pub(super) fn agent() -> AgentName {
    "demo".parse().expect("a name")
}

pub(super) const fn conversation(id: u128) -> ConversationId {
    ConversationId(Uuid::from_u128(id))
}

pub(super) const fn message_id(id: u128) -> MessageId {
    MessageId(Uuid::from_u128(id))
}

pub(super) fn view(state: AgentState) -> AgentView {
    AgentView {
        name: agent(),
        title: "Demo".into(),
        icon: None,
        description: None,
        state,
        error: (state == AgentState::Error).then(|| "no such file".into()),
        cause: None,
        outdated: false,
        stopping: false,
        pid: match state {
            AgentState::Stopped | AgentState::Error => None,
            AgentState::Starting | AgentState::Ready | AgentState::Busy => Some(7),
        },
        version: None,
        started_at: None,
        capabilities: None,
        auth_methods: Vec::new(),
    }
}

/// A message of the turn that the user's message `turn` began.
pub(super) fn message(id: u128, role: Role, turn: u128, parts: Vec<Part>) -> Message {
    Message {
        id: message_id(id),
        agent: agent(),
        conversation: conversation(1),
        rev: 0,
        created_at: 0,
        role,
        turn: Some(message_id(turn)),
        parts,
        done: false,
        queued: false,
        stop_reason: None,
        error: None,
        cause: None,
        code: None,
    }
}

pub(super) fn updated(message: Message) -> Event {
    Event::MessageUpdated(MessageUpdated {
        agent: agent(),
        conversation: message.conversation,
        rev: 0,
        message,
    })
}

pub(super) fn prompt(id: u128) -> Event {
    updated(message(id, Role::User, id, Vec::new()))
}

pub(super) fn text(text: &str) -> Part {
    Part::Text { text: text.into() }
}

pub(super) fn tool_call(title: &str, status: ToolStatus) -> ToolCall {
    ToolCall {
        id: title.into(),
        title: title.into(),
        kind: ToolKind::Execute,
        status,
        input: None,
        output: None,
        locations: Vec::new(),
        diffs: Vec::new(),
        panes: Vec::new(),
        cancelled: false,
        truncated: false,
        permission: None,
    }
}

pub(super) fn tool(title: &str, status: ToolStatus) -> Part {
    let tool = tool_call(title, status);
    Part::Tool { tool }
}

pub(super) fn delta(message: u128, index: u32, part: Part) -> Event {
    Event::MessageDelta(MessageDelta {
        agent: agent(),
        conversation: conversation(1),
        rev: 0,
        message_id: message_id(message),
        index,
        kind: part.kind(),
        text: None,
        part: Some(part),
    })
}

pub(super) fn appended(message: u128, index: u32, text: &str) -> Event {
    Event::MessageDelta(MessageDelta {
        agent: agent(),
        conversation: conversation(1),
        rev: 0,
        message_id: message_id(message),
        index,
        kind: PartKind::Text,
        text: Some(text.into()),
        part: None,
    })
}

pub(super) fn turn_in(id: u128, busy: bool, stalled: bool, login: Option<&str>) -> Event {
    Event::TurnChanged(TurnChanged {
        agent: agent(),
        conversation: conversation(id),
        rev: 0,
        busy,
        queued: 0,
        stalled,
        login: login.map(|message| Login {
            message: message.into(),
            methods: Vec::new(),
        }),
    })
}

pub(super) fn turn(busy: bool) -> Event {
    turn_in(1, busy, false, None)
}

pub(super) fn asked(id: u128, title: &str) -> Event {
    let permission = Permission {
        id: PermissionId(Uuid::from_u128(id)),
        agent: agent(),
        conversation: conversation(1),
        message_id: message_id(0),
        tool_call: tool_call(title, ToolStatus::Pending),
        options: Vec::new(),
        rejections: 0,
        created_at: 0,
    };
    Event::PermissionRequested(PermissionRequested::new(permission, 0))
}

pub(super) fn resolved(id: u128) -> Event {
    Event::PermissionResolved(PermissionResolved {
        id: PermissionId(Uuid::from_u128(id)),
        agent: agent(),
        conversation: conversation(1),
        rev: 0,
        resolution: PermissionOutcome::Withdrawn,
    })
}

pub(super) fn elicited(id: u128, question: &str) -> Event {
    Event::ElicitationRequested(ElicitationRequested {
        agent: agent(),
        conversation: conversation(1),
        rev: 0,
        elicitation: Elicitation {
            id: ElicitationId(Uuid::from_u128(id)),
            agent: agent(),
            conversation: conversation(1),
            message: question.into(),
            wants: Wanted::Form { fields: Vec::new() },
            created_at: 0,
        },
    })
}

pub(super) fn answered(id: u128) -> Event {
    Event::ElicitationResolved(ElicitationResolved {
        id: ElicitationId(Uuid::from_u128(id)),
        agent: agent(),
        conversation: conversation(1),
        rev: 0,
        resolution: ElicitationOutcome::Withdrawn,
    })
}

pub(super) fn current(id: u128) -> Event {
    Event::ConversationChanged(ConversationChanged {
        agent: agent(),
        conversation: conversation(id),
    })
}
