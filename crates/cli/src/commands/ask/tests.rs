//! A turn, its printer and its permission rule, fed with frames as the daemon sends them.

use proptest::prelude::*;
use pupitre_protocol::conversation::{
    ConversationView, Message, Part, PartKind, Permission, PermissionOption, PermissionOutcome, Role,
    StopReason, ToolCall, ToolKind, ToolStatus, Usage,
};
use pupitre_protocol::event::{
    Dropped, Event, Frame, MessageDelta, MessageUpdated, PermissionRequested, PermissionResolved, Stamp,
    UsageChanged,
};
use pupitre_protocol::{ConversationId, Epoch, MessageId, PermissionId};

use super::permission::{Choice, Decision, Rule, choice};
use super::printer::{Printer, Style};
use super::turn::{End, Step, Turn};
use crate::output::Device;
use crate::output::captured::output_on;

const OURS: u32 = 10;

fn message_id(number: u32) -> MessageId {
    format!("01930000-0000-7000-8000-{number:012}")
        .parse()
        .expect("an id")
}

fn conversation() -> ConversationId {
    "01930000-0000-7000-9000-000000000001".parse().expect("an id")
}

fn permission_id() -> PermissionId {
    "01930000-0000-7000-a000-000000000001".parse().expect("an id")
}

fn frame(event: Event) -> Frame {
    Frame {
        stamp: Stamp {
            epoch: Epoch("e".to_owned()),
            seq: 1,
            ts: 0,
        },
        event,
    }
}

/// A message of the agent in the turn of the message with this number.
fn answer(number: u32, turn: u32, rev: u64, parts: Vec<Part>) -> Message {
    Message {
        id: message_id(number),
        agent: "demo".parse().expect("a name"),
        conversation: conversation(),
        rev,
        created_at: 0,
        role: Role::Agent,
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

fn done(message: Message, stop_reason: Option<StopReason>, error: Option<&str>) -> Message {
    Message {
        done: true,
        stop_reason,
        error: error.map(str::to_owned),
        ..message
    }
}

fn updated(message: Message) -> Frame {
    let (agent, rev) = (message.agent.clone(), message.rev);
    frame(Event::MessageUpdated(MessageUpdated {
        agent,
        conversation: conversation(),
        rev,
        message,
    }))
}

fn delta(number: u32, rev: u64, index: u32, kind: PartKind, text: Option<&str>, part: Option<Part>) -> Frame {
    frame(Event::MessageDelta(MessageDelta {
        agent: "demo".parse().expect("a name"),
        conversation: conversation(),
        rev,
        message_id: message_id(number),
        index,
        kind,
        text: text.map(str::to_owned),
        part,
    }))
}

fn text_delta(number: u32, rev: u64, index: u32, text: &str) -> Frame {
    delta(number, rev, index, PartKind::Text, Some(text), None)
}

fn dropped() -> Frame {
    frame(Event::Dropped(Dropped {
        from: 1,
        to: 2,
        kinds: Vec::new(),
    }))
}

fn view(rev: u64, messages: Vec<Message>) -> ConversationView {
    ConversationView {
        agent: "demo".parse().expect("a name"),
        conversation: conversation(),
        read_only: false,
        title: None,
        cwd: "/".to_owned(),
        rev,
        total: 0,
        messages,
        truncated: false,
        busy: true,
        queued: 0,
        stalled: false,
        usage: None,
        commands: Vec::new(),
        permissions: Vec::new(),
        elicitations: Vec::new(),
        login: None,
        modes: None,
        config_options: Vec::new(),
    }
}

fn text(text: &str) -> Part {
    Part::Text {
        text: text.to_owned(),
    }
}

fn thought(text: &str) -> Part {
    Part::Thought {
        text: text.to_owned(),
    }
}

fn tool_call(status: ToolStatus) -> ToolCall {
    ToolCall {
        id: "t".to_owned(),
        title: "Write hello.txt".to_owned(),
        kind: ToolKind::Edit,
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

fn tool(status: ToolStatus) -> Part {
    Part::Tool {
        tool: tool_call(status),
    }
}

fn turn() -> Turn {
    Turn::new(message_id(OURS), conversation())
}

/// Something that reaches a turn.
enum Input {
    Frame(Frame),
    Snapshot(ConversationView),
}

fn frames(frames: Vec<Frame>) -> Vec<Input> {
    frames.into_iter().map(Input::Frame).collect()
}

/// Returns what is printed on such a device, stdout and stderr, and the end of the turn.
fn printed(device: Device, inputs: Vec<Input>) -> (String, String, Option<End>) {
    let (mut output, out, err) = output_on(device);
    let (mut turn, mut printer) = (turn(), Printer::new(Style::Stream(device)));
    let mut end = None;
    for input in inputs {
        let steps = match input {
            Input::Frame(frame) => turn.apply(frame),
            Input::Snapshot(view) => turn.join(view),
        };
        for step in steps {
            printer
                .print(&mut output, &step)
                .expect("a capture takes everything");
            if let Step::Ended(ended) = step {
                assert_eq!(end, None, "a turn ends once");
                end = Some(ended);
            }
        }
    }
    printer.finish(&mut output).expect("a capture takes everything");
    (out.text(), err.text(), end)
}

fn check_pipe(inputs: Vec<Input>, expected: &str) {
    assert_eq!(printed(Device::Pipe, inputs).0, expected);
}

/// A turn with reasoning, a tool call and text around them.
fn whole_turn() -> Vec<Frame> {
    vec![
        updated(answer(11, OURS, 1, Vec::new())),
        delta(11, 2, 0, PartKind::Thought, Some("Let me "), None),
        delta(11, 3, 0, PartKind::Thought, Some("see."), None),
        text_delta(11, 4, 1, "I will "),
        text_delta(11, 5, 1, "write."),
        delta(11, 6, 2, PartKind::Tool, None, Some(tool(ToolStatus::Pending))),
        delta(11, 7, 2, PartKind::Tool, None, Some(tool(ToolStatus::InProgress))),
        text_delta(11, 8, 3, "Do"),
        delta(11, 9, 2, PartKind::Tool, None, Some(tool(ToolStatus::Completed))),
        text_delta(11, 10, 3, "ne."),
        updated(done(
            answer(
                11,
                OURS,
                11,
                vec![
                    thought("Let me see."),
                    text("I will write."),
                    tool(ToolStatus::Completed),
                    text("Done."),
                ],
            ),
            Some(StopReason::EndTurn),
            None,
        )),
    ]
}

#[test]
fn into_a_pipe_goes_the_text_alone() {
    let (out, err, end) = printed(Device::Pipe, frames(whole_turn()));
    assert_eq!(out, "I will write.\n\nDone.\n");
    assert_eq!(
        err,
        "tool: Write hello.txt (running)\ntool: Write hello.txt (done)\n"
    );
    assert_eq!(
        end,
        Some(End {
            stop_reason: Some(StopReason::EndTurn),
            error: None,
            cause: None,
        })
    );
}

#[test]
fn on_a_terminal_there_is_reasoning_too_and_every_note_has_its_line() {
    let (out, _, _) = printed(Device::Terminal, frames(whole_turn()));
    assert_eq!(out, "Let me see.\n\nI will write.\n\nDo\nne.\n");
}

#[test]
fn json_prints_nothing_as_it_comes_and_has_all_text() {
    let (mut output, out, err) = output_on(Device::Pipe);
    let (mut turn, mut printer) = (turn(), Printer::new(Style::Json));
    for frame in whole_turn() {
        for step in turn.apply(frame) {
            printer
                .print(&mut output, &step)
                .expect("a capture takes everything");
        }
    }
    printer.finish(&mut output).expect("a capture takes everything");
    assert_eq!((out.text(), err.text()), (String::new(), String::new()));
    assert_eq!(turn.text(), "I will write.Done.");
}

#[test]
fn other_turns_and_conversations_are_not_ours() {
    let elsewhere = Message {
        conversation: "01930000-0000-7000-9000-000000000002".parse().expect("an id"),
        ..answer(13, OURS, 3, vec![text("another conversation")])
    };
    let inputs = vec![
        updated(done(
            answer(9, 8, 1, vec![text("the turn before")]),
            Some(StopReason::EndTurn),
            None,
        )),
        text_delta(9, 2, 0, "and more of it"),
        updated(Message {
            turn: None,
            ..answer(12, 0, 2, vec![text("a greeting")])
        }),
        updated(elsewhere),
        updated(answer(14, OURS, 4, vec![text("ours")])),
    ];
    let (out, _, end) = printed(Device::Pipe, frames(inputs));
    assert_eq!(out, "ours\n");
    assert_eq!(end, None);
}

#[test]
fn an_answer_goes_on_in_the_next_message() {
    let inputs = vec![
        updated(answer(11, OURS, 1, vec![text("a long wo")])),
        updated(done(answer(11, OURS, 2, vec![text("a long wo")]), None, None)),
        updated(answer(12, OURS, 3, Vec::new())),
        text_delta(12, 4, 0, "rd"),
        updated(done(
            answer(12, OURS, 5, vec![text("rd")]),
            Some(StopReason::EndTurn),
            None,
        )),
    ];
    let (out, _, end) = printed(Device::Pipe, frames(inputs));
    assert_eq!(out, "a long word\n");
    assert_eq!(
        end,
        Some(End {
            stop_reason: Some(StopReason::EndTurn),
            error: None,
            cause: None,
        })
    );
}

#[test]
fn what_was_lost_is_printed_once_from_the_snapshot() {
    let before = [
        updated(answer(11, OURS, 1, Vec::new())),
        text_delta(11, 2, 0, "one "),
    ];
    let lost_then = |rest: Vec<Frame>| {
        let mut inputs = frames(before.to_vec());
        // Revisions 3 and 4 are lost; the snapshot has 5 too, whose event still comes.
        inputs.push(Input::Frame(dropped()));
        inputs.push(Input::Snapshot(view(
            5,
            vec![answer(11, OURS, 5, vec![text("one two three four ")])],
        )));
        inputs.extend(frames(rest));
        inputs
    };
    check_pipe(
        lost_then(vec![text_delta(11, 5, 0, "four "), text_delta(11, 6, 0, "five")]),
        "one two three four five\n",
    );
    assert_eq!(turn().apply(dropped()), [Step::Lost]);
}

#[test]
fn a_turn_whose_end_was_lost_ends_with_the_snapshot() {
    let ended = done(
        answer(11, OURS, 3, vec![text("all")]),
        None,
        Some("the agent fell over"),
    );
    let (out, _, end) = printed(
        Device::Pipe,
        vec![Input::Frame(dropped()), Input::Snapshot(view(3, vec![ended]))],
    );
    assert_eq!(out, "all\n");
    assert_eq!(
        end,
        Some(End {
            stop_reason: None,
            error: Some("the agent fell over".to_owned()),
            cause: None,
        })
    );
}

#[test]
fn a_delta_that_does_not_fit_asks_for_the_conversation() {
    let mut turn = turn();
    turn.apply(updated(answer(11, OURS, 1, vec![text("a")])));
    assert_eq!(turn.apply(text_delta(11, 2, 2, "b")), [Step::Lost]);
    assert_eq!(
        turn.apply(delta(11, 3, 1, PartKind::Tool, Some("b"), None)),
        [Step::Lost]
    );
}

#[test]
fn a_message_that_somebody_dropped_from_the_queue_has_ended() {
    let queued = Message {
        role: Role::User,
        turn: None,
        queued: true,
        ..answer(OURS, 0, 1, vec![text("hi")])
    };
    let mut turn = turn();
    assert_eq!(turn.apply(updated(queued.clone())), []);
    let dropped = Message {
        rev: 2,
        queued: false,
        error: Some("cancelled".to_owned()),
        ..queued
    };
    let end = End {
        stop_reason: None,
        error: Some("cancelled".to_owned()),
        cause: None,
    };
    assert_eq!(turn.apply(updated(dropped)), [Step::Ended(end)]);
}

#[test]
fn terminal_sequences_of_the_agent_never_reach_the_terminal_even_in_pieces() {
    let inputs = vec![
        updated(answer(11, OURS, 1, vec![text("a\u{1b}")])),
        text_delta(11, 2, 0, "[2Jb\u{9b}"),
        text_delta(11, 3, 0, "31mc"),
    ];
    check_pipe(frames(inputs), "abc\n");
}

#[test]
fn the_last_usage_is_kept() {
    let mut turn = turn();
    let usage = |used| Usage {
        used,
        size: 100,
        cost: None,
    };
    for used in [1, 2] {
        turn.apply(frame(Event::UsageChanged(UsageChanged {
            agent: "demo".parse().expect("a name"),
            conversation: conversation(),
            rev: used,
            usage: usage(used),
        })));
    }
    assert_eq!(turn.usage(), Some(&usage(2)));
}

fn permission(message: u32, options: &[(&str, &str)]) -> Permission {
    Permission {
        id: permission_id(),
        agent: "demo".parse().expect("a name"),
        conversation: conversation(),
        message_id: message_id(message),
        tool_call: tool_call(ToolStatus::Pending),
        options: options
            .iter()
            .map(|(id, kind)| PermissionOption {
                option_id: (*id).to_owned(),
                name: format!("Name of {id}"),
                kind: (*kind).to_owned(),
            })
            .collect(),
        rejections: 0,
        created_at: 0,
    }
}

fn requested(permission: Permission) -> Frame {
    frame(Event::PermissionRequested(PermissionRequested::new(
        permission, 2,
    )))
}

#[test]
fn a_request_of_our_turn_is_told_once_and_others_are_not() {
    let mut turn = turn();
    turn.apply(updated(answer(11, OURS, 1, vec![tool(ToolStatus::Pending)])));
    turn.apply(updated(answer(12, 9, 1, vec![tool(ToolStatus::Pending)])));
    let ours = permission(11, &[("yes", "allow_once")]);
    assert_eq!(turn.apply(requested(permission(12, &[]))), []);
    assert_eq!(turn.apply(requested(ours.clone())), [Step::Asks(ours.clone())]);
    let mut snapshot = view(3, Vec::new());
    snapshot.permissions = vec![ours.clone()];
    assert_eq!(turn.join(snapshot), []);
    let resolved = PermissionResolved {
        id: ours.id,
        agent: ours.agent.clone(),
        conversation: conversation(),
        rev: 4,
        resolution: PermissionOutcome::Cancelled,
    };
    assert_eq!(
        turn.apply(frame(Event::PermissionResolved(resolved))),
        [Step::Answered(ours.id)]
    );
}

#[test]
fn flags_choose_the_first_option_of_their_kind_and_never_an_always() {
    let check = |rule: Rule, options: &[(&str, &str)], expected: Option<&str>| {
        let chosen = match rule.decide(&permission(11, options)) {
            Decision::Choose { option_id, .. } => Some(option_id),
            Decision::Dismiss { .. } | Decision::Ask => None,
        };
        assert_eq!(chosen.as_deref(), expected, "{rule:?} {options:?}");
    };
    let all = [
        ("always", "allow_always"),
        ("once", "allow_once"),
        ("once too", "allow_once"),
        ("never", "reject_always"),
        ("no", "reject_once"),
    ];
    check(Rule::AllowOnce, &all, Some("once"));
    check(Rule::RejectOnce, &all, Some("no"));
    check(Rule::Nobody, &all, None);
    check(Rule::AskPerson, &all, None);
    check(
        Rule::AllowOnce,
        &[("always", "allow_always"), ("no", "reject_once")],
        None,
    );
    check(
        Rule::RejectOnce,
        &[("always", "allow_always"), ("never", "reject_always")],
        None,
    );
    assert_eq!(Rule::AskPerson.decide(&permission(11, &all)), Decision::Ask);
}

#[test]
fn a_person_chooses_by_number() {
    let check = |line: Option<&str>, expected: Choice| {
        assert_eq!(
            choice(
                &permission(11, &[("yes", "allow_once"), ("no", "reject_once")]),
                line
            ),
            expected,
            "{line:?}"
        );
    };
    check(Some("1"), Choice::Option("yes".to_owned()));
    check(Some(" 2 "), Choice::Option("no".to_owned()));
    check(Some("0"), Choice::Dismiss);
    check(None, Choice::Dismiss);
    for unclear in ["", "3", "-1", "yes", "1 2"] {
        check(Some(unclear), Choice::Unclear);
    }
}

/// The turn that these chunks make, event by event, and the message after each of them.
fn stream(chunks: &[(bool, String)]) -> (Vec<Frame>, Vec<Message>) {
    let mut events = vec![updated(answer(11, OURS, 1, Vec::new()))];
    let mut states = vec![answer(11, OURS, 1, Vec::new())];
    let mut parts: Vec<Part> = Vec::new();
    for ((is_text, chunk), rev) in chunks.iter().zip(2..) {
        let (kind, fresh) = if *is_text {
            (PartKind::Text, text(""))
        } else {
            (PartKind::Thought, thought(""))
        };
        if parts.last().map(Part::kind) != Some(kind) {
            parts.push(fresh);
        }
        if let Some(Part::Text { text } | Part::Thought { text }) = parts.last_mut() {
            text.push_str(chunk);
        }
        let index = u32::try_from(parts.len() - 1).expect("a few parts");
        events.push(delta(11, rev, index, kind, Some(chunk), None));
        states.push(answer(11, OURS, rev, parts.clone()));
    }
    (events, states)
}

proptest! {
    /// Whatever is lost, and however much later the conversation is fetched: the same is printed.
    #[test]
    fn losses_leave_no_trace(
        chunks in prop::collection::vec((any::<bool>(), "[a-zé\n ]{1,4}"), 1..12),
        lost in (0_usize..12, 0_usize..12),
        later in 0_usize..12,
    ) {
        let (events, states) = stream(&chunks);
        let from = lost.0.min(events.len());
        let to = (from + lost.1).min(events.len());
        let fetched = (to + later).clamp(1, states.len()) - 1;
        let mut inputs = frames(events[..from].to_vec());
        inputs.push(Input::Frame(dropped()));
        let snapshot = states[fetched.max(to.saturating_sub(1))].clone();
        inputs.push(Input::Snapshot(view(snapshot.rev, vec![snapshot])));
        inputs.extend(frames(events[to..].to_vec()));
        // With reasoning, which only a terminal shows.
        prop_assert_eq!(printed(Device::Terminal, inputs).0, printed(Device::Terminal, frames(events)).0);
    }
}
