//! When the disk does not take what is written, and when the daemon dies.

use super::*;

/// Lets the file grow no more, as a full disk would.
async fn fill_the_disk(running: &Running) {
    running
        .inspect(|connection| {
            let pages: i64 = connection
                .query_row("PRAGMA page_count", [], |row| row.get(0))
                .unwrap();
            connection.pragma_update(None, "max_page_count", pages).unwrap();
        })
        .await;
}

async fn make_room(running: &Running) {
    running
        .inspect(|connection| connection.pragma_update(None, "max_page_count", 1 << 30).unwrap())
        .await;
}

async fn load(running: &Running, id: ConversationId) -> Result<Vec<Message>, HistoryError> {
    Ok(running
        .history
        .load(id)
        .await?
        .map(|found| found.stored.newest)
        .unwrap_or_default())
}

#[tokio::test]
async fn nothing_is_lost_by_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let mut stamps = Counter(0);
    let (mut other, mut conversation) = (conversation(&mut stamps), conversation(&mut stamps));
    let running = Running::start(Place::File(folder.path().join("history.db")));
    for conversation in [&mut other, &mut conversation] {
        exchange(conversation, "hello", "there", &mut stamps);
        running.record(conversation);
    }
    running.history.flush().await.unwrap();
    let before = held(&conversation);
    fill_the_disk(&running).await;

    exchange(&mut conversation, "and now?", &"x".repeat(100_000), &mut stamps);
    running.record(&mut conversation);
    let error = running.history.flush().await.unwrap_err();
    let trouble = running.history.trouble().unwrap();
    assert!(trouble.contains("the disk is full"), "{trouble}");
    assert_eq!(
        error,
        HistoryError::Behind {
            reason: trouble.clone()
        }
    );
    assert!(running.history.pending_bytes() > 100_000);
    // What is true on the disk can still be read; what would be out of date says so.
    assert_eq!(load(&running, other.id()).await, Ok(held(&other)));
    assert_eq!(load(&running, conversation.id()).await, Err(error.clone()));
    assert_eq!(
        running.history.page(conversation.id(), None, 9).await,
        Err(error.clone())
    );
    let page = running
        .history
        .page(conversation.id(), Some(held(&conversation)[2].id), 9)
        .await
        .unwrap();
    assert_eq!(page.messages, before);
    assert_eq!(
        running.history.part(held(&conversation)[3].id, 0, 0).await,
        Err(error)
    );
    assert!(running.history.part(before[1].id, 0, 0).await.unwrap().is_some());

    make_room(&running).await;
    running.history.flush().await.unwrap();
    assert_eq!(running.history.trouble(), None);
    assert_eq!(running.history.pending_bytes(), 0);
    assert_eq!(load(&running, conversation.id()).await, Ok(held(&conversation)));
    running.stop();
}

#[tokio::test]
async fn a_failed_write_is_tried_again_by_itself_and_relieves_who_waits() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    running.history.relieved().await;
    running.record(&mut conversation);
    running.history.flush().await.unwrap();
    fill_the_disk(&running).await;
    for n in 0..35 {
        tool_output(
            &mut conversation,
            &n.to_string(),
            "o".repeat(1 << 20),
            &mut stamps,
        );
        running.record(&mut conversation);
    }
    running.history.flush().await.unwrap_err();
    assert!(running.history.is_congested());
    make_room(&running).await;
    running.history.relieved().await;
    assert!(!running.history.is_congested());
    running.history.flush().await.unwrap();
    assert_eq!(running.history.trouble(), None);
    assert_eq!(
        kept(&running.history, conversation.id(), 10).await,
        held(&conversation)
    );
    running.stop();
}

#[tokio::test]
async fn when_too_much_waits_the_oldest_goes_and_the_rest_arrives() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    exchange(&mut conversation, "hello", "there", &mut stamps);
    running.record(&mut conversation);
    running.history.flush().await.unwrap();
    let first = held(&conversation);
    fill_the_disk(&running).await;
    running
        .history
        .make_current(CONFIG.into(), Header::of(&conversation));
    for n in 0..100 {
        conversation
            .send(format!("question {n}"), Vec::new(), &mut stamps)
            .unwrap();
        conversation.prompt_sent();
        tool_output(
            &mut conversation,
            &n.to_string(),
            "o".repeat(1 << 20),
            &mut stamps,
        );
        running.record(&mut conversation);
        conversation.end_turn(TurnEnd::Stopped(StopReason::EndTurn), &mut stamps);
        running.record(&mut conversation);
    }
    running.history.flush().await.unwrap_err();
    let waiting = running.history.pending_bytes();
    assert!((32 << 20..64 << 20).contains(&waiting), "{waiting}");
    make_room(&running).await;
    running.history.flush().await.unwrap();
    assert_eq!(running.history.pending_bytes(), 0);
    // The pointer to the current conversation is never given up.
    let TakenUp { stored, .. } = running
        .history
        .current(CONFIG.into(), agent("demo"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (stored.rev, stored.total),
        (conversation.rev(), conversation.total())
    );
    let kept = kept(&running.history, conversation.id(), 50).await;
    assert_eq!(kept[..2], first);
    let newest = held(&conversation);
    assert!((60..200).contains(&kept.len()), "{}", kept.len());
    assert_eq!(kept[kept.len() - 60..], newest[newest.len() - 60..]);
    running.stop();
}

#[tokio::test]
async fn another_process_that_holds_the_file_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::File(file.clone()));
    running.history.flush().await.unwrap();
    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    exchange(&mut conversation, "hello", "there", &mut stamps);
    running.record(&mut conversation);
    running.history.flush().await.unwrap_err();
    assert!(running.history.trouble().unwrap().contains("locked"));
    other.execute_batch("COMMIT").unwrap();
    running.history.flush().await.unwrap();
    assert_eq!(load(&running, conversation.id()).await, Ok(held(&conversation)));
    running.stop();
}

#[tokio::test]
async fn a_change_that_is_refused_does_not_hold_up_the_others() {
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::Memory);
    exchange(&mut conversation, "hello", "there", &mut stamps);
    let revisions = conversation.take_revisions();
    running
        .history
        .record(Header::of(&conversation), revisions.clone());
    running.history.flush().await.unwrap();
    let header = Header::of(&conversation);
    exchange(&mut conversation, "again", "here", &mut stamps);
    let (next_header, next) = (Header::of(&conversation), conversation.take_revisions());
    let history = running.history.clone();
    // Both wait together while the worker is held: the same messages once more, which their ids forbid, and the next.
    running
        .inspect(move |_| {
            history.record(header, revisions);
            history.record(next_header, next);
        })
        .await;
    running.history.flush().await.unwrap();
    assert_eq!(running.history.pending_bytes(), 0);
    assert_eq!(load(&running, conversation.id()).await, Ok(held(&conversation)));
    running.stop();
}

/// What a SIGKILL leaves are the files as they are at that moment: a copy of them is the same.
#[tokio::test]
async fn the_death_of_the_daemon_loses_the_last_batch_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::File(file.clone()));
    running
        .history
        .make_current(CONFIG.into(), Header::of(&conversation));
    conversation
        .send("tell me".into(), Vec::new(), &mut stamps)
        .unwrap();
    conversation.prompt_sent();
    for n in 0..50 {
        say(&mut conversation, &format!("{n} "), &mut stamps);
        running.record(&mut conversation);
        load(&running, conversation.id()).await.unwrap();
    }
    let after_death = folder.path().join("after-death.db");
    std::fs::copy(&file, &after_death).unwrap();
    std::fs::copy(
        folder.path().join("history.db-wal"),
        folder.path().join("after-death.db-wal"),
    )
    .unwrap();
    running.stop();

    // One whose last batch was never written, because nobody ran the worker any more.
    let (history, worker) = History::open(Place::File(after_death.clone())).unwrap();
    let written = held(&conversation);
    say(&mut conversation, "lost", &mut stamps);
    let revisions = conversation.take_revisions();
    history.record(Header::of(&conversation), revisions);
    drop(worker);
    assert_eq!(history.load(conversation.id()).await, Err(HistoryError::Ended));
    assert!(!history.is_congested() && history.trouble().is_some());

    let running = Running::start(Place::File(after_death));
    let TakenUp { stored, .. } = running
        .history
        .current(CONFIG.into(), agent("demo"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.newest, written);
    let restored = Conversation::restore(stored, &mut stamps);
    let last = held(&restored).pop().unwrap();
    assert!(last.done && last.error.is_some());
    assert_eq!(last.parts, written[1].parts);
    running.stop();
}

#[tokio::test]
async fn what_is_recorded_is_written_without_being_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::File(file.clone()));
    exchange(&mut conversation, "hello", "there", &mut stamps);
    let backlog = Arc::clone(&running.history.backlog);
    let mut written = std::pin::pin!(backlog.relief.notified());
    written.as_mut().enable();
    running.record(&mut conversation);
    assert!(running.history.pending_bytes() > 0);
    written.await;
    assert_eq!(running.history.pending_bytes(), 0);
    let other = Connection::open(&file).unwrap();
    let pieces: Vec<String> = other
        .prepare("SELECT text FROM piece ORDER BY message")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(pieces, ["hello", "there"]);
    running.stop();
}

#[tokio::test]
async fn everything_is_written_when_the_last_handle_goes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::File(file.clone()));
    exchange(&mut conversation, "hello", "there", &mut stamps);
    running.record(&mut conversation);
    running.stop();
    assert!(!folder.path().join("history.db-wal").exists());
    let running = Running::start(Place::File(file));
    assert_eq!(load(&running, conversation.id()).await, Ok(held(&conversation)));
    running.stop();
}
