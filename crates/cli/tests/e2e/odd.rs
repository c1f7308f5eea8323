//! Every script of an odd agent: how the turn with the oddity ends, what the conversation shows of it, and that the
//! next turn works. The fake agent checks what the daemon sends it.

mod elsewhere;

use pupitre_protocol::agent::AuthenticateParams;
use pupitre_protocol::conversation::{
    AnswerPermissionParams, CancelParams, ConversationView, Media, Message, Part, Role, StopReason, ToolCall,
    ToolKind, ToolStatus,
};
use pupitre_protocol::event::Event;
use pupitre_protocol::method::{agent, chat};
use pupitre_testkit::fixtures::{odd_script, odd_scripts};

use crate::support::{Desk, EndedTurn, Follower, agent_name, fake_script};

/// What is to be seen of a script.
struct Odd {
    /// What the client does in the first turn.
    act: Act,
    first: End,
    says: Says,
    /// What the client does in the second turn.
    act_then: Act,
    second: End,
    says_then: Says,
    /// How many runs of the agent end as the script wants; `None` where the daemon cuts it off.
    runs: Option<usize>,
}

enum Act {
    Wait,
    /// Answers the permission request with this option.
    Choose(&'static str),
    /// Cancels the turn when it has said this.
    CancelAt(&'static str),
    /// Cancels the turn when it asks for permission.
    CancelAtPermission,
    /// Logs in this way when the agent wants it.
    LogIn(&'static str),
}

/// How a turn ends.
enum End {
    Stops(StopReason),
    /// With an error that has this in it.
    Fails(&'static str),
    /// The agent cannot be reached, and this is why.
    Unavailable(&'static str),
}

/// All text of a turn.
enum Says {
    Text(&'static str),
    /// So many times the letter x.
    Letters(usize),
    /// So many chunks.
    Drops(usize),
}

use Says::Text;

const END_TURN: End = End::Stops(StopReason::EndTurn);
const CANCELLED: End = End::Stops(StopReason::Cancelled);

/// A first turn that ends well, and a second one of the usual kind.
const WELL: Odd = Odd {
    act: Act::Wait,
    first: END_TURN,
    says: Text(""),
    act_then: Act::Wait,
    second: END_TURN,
    says_then: Text("All is well."),
    runs: Some(1),
};

/// What was seen of a script.
struct Seen<'desk> {
    desk: &'desk Desk,
    view: ConversationView,
    messages: Vec<Message>,
}

impl Seen<'_> {
    /// The agent's messages of both turns.
    fn answers(&self) -> impl Iterator<Item = &Message> {
        self.messages.iter().filter(|message| message.role == Role::Agent)
    }

    fn tools(&self) -> Vec<&ToolCall> {
        let parts = self.answers().flat_map(|message| &message.parts);
        parts
            .filter_map(|part| {
                if let Part::Tool { tool } = part {
                    Some(tool)
                } else {
                    None
                }
            })
            .collect()
    }

    fn images(&self) -> Vec<&Media> {
        let parts = self.answers().flat_map(|message| &message.parts);
        parts
            .filter_map(|part| {
                if let Part::Image { image } = part {
                    Some(image)
                } else {
                    None
                }
            })
            .collect()
    }

    fn log(&self) -> String {
        let output = self.desk.run(&["agents", "logs", "odd"]);
        output.expect_code(0).stdout.clone()
    }
}

impl Says {
    fn text(&self) -> String {
        match *self {
            Self::Text(text) => text.to_owned(),
            Self::Letters(count) => "x".repeat(count),
            Self::Drops(count) => (1..=count).map(|number| format!("drop {number} ")).collect(),
        }
    }
}

#[track_caller]
fn check_end(ended: &EndedTurn, expected: &End) {
    match *expected {
        End::Stops(reason) => {
            assert_eq!(
                (ended.stop_reason, ended.error.as_deref()),
                (Some(reason), None),
                "{ended:#?}"
            );
        }
        End::Fails(part) | End::Unavailable(part) => {
            assert_eq!(ended.stop_reason, None, "{ended:#?}");
            let error = ended.error.as_deref().unwrap_or_default();
            assert!(error.contains(part), "{part:?} in {error:?}");
            let is_unavailable = matches!(expected, End::Unavailable(_));
            assert_eq!(ended.message.role == Role::System, is_unavailable, "{ended:#?}");
        }
    }
}

/// Plays a script: one turn, what it shows, and the next turn.
#[track_caller]
fn check(script: &str, odd: Odd, also: fn(&Seen<'_>)) {
    let mut desk = Desk::without_daemon(&[]);
    let (agent, report) = fake_script(&desk, "odd", &odd_script(script));
    desk.write_config(&[agent]);
    desk.start_daemon();
    let desk = desk;
    let mut follower = Follower::new(&desk, "odd");
    let first = desk.send("odd", "The first turn.").message_id;
    act(&desk, &mut follower, first, &odd.act);
    check_end(&follower.wait_for_end_of_turn(first), &odd.first);
    // What comes behind the end of a turn still belongs to it.
    follower.wait_for_text(first, &odd.says.text());
    let second = desk.send("odd", "The second turn.").message_id;
    act(&desk, &mut follower, second, &odd.act_then);
    check_end(&follower.wait_for_end_of_turn(second), &odd.second);
    follower.wait_for_text(second, &odd.says_then.text());
    assert_eq!(
        follower.text(first),
        odd.says.text(),
        "the first turn is left alone"
    );
    let view = follower.expect_same();
    assert!(!view.busy && view.permissions.is_empty(), "{view:#?}");
    also(&Seen {
        desk: &desk,
        messages: desk.all_messages("odd"),
        view,
    });
    desk.stop_agent("odd");
    if let Some(runs) = odd.runs {
        report.expect_ok(runs, &desk);
    }
}

/// Does what the client does before the turn ends.
#[track_caller]
fn act(desk: &Desk, follower: &mut Follower<'_>, turn: pupitre_protocol::MessageId, act: &Act) {
    let cancel = || {
        let reply = desk.call::<chat::Cancel>(CancelParams {
            agent: agent_name("odd"),
            message_id: None,
        });
        assert!(reply.cancelled, "the turn runs");
    };
    match *act {
        Act::Wait => {}
        Act::CancelAt(text) => {
            follower.wait_for_text(turn, text);
            cancel();
        }
        Act::Choose(option) => {
            let id = permission(follower);
            desk.call::<chat::AnswerPermission>(AnswerPermissionParams {
                id,
                option_id: Some(option.to_owned()),
            });
        }
        Act::CancelAtPermission => {
            permission(follower);
            cancel();
        }
        Act::LogIn(method) => {
            while !matches!(&follower.next("the agent wants a login").event,
                Event::TurnChanged(changed) if changed.login.is_some())
            {}
            desk.call::<agent::Authenticate>(AuthenticateParams {
                agent: agent_name("odd"),
                method_id: method.to_owned(),
            });
        }
    }
}

#[track_caller]
fn permission(follower: &mut Follower<'_>) -> pupitre_protocol::PermissionId {
    loop {
        if let Event::PermissionRequested(asked) = follower.next("the agent asks for permission").event {
            return asked.id;
        }
    }
}

macro_rules! odd {
    ($($name:ident = $script:literal: $odd:expr, $also:expr;)+) => {
        $(
            #[test]
            fn $name() {
                check($script, $odd, $also);
            }
        )+

        /// The scripts with a test here.
        const TESTED: &[&str] = &[$($script),+];
    };
}

odd! {
    text_before_json = "text-before-json": Odd { says: Text("One. Two."), ..WELL }, |seen| {
        let log = seen.log();
        for line in ["Welcome aboard!", "Read 3 settings.", "thinking about it...", "{not json either}"] {
            assert!(log.contains(&format!("(stray, on stdout) {line}")), "{line} in {log}");
        }
        assert_eq!(seen.desk.agent("odd").version.as_deref(), Some("odd 1"));
    };
    string_ids = "string-ids": Odd { act: Act::Choose("yes"), says: Text("Watered."), ..WELL }, |_| {};
    odd_request_ids = "odd-request-ids": Odd { says: Text("Echoed."), ..WELL }, |_| {};
    updates_before_the_session = "early-updates": Odd { says: Text("First turn."), ..WELL }, |seen| {
        assert_eq!(seen.view.commands.len(), 1);
        assert_eq!(seen.view.commands[0].name, "early");
        assert_eq!(seen.view.usage.as_ref().unwrap().size, 200_000);
    };
    a_greeting_before_the_prompt = "greets-before-prompt": Odd { says: Text("First turn."), ..WELL }, |seen| {
        let texts: Vec<String> = seen.answers().map(crate::support::text_of).collect();
        assert_eq!(texts[..2], ["Good morning.", "First turn."], "{:#?}", seen.messages);
    };
    updates_after_the_turn = "late-updates": Odd {
        says: Text("In time. And too late."),
        says_then: Text("Second turn. Late again."),
        ..WELL
    }, |seen| {
        assert_eq!(seen.view.usage.as_ref().unwrap().used, 2040);
        assert_eq!(seen.view.title.as_deref(), Some("A small task"));
        assert_eq!(seen.answers().count(), 2, "no message of their own: {:#?}", seen.messages);
    };
    unknown_request = "unknown-request": Odd { says: Text("Never mind."), ..WELL }, |_| {};
    unknown_notification = "unknown-notification": Odd { says: Text("Heard of it?"), ..WELL }, |seen| {
        let output = seen.desk.run(&["agents", "trace", "odd"]);
        output.expect_code(0).expect_stdout("_auth/status_update").expect_stdout("odd/tick");
    };
    unknown_update_kind = "unknown-update-kind": Odd { says: Text("One. Two. Three."), ..WELL }, |seen| {
        let output = seen.desk.run(&["agents", "trace", "odd"]);
        output.expect_code(0).expect_stdout("weather_update");
    };
    unknown_tool_kind = "unknown-tool-kind": Odd { says: Text("Pruned."), ..WELL }, |seen| {
        let tools = seen.tools();
        let told: Vec<(&str, &str, ToolKind, ToolStatus)> = tools
            .iter()
            .map(|tool| (tool.id.as_str(), tool.title.as_str(), tool.kind, tool.status))
            .collect();
        assert_eq!(told[0], ("t1", "Prune the roses", ToolKind::Other, ToolStatus::Completed));
        assert!(tools[0].output.as_deref().unwrap_or_default().contains("snip"), "{tools:#?}");
        assert_eq!((told[1].0, told[1].2), ("t2", ToolKind::Execute));
        assert_eq!(told[2], ("t3", "Nobody announced this", ToolKind::Other, ToolStatus::Completed));
        assert_eq!(told[3].0, "t4");
        assert_eq!(told.len(), 4);
    };
    null_result = "null-result": Odd { first: End::Fails("without a stop reason"), says: Text("And that was it."), ..WELL }, |_| {};
    unknown_stop_reason = "unknown-stop-reason": Odd {
        first: End::Fails("lunch"),
        says: Text("It is noon."),
        ..WELL
    }, |_| {};
    error_without_id = "error-without-id": Odd { says: Text("Never mind those."), ..WELL }, |_| {};
    result_beside_error = "result-beside-error": Odd { says: Text("Fine."), ..WELL }, |_| {};
    malformed_answer = "malformed-answer": Odd {
        first: End::Fails("E_BROKEN"),
        says: Text("Something went wrong."),
        ..WELL
    }, |_| {};
    failing_turn = "failing-turn": Odd {
        first: End::Fails("This key opens nothing here."),
        says: Text("I tried."),
        ..WELL
    }, |_| {};
    two_answers = "two-answers": Odd { says: Text("Once."), says_then: Text("Second turn."), ..WELL }, |_| {};
    batch = "batch": Odd { says: Text("Two in one."), ..WELL }, |_| {};
    lone_surrogate = "lone-surrogate": Odd {
        says: Text("cut \u{fffd} here and \u{fffd} there, whole: 🐝"),
        ..WELL
    }, |_| {};
    byte_order_mark = "byte-order-mark": Odd { says: Text("Marked."), ..WELL }, |_| {};
    invalid_utf8 = "invalid-utf8": Odd {
        says: Text("bad \u{fffd}\u{fffd} byte, cut \u{fffd} end"),
        ..WELL
    }, |seen| {
        assert!(seen.log().contains("(stray, on stdout) \u{fffd}\u{fffd}\u{fffd}"), "{}", seen.log());
    };
    carriage_returns = "carriage-returns": Odd { says: Text("Carried."), ..WELL }, |_| {};
    permission_then_cancel = "permission-then-cancel": Odd {
        act: Act::CancelAtPermission,
        first: CANCELLED,
        ..WELL
    }, |seen| {
        let tools = seen.tools();
        let told: Vec<_> = tools.iter().map(|tool| (tool.status, tool.cancelled)).collect();
        assert_eq!(told, [(ToolStatus::Failed, true)]);
    };
    permission_withdrawn = "permission-withdrawn": Odd { says: Text("It rained in the meantime."), ..WELL }, |_| {};
    silent_turn = "silent-turn": Odd {
        act: Act::CancelAt("Let me think"),
        first: CANCELLED,
        says: Text("Let me think"),
        ..WELL
    }, |_| {};
    answers_cancel_late = "answers-cancel-late": Odd {
        act: Act::CancelAt("Let me think"),
        first: CANCELLED,
        says: Text("Let me think a little more."),
        ..WELL
    }, |seen| {
        let tools = seen.tools();
        let told: Vec<_> = tools.iter().map(|tool| (tool.status, tool.cancelled)).collect();
        assert_eq!(told, [(ToolStatus::Failed, true)]);
    };
    dies_in_turn = "dies-in-turn": Odd {
        first: End::Fails("killed by signal 9 (SIGKILL)"),
        says: Text("Half a"),
        second: End::Fails("killed by signal 9 (SIGKILL)"),
        says_then: Text("Half a"),
        runs: Some(2),
        ..WELL
    }, |_| {};
    exits_in_turn = "exits-in-turn": Odd {
        first: End::Fails("exited with code 3"),
        says: Text("Half a"),
        second: End::Fails("exited with code 3"),
        says_then: Text("Half a"),
        runs: Some(2),
        ..WELL
    }, |seen| assert!(seen.log().contains("The well is dry."), "{}", seen.log());
    exits_at_start = "exits-at-start": Odd {
        first: End::Unavailable("exited with code 1"),
        second: End::Unavailable("There is no settings file."),
        says_then: Text(""),
        runs: Some(2),
        ..WELL
    }, |_| {};
    new_protocol = "new-protocol": Odd {
        first: End::Unavailable("speaks ACP version 2, this program speaks 1"),
        second: End::Unavailable("speaks ACP version 2, this program speaks 1"),
        says_then: Text(""),
        runs: Some(2),
        ..WELL
    }, |_| {};
    old_protocol = "old-protocol": Odd {
        first: End::Unavailable("speaks ACP version 0, this program speaks 1"),
        second: End::Unavailable("speaks ACP version 0, this program speaks 1"),
        says_then: Text(""),
        runs: Some(2),
        ..WELL
    }, |_| {};
    needs_login = "needs-login": Odd {
        act: Act::LogIn("key"),
        says: Text("Signed in."),
        act_then: Act::LogIn("key"),
        says_then: Text("Signed in again."),
        ..WELL
    }, |_| {};
    ignores_eof = "ignores-eof": Odd { says: Text("First turn."), ..WELL }, |_| {};
    ignores_eof_and_term = "ignores-eof-and-term": Odd { says: Text("First turn."), ..WELL }, |_| {};
    noisy_stderr = "noisy-stderr": Odd { says: Text("That had to be said."), ..WELL }, |seen| {
        let log = seen.log();
        assert!(log.lines().count() <= 200, "{} lines", log.lines().count());
        assert!(log.lines().all(|line| line.len() <= (8 << 10) + 200), "a long line is cut");
    };
    big_chunk = "big-chunk": Odd { says: Says::Letters(3_000_000), ..WELL }, |_| {};
    big_commands = "big-commands": Odd { says: Text("I have learned a lot."), ..WELL }, |seen| {
        assert!(seen.view.commands.len() > 100, "{} commands", seen.view.commands.len());
    };
    big_image = "big-image": Odd { says: Text("Do you like it?"), ..WELL }, |seen| {
        let images = seen.images();
        assert_eq!(images.len(), 1);
        assert!(images[0].truncated && images[0].mime_type == "image/png");
    };
    big_tool_output = "big-tool-output": Odd { says: Text("That was much."), ..WELL }, |seen| {
        let tools = seen.tools();
        assert_eq!(tools.len(), 1);
        assert!(tools[0].truncated && tools[0].status == ToolStatus::Completed);
    };
    flood = "flood": Odd { says: Says::Drops(100_000), ..WELL }, |_| {};
    many_messages = "many-messages": Odd { says: Text("All sown."), ..WELL }, |seen| {
        let tools = seen.tools();
        assert_eq!(tools.len(), 10_000);
        assert!(tools.iter().all(|tool| tool.status == ToolStatus::Completed));
    };
    unbounded_line = "unbounded-line": Odd {
        first: End::Fails("64 MiB"),
        says: Text("Here it comes."),
        second: End::Fails("64 MiB"),
        says_then: Text("Here it comes."),
        runs: None,
        ..WELL
    }, |_| {};
}

#[test]
fn every_script_has_its_test() {
    let mut tested: Vec<&str> = TESTED.iter().chain(elsewhere::TESTED).copied().collect();
    tested.sort_unstable();
    let scripts = odd_scripts();
    let mut names: Vec<&str> = scripts
        .iter()
        .map(|path| path.file_stem().unwrap().to_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(tested, names);
}
