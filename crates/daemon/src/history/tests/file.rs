//! The file itself: who may read it, and what is said of one that cannot be used.

use std::path::Path;

use super::*;

fn refused(file: &Path) -> HistoryError {
    History::open(Place::File(file.to_owned()))
        .map(|_| ())
        .unwrap_err()
}

#[test]
fn a_file_of_a_newer_version_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    drop(History::open(Place::File(file.clone())).unwrap());
    let other = Connection::open(&file).unwrap();
    other.pragma_update(None, "user_version", 999).unwrap();
    drop(other);
    let before = std::fs::read(&file).unwrap();
    let error = refused(&file);
    assert_eq!(
        error,
        HistoryError::Newer {
            file: file.clone(),
            found: 999,
            known: 3
        }
    );
    assert!(error.to_string().contains("newer version"), "{error}");
    assert!(std::fs::read(&file).unwrap() == before, "the file was changed");
}

#[test]
fn a_damaged_file_is_named_and_the_way_out_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    std::fs::write(&file, "no database at all, however long it goes on ".repeat(200)).unwrap();
    let error = refused(&file);
    assert!(matches!(error, HistoryError::Damaged { .. }), "{error:?}");
    let text = error.to_string();
    assert!(
        text.contains("history.db is damaged") && text.contains("move it away"),
        "{text}"
    );
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("missing/history.db");
    let error = refused(&file);
    assert!(matches!(error, HistoryError::Open { .. }), "{error:?}");
    assert!(error.to_string().contains("missing/history.db"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    std::fs::write(&file, "").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let mut stamps = Counter(0);
    let mut conversation = conversation(&mut stamps);
    let running = Running::start(Place::File(file));
    exchange(&mut conversation, "hello", "there", &mut stamps);
    running.record(&mut conversation);
    running.history.load(conversation.id()).await.unwrap();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(
            entry.metadata().unwrap().permissions().mode() & 0o777,
            0o600,
            "{entry:?}"
        );
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(names, ["history.db", "history.db-shm", "history.db-wal"]);
    running.stop();
}

#[test]
fn sessions_in_which_nothing_was_said_are_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("history.db");
    let mut stamps = Counter(0);
    let running = Running::start(Place::File(file.clone()));
    running
        .history
        .set_session(ConversationId(stamps.new_id()), Some("unused".into()));
    running.stop();
    let sessions = |file: &Path| -> i64 {
        let connection = Connection::open(file).unwrap();
        connection
            .query_row("SELECT count(*) FROM session", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(sessions(&file), 1);
    Running::start(Place::File(file.clone())).stop();
    assert_eq!(sessions(&file), 0);
}
