//! The file: opening it, bringing it to the newest layout, and saying what is wrong with it.

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::schema::MIGRATIONS;
use super::{HistoryError, Place};

/// How long a write waits for another process that holds the file.
const BUSY: Duration = Duration::from_millis(500);
/// The log beside the file shrinks back to this size, in bytes, after a large batch.
const LOG_BYTES: i64 = 16 << 20;
/// How many prepared statements are kept: more than there are.
const STATEMENTS: usize = 64;

/// The open file, or memory.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) connection: Connection,
    /// What messages call it.
    file: PathBuf,
}

impl Store {
    /// Opens or creates the file, readable by its owner alone, and brings it to the newest layout.
    pub(super) fn open(place: Place) -> Result<Self, HistoryError> {
        let (opened, file) = match place {
            Place::File(file) => {
                make_private(&file).map_err(|error| HistoryError::Open {
                    file: file.clone(),
                    reason: error.to_string(),
                })?;
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                (Connection::open_with_flags(&file, flags), file)
            }
            Place::Memory => (Connection::open_in_memory(), PathBuf::from("the memory")),
        };
        let mut connection = opened.map_err(|error| opening(&file, &error))?;
        // A file of a newer version is left as it is, to the last byte.
        let found = layout(&connection).map_err(|error| opening(&file, &error))?;
        if found > newest() {
            return Err(HistoryError::Newer {
                file,
                found,
                known: newest(),
            });
        }
        prepare(&connection, found).map_err(|error| opening(&file, &error))?;
        migrate(&mut connection).map_err(|error| opening(&file, &error))?;
        let mut store = Self { connection, file };
        store
            .finish_deletions()
            .map_err(|error| opening(&store.file, &error))?;
        Ok(store)
    }

    /// Waits longer for another process that holds the file: there will be no second try.
    pub(super) fn wait_for_others(&self, wait: Duration) -> rusqlite::Result<()> {
        self.connection.busy_timeout(wait)
    }

    /// Moves what was committed into the file itself and waits until the disk has it.
    pub(super) fn sync(&self) -> rusqlite::Result<()> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
    }

    /// Returns what a person is told of a failed write or read.
    pub(super) fn reason(&self, error: &rusqlite::Error) -> String {
        let file = self.file.display();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => format!("the disk is full: {file} cannot grow"),
            Some(ErrorCode::ReadOnly) => format!("{file} may only be read"),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                format!("another program holds {file} locked")
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                damaged(&self.file, error).to_string()
            }
            _ => format!("{file}: {error}"),
        }
    }
}

/// Creates the file with mode 0600, or gives it that: SQLite makes the files beside it alike.
fn make_private(file: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let opened = options.mode(0o600).open(file)?;
        if opened.metadata()?.permissions().mode() & 0o077 != 0 {
            opened.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
    }
    #[cfg(not(unix))]
    options.open(file)?;
    Ok(())
}

/// Returns how many migrations the file has seen; 0 for a new one.
fn layout(connection: &Connection) -> rusqlite::Result<i64> {
    connection.busy_timeout(BUSY)?;
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn prepare(connection: &Connection, layout: i64) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Else a statement that is kept is compiled again whenever a parameter becomes 0 or 1, or stops being it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    if layout == 0 {
        // Has an effect before the first table only.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "journal_size_limit", LOG_BYTES)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // What is deleted or replaced is overwritten, and not left in the file for whoever looks.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// Brings the file to the newest layout.
fn migrate(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again: another process may have been faster.
    let found = usize::try_from(layout(&transaction)?).unwrap_or(0);
    for step in MIGRATIONS.iter().skip(found) {
        transaction.execute_batch(step)?;
    }
    if found < MIGRATIONS.len() {
        transaction.pragma_update(None, "user_version", newest())?;
    }
    // Sessions of conversations in which nothing was ever said.
    transaction.execute(
        "DELETE FROM session WHERE conversation NOT IN (SELECT id FROM conversation)",
        [],
    )?;
    transaction.commit()
}

fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).expect("there are a few migrations")
}

fn opening(file: &Path, error: &rusqlite::Error) -> HistoryError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => damaged(file, error),
        _ => HistoryError::Open {
            file: file.to_owned(),
            reason: error.to_string(),
        },
    }
}

fn damaged(file: &Path, error: &rusqlite::Error) -> HistoryError {
    HistoryError::Damaged {
        file: file.to_owned(),
        reason: error.to_string(),
    }
}
