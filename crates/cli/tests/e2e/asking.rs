//! What agents ask besides permission: forms, visits, logins.

use pupitre_protocol::Event;
use pupitre_protocol::agent::AgentState;
use pupitre_protocol::conversation::{
    AnsweredBy, Elicitation, ElicitationAction, ElicitationOutcome, PermissionsParams, SystemCode, Wanted,
};
use pupitre_protocol::method::chat;

use crate::support::{Desk, Events, Report, TestAgent, fake_script, text_of_turn};

fn wait_for_question(events: &mut Events) -> Elicitation {
    events.wait_for("the agent asks", |frame| match &frame.event {
        Event::ElicitationRequested(requested) => Some(requested.elicitation.clone()),
        _ => None,
    })
}

fn wait_for_outcome(events: &mut Events) -> ElicitationOutcome {
    events.wait_for("the question is over", |frame| match &frame.event {
        Event::ElicitationResolved(resolved) => Some(resolved.resolution),
        _ => None,
    })
}

fn wait_for_login(events: &mut Events, wanted: bool) {
    events.wait_until(
        &format!("the turn waits for a login: {wanted}"),
        |frame| matches!(&frame.event, Event::TurnChanged(changed) if changed.login.is_some() == wanted),
    );
}

#[test]
fn a_form_is_filled_in_and_its_values_reach_the_agent() {
    let desk = Desk::start();
    let mut events = desk.events();
    let turn = desk.send("demo", "form").message_id;
    let question = wait_for_question(&mut events);
    let Wanted::Form { fields } = &question.wants else {
        panic!("a form is asked, not {question:?}");
    };
    let names: Vec<_> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["name", "language", "files", "tests", "tools"]);
    assert_eq!(
        desk.conversation("demo").elicitations,
        std::slice::from_ref(&question)
    );

    desk.run(&["chat", "permissions"])
        .expect_code(0)
        .expect_stdout("demo asks: How shall I imagine")
        .expect_stdout("name *")
        .expect_stdout("rust, typescript, other");

    // What the form does not allow changes nothing.
    let id = question.id.to_string();
    for (given, said) in [
        (&["name=x"][..], "the field \"language\" is required"),
        (
            &["name=x", "language=cobol"],
            "does not fit the field language: one of these",
        ),
        (
            &["name=x", "language=rust", "files=0"],
            "must be a whole number from 1 to 1000",
        ),
        (&["nme=x"], "has no field \"nme\"; it has: name, language"),
    ] {
        desk.run(&[&["chat", "fill", &id], given].concat())
            .expect_code(1)
            .expect_stderr(said);
    }
    for (given, said) in [
        (&["name"][..], "write FIELD=VALUE"),
        (
            &["name=x", "tools=lint", "tools=format"],
            "the field \"tools\" is given twice",
        ),
    ] {
        desk.run(&[&["chat", "fill", &id], given].concat())
            .expect_code(2)
            .expect_stderr(said);
    }
    assert_eq!(desk.conversation("demo").elicitations.len(), 1);

    let values = [
        "name=Fugue",
        "language=TypeScript",
        "tests=no",
        "tools=lint,Formatter",
    ];
    desk.run(&[&["chat", "fill", &id], &values[..]].concat())
        .expect_code(0);
    assert_eq!(
        wait_for_outcome(&mut events),
        ElicitationOutcome::Answered {
            action: ElicitationAction::Accept,
            answered_by: AnsweredBy::Program
        }
    );
    events.wait_for_end_of_turn(turn);
    let text = text_of_turn(&desk.conversation("demo"), turn);
    for line in [
        "- name: `\"Fugue\"`",
        "- language: `\"typescript\"`",
        "- tests: `false`",
        "- tools: `[\"lint\",\"format\"]`",
    ] {
        assert!(text.contains(line), "{line} is missing in {text}");
    }
    desk.run(&["chat", "fill", &id, "--decline"])
        .expect_code(1)
        .expect_stderr("answered or cancelled before");
}

#[test]
fn a_visit_may_be_declined_and_stop_ends_a_question() {
    let desk = Desk::start();
    let mut events = desk.events();
    let turn = desk.send("demo", "visit").message_id;
    let question = wait_for_question(&mut events);
    desk.run(&["chat", "fill", &question.id.to_string(), "--decline"])
        .expect_code(0);
    events.wait_for_end_of_turn(turn);
    assert!(text_of_turn(&desk.conversation("demo"), turn).contains("You said no"));

    desk.send("demo", "visit");
    wait_for_question(&mut events);
    desk.run(&["chat", "cancel", "demo"]).expect_code(0);
    events.wait_until(
        "stop ends the question",
        |frame| matches!(&frame.event, Event::ElicitationResolved(resolved) if resolved.resolution == ElicitationOutcome::Cancelled),
    );
    let open = desk.call::<chat::Permissions>(PermissionsParams { agent: None });
    assert!(open.elicitations.is_empty());
}

#[test]
fn a_message_waits_for_the_login_and_is_sent_again() {
    let desk = Desk::start();
    let mut events = desk.events();
    let turn = desk.send("demo", "login").message_id;
    wait_for_login(&mut events, true);
    let view = desk.conversation("demo");
    let login = view.login.expect("the conversation shows the login");
    assert!(view.busy);
    assert_eq!(login.methods[0].id, "demo");
    desk.run(&["chat", "permissions"])
        .expect_code(0)
        .expect_stdout("demo wants you to log in first");

    desk.run(&["agents", "login", "demo", "passport"])
        .expect_code(3)
        .expect_stderr("it offers: demo");
    desk.run(&["agents", "login", "demo"])
        .expect_code(0)
        .expect_stdout("Demo login");
    desk.run(&["agents", "login", "demo", "demo"]).expect_code(0);
    wait_for_login(&mut events, false);
    events.wait_for_end_of_turn(turn);
    assert!(text_of_turn(&desk.conversation("demo"), turn).contains("You are logged in"));
    assert_eq!(desk.conversation("demo").login, None);
}

#[test]
fn stop_ends_a_turn_that_waits_for_a_login() {
    let desk = Desk::start();
    let mut events = desk.events();
    let turn = desk.send("demo", "login").message_id;
    wait_for_login(&mut events, true);
    desk.run(&["chat", "cancel", "demo"]).expect_code(0);
    events.wait_for_end_of_turn(turn);
    assert_eq!(desk.conversation("demo").login, None);
    let turn = desk.send("demo", "hello").message_id;
    events.wait_for_end_of_turn(turn);
}

#[test]
fn an_agent_that_ends_while_a_login_is_awaited_ends_the_turn() {
    let desk = Desk::start();
    let mut events = desk.events();
    let turn = desk.send("demo", "login").message_id;
    wait_for_login(&mut events, true);
    let pid = desk.agent("demo").pid.expect("it runs");
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(i32::try_from(pid).expect("a pid")).expect("a pid"),
        rustix::process::Signal::KILL,
    )
    .expect("the agent runs");
    let ended = events.wait_for_end_of_turn(turn);
    assert!(
        ended
            .error
            .as_deref()
            .is_some_and(|error| error.contains("SIGKILL")),
        "{ended:?}"
    );
    assert_eq!(desk.conversation("demo").login, None);
    let turn = desk.send("demo", "hello").message_id;
    events.wait_for_end_of_turn(turn);
}

/// Returns a desk with an agent that plays this script.
fn desk_with(settings: &str, script: &str) -> (Desk, Report) {
    let mut desk = Desk::without_daemon(&[]);
    let file = desk.path("odd.script");
    std::fs::write(&file, script).expect("the test's own file");
    let (agent, report) = fake_script(&desk, "odd", &file);
    desk.write_settings(settings, &[agent]);
    desk.start_daemon();
    (desk, report)
}

const OFFERS_LOGIN: &str = r#"expect initialize
answer {"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"key"}]}
expect authenticate
"#;

#[test]
fn an_agent_in_which_somebody_logs_in_is_used_and_makes_no_room() {
    let (desk, _) = desk_with(
        "[limits]\nmaxRunningAgents = 1\n",
        &format!("{OFFERS_LOGIN}silence\n"),
    );
    let mut events = desk.events();
    let login = desk.spawn(&["agents", "login", "odd", "key"]);
    events.wait_for_state("odd", AgentState::Busy);
    desk.run(&["ask", "demo", "hello"])
        .expect_code(1)
        .expect_stderr("too many agents running: 1 agent(s) busy (odd), the limit is 1");
    desk.run(&["agents", "stop", "odd"]).expect_code(0);
    login
        .finish()
        .expect_code(1)
        .expect_stderr("agent odd was stopped before the login was done");
}

#[test]
fn a_login_on_a_terminal_runs_the_agents_program_in_a_pane() {
    let mut desk = Desk::without_daemon(&[]);
    let script = r#"expect initialize
answer {"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"tui","type":"terminal","args":["--login"],"env":{"WAY":"terminal"}}]}
expect session/new
fail -32000 log in first
expect session/new
answer {"sessionId":"s"}
expect session/prompt
answer {"stopReason":"end_turn"}
serve
"#;
    let file = desk.path("odd.script");
    std::fs::write(&file, script).expect("the test's own file");
    let (fake, report) = fake_script(&desk, "odd", &file);
    // The same program: its own login where it is asked for one, which ends as the file says.
    let end = desk.path("work/end").display().to_string();
    let login = format!(
        r#"if [ "$1" = --login ]; then tty && echo "logging in by $WAY"; while [ ! -s {end} ]; do sleep 0.01; done; exit $(cat {end}); fi; exec {} script {}"#,
        fake.command,
        file.display()
    );
    let mut agent = TestAgent::new("odd", "/bin/sh", &["-c", &login, "odd"]);
    agent.env = fake.env;
    desk.write_config(&[agent]);
    desk.start_daemon();
    let mut events = desk.events();
    let turn = desk.send("odd", "hello").message_id;
    wait_for_login(&mut events, true);
    desk.run(&["agents", "login", "odd"])
        .expect_code(0)
        .expect_stderr("pupitre attach odd-login");
    let begin = |desk: &Desk, pane: &str| {
        let mut events = desk.events();
        let login = desk.spawn(&["agents", "login", "odd", "tui"]);
        events.wait_until(
            "the pane of the login",
            |frame| matches!(&frame.event, Event::SurfaceOpened(opened) if opened.surface_name == pane),
        );
        login
    };
    let log_in = |desk: &Desk, pane: &str, code: &str| {
        let login = begin(desk, pane);
        desk.run(&["wait", "--match", pane, "--pattern", "^logging in by terminal$"])
            .expect_code(0);
        std::fs::write(&end, code).expect("the test's own file");
        let output = login.finish();
        std::fs::remove_file(&end).expect("it was written above");
        output
    };
    log_in(&desk, "odd-login", "3")
        .expect_code(1)
        .expect_stderr("the login on the terminal exited with code 3");
    assert!(desk.conversation("odd").login.is_some(), "it goes on to wait");
    log_in(&desk, "odd-login-2", "0").expect_code(0);
    events.wait_for_end_of_turn(turn);
    assert_eq!(desk.conversation("odd").login, None);
    // One that goes on ends with its agent.
    let login = begin(&desk, "odd-login-3");
    desk.stop_agent("odd");
    login
        .finish()
        .expect_code(1)
        .expect_stderr("agent odd was stopped before the login was done");
    report.expect_ok(1, &desk);
}

#[test]
fn an_agent_that_ends_in_a_login_is_said_to_have_ended() {
    let (desk, _) = desk_with("", &format!("{OFFERS_LOGIN}exit 3\n"));
    desk.run(&["agents", "login", "odd", "key"])
        .expect_code(1)
        .expect_stderr("agent odd ended before the login was done: exited with code 3");
}

/// Asks for a form without a word, after its turn.
const ASKS_AFTER_TURN: &str = r#"handshake
turn Well.
send {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"form","message":null,"requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}
expect-answer 7 result
serve
"#;

#[test]
fn a_question_outside_of_a_turn_is_cancelled_and_one_without_words_gets_some() {
    let (desk, report) = desk_with("", ASKS_AFTER_TURN);
    let mut events = desk.events();
    desk.run(&["ask", "odd", "How is it?"]).expect_code(0);
    assert_eq!(wait_for_question(&mut events).message, "");
    assert_eq!(desk.agent("odd").state, AgentState::Busy);
    desk.run(&["chat", "permissions"])
        .expect_code(0)
        .expect_stdout("odd asks you to fill in a form");
    desk.run(&["chat", "cancel", "odd"])
        .expect_code(0)
        .expect_stdout("1 request of the agent was answered as cancelled");
    assert_eq!(wait_for_outcome(&mut events), ElicitationOutcome::Cancelled);
    desk.run(&["chat", "cancel", "odd"])
        .expect_code(0)
        .expect_stdout("there was nothing to cancel");
    assert!(desk.conversation("odd").elicitations.is_empty());
    desk.stop_agent("odd");
    report.expect_ok(1, &desk);
}

#[test]
fn questions_beyond_the_limit_are_answered_and_the_conversation_says_so_once() {
    let mut script = "handshake\nexpect session/prompt\n".to_owned();
    for id in 0..10 {
        script += &format!(
            r#"send {{"jsonrpc":"2.0","id":"q{id}","method":"elicitation/create","params":{{"sessionId":"${{session}}","mode":"url","message":"Go","url":"https://example.org/{id}","elicitationId":"e{id}"}}}}"#
        );
        script.push('\n');
    }
    // Its ninth and tenth are answered at once.
    script += "await-answer \"q8\" result\nawait-answer \"q9\" result\n";
    script += "silence\n";
    let (desk, report) = desk_with("", &script);
    let mut events = desk.events();
    desk.send("odd", "Ask me.");
    events.wait_until(
        "the conversation says that it was too much",
        |frame| matches!(&frame.event, Event::MessageUpdated(updated) if updated.message.code == Some(SystemCode::TooManyRequests)),
    );
    let view = desk.conversation("odd");
    assert_eq!(view.elicitations.len(), 8);
    desk.run(&["chat", "show", "odd"])
        .expect_code(0)
        .expect_stdout("asked for too much at once");
    desk.stop_agent("odd");
    let codes: Vec<SystemCode> = desk
        .conversation("odd")
        .messages
        .iter()
        .filter_map(|message| message.code)
        .collect();
    assert_eq!(codes, [SystemCode::TooManyRequests]);
    report.expect_ok(1, &desk);
}

/// Asks during a login, outside of any turn, under the same id in each run.
const ASKS_IN_LOGIN: &str = r#"expect initialize
answer {"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"key"}]}
expect authenticate
send {"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{"mode":"url","message":"Go there","url":"https://example.org/","elicitationId":"e"}}
serve
"#;

#[test]
fn an_answer_never_reaches_another_run_of_the_agent() {
    let (desk, _) = desk_with("", ASKS_IN_LOGIN);
    let mut events = desk.events();
    let first = desk.spawn(&["agents", "login", "odd", "key"]);
    let old = wait_for_question(&mut events);
    desk.run(&["agents", "restart", "odd"]).expect_code(0);
    first.finish().expect_code(1);
    assert_eq!(wait_for_outcome(&mut events), ElicitationOutcome::Withdrawn);
    let second = desk.spawn(&["agents", "login", "odd", "key"]);
    let new = wait_for_question(&mut events);
    desk.run(&["chat", "fill", &old.id.to_string()])
        .expect_code(1)
        .expect_stderr("answered or cancelled before");
    let open = desk.call::<chat::Permissions>(PermissionsParams { agent: None });
    assert_eq!(open.elicitations, [new]);
    desk.run(&["agents", "stop", "odd"]).expect_code(0);
    second.finish().expect_code(1);
    let open = desk.call::<chat::Permissions>(PermissionsParams { agent: None });
    assert_eq!(open.elicitations, []);
}

#[test]
fn ask_without_a_person_leaves_questions_and_names_the_way_to_log_in() {
    let desk = Desk::start();
    desk.run(&["ask", "demo", "form"])
        .expect_code(0)
        .expect_stderr("nobody is here to ask: demo asks: How shall")
        .expect_stdout("You did not answer");
    desk.run(&["ask", "demo", "login"])
        .expect_code(1)
        .expect_stderr("`pupitre agents login demo` lists the ways");
    assert!(!desk.conversation("demo").busy);
}
