//! Each word, alone and with others.

use super::super::session::Mode;
use super::super::word::{VOCABULARY, Wish, Word, read_wish};
use super::*;
use base64::Engine as _;

/// Checks the kinds of updates of a turn that runs to its end by itself.
#[track_caller]
fn check_kinds(prompt: &str, expected: &[&str]) -> Turn {
    let mut client = Client::with_session();
    let turn = client.prompt(prompt);
    assert_eq!(turn.stop_reason(), "end_turn");
    let mut expected = expected.to_vec();
    expected.extend(["session_info_update", "usage_update"]);
    assert_eq!(turn.kinds(), expected);
    turn
}

const MESSAGE: &str = "agent_message_chunk";

#[test]
fn help_names_every_word_in_two_languages() {
    let english = check_kinds("help", &[MESSAGE]).text();
    let french = check_kinds("aide", &[MESSAGE]).text();
    for entry in &VOCABULARY {
        for text in [&english, &french] {
            assert!(
                text.contains(&format!("- `{}`", entry.name)),
                "{} is missing in {text}",
                entry.name
            );
        }
    }
    assert!(english.contains("- `plan` *goal*: a plan"), "{english}");
    assert!(french.contains("- `plan` *but*\u{a0}: un plan"), "{french}");
}

#[test]
fn every_word_of_the_vocabulary_is_read() {
    for entry in &VOCABULARY {
        let Wish::Words(words) = read_wish(entry.name) else {
            panic!("{} is not read", entry.name);
        };
        assert_eq!(words.len(), 1, "{}", entry.name);
    }
}

#[test]
fn a_greeting_is_answered_in_its_language() {
    assert!(
        check_kinds("Hello!", &[MESSAGE])
            .text()
            .starts_with("Hello! I am the **demo agent**")
    );
    assert!(check_kinds("bonjour", &[MESSAGE]).text().starts_with("Bonjour"));
}

#[test]
fn anything_else_is_quoted_back_with_its_attachments() {
    let mut client = Client::with_session();
    let prompt = json!([
        {"type": "text", "text": "What is\na fugue?"},
        {"type": "image", "mimeType": "image/png", "data": "AAAAAAAA"},
        {"type": "resource_link", "name": "notes.md", "uri": "file:///music/notes.md"},
        {"type": "resource", "resource": {"uri": "file:///music/a.txt", "text": "twelve bytes"}},
    ]);
    let turn = Turn(client.request(
        "session/prompt",
        json!({"sessionId": client.session_id, "prompt": prompt}),
    ));
    let text = turn.text();
    for expected in [
        "> What is\n> a fugue?\n",
        "- an image (image/png, about 6 bytes)\n",
        "- a link to notes.md (`file:///music/notes.md`)\n",
        "- the content of `file:///music/a.txt` (12 bytes)\n",
    ] {
        assert!(text.contains(expected), "{expected:?} is missing in {text}");
    }
}

#[test]
fn an_answer_is_streamed_in_chunks_at_its_pace() {
    let mut client = Client::new(Duration::from_millis(15));
    client.initialize(json!({}));
    client.session_id = client.new_session();
    let turn = client.prompt("hello");
    let chunks = turn.updates(MESSAGE).len();
    assert!(chunks > 20, "{chunks} chunks");
    assert_eq!(client.elapsed(), Duration::from_millis(15) * chunks as u32);
}

#[test]
fn markdown_has_one_of_everything() {
    let text = check_kinds("markdown", &[MESSAGE]).text();
    for expected in [
        "\n### ",
        "\n- ",
        "\n1. ",
        "\n|---|",
        "\n```rust\n",
        "](https://",
        "\n> ",
    ] {
        assert!(text.contains(expected), "{expected:?} is missing in {text}");
    }
}

#[test]
fn words_are_obeyed_in_their_order() {
    check_kinds(
        "think plan read markdown",
        &[
            "agent_thought_chunk",
            MESSAGE,
            "plan",
            MESSAGE,
            "tool_call",
            "tool_call_update",
            MESSAGE,
        ],
    );
}

#[test]
fn thinking_comes_as_thought_only() {
    let turn = check_kinds("think", &["agent_thought_chunk"]);
    assert!(turn.text_of("agent_thought_chunk").ends_with('\n'));
}

#[test]
fn a_plan_goes_from_pending_to_done() {
    let turn = check_kinds("plan", &[MESSAGE, "plan"]);
    let statuses: Vec<String> = turn
        .updates("plan")
        .iter()
        .map(|plan| {
            let entries = plan["entries"].as_array().unwrap();
            entries
                .iter()
                .map(|entry| &entry["status"].as_str().unwrap()[..1])
                .collect()
        })
        .collect();
    assert_eq!(statuses, ["ppp", "ipp", "cpp", "cip", "ccp", "cci", "ccc"]);
    assert!(
        check_kinds("/plan a concert", &[MESSAGE, "plan"])
            .text()
            .contains("*a concert*")
    );
}

#[test]
fn reading_is_a_tool_call_with_a_place() {
    let turn = check_kinds(
        "read notes/score.md",
        &[MESSAGE, "tool_call", "tool_call_update", MESSAGE],
    );
    let call = turn.updates("tool_call")[0];
    assert_eq!(call["kind"], "read");
    assert_eq!(call["title"], "Read notes/score.md");
    assert_eq!(
        call["locations"],
        json!([{"path": "/music/notes/score.md", "line": 1}])
    );
    assert_eq!(turn.statuses("tool_call_update"), ["in_progress", "completed"]);
    assert!(turn.updates("tool_call_update")[1]["content"][0]["content"]["text"].is_string());
}

#[test]
fn an_edit_shows_its_diff_and_asks_before() {
    let mut client = Client::with_session();
    let turn = client.prompt("edit");
    assert!(!turn.is_over());
    assert_eq!(turn.statuses("tool_call"), ["pending"]);
    let diff = turn.updates("tool_call")[0]["content"][0].clone();
    assert_eq!(diff["type"], "diff");
    assert_eq!(diff["path"], "/music/src/greeting.rs");
    assert_ne!(diff["oldText"], diff["newText"]);
    let request = turn.permission_request();
    assert_eq!(
        request["params"]["toolCall"]["toolCallId"],
        turn.updates("tool_call")[0]["toolCallId"]
    );
    assert_eq!(request["params"]["toolCall"]["content"][0], diff);
    let kinds: Vec<&Value> = request["params"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| &option["kind"])
        .collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "reject_once"]);

    let turn = client.select(request, "allow-once");
    assert_eq!(turn.statuses("tool_call_update"), ["in_progress", "completed"]);
    assert!(turn.text().contains("no file was changed"));
    assert_eq!(turn.stop_reason(), "end_turn");
    client.prompt("edit").permission_request();
}

#[test]
fn a_rejection_fails_the_call_and_the_turn_goes_on() {
    let mut client = Client::with_session();
    let turn = client.prompt("edit think");
    let turn = client.select(turn.permission_request(), "reject-once");
    assert_eq!(turn.statuses("tool_call_update"), ["failed"]);
    assert!(turn.text().contains("You said no"));
    assert!(turn.kinds().contains(&"agent_thought_chunk"));
    assert_eq!(turn.stop_reason(), "end_turn");
}

#[test]
fn an_answer_that_is_no_permission_counts_as_none() {
    for outcome in [
        json!({"outcome": "cancelled"}),
        json!({"outcome": "selected", "optionId": "sudo"}),
        json!(3),
    ] {
        let mut client = Client::with_session();
        let turn = client.prompt("run");
        let turn = client.answer_permission(turn.permission_request(), outcome);
        assert_eq!(turn.statuses("tool_call_update"), ["failed"]);
        assert_eq!(turn.stop_reason(), "end_turn");
    }
    let mut client = Client::with_session();
    let turn = client.prompt("ask");
    let id = &turn.permission_request()["id"];
    let error = json!({"code": -32601, "message": "what is a permission?"});
    let turn = Turn(client.send(&json!({"jsonrpc": "2.0", "id": id, "error": error})));
    assert_eq!(turn.statuses("tool_call_update"), ["failed"]);
    assert_eq!(turn.stop_reason(), "end_turn");
}

#[test]
fn always_is_remembered_for_the_session_and_the_kind() {
    let mut client = Client::with_session();
    let turn = client.prompt("edit edit");
    let turn = client.select(turn.permission_request(), "allow-always");
    assert_eq!(
        turn.statuses("tool_call_update"),
        ["in_progress", "completed", "in_progress", "completed"],
        "the second edit does not ask"
    );
    assert_eq!(client.prompt("edit").stop_reason(), "end_turn");
    assert!(!client.prompt("run").is_over(), "a command is another matter");
    client.cancel();
    client.session_id = client.new_session();
    assert!(
        !client.prompt("edit").is_over(),
        "another session is another matter"
    );
}

#[test]
fn a_command_prints_as_it_goes() {
    let mut client = Client::with_session();
    let turn = client.prompt("run");
    assert_eq!(turn.updates("tool_call")[0]["kind"], "execute");
    let turn = client.select(turn.permission_request(), "allow-once");
    assert_eq!(
        turn.statuses("tool_call_update"),
        ["in_progress", "in_progress", "completed"]
    );
    let output = |index: usize| {
        let update = turn.updates("tool_call_update")[index];
        update["content"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(output(2).starts_with(&output(1)));
    assert!(output(2).contains("nothing was run"));

    let turn = client.prompt("run 1000");
    let turn = client.select(turn.permission_request(), "allow-once");
    let update = turn.updates("tool_call_update")[1];
    assert_eq!(
        update["content"][0]["content"]["text"]
            .as_str()
            .unwrap()
            .lines()
            .count(),
        1000
    );
}

#[test]
fn asking_alone_is_a_permission_request_and_thanks() {
    let mut client = Client::with_session();
    let turn = client.prompt("ask");
    assert_eq!(turn.kinds(), ["tool_call"]);
    let turn = client.select(turn.permission_request(), "allow-once");
    assert_eq!(turn.statuses("tool_call_update"), ["in_progress", "completed"]);
    assert_eq!(turn.stop_reason(), "end_turn");
}

#[test]
fn a_cancel_ends_a_turn_that_waits_for_permission() {
    let mut client = Client::with_session();
    let turn = client.prompt("edit");
    let request = turn.permission_request();
    assert_eq!(client.cancel().stop_reason(), "cancelled");
    assert_eq!(
        client
            .answer_permission(request, json!({"outcome": "cancelled"}))
            .0,
        Vec::<Value>::new()
    );
    assert_eq!(
        client.cancel().0,
        Vec::<Value>::new(),
        "a second cancel finds nothing"
    );
    assert_eq!(client.prompt("hello").stop_reason(), "end_turn");
}

#[test]
fn a_picture_is_a_png() {
    let turn = check_kinds("image", &[MESSAGE]);
    let content = &turn
        .updates(MESSAGE)
        .into_iter()
        .find(|update| update["content"]["type"] == "image")
        .unwrap()["content"];
    assert_eq!(content["mimeType"], "image/png");
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(content["data"].as_str().unwrap())
        .unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
}

#[test]
fn the_agent_changes_mode_and_model_when_told() {
    let mut client = Client::with_session();
    let turn = client.prompt("mode auto, then edit");
    assert_eq!(turn.updates("current_mode_update")[0]["currentModeId"], "auto");
    assert_eq!(turn.stop_reason(), "end_turn");
    assert_eq!(
        client.prompt("/mode").updates("current_mode_update")[0]["currentModeId"],
        "ask"
    );
    let turn = client.prompt("model large");
    assert_eq!(
        turn.updates("config_option_update")[0]["configOptions"][0]["currentValue"],
        "demo-large"
    );
}

#[test]
fn the_first_message_gives_a_title_until_one_is_given() {
    let mut client = Client::with_session();
    let turn = client.prompt("Tell me about fugues\nand canons");
    assert_eq!(
        turn.updates("session_info_update")[0]["title"],
        "Tell me about fugues"
    );
    assert_eq!(client.prompt("hello").updates("session_info_update").len(), 0);
    assert_eq!(
        client.prompt("/title Fugues").updates("session_info_update")[0]["title"],
        "Fugues"
    );
}

#[test]
fn usage_grows() {
    let mut client = Client::with_session();
    let mut used = 0;
    for prompt in ["usage", "hello", "usage"] {
        let turn = client.prompt(prompt);
        for update in turn.updates("usage_update") {
            assert!(update["used"].as_u64().unwrap() >= used);
            used = update["used"].as_u64().unwrap() + 1;
            assert_eq!(update["size"], 32_000);
            assert_eq!(update["cost"]["currency"], "USD");
        }
    }
}

#[test]
fn slow_takes_a_fifth_of_a_second_for_each_chunk() {
    let mut client = Client::with_session();
    let turn = client.prompt("slow 5");
    assert_eq!(turn.updates(MESSAGE).len(), 5);
    assert!(turn.text().starts_with("Chunk 1 of 5. "));
    assert_eq!(client.elapsed(), Duration::from_secs(1));
}

#[test]
fn long_is_one_chunk_of_paragraphs() {
    let turn = check_kinds("long 40", &[MESSAGE]);
    assert_eq!(turn.updates(MESSAGE).len(), 1);
    assert_eq!(turn.text().matches("\n\n").count(), 40);
}

#[test]
fn chunks_are_counted() {
    let turn = check_kinds("chunks 3000", &[MESSAGE]);
    let expected: String = (1..=3000).map(|number| format!("{number} ")).collect();
    assert_eq!(turn.text(), expected);
    assert_eq!(turn.updates(MESSAGE).len(), 3000);
}

#[test]
fn waiting_and_silence_end_with_a_cancel_only() {
    let mut client = Client::with_session();
    let turn = client.prompt("wait");
    assert_eq!(turn.0.len(), 1);
    assert_eq!(turn.kinds(), [MESSAGE]);
    assert_eq!(client.cancel().stop_reason(), "cancelled");
    assert_eq!(client.prompt("silent").0, Vec::<Value>::new());
    assert_eq!(client.cancel().stop_reason(), "cancelled");
}

#[test]
fn stderr_gets_its_lines() {
    let mut client = Client::with_session();
    assert_eq!(client.prompt("stderr 2").stop_reason(), "end_turn");
    assert_eq!(
        client.log,
        [
            "demo agent: line 1 of 2 on stderr",
            "demo agent: line 2 of 2 on stderr"
        ]
    );
}

#[test]
fn other_ends_of_a_turn() {
    let mut client = Client::with_session();
    assert_eq!(client.prompt("max").stop_reason(), "max_tokens");
    assert_eq!(client.prompt("refuse").stop_reason(), "refusal");
    let turn = client.prompt("markdown fail");
    assert!(turn.text().contains("## A formatted answer"));
    assert_eq!(turn.0.last().unwrap()["error"]["code"], -32603);
    assert_eq!(client.prompt("hello").stop_reason(), "end_turn");
    let turn = client.prompt("crash");
    assert!(client.crashed);
    assert!(!turn.text().is_empty() && !turn.is_over());
}

#[test]
fn a_command_that_is_not_there_is_said() {
    let text = check_kinds("/compact now", &[MESSAGE]).text();
    assert!(text.starts_with("I have no command `/compact`."), "{text}");
}

#[track_caller]
fn check_wish(prompt: &str, expected: &[Word]) {
    let expected = if expected.is_empty() {
        Wish::Anything
    } else {
        Wish::Words(expected.to_vec())
    };
    assert_eq!(read_wish(prompt), expected, "{prompt}");
}

#[test]
fn a_sentence_shows_but_never_breaks() {
    check_wish("why did it crash, and what is the max?", &[]);
    check_wish("Plan the release and wait", &[Word::Plan { goal: None }]);
    check_wish(
        "Could you read this, edit that, read it again and ask me?",
        &[Word::Read { path: None }, Word::Edit { path: None }],
    );
    check_wish("Hello, please crash now", &[Word::Crash]);
    check_wish("Think, then wait.", &[Word::Think, Word::Wait]);
}

#[test]
fn arguments_follow_their_word() {
    check_wish(
        "slow 5 chunks 7",
        &[Word::Slow { chunks: 5 }, Word::Chunks { chunks: 7 }],
    );
    check_wish(
        "slow chunks",
        &[Word::Slow { chunks: 20 }, Word::Chunks { chunks: 1_000 }],
    );
    check_wish(
        "mode ask ask",
        &[
            Word::Mode {
                mode: Some(Mode::Ask),
            },
            Word::Ask,
        ],
    );
    check_wish(
        "edit src/a.rs",
        &[Word::Edit {
            path: Some("src/a.rs".to_owned()),
        }],
    );
    check_wish("image 0", &[Word::Image { edge: 1 }]);
    check_wish("image 99999", &[Word::Image { edge: 4_096 }]);
    check_wish("/SLOW 5", &[Word::Slow { chunks: 5 }]);
}
