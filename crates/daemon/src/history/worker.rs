//! The thread of the history: gathers what is to be written, writes it, and answers reads in between.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use pupitre_protocol::{ConversationId, MessageId};

use super::composed::Composed;
use super::delete::{Stage, Step};
use super::store::Store;
use super::unwritten::{BATCH_BYTES, Unwritten, Write};
use super::write::{WriteError, Written};
use super::{Backlog, HistoryError, Job, Range, Read, Respond};

/// How long what was recorded first waits for more, so that one transaction carries many chunks.
const GATHER: Duration = Duration::from_millis(100);
/// How long after a failed write the next one is tried.
const RETRY: Duration = Duration::from_secs(1);
/// How long the last write of all waits for another process that holds the file.
const LAST_WAIT: Duration = Duration::from_secs(3);

/// Owns the file and does what the handles ask, one thing after the other.
#[derive(Debug)]
pub(crate) struct HistoryWorker {
    jobs: Receiver<Job>,
    store: Store,
    backlog: Arc<Backlog>,
    unwritten: Unwritten,
    /// When what waits is to be written.
    due: Option<Instant>,
    composed: Composed,
    /// Messages whose beginning was given up, so that what comes after it has no place; each is told once.
    cut: BTreeSet<MessageId>,
    /// The keys of messages that got text after they were put into the index.
    late: BTreeSet<i64>,
}

impl HistoryWorker {
    pub(super) fn new(jobs: Receiver<Job>, store: Store, backlog: Arc<Backlog>) -> Self {
        Self {
            jobs,
            store,
            backlog,
            unwritten: Unwritten::default(),
            due: None,
            composed: Composed::default(),
            cut: BTreeSet::new(),
            late: BTreeSet::new(),
        }
    }

    /// Runs until every handle is gone and everything is written.
    pub(crate) fn run(mut self) {
        loop {
            let now = Instant::now();
            self.composed.forget_unused(now);
            if self.due.is_some_and(|due| due <= now) {
                self.write_now();
            }
            match self.next_job() {
                Ok(Job::Write(write)) => self.take(write),
                Ok(Job::Read(read)) => {
                    if !self.is_failing() {
                        self.write_now();
                    }
                    self.answer(read);
                }
                Ok(Job::Channel(job)) => self.store.answer_channel(job),
                Ok(Job::Delete { id, stage, respond }) => {
                    let step = self.delete(id, stage);
                    // Nobody may be waiting any longer.
                    drop(respond.send(step));
                }
                Ok(Job::Flush(respond)) => self.flush(respond),
                #[cfg(test)]
                Ok(Job::Inspect(inspect)) => inspect(&mut self.store.connection),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.end(),
            }
        }
    }

    fn next_job(&self) -> Result<Job, RecvTimeoutError> {
        let next = [self.due, self.composed.forget_at()].into_iter().flatten().min();
        match next {
            Some(next) => self
                .jobs
                .recv_timeout(next.saturating_duration_since(Instant::now())),
            None => self.jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    fn take(&mut self, write: Write) {
        self.unwritten.push(write);
        let now = Instant::now();
        if self.is_failing() {
            self.give_up_too_much();
        } else if self.unwritten.bytes() >= BATCH_BYTES {
            self.due = Some(now);
        }
        self.due.get_or_insert(now + GATHER);
    }

    fn is_failing(&self) -> bool {
        self.backlog.trouble().is_some()
    }

    /// Writes everything that waits, or notes why not and when to try again.
    fn write_now(&mut self) {
        self.due = None;
        let mut most = usize::MAX;
        while !self.unwritten.is_empty() {
            let count = self.unwritten.batch_len().min(most);
            match self.store.write(self.unwritten.oldest(count)) {
                Ok(written) => {
                    self.report_left_out(&written);
                    self.late.extend(written.late);
                    self.forget(count);
                }
                Err(WriteError::Refused(error)) if count == 1 => {
                    for write in self.unwritten.oldest(1) {
                        tracing::error!(what = write.name(), %error, "the history refuses a change, which is lost");
                    }
                    self.forget(1);
                }
                // One by one, the others of the batch go through.
                Err(WriteError::Refused(_)) => most = 1,
                Err(WriteError::InTheWay(error)) => return self.failed(&error),
            }
        }
        if let Some(before) = self.backlog.trouble().take() {
            tracing::info!(before, "the history is written again");
        }
    }

    fn forget(&mut self, count: usize) {
        self.backlog.release(self.unwritten.forget(count));
    }

    fn failed(&mut self, error: &rusqlite::Error) {
        self.due = Some(Instant::now() + RETRY);
        let reason = self.store.reason(error);
        let before = self.backlog.trouble().replace(reason.clone());
        if before.as_ref() != Some(&reason) {
            tracing::error!(
                reason,
                "the history cannot be written; what came since is kept in memory and tried again"
            );
        }
        self.give_up_too_much();
    }

    fn give_up_too_much(&mut self) {
        for (conversation, gone) in self.unwritten.give_up() {
            tracing::error!(
                %conversation,
                changes = gone.changes,
                bytes = gone.bytes,
                from_rev = gone.from_rev,
                to_rev = gone.to_rev,
                "the history could not be written for too long; the oldest changes of a conversation are lost"
            );
            self.backlog.release(gone.bytes);
        }
    }

    fn report_left_out(&mut self, written: &Written) {
        for message in &written.without_message {
            if self.cut.insert(*message) {
                tracing::error!(%message, "changes of a message are lost, since its beginning was given up");
            }
        }
    }

    fn flush(&mut self, respond: Respond<()>) {
        self.write_now();
        let flushed = match self.backlog.trouble().clone() {
            Some(reason) => Err(HistoryError::Behind { reason }),
            None => self.store.sync().map_err(|error| self.failure(&error)),
        };
        // Nobody may be waiting any longer.
        drop(respond.send(flushed));
    }

    fn answer(&mut self, read: Read) {
        match read {
            Read::Current {
                config,
                agent,
                respond,
            } => {
                let read = self
                    .store
                    .current(&config, &agent)
                    .map_err(|error| self.failure(&error));
                let fresh = read.and_then(|read| match &read {
                    Some(found) => self.up_to_date(found.stored.id).map(|()| read),
                    None => Ok(None),
                });
                drop(respond.send(fresh));
            }
            Read::Load { id, respond } => drop(respond.send(self.of(id, |store| store.load(id)))),
            Read::Page { id, range, respond } => {
                let Range { before, limit } = range;
                let page = if self.unwritten.has_message_before(id, before) {
                    Err(self.behind())
                } else {
                    self.store
                        .page(id, before, limit)
                        .map_err(|error| self.failure(&error))
                };
                drop(respond.send(page));
            }
            Read::View { id, range, respond } => {
                drop(respond.send(self.of(id, |store| store.view(id, range.before, range.limit))));
            }
            Read::Part {
                message,
                index,
                offset,
                respond,
            } => {
                let part = if self.unwritten.conversation_of(message).is_some() {
                    Err(self.behind())
                } else {
                    let compose = || self.store.part(message, index);
                    let window = self.composed.window(message, index, offset, compose);
                    window.map_err(|error| self.failure(&error))
                };
                drop(respond.send(part));
            }
            Read::Search { search, respond } => {
                // While nothing can be written, what is in the index is searched.
                if !self.is_failing() {
                    self.index_late();
                }
                let found = self.store.search(&search);
                drop(respond.send(found.map_err(|error| self.failure(&error))));
            }
            Read::Export {
                id,
                format,
                from,
                respond,
            } => drop(respond.send(self.of(id, |store| store.export(id, format, from)))),
            Read::ConversationOf { message, respond } => {
                let found = match self.unwritten.conversation_of(message) {
                    Some(id) => Ok(Some(id)),
                    None => self
                        .store
                        .conversation_of(message)
                        .map_err(|error| self.failure(&error)),
                };
                drop(respond.send(found));
            }
            Read::List {
                agent,
                config,
                respond,
            } => {
                let list = self
                    .store
                    .list(agent.as_ref(), &config)
                    .map_err(|error| self.failure(&error));
                drop(respond.send(list));
            }
        }
    }

    /// Puts text that came late into the index; what fails is tried again at the next search.
    fn index_late(&mut self) {
        if self.late.is_empty() {
            return;
        }
        match self.store.index_again(self.late.iter().copied()) {
            Ok(()) => self.late.clear(),
            Err(error) => tracing::warn!(%error, "what was said last cannot be found yet"),
        }
    }

    /// Does a step of deleting a conversation, once everything that was recorded of it is written.
    fn delete(&mut self, id: ConversationId, stage: Stage) -> Result<Step, HistoryError> {
        self.write_now();
        self.up_to_date(id)?;
        self.composed = Composed::default();
        self.store.delete(id, stage).map_err(|error| self.failure(&error))
    }

    /// Reads something of a conversation, unless what changed last in it could not be written.
    fn of<Answer>(
        &self,
        id: ConversationId,
        read: impl FnOnce(&Store) -> rusqlite::Result<Answer>,
    ) -> Result<Answer, HistoryError> {
        self.up_to_date(id)?;
        read(&self.store).map_err(|error| self.failure(&error))
    }

    fn up_to_date(&self, id: ConversationId) -> Result<(), HistoryError> {
        if self.unwritten.touches_conversation(id) {
            Err(self.behind())
        } else {
            Ok(())
        }
    }

    fn behind(&self) -> HistoryError {
        HistoryError::Behind {
            reason: self.backlog.trouble().clone().unwrap_or_default(),
        }
    }

    fn failure(&self, error: &rusqlite::Error) -> HistoryError {
        HistoryError::Failed {
            reason: self.store.reason(error),
        }
    }

    fn end(mut self) {
        self.write_the_rest();
        self.index_late();
    }

    fn write_the_rest(&mut self) {
        if self.unwritten.is_empty() {
            return;
        }
        if let Err(error) = self.store.wait_for_others(LAST_WAIT) {
            tracing::warn!(%error, "the history cannot wait for other processes");
        }
        self.write_now();
        for write in self.unwritten.oldest(usize::MAX) {
            tracing::error!(
                what = write.name(),
                "the history ends without a change, which is lost"
            );
        }
    }
}

/// A worker that ends, be it by a panic, leaves nobody waiting for room.
impl Drop for HistoryWorker {
    fn drop(&mut self) {
        self.backlog
            .trouble()
            .get_or_insert_with(|| HistoryError::Ended.to_string());
        self.backlog.end();
    }
}
