//! The fake agent takes a client that does what the recorded one did, and no other.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use pupitre_testkit::fixtures::{self, Program};
use pupitre_testkit::plain_client::{PlainClient, PlainClientError, TurnPlan};
use pupitre_testkit::transcript::{
    CancelPoint, EndCause, Exit, Opening, PermissionAnswer, Transcript, TurnOutcome,
};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

struct Fake {
    client: PlainClient,
    folder: tempfile::TempDir,
}

impl Fake {
    fn start(mode: &str, file: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        #[expect(
            clippy::disallowed_methods,
            reason = "the test drives the fake agent as a process"
        )]
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pupitre-fake-agent"));
        command
            .arg(mode)
            .arg(file)
            .env("PUPITRE_FAKE_REPORT", folder.path().join("report"));
        command.stderr(std::process::Stdio::null());
        Self {
            client: PlainClient::start(command, PATIENCE).unwrap(),
            folder,
        }
    }

    fn replay(name: &str) -> Self {
        Self::start("replay", &fixtures::transcript(name))
    }

    fn script(name: &str) -> Self {
        Self::start("script", &fixtures::odd_script(name))
    }

    fn ready(&mut self) {
        self.client.initialize().unwrap();
        let cwd = self.folder.path().to_owned();
        self.client.new_session(&cwd).unwrap();
    }

    fn finish(self) -> (String, ExitStatus) {
        let status = self.client.wait().unwrap();
        let report = std::fs::read_to_string(self.folder.path().join("report")).unwrap_or_default();
        (report, status)
    }

    fn close(mut self) -> (String, ExitStatus) {
        self.client.close_stdin();
        self.finish()
    }
}

/// Replays one transcript and checks that the client sees what the recorded one saw.
fn check_replay(path: &Path) {
    let transcript = Transcript::load(path).unwrap();
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let ending = transcript.ending();
    let mut fake = Fake::start("replay", path);
    match (fake.client.initialize(), transcript.opening()) {
        (Err(PlainClientError::Closed(_)), Opening::NoHandshake) => {
            assert!(
                !fake.client.stray.is_empty(),
                "{name}: a line that is no JSON was recorded"
            );
        }
        (Ok(result), opening) => {
            assert_eq!(result["protocolVersion"], 1, "{name}");
            let cwd = fake.folder.path().to_owned();
            match (fake.client.new_session(&cwd), opening) {
                (Ok(_), Opening::Ready { session_id }) => {
                    assert_eq!(fake.client.session_id, session_id, "{name}")
                }
                (Err(PlainClientError::Refused { error, .. }), Opening::SessionRefused { code }) => {
                    assert_eq!(error["code"], code, "{name}");
                }
                (found, opening) => panic!("{name}: {found:?} instead of {opening:?}"),
            }
        }
        (found, opening) => panic!("{name}: {found:?} instead of {opening:?}"),
    }
    for turn in transcript.turns() {
        let is_open = turn.outcome == TurnOutcome::Open;
        let plan = TurnPlan {
            leave_open_after: is_open.then_some(CancelPoint {
                after_updates: turn.updates,
                after_permissions: turn.permissions.len(),
            }),
            permissions: turn.permissions.iter().cloned().collect(),
            cancel: turn.cancel,
        };
        fake.client.idle(turn.updates_before).unwrap();
        let report = fake
            .client
            .turn("Something of our own.", &plan)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(report.outcome, turn.outcome, "{name}");
        assert_eq!(report.permissions.len(), turn.permissions.len(), "{name}");
        assert_eq!(report.updates.len(), turn.updates, "{name}: {report:?}");
        assert_eq!(report.text, turn.text, "{name}");
    }
    if ending.cause == EndCause::StdinClosed {
        fake.client.close_stdin();
    }
    if ending.cause == EndCause::Terminated || ending.exit == Exit::Never {
        fake.client.terminate();
    }
    let (report, status) = fake.finish();
    assert_eq!(report, "OK\n", "{name}");
    match ending.exit {
        Exit::Code(code) => assert_eq!(status.code(), Some(code), "{name}"),
        Exit::Signal(signal) => assert_eq!(status.signal(), Some(signal), "{name}"),
        Exit::Never => assert_eq!(status.signal(), Some(15), "{name}: only a signal ends it"),
    }
}

#[test]
fn every_transcript_replays_against_a_client_that_does_the_same() {
    let paths = fixtures::transcripts();
    assert!(paths.len() > 90, "only {} transcripts", paths.len());
    for path in paths {
        check_replay(&path);
    }
}

#[test]
fn paths_and_sizes_are_filled_in() {
    let mut fake = Fake::replay("codexz.bigtool");
    fake.ready();
    let id = fake
        .client
        .request(
            "session/prompt",
            json!({"sessionId": fake.client.session_id, "prompt": [{"type": "text", "text": "x"}]}),
        )
        .unwrap();
    let mut longest = 0;
    loop {
        let message = fake.client.next("the big turn").unwrap();
        longest = longest.max(message.to_string().len());
        if message["method"] == "session/request_permission" {
            assert_eq!(
                message["params"]["toolCall"]["rawInput"]["cwd"],
                fake.folder.path().to_str().unwrap()
            );
            let outcome = json!({"outcome": {"outcome": "selected", "optionId": "approved"}});
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": outcome});
            fake.client.send(&answer).unwrap();
        }
        if message["id"] == id {
            break;
        }
    }
    assert!(longest > 12_600_000, "the longest line had {longest} bytes");
    fake.client.close_stdin();
    fake.client.terminate();
    assert_eq!(fake.finish().0, "OK\n");
}

/// Lets `act` misbehave in a replay of `claude.tool-reject` and checks what the fake says about it.
fn check_divergence(expected: &str, act: impl FnOnce(&mut Fake)) {
    let mut fake = Fake::replay("claude.tool-reject");
    act(&mut fake);
    // A fake that found nothing would wait for more.
    fake.client.close_stdin();
    let (report, status) = fake.finish();
    assert!(
        report.starts_with("DIVERGENCE: ") && report.contains(expected),
        "{report}"
    );
    assert_eq!(report.lines().count(), 1, "{report}");
    assert_eq!(status.code(), Some(70));
}

fn prompt(fake: &mut Fake, params: &Value) {
    fake.ready();
    fake.client.request("session/prompt", params.clone()).unwrap();
}

fn answer_permission(fake: &mut Fake, answer: impl FnOnce(&Value) -> Value) {
    let params = json!({"sessionId": "", "prompt": [{"type": "text", "text": "x"}]});
    fake.ready();
    let mut params = params;
    params["sessionId"] = fake.client.session_id.clone().into();
    fake.client.request("session/prompt", params).unwrap();
    let request = loop {
        let message = fake.client.next("a permission request").unwrap();
        if message["method"] == "session/request_permission" {
            break message;
        }
    };
    fake.client.send(&answer(&request["id"])).unwrap();
}

#[test]
fn a_client_that_does_something_else_is_found_out() {
    check_divergence("protocolVersion is not 1", |fake| {
        fake.client
            .request(
                "initialize",
                json!({"protocolVersion": 2, "clientCapabilities": {}}),
            )
            .unwrap();
    });
    check_divergence("session/new (id 100) instead of initialize", |fake| {
        fake.client
            .request("session/new", json!({"cwd": "/", "mcpServers": []}))
            .unwrap();
    });
    check_divergence("no integer", |fake| {
        fake.client
            .send(&json!({"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": {}}))
            .unwrap();
    });
    check_divergence("without jsonrpc", |fake| {
        fake.client
            .send(&json!({"id": 1, "method": "initialize"}))
            .unwrap()
    });
    check_divergence("no JSON object", |fake| fake.client.send_line("").unwrap());
    check_divergence("no JSON object", |fake| fake.client.send_line("[]").unwrap());
    check_divergence("used before", |fake| {
        fake.client.initialize().unwrap();
        let again = json!({"jsonrpc": "2.0", "id": 100, "method": "session/new", "params": {"cwd": "/", "mcpServers": []}});
        fake.client.send(&again).unwrap();
    });
    check_divergence("cwd is no absolute path", |fake| {
        fake.client.initialize().unwrap();
        fake.client
            .request("session/new", json!({"cwd": "here", "mcpServers": []}))
            .unwrap();
    });
    check_divergence("mcpServers is no list", |fake| {
        fake.client.initialize().unwrap();
        fake.client.request("session/new", json!({"cwd": "/"})).unwrap();
    });
    check_divergence("another session id", |fake| {
        prompt(
            fake,
            &json!({"sessionId": "other", "prompt": [{"type": "text", "text": "x"}]}),
        );
    });
    check_divergence("no list of content blocks", |fake| {
        fake.ready();
        let params = json!({"sessionId": fake.client.session_id, "prompt": []});
        fake.client.request("session/prompt", params).unwrap();
    });
    check_divergence("stdin was closed before session/prompt", |fake| {
        fake.ready();
        fake.client.close_stdin();
    });
    check_divergence("where the recorded client selected", |fake| {
        answer_permission(
            fake,
            |id| json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": {"outcome": "cancelled"}}}),
        );
    });
    check_divergence("was not offered", |fake| {
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": "perhaps"}});
        answer_permission(fake, |id| json!({"jsonrpc": "2.0", "id": id, "result": outcome}));
    });
    check_divergence("allow_once", |fake| {
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": "allow"}});
        answer_permission(fake, |id| json!({"jsonrpc": "2.0", "id": id, "result": outcome}));
    });
    check_divergence("instead of the answer to", |fake| {
        let outcome = json!({"outcome": {"outcome": "selected", "optionId": "reject"}});
        answer_permission(fake, |_| json!({"jsonrpc": "2.0", "id": "0", "result": outcome}));
    });
    check_divergence("an error", |fake| {
        let error = json!({"code": -32603, "message": "no"});
        answer_permission(fake, |id| json!({"jsonrpc": "2.0", "id": id, "error": error}));
    });
}

#[test]
fn what_was_not_offered_is_refused_and_what_was_offered_is_answered() {
    // The recorded client had no file system to offer and wrote the file all the same.
    let mut fake = Fake::replay("opencode.tool-nocaps");
    fake.ready();
    let plan = TurnPlan {
        permissions: [PermissionAnswer::Selected {
            option_id: "once".into(),
            kind: "allow_once".into(),
        }]
        .into(),
        ..TurnPlan::default()
    };
    let report = fake.client.turn("x", &plan).unwrap();
    assert_eq!(report.refused, ["fs/write_text_file"]);
    assert_eq!(fake.close().0, "OK\n");
}

#[test]
fn every_odd_script_can_be_read() {
    let paths = fixtures::odd_scripts();
    assert!(paths.len() >= 40, "only {} scripts", paths.len());
    for path in paths {
        pupitre_testkit::fake_agent::script::load(&path).unwrap();
    }
}

/// Plays a script that ends its turns in a way the bare client understands, and the turn after it.
fn check_script(name: &str, first_turn: &TurnOutcome, expected_text: &str) {
    let mut fake = Fake::script(name);
    fake.ready();
    let allow = PermissionAnswer::Selected {
        option_id: String::new(),
        kind: "allow_once".into(),
    };
    let plan = TurnPlan {
        permissions: [allow].into(),
        ..TurnPlan::default()
    };
    let report = fake
        .client
        .turn("x", &plan)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(report.outcome, *first_turn, "{name}");
    assert_eq!(report.text, expected_text, "{name}");
    let second = fake
        .client
        .turn("y", &plan)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(
        second.outcome,
        TurnOutcome::Stopped {
            reason: "end_turn".into()
        },
        "{name}"
    );
    let (report, status) = fake.close();
    assert_eq!((report.as_str(), status.code()), ("OK\n", Some(0)), "{name}");
}

#[test]
fn odd_scripts_play_two_turns() {
    let end_turn = TurnOutcome::Stopped {
        reason: "end_turn".into(),
    };
    for (name, text) in [
        ("early-updates", "First turn."),
        ("late-updates", "In time."),
        ("unknown-request", "Never mind."),
        ("odd-request-ids", "Echoed."),
        ("unknown-notification", "Heard of it?"),
        ("unknown-update-kind", "One. Two. Three."),
        ("unknown-tool-kind", "Pruned."),
        ("error-without-id", "Never mind those."),
        ("two-answers", "Once."),
        ("result-beside-error", "Fine."),
        ("carriage-returns", "Carried."),
        ("big-image", "Do you like it?"),
        ("big-commands", "I have learned a lot."),
        ("many-messages", "All sown."),
        ("permission-alike", "Watered."),
        ("noisy-stderr", "That had to be said."),
    ] {
        check_script(name, &end_turn, text);
    }
    check_script(
        "unknown-stop-reason",
        &TurnOutcome::Stopped {
            reason: "lunch".into(),
        },
        "It is noon.",
    );
    check_script(
        "failing-turn",
        &TurnOutcome::Failed {
            code: 400,
            message: r#"{"error":{"code":400,"message":"This key opens nothing here."}}"#.into(),
        },
        "I tried.",
    );
}

#[test]
fn a_flood_comes_whole_and_in_order() {
    let mut fake = Fake::script("flood");
    fake.ready();
    let report = fake.client.turn("x", &TurnPlan::default()).unwrap();
    let expected: String = (1..=100_000).map(|number| format!("drop {number} ")).collect();
    assert!(
        report.text == expected,
        "{} bytes instead of {}",
        report.text.len(),
        expected.len()
    );
    assert_eq!(fake.close().0, "OK\n");
}

#[test]
fn cancels_are_heard_ignored_or_answered_late() {
    let cancel = TurnPlan {
        cancel: Some(CancelPoint {
            after_updates: 1,
            after_permissions: 0,
        }),
        ..TurnPlan::default()
    };
    let mut fake = Fake::script("silent-turn");
    fake.ready();
    let report = fake.client.turn("x", &cancel).unwrap();
    assert_eq!(
        report.outcome,
        TurnOutcome::Stopped {
            reason: "cancelled".into()
        }
    );
    assert_eq!(fake.close().0, "OK\n");

    let mut fake = Fake::script("answers-cancel-late");
    fake.ready();
    let report = fake.client.turn("x", &cancel).unwrap();
    assert_eq!(
        report.outcome,
        TurnOutcome::Stopped {
            reason: "end_turn".into()
        }
    );
    assert_eq!(report.text, "Let me think a little more.");
    assert_eq!(fake.close().0, "OK\n");

    let mut fake = Fake::script("permission-then-cancel");
    fake.ready();
    let asked = TurnPlan {
        cancel: Some(CancelPoint {
            after_updates: 0,
            after_permissions: 1,
        }),
        ..TurnPlan::default()
    };
    let report = fake.client.turn("x", &asked).unwrap();
    assert_eq!(
        report.outcome,
        TurnOutcome::Stopped {
            reason: "cancelled".into()
        }
    );
    assert_eq!(fake.close().0, "OK\n");
}

#[test]
fn odd_ends() {
    let mut fake = Fake::script("dies-in-turn");
    fake.ready();
    assert!(matches!(
        fake.client.turn("x", &TurnPlan::default()),
        Err(PlainClientError::Closed(_))
    ));
    let (report, status) = fake.finish();
    assert_eq!((report.as_str(), status.signal()), ("OK\n", Some(9)));

    let mut fake = Fake::script("exits-in-turn");
    fake.ready();
    assert!(matches!(
        fake.client.turn("x", &TurnPlan::default()),
        Err(PlainClientError::Closed(_))
    ));
    assert_eq!(fake.finish().1.code(), Some(3));

    let mut fake = Fake::script("exits-at-start");
    assert!(fake.client.initialize().is_err());
    assert_eq!(fake.finish().1.code(), Some(1));

    let mut fake = Fake::script("ignores-eof");
    fake.ready();
    fake.client.turn("x", &TurnPlan::default()).unwrap();
    fake.client.close_stdin();
    fake.client.terminate();
    assert_eq!(fake.finish().1.signal(), Some(15));
}

#[test]
fn raw_bytes_come_as_written() {
    use std::io::{BufRead, BufReader, Write};
    #[expect(
        clippy::disallowed_methods,
        reason = "the bare client reads valid lines only, this test reads bytes"
    )]
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pupitre-fake-agent"));
    command.arg("script").arg(fixtures::odd_script("invalid-utf8"));
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = || {
        let mut bytes = Vec::new();
        stdout.read_until(b'\n', &mut bytes).unwrap();
        bytes
    };
    for (id, method, params) in [
        (1, "initialize", json!({"protocolVersion": 1})),
        (2, "session/new", json!({"cwd": "/", "mcpServers": []})),
        (
            3,
            "session/prompt",
            json!({"sessionId": "s1", "prompt": [{"type": "text", "text": "x"}]}),
        ),
    ] {
        writeln!(
            stdin,
            "{}",
            json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        )
        .unwrap();
    }
    line();
    line();
    let text = line();
    assert!(
        text.windows(3).any(|bytes| bytes == b"\xff\xfe ")
            && text.windows(3).any(|bytes| bytes == b"\xe2\x82 ")
    );
    assert_eq!(line(), b"\xc0\xc1\xf5\n");
    assert_eq!(
        line(),
        b"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"stopReason\":\"end_turn\"}}\n"
    );
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_program_is_found_from_another_package() {
    assert!(Program::FakeAgent.path().is_file());
}
