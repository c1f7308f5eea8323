//! One example of each type of events, and of a request and its replies.
//!
//! Responsible for what the reference page shows, and for the test that frames are read as they are written.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::agent::{AgentState, TraceDirection, TraceEntry};
use crate::channel::{ChannelAnswer, ChannelEntry};
use crate::configuration::{Problem, ProblemCause, ProblemTable};
use crate::conversation::{
    AnsweredBy, Command, ConfigChoice, ConfigOption, Cost, Diff, Elicitation, ElicitationAction,
    ElicitationOutcome, Field, FieldInput, Location, Message, Mode, Modes, Part, PartKind, Permission,
    PermissionOption, PermissionOutcome, Role, SendParams, SendReply, StopReason, ToolCall, ToolKind,
    ToolStatus, Usage, Wanted,
};
use crate::envelope::{OutgoingError, OutgoingRequest, OutgoingResult, VERSION};
use crate::event::{
    AgentLogged, AgentStateChanged, AgentTraced, ChannelUpdated, CommandsChanged, ConfigChanged,
    ConversationChanged, ConversationDeleted, Dropped, ElicitationRequested, ElicitationResolved, Heartbeat,
    MessageDelta, MessageUpdated, PermissionRequested, PermissionResolved, Resync, ResyncReason,
    SessionChanged, Stamp, Subscribed, TurnChanged, UsageChanged,
};
use crate::surface::{
    Evidence, Standing, StateChanged, SurfaceClosed, SurfaceKind, SurfaceState, SurfaceView,
};
use crate::workspace::{Layout, WorkspaceView, WorkspacesChanged};
use crate::{
    AgentName, Cause, ChannelEntryId, ConversationId, Cursor, Epoch, ErrorKind, Event, EventKind, Frame,
    MessageId, Method, PermissionId, RpcError, SurfaceId, WorkspaceId,
};

const TS_MS: u64 = 1_767_225_600_000;
const REV: u64 = 7;

/// Returns a request, as a client writes it.
pub(super) fn request() -> String {
    let params = SendParams {
        agent: agent(),
        text: "Which tests fail?".into(),
        attachments: Vec::new(),
        uploads: Vec::new(),
    };
    line(&OutgoingRequest {
        jsonrpc: VERSION,
        id: 1,
        method: crate::method::chat::Send::NAME,
        params: &params,
    })
}

/// Returns the reply to the request.
pub(super) fn reply() -> String {
    let result = SendReply {
        message_id: prompt(),
        conversation: conversation(),
        queued: false,
    };
    line(&OutgoingResult {
        jsonrpc: VERSION,
        id: &one(),
        result: &result,
    })
}

/// Returns the reply to a request that failed.
pub(super) fn error() -> String {
    let error =
        RpcError::new(ErrorKind::NotFound, "there is no agent \"dmeo\"").with_candidates(vec!["demo".into()]);
    line(&OutgoingError {
        jsonrpc: VERSION,
        id: Some(&one()),
        error: &error,
    })
}

/// Returns the example of an event.
pub(super) fn frame(kind: EventKind) -> Frame {
    let stamp = Stamp {
        epoch: epoch(),
        seq: 42,
        ts: TS_MS,
    };
    Frame {
        stamp,
        event: event(kind),
    }
}

fn pane() -> SurfaceView {
    SurfaceView {
        surface_id: SurfaceId(42),
        surface_name: "build".into(),
        kind: SurfaceKind::Pane,
        workspace: Some(WorkspaceId(1)),
        title: None,
        command: Some("bash".into()),
        cwd: Some("/home/ada/engine".into()),
        columns: 80,
        rows: 24,
        output_generation: 17,
        created_at: TS_MS,
        exit_status: None,
        standing: Standing {
            state: SurfaceState::Idle,
            state_seq: 1,
            since: TS_MS,
            evidence: Evidence::Process,
            hooked: false,
            reason: None,
            tool: None,
            pid: None,
            active_tool_name: None,
            message: None,
            last_result: None,
            untrusted: true,
        },
    }
}

fn event(kind: EventKind) -> Event {
    let (agent, conversation, rev) = (agent(), conversation(), REV);
    match kind {
        EventKind::AgentState => Event::AgentState(AgentStateChanged {
            agent,
            state: AgentState::Error,
            error: Some("exited with code 1".into()),
            cause: Some(Cause::Exited { code: 1 }),
            outdated: false,
            stopping: false,
        }),
        EventKind::AgentLog => Event::AgentLog(AgentLogged {
            agent,
            number: 12,
            line: "loading the index".into(),
            stray: false,
            missed: 0,
        }),
        EventKind::AgentTrace => Event::AgentTrace(AgentTraced {
            agent,
            entry: TraceEntry {
                number: 4,
                ts: TS_MS,
                direction: TraceDirection::FromAgent,
                text: r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}"#.into(),
                bytes: 56,
            },
        }),
        EventKind::ConversationChanged => {
            Event::ConversationChanged(ConversationChanged { agent, conversation })
        }
        EventKind::ConversationDeleted => {
            Event::ConversationDeleted(ConversationDeleted { agent, conversation })
        }
        EventKind::MessageUpdated => Event::MessageUpdated(MessageUpdated {
            agent,
            conversation,
            rev,
            message: message(),
        }),
        EventKind::MessageDelta => Event::MessageDelta(MessageDelta {
            agent,
            conversation,
            rev,
            message_id: answer(),
            index: 0,
            kind: PartKind::Text,
            text: Some("Two tests fail".into()),
            part: None,
        }),
        EventKind::TurnChanged => Event::TurnChanged(TurnChanged {
            agent,
            conversation,
            rev,
            busy: true,
            queued: 1,
            stalled: false,
            login: None,
        }),
        EventKind::PermissionRequested => {
            Event::PermissionRequested(PermissionRequested::new(permission(), rev))
        }
        EventKind::PermissionResolved => Event::PermissionResolved(PermissionResolved {
            id: request_id(),
            agent,
            conversation,
            rev,
            resolution: PermissionOutcome::Selected {
                option_id: "once".into(),
                answered_by: AnsweredBy::Program,
            },
        }),
        EventKind::ElicitationRequested => Event::ElicitationRequested(ElicitationRequested {
            agent,
            conversation,
            rev,
            elicitation: elicitation(),
        }),
        EventKind::ElicitationResolved => Event::ElicitationResolved(ElicitationResolved {
            id: elicitation().id,
            agent,
            conversation,
            rev,
            resolution: ElicitationOutcome::Answered {
                action: ElicitationAction::Accept,
                answered_by: AnsweredBy::Page,
            },
        }),
        EventKind::UsageChanged => Event::UsageChanged(UsageChanged {
            agent,
            conversation,
            rev,
            usage: Usage {
                used: 12_400,
                size: 200_000,
                cost: Some(Cost {
                    amount: 0.25,
                    currency: "USD".into(),
                }),
            },
        }),
        EventKind::CommandsChanged => Event::CommandsChanged(CommandsChanged {
            agent,
            conversation,
            rev,
            commands: vec![Command {
                name: "review".into(),
                description: "Reviews the changes".into(),
                hint: Some("a path".into()),
            }],
        }),
        EventKind::SessionChanged => Event::SessionChanged(session_changed()),
        EventKind::ConfigChanged => Event::ConfigChanged(ConfigChanged {
            path: "/home/ada/.config/pupitre/pupitre.toml".into(),
            valid: false,
            problems: vec![Problem {
                line: 12,
                column: 1,
                message: "unknown key \"titel\"; did you mean \"title\"?".into(),
                cause: Some(ProblemCause::UnknownKey {
                    key: "titel".into(),
                    table: ProblemTable::Agent,
                    suggestion: Some("title".into()),
                    known: vec!["name".into(), "title".into()],
                }),
                warning: false,
            }],
        }),
        EventKind::SurfaceOpened => Event::SurfaceOpened(pane()),
        EventKind::SurfaceClosed => Event::SurfaceClosed(SurfaceClosed {
            surface_id: SurfaceId(42),
            surface_name: "build".into(),
            workspace: Some(WorkspaceId(1)),
        }),
        EventKind::SurfaceChanged => Event::SurfaceChanged(SurfaceView {
            output_generation: 18,
            ..pane()
        }),
        EventKind::StateChanged => Event::StateChanged(StateChanged {
            surface_id: SurfaceId(7),
            surface_name: agent.to_string(),
            kind: SurfaceKind::Acp,
            workspace: None,
            standing: Standing {
                state: SurfaceState::WaitingForInput,
                state_seq: 4,
                since: TS_MS,
                evidence: Evidence::Acp,
                hooked: false,
                reason: None,
                tool: Some(agent.to_string()),
                pid: Some(4_211),
                active_tool_name: None,
                message: Some("Run `cargo test`?".into()),
                last_result: Some("The tests are written.".into()),
                untrusted: true,
            },
        }),
        EventKind::WorkspacesChanged => Event::WorkspacesChanged(WorkspacesChanged {
            workspaces: vec![WorkspaceView {
                workspace: WorkspaceId(1),
                name: "main".into(),
                current: true,
                focused: Some(SurfaceId(42)),
                layout: Some(Layout::Pane {
                    surface: SurfaceId(42),
                }),
            }],
        }),
        EventKind::ChannelUpdated => Event::ChannelUpdated(ChannelUpdated {
            channel: "review".into(),
            entry: ChannelEntry {
                id: ChannelEntryId(request_id().0),
                created_at: TS_MS,
                text: "@demo Which tests fail?".into(),
                answers: vec![ChannelAnswer {
                    agent,
                    message_id: Some(prompt()),
                    error: None,
                    error_kind: None,
                }],
            },
        }),
        EventKind::Subscribed => Event::Subscribed(Subscribed {
            cursor: Cursor {
                epoch: epoch(),
                seq: 42,
            },
        }),
        EventKind::Heartbeat => Event::Heartbeat(Heartbeat {}),
        EventKind::Dropped => Event::Dropped(Dropped {
            from: 38,
            to: 41,
            kinds: vec![EventKind::MessageDelta, EventKind::AgentLog],
        }),
        EventKind::Resync => Event::Resync(Resync {
            reason: ResyncReason::EpochChanged,
        }),
    }
}

fn message() -> Message {
    Message {
        id: answer(),
        agent: agent(),
        conversation: conversation(),
        rev: REV,
        created_at: TS_MS,
        role: Role::Agent,
        turn: Some(prompt()),
        parts: vec![
            Part::Tool { tool: tool_call() },
            Part::Text {
                text: "Two tests failed; both pass now.".into(),
            },
        ],
        done: true,
        queued: false,
        stop_reason: Some(StopReason::EndTurn),
        error: None,
        cause: None,
        code: None,
    }
}

fn tool_call() -> ToolCall {
    ToolCall {
        id: "call-1".into(),
        title: "Edit src/lib.rs".into(),
        kind: ToolKind::Edit,
        status: ToolStatus::Completed,
        input: Some(r#"{"path":"src/lib.rs"}"#.into()),
        output: None,
        locations: vec![Location {
            path: "src/lib.rs".into(),
            line: Some(12),
        }],
        diffs: vec![Diff {
            path: "src/lib.rs".into(),
            old_text: Some("a - b".into()),
            new_text: "a + b".into(),
            new_file: false,
        }],
        panes: vec![SurfaceId(3)],
        cancelled: false,
        truncated: false,
        permission: None,
    }
}

fn elicitation() -> Elicitation {
    Elicitation {
        id: "019b76da-a800-7000-8000-000000000005".parse().expect("a UUID"),
        agent: agent(),
        conversation: conversation(),
        message: "Which branch shall I work on?".into(),
        wants: Wanted::Form {
            fields: vec![Field {
                name: "branch".into(),
                title: "Branch".into(),
                description: None,
                required: true,
                input: FieldInput::Text {
                    format: None,
                    min_length: Some(1),
                    max_length: None,
                    pattern: None,
                    default: Some("main".into()),
                },
            }],
        },
        created_at: TS_MS,
    }
}

fn permission() -> Permission {
    let option = |option_id: &str, name: &str, kind: &str| PermissionOption {
        option_id: option_id.into(),
        name: name.into(),
        kind: kind.into(),
    };
    Permission {
        id: request_id(),
        agent: agent(),
        conversation: conversation(),
        message_id: answer(),
        tool_call: ToolCall {
            status: ToolStatus::Pending,
            ..tool_call()
        },
        options: vec![
            option("once", "Allow", "allow_once"),
            option("no", "Refuse", "reject_once"),
        ],
        rejections: 0,
        created_at: TS_MS,
    }
}

fn session_changed() -> SessionChanged {
    SessionChanged {
        agent: agent(),
        conversation: conversation(),
        rev: REV,
        modes: Some(Modes {
            current: "ask".into(),
            available: vec![Mode {
                id: "ask".into(),
                name: "Ask".into(),
                description: None,
            }],
        }),
        config_options: Some(vec![ConfigOption {
            id: "model".into(),
            name: "Model".into(),
            description: None,
            category: Some("model".into()),
            value: "small".into(),
            choices: vec![ConfigChoice {
                value: "small".into(),
                name: "Small".into(),
                description: Some("Answers fast".into()),
                group: None,
            }],
        }]),
        title: None,
    }
}

fn agent() -> AgentName {
    "demo".parse().expect("a name")
}

fn epoch() -> Epoch {
    Epoch("019b76da-a800".into())
}

fn conversation() -> ConversationId {
    "019b76da-a800-7000-8000-000000000001".parse().expect("a UUID")
}

fn prompt() -> MessageId {
    "019b76da-a800-7000-8000-000000000002".parse().expect("a UUID")
}

fn answer() -> MessageId {
    "019b76da-a800-7000-8000-000000000003".parse().expect("a UUID")
}

fn request_id() -> PermissionId {
    "019b76da-a800-7000-8000-000000000004".parse().expect("a UUID")
}

fn one() -> Box<RawValue> {
    RawValue::from_string("1".into()).expect("a number is JSON")
}

fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the wire's types are JSON")
}

#[test]
fn every_frame_is_read_as_it_is_written() {
    for kind in EventKind::ALL {
        let frame = frame(*kind);
        assert_eq!(frame.event.kind(), *kind);
        let line = frame.to_line();
        assert_eq!(Frame::from_line(&line).expect("a frame"), frame, "{line}");
    }
}

#[test]
fn every_frame_is_one_flat_line_that_begins_with_type_and_stamp() {
    for kind in EventKind::ALL {
        let frame = frame(*kind);
        let line = frame.to_line();
        let head = format!(
            r#"{{"type":"{}","epoch":"019b76da-a800","seq":42,"ts":1767225600000"#,
            kind.as_str()
        );
        let rest = line
            .strip_prefix(&head)
            .unwrap_or_else(|| panic!("{line} does not begin with {head}"));
        assert!(rest.starts_with([',', '}']), "{line}");
        assert!(!line.contains('\n'), "{line}");

        // The frame is its event and its stamp, and nothing of either is lost.
        let mut expected = serde_json::to_value(&frame.event).expect("an event is JSON");
        expected["epoch"] = "019b76da-a800".into();
        expected["seq"] = 42.into();
        expected["ts"] = TS_MS.into();
        let written: serde_json::Value = serde_json::from_str(&line).expect("a frame is JSON");
        assert_eq!(written, expected);
    }
}

#[test]
fn the_cursor_of_a_frame_is_where_it_stands() {
    let cursor = frame(EventKind::AgentLog).cursor();
    assert_eq!(cursor.to_string(), "019b76da-a800:42");
}

#[test]
fn a_line_that_is_no_frame_is_refused() {
    let good = frame(EventKind::Heartbeat).to_line();
    assert!(Frame::from_line(&good).is_ok());
    for bad in [
        "",
        "{}",
        &good.replace("heartbeat", "heartbreak"),
        &good.replace("\"seq\":42,", ""),
        &good.replace("\"seq\":42", "\"seq\":-1"),
        &format!("{good}{good}"),
    ] {
        assert!(Frame::from_line(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_reply_to_a_request_carries_its_id_and_what_was_asked_for() {
    let reply: serde_json::Value = serde_json::from_str(&reply()).expect("JSON");
    let request: serde_json::Value = serde_json::from_str(&request()).expect("JSON");
    let error: serde_json::Value = serde_json::from_str(&error()).expect("JSON");
    assert_eq!(
        (&reply["jsonrpc"], &error["jsonrpc"]),
        (&request["jsonrpc"], &"2.0".into())
    );
    assert_eq!((&reply["id"], &error["id"]), (&request["id"], &request["id"]));
    assert_eq!(error["error"]["data"]["kind"], "not_found");
}
