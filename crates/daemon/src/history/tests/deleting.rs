//! Deleting: nothing is left, whichever way the words go; others are served in between; what was cut off is finished.

use std::path::{Path, PathBuf};

use pupitre_protocol::limits::FIELD_BYTES;

use super::keeping::found;
use super::*;

/// Says whether a file of the history has these bytes, whatever their case.
fn has(folder: &Path, word: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap();
    files
        .map(|file| std::fs::read(file.unwrap().path()).unwrap())
        .any(|bytes| String::from_utf8_lossy(&bytes).to_lowercase().contains(word))
}

fn file(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("history.db")
}

/// Records a conversation of so many turns that all say `word`.
async fn talk(running: &Running, word: &str, turns: usize, stamps: &mut Counter) -> Conversation {
    let mut talk = conversation(stamps);
    running.history.make_current(CONFIG.into(), Header::of(&talk));
    let session = Some(format!("session-{word}"));
    running.history.set_session(talk.id(), session);
    for number in 0..turns {
        // Large and small, so that pages of all kinds are used.
        let question = format!("{word} number {number} {}", "filler ".repeat(number % 50));
        exchange(&mut talk, &question, &format!("the {word} answers"), stamps);
        running.record(&mut talk);
        if number % 20 == 0 {
            running.history.flush().await.unwrap();
        }
    }
    talk
}

/// Deletes a conversation of so many turns, beside another one.
async fn check(turns: usize, turns_of_another: usize) {
    let folder = tempfile::tempdir().unwrap();
    let mut stamps = Counter(0);
    let running = Running::start(Place::File(file(&folder)));
    let other = talk(&running, "wombat", turns_of_another, &mut stamps).await;
    let mut gone = talk(&running, "quokka", turns, &mut stamps).await;
    for number in 0..turns {
        let tool = format!("t{number}");
        tool_output(&mut gone, &tool, "quokka".repeat(number), &mut stamps);
        tool_output(&mut gone, &tool, "less quokka".into(), &mut stamps);
        running.record(&mut gone);
    }
    tool_output(&mut gone, "big", "quokka ".repeat(FIELD_BYTES), &mut stamps);
    running.record(&mut gone);
    running.history.flush().await.unwrap();
    assert!(has(folder.path(), "quokka"));
    assert!(!found(&running, "quokka").await.is_empty());
    let wombats = found(&running, "wombat").await;
    let length = std::fs::metadata(file(&folder)).unwrap().len();

    assert_eq!(running.history.delete(gone.id()).await, Ok(Some(agent("demo"))));
    assert!(!has(folder.path(), "quokka"), "something of it is left");
    assert_eq!(found(&running, "quokka").await, [""; 0]);
    assert_eq!(running.history.load(gone.id()).await, Ok(None));
    let current = running.history.current(CONFIG.into(), agent("demo")).await;
    assert_eq!(current, Ok(None));
    assert_eq!(running.history.delete(gone.id()).await, Ok(None));
    assert_eq!(found(&running, "wombat").await, wombats);
    let of_other = kept(&running.history, other.id(), 100).await;
    assert_eq!(of_other.len(), 2 * turns_of_another);
    running
        .inspect(|connection| {
            let check = "INSERT INTO said (said, rank) VALUES ('integrity-check', 1)";
            connection.execute(check, []).unwrap();
            let unused = connection.query_row("PRAGMA freelist_count", [], |row| row.get::<_, i64>(0));
            assert_eq!(unused, Ok(0));
        })
        .await;
    let shorter = std::fs::metadata(file(&folder)).unwrap().len();
    assert!(
        shorter + (FIELD_BYTES as u64) < length,
        "{length} bytes became {shorter}"
    );
    running.stop();
    assert!(!has(folder.path(), "quokka"), "something of it is left");
}

#[tokio::test]
async fn most_of_the_history_leaves_nothing_in_the_file() {
    check(200, 1).await;
}

#[tokio::test]
async fn a_small_part_of_the_history_leaves_nothing_in_the_file() {
    check(5, 400).await;
}

/// Lists, and returns whether the conversation is there; panics when the deletion ended before that.
async fn listed_meanwhile(
    running: &Running,
    id: ConversationId,
    deletion: &mut (impl Future<Output = Result<Option<AgentName>, HistoryError>> + Unpin),
) -> bool {
    tokio::select! {
        biased;
        ended = deletion => panic!("it ended, with {ended:?}, before anybody else had a turn"),
        list = running.history.list(None, CONFIG.into()) => {
            list.unwrap().conversations.iter().any(|summary| summary.id == id)
        }
    }
}

#[tokio::test]
async fn others_have_their_turn_while_a_conversation_is_deleted() {
    let mut stamps = Counter(0);
    let running = Running::start(Place::Memory);
    let gone = talk(&running, "quokka", 1_000, &mut stamps).await;
    let mut deletion = Box::pin(running.history.delete(gone.id()));
    for _ in 0..3 {
        assert!(listed_meanwhile(&running, gone.id(), &mut deletion).await);
    }
    assert_eq!(deletion.await, Ok(Some(agent("demo"))));
    running.stop();
}

#[tokio::test]
async fn a_deletion_that_was_cut_off_is_finished_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut stamps = Counter(0);
    let running = Running::start(Place::File(file(&folder)));
    let other = talk(&running, "wombat", 3, &mut stamps).await;
    let gone = talk(&running, "quokka", 2_000, &mut stamps).await;
    let mut deletion = Box::pin(running.history.delete(gone.id()));
    // Once the first rows are gone it is in no list.
    while listed_meanwhile(&running, gone.id(), &mut deletion).await {}
    drop(deletion);
    running.stop();
    assert!(has(folder.path(), "quokka"), "nothing was left to finish");

    let running = Running::start(Place::File(file(&folder)));
    assert!(!has(folder.path(), "quokka"), "something of it is left");
    assert_eq!(running.history.load(gone.id()).await, Ok(None));
    assert_eq!(kept(&running.history, other.id(), 9).await, held(&other));
    assert_eq!(found(&running, "wombat").await.len(), 6);
    running.stop();
}
