//! Searching and exporting what is kept.

use pupitre_protocol::conversation::{ExportFormat, ExportReply, Part};
use pupitre_protocol::limits::{EXPORT_WINDOW_BYTES, FIELD_BYTES};

use super::*;
use crate::history::schema::MIGRATIONS;

pub(super) async fn search(running: &Running, query: &str) -> SearchReply {
    let search = Search {
        query: query.into(),
        agent: None,
        config: CONFIG.into(),
        limit: 50,
    };
    running.history.search(search).await.unwrap()
}

/// Returns the excerpts of what is found, with what was searched for in brackets.
pub(super) async fn found(running: &Running, query: &str) -> Vec<String> {
    let reply = search(running, query).await;
    let shown = |piece: &pupitre_protocol::conversation::ExcerptPiece| match piece.found {
        true => format!("[{}]", piece.text),
        false => piece.text.clone(),
    };
    let matches = reply.matches.iter();
    matches
        .map(|found| found.excerpt.iter().map(shown).collect())
        .collect()
}

#[tokio::test]
async fn words_are_found_whatever_their_case_and_accents_in_all_conversations() {
    let mut stamps = Counter(0);
    let running = Running::start(Place::Memory);
    let mut old = conversation(&mut stamps);
    exchange(&mut old, "Où est l’Éléphant ?", "In the git-rebase.", &mut stamps);
    running.record(&mut old);
    let mut new = Conversation::new(agent("other"), "/".into(), &mut stamps);
    running.history.make_current(CONFIG.into(), Header::of(&new));
    exchange(
        &mut new,
        "ELEPHANT?",
        "The elephants of parse_config",
        &mut stamps,
    );
    running.record(&mut new);

    assert_eq!(
        found(&running, "eléph").await,
        [
            "The [elephants] of parse_config",
            "[ELEPHANT]?",
            "Où est l’[Éléphant] ?"
        ]
    );
    assert_eq!(found(&running, "rebase").await, ["In the git-[rebase]."]);
    assert_eq!(
        found(&running, "\"of parse_config\" elephant").await,
        ["The [elephants] [of parse_config]"]
    );
    assert_eq!(found(&running, "elephant giraffe").await, [""; 0]);
    // Two letters are a whole word.
    assert_eq!(found(&running, "el").await, [""; 0]);
    let reply = search(&running, "elephants").await;
    let only = &reply.matches[0];
    assert_eq!(
        (
            only.conversation,
            only.agent.as_str(),
            only.current,
            only.title.as_deref()
        ),
        (new.id(), "other", true, Some("ELEPHANT?"))
    );
    let of_demo = Search {
        query: "elephant".into(),
        agent: Some(agent("demo")),
        config: CONFIG.into(),
        limit: 50,
    };
    let reply = running.history.search(of_demo).await.unwrap();
    assert_eq!(reply.matches.len(), 1);
    assert!(!reply.matches[0].current);
    let first = Search {
        query: "elephant".into(),
        agent: None,
        config: CONFIG.into(),
        limit: 2,
    };
    let reply = running.history.search(first).await.unwrap();
    assert_eq!((reply.matches.len(), reply.truncated), (2, true));
    running.stop();
}

#[tokio::test]
async fn a_message_is_found_once_it_is_finished_with_all_its_words() {
    let mut stamps = Counter(0);
    let running = Running::start(Place::Memory);
    let mut conversation = conversation(&mut stamps);
    conversation.send("go".into(), Vec::new(), &mut stamps).unwrap();
    conversation.prompt_sent();
    for piece in ["a xylo", "phone", " plays"] {
        say(&mut conversation, piece, &mut stamps);
        running.record(&mut conversation);
        running.history.flush().await.unwrap();
        assert_eq!(found(&running, "xylophone").await, [""; 0]);
    }
    conversation.end_turn(TurnEnd::Stopped(StopReason::EndTurn), &mut stamps);
    running.record(&mut conversation);
    assert_eq!(found(&running, "xylophone").await, ["a [xylophone] plays"]);
    // What comes late belongs to it, too.
    say(&mut conversation, " loudly", &mut stamps);
    running.record(&mut conversation);
    assert_eq!(
        found(&running, "xylophone loud").await,
        ["a [xylophone] plays [loudly]"]
    );
    running.stop();
}

#[tokio::test]
async fn what_an_older_version_kept_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    exchange(&mut conversation, "find me", "here", &mut stamps);
    let running = Running::start(Place::File(file.clone()));
    running.record(&mut conversation);
    running.stop();
    // As a file was before there was an index.
    let connection = Connection::open(&file).unwrap();
    connection
        .execute_batch("DROP TABLE said; ALTER TABLE message DROP COLUMN cause")
        .unwrap();
    let before = i64::try_from(MIGRATIONS.len() - 1).unwrap();
    connection.pragma_update(None, "user_version", before).unwrap();
    drop(connection);
    let running = Running::start(Place::File(file));
    assert_eq!(found(&running, "find").await, ["[find] me"]);
    running.stop();
}

/// Returns the whole document, and of how many windows it was put together.
async fn exported(running: &Running, id: ConversationId, format: ExportFormat) -> (String, usize) {
    let (mut document, mut windows, mut from) = (String::new(), 0, None);
    loop {
        let window = running.history.export(id, format, from).await.unwrap();
        let ExportReply { text, next } = window.unwrap();
        assert!(text.len() <= EXPORT_WINDOW_BYTES, "{} bytes", text.len());
        document.push_str(&text);
        windows += 1;
        if next.is_none() {
            return (document, windows);
        }
        from = next;
    }
}

#[tokio::test]
async fn ten_thousand_messages_are_exported_window_by_window() {
    let mut stamps = Counter(0);
    let running = Running::start(Place::Memory);
    let mut conversation = conversation(&mut stamps);
    running
        .history
        .make_current(CONFIG.into(), Header::of(&conversation));
    let mut all = Vec::new();
    for number in 0..5_000 {
        let answer = format!("é answer {number} {}", "and so on ".repeat(20));
        exchange(&mut conversation, &number.to_string(), &answer, &mut stamps);
        if number % 100 == 99 {
            all.extend(held(&conversation).split_off(held(&conversation).len() - 200));
            running.record(&mut conversation);
        }
    }
    let (json, windows) = exported(&running, conversation.id(), ExportFormat::Json).await;
    assert!(windows > 3, "{windows} windows of {} bytes", json.len());
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["conversation"]["messages"], 10_000);
    let messages: Vec<Message> = serde_json::from_value(document["messages"].clone()).unwrap();
    assert!(messages == all, "{} messages", messages.len());
    let (markdown, _) = exported(&running, conversation.id(), ExportFormat::Markdown).await;
    assert!(
        markdown.starts_with("# 0\n\n* Agent: demo\n"),
        "{}",
        &markdown[..80]
    );
    assert_eq!(markdown.matches("\n## You, ").count(), 5_000);
    assert!(markdown.contains("é answer 4999 and so on"));
    running.stop();
}

#[tokio::test]
async fn an_export_has_the_whole_of_what_is_cut_elsewhere() {
    let mut stamps = Counter(0);
    let running = Running::start(Place::Memory);
    let mut conversation = conversation(&mut stamps);
    exchange(&mut conversation, "go", "well", &mut stamps);
    let output = "0123456789é".repeat(3 * FIELD_BYTES / 10);
    tool_output(&mut conversation, "big", output.clone(), &mut stamps);
    running.record(&mut conversation);
    let (json, windows) = exported(&running, conversation.id(), ExportFormat::Json).await;
    assert!(windows > 1, "one message is longer than a window");
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    let messages: Vec<Message> = serde_json::from_value(document["messages"].clone()).unwrap();
    let tools = messages.iter().flat_map(|message| &message.parts);
    let outputs: Vec<&str> = tools
        .filter_map(|part| match part {
            Part::Tool { tool } if !tool.truncated => tool.output.as_deref(),
            _ => None,
        })
        .collect();
    assert!(outputs == [output], "{} outputs", outputs.len());
    assert_eq!(
        running
            .history
            .export(ConversationId(stamps.new_id()), ExportFormat::Json, None)
            .await,
        Ok(None)
    );
    running.stop();
}
