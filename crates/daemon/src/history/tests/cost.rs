//! What writing and reading cost: what is new, never what is already there.

use std::path::Path;

use rusqlite::StatementStatus;

use super::*;
use crate::history::read::{LIST, NEWEST, OLDEST_OPEN, PIECES};
use crate::history::write::ADD_PIECE;

/// Appends one chunk in a batch of its own, and returns how many rows and bytes of the log it took.
async fn chunk(
    running: &Running,
    conversation: &mut Conversation,
    log: &Path,
    stamps: &mut Counter,
) -> (u64, u64) {
    let reset = |connection: &mut Connection| {
        connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .unwrap();
        connection.total_changes()
    };
    running.history.flush().await.unwrap();
    let before = running.inspect(reset).await;
    say(conversation, "chunk ", stamps);
    running.record(conversation);
    // A read writes what waits and moves nothing out of the log.
    running.history.page(conversation.id(), None, 0).await.unwrap();
    let bytes = std::fs::metadata(log).unwrap().len();
    let after = running.inspect(|connection| connection.total_changes()).await;
    (after - before, bytes)
}

#[tokio::test]
async fn a_chunk_costs_the_same_however_long_the_answer_is() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("history.db-wal");
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::File(folder.path().join("history.db")));
    conversation
        .send("tell me".into(), Vec::new(), &mut stamps)
        .unwrap();
    conversation.prompt_sent();
    say(&mut conversation, "Well, ", &mut stamps);
    running.record(&mut conversation);
    let (first_rows, first_bytes) = chunk(&running, &mut conversation, &log, &mut stamps).await;
    for _ in 0..3_000 {
        say(&mut conversation, &"a long answer ".repeat(20), &mut stamps);
        running.record(&mut conversation);
    }
    for _ in 0..20 {
        let (rows, bytes) = chunk(&running, &mut conversation, &log, &mut stamps).await;
        assert_eq!(rows, first_rows);
        // A page that is full is split, now and then: a few pages more, and never as many as the answer has.
        assert!(
            bytes <= first_bytes + 6 * 4_120,
            "{bytes} instead of {first_bytes}"
        );
    }
    assert_eq!(first_rows, 3, "the conversation, the message, and the piece");
    let answer = held(&conversation).pop().unwrap();
    assert!(serde_json::to_string(&answer).unwrap().len() > 800_000);
    assert_eq!(
        kept(&running.history, conversation.id(), 5).await.pop(),
        Some(answer)
    );
    running.stop();
}

#[tokio::test]
async fn many_chunks_of_one_batch_are_one_row() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    conversation
        .send("tell me".into(), Vec::new(), &mut stamps)
        .unwrap();
    conversation.prompt_sent();
    say(&mut conversation, "Well, ", &mut stamps);
    running.record(&mut conversation);
    running.history.flush().await.unwrap();
    let mut batch = Vec::new();
    for _ in 0..200 {
        say(&mut conversation, "word ", &mut stamps);
        batch.push((Header::of(&conversation), conversation.take_revisions()));
    }
    let history = running.history.clone();
    // The worker is held meanwhile, so that all of them wait together.
    running
        .inspect(move |_| {
            for (header, revisions) in batch {
                history.record(header, revisions);
            }
        })
        .await;
    running.history.flush().await.unwrap();
    let pieces = "SELECT count(*) FROM piece JOIN message ON message = message.key WHERE role = 'agent'";
    let pieces: i64 = running
        .inspect(move |connection| connection.query_row(pieces, [], |row| row.get(0)).unwrap())
        .await;
    assert_eq!(pieces, 2);
    assert_eq!(
        kept(&running.history, conversation.id(), 5).await,
        held(&conversation)
    );
    running.stop();
}

#[tokio::test]
async fn of_ten_thousand_messages_only_the_newest_are_read() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    running
        .history
        .make_current(CONFIG.into(), Header::of(&conversation));
    let mut all = Vec::new();
    for n in 0..5_000 {
        exchange(
            &mut conversation,
            &format!("question {n}"),
            &format!("answer {n}"),
            &mut stamps,
        );
        running.record(&mut conversation);
        let (page, _) = conversation.held_page(None, 2);
        all.extend(page.messages);
    }
    let TakenUp { stored, .. } = running
        .history
        .current(CONFIG.into(), agent("demo"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.total, 10_000);
    assert_eq!(stored.newest, all[9_800..]);
    let page = running
        .history
        .page(conversation.id(), Some(all[500].id), 100)
        .await
        .unwrap();
    assert_eq!(page.messages, all[400..500]);
    assert!(!page.truncated);
    assert_eq!(
        running
            .history
            .page(conversation.id(), Some(all[3].id), 100)
            .await
            .unwrap()
            .messages,
        all[..3]
    );
    assert_eq!(
        running
            .history
            .page(conversation.id(), Some(all[0].id), 100)
            .await
            .unwrap()
            .messages,
        []
    );

    let plan_of = |sql: &'static str| {
        running.inspect(move |connection| {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let count = statement.parameter_count();
            let parameters = rusqlite::params_from_iter(std::iter::repeat_n(rusqlite::types::Null, count));
            let rows = statement
                .query_map(parameters, |row| row.get::<_, String>(3))
                .unwrap();
            rows.collect::<Result<Vec<_>, _>>().unwrap().join("\n")
        })
    };
    let plan = plan_of(NEWEST).await;
    assert_eq!(
        plan,
        "SEARCH m USING INDEX message_order (conversation=? AND id<?)"
    );
    let plan = plan_of(OLDEST_OPEN).await;
    assert_eq!(plan, "SEARCH message USING INDEX message_open (conversation=?)");
    let plan = plan_of(ADD_PIECE).await;
    assert!(
        plan.contains("SEARCH piece") && plan.contains("(message=? AND idx=?)"),
        "{plan}"
    );
    let plan = plan_of(LIST).await;
    assert!(
        plan.starts_with("SCAN c USING INDEX conversation_changed"),
        "{plan}"
    );
    assert!(
        plan.matches("SCAN").count() == 1 && !plan.contains("TEMP B-TREE"),
        "{plan}"
    );
    running.stop();
}

#[tokio::test]
async fn a_statement_is_compiled_once_whatever_its_parameters_are() {
    let running = Running::start(Place::Memory);
    let again = running
        .inspect(|connection| {
            let mut statement = connection.prepare(PIECES).unwrap();
            for parameters in [[0, 0], [5, 1], [1, 7], [9, 0]] {
                assert!(statement.query(parameters).unwrap().next().unwrap().is_none());
                statement.clear_bindings();
            }
            statement.get_status(StatementStatus::RePrepare)
        })
        .await;
    assert_eq!(again, 0);
    running.stop();
}

/// The daemon's end must be told in a message that waited all through a long turn.
#[tokio::test]
async fn a_message_that_waits_is_taken_up_however_much_came_after_it() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    exchange(&mut conversation, "before", "all", &mut stamps);
    conversation
        .send("first".into(), Vec::new(), &mut stamps)
        .unwrap();
    conversation.prompt_sent();
    let (waiting, _) = conversation
        .send("second".into(), Vec::new(), &mut stamps)
        .unwrap();
    for n in 0..300 {
        let message_id = Some(n.to_string());
        let update = Update::Text {
            voice: Voice::Answer,
            message_id,
            text: "much".into(),
        };
        conversation.update(update, &mut stamps);
    }
    running.record(&mut conversation);
    let stored = running
        .history
        .load(conversation.id())
        .await
        .unwrap()
        .unwrap()
        .stored;
    assert_eq!(stored.newest.len(), 301);
    assert_eq!(stored.newest[0].id, waiting);
    let restored = held(&Conversation::restore(stored, &mut stamps));
    assert!(restored.iter().all(|message| message.done && !message.queued));
    running.stop();
}
