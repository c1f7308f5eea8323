//! Keeps conversations in SQLite while they stream, and reads them back.
//!
//! Theory of operation: one thread owns one connection. Writers hand over what changed and never wait; the thread
//! gathers it for a moment and writes it in one transaction. Reads go through the same thread, after what waits was
//! written: a second connection would be a little faster, but a reader could then miss what was recorded just before
//! it asked, and `chat.part` and `chat.open` depend on seeing it. In WAL mode with `synchronous = NORMAL` a committed
//! batch outlives the death of the process, and the end of the machine never damages the file.

mod channel;
mod composed;
mod delete;
mod digest;
mod document;
mod excerpt;
mod export;
mod read;
mod schema;
mod search;
mod store;
mod unwritten;
mod word;
mod worker;
mod write;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use pupitre_model::conversation::{Change, Conversation, Page, Revision, Stored};
use pupitre_protocol::conversation::{
    ConversationView, ExportFormat, ExportPlace, ExportReply, HistoryReply, PartReply, SearchReply, Usage,
};
use pupitre_protocol::{AgentName, ConversationId, MessageId};
use tokio::sync::{Notify, oneshot};

use crate::clock::epoch_ms;
use channel::ChannelJob;
use delete::{Stage, Step};
use store::Store;
use unwritten::Write;

pub(crate) use channel::Room;
pub(crate) use search::Search;
pub(crate) use worker::HistoryWorker;

/// More than so many bytes that wait to be written are too many: agents are then read no further.
const CONGESTED_BYTES: usize = 32 << 20;

/// Where conversations are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In this file, whose folder exists.
    File(PathBuf),
    /// Nowhere: they are gone when the daemon ends.
    Memory,
}

/// Says why the history could not be opened, read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HistoryError {
    #[error("{} cannot be opened: {reason}", file.display())]
    Open { file: PathBuf, reason: String },
    #[error("{} is damaged ({reason}); move it away, together with the files beside it whose names begin with \
             its own, and a new one is begun", file.display())]
    Damaged { file: PathBuf, reason: String },
    #[error("{} was written by a newer version (its layout is {found}, the newest known here is {known}); use that \
             version, or move the file away and a new one is begun", file.display())]
    Newer { file: PathBuf, found: i64, known: i64 },
    #[error("{reason}")]
    Failed { reason: String },
    #[error("what changed last could not be written yet: {reason}")]
    Behind { reason: String },
    #[error("the history has ended")]
    Ended,
}

/// What stands around the messages of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Header {
    pub(crate) id: ConversationId,
    pub(crate) agent: AgentName,
    pub(crate) cwd: String,
    pub(crate) title: Option<String>,
    /// In epoch milliseconds.
    pub(crate) created_at: u64,
    pub(crate) rev: u64,
    pub(crate) total: u64,
    pub(crate) usage: Option<Usage>,
}

impl Header {
    /// Returns the header that the conversation has now.
    pub(crate) fn of(conversation: &Conversation) -> Self {
        Self {
            id: conversation.id(),
            agent: conversation.agent().clone(),
            cwd: conversation.cwd().to_owned(),
            title: conversation.title().map(str::to_owned),
            created_at: conversation.created_at(),
            rev: conversation.rev(),
            total: conversation.total(),
            usage: conversation.usage().cloned(),
        }
    }
}

/// A conversation as storage has it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TakenUp {
    pub(crate) stored: Stored,
    /// The agent's own id of its last session.
    pub(crate) session: Option<String>,
    /// The configuration under which it was begun.
    pub(crate) config: String,
}

/// Reaches the history; cloning shares it.
#[derive(Debug, Clone)]
pub(crate) struct History {
    jobs: mpsc::Sender<Job>,
    backlog: Arc<Backlog>,
}

/// What waits to be written, as everybody may know it.
#[derive(Debug, Default)]
struct Backlog {
    bytes: AtomicUsize,
    relief: Notify,
    trouble: Mutex<Option<String>>,
}

/// What the thread is asked to do, in the order in which it was asked.
enum Job {
    Write(Write),
    Read(Read),
    Channel(ChannelJob),
    /// To do one step of deleting a conversation.
    Delete {
        id: ConversationId,
        stage: Stage,
        respond: Respond<Step>,
    },
    Flush(Respond<()>),
    #[cfg(test)]
    Inspect(Box<dyn FnOnce(&mut rusqlite::Connection) + Send>),
}

type Respond<Answer> = oneshot::Sender<Result<Answer, HistoryError>>;

/// One thing to read.
enum Read {
    Current {
        config: String,
        agent: AgentName,
        respond: Respond<Option<TakenUp>>,
    },
    Load {
        id: ConversationId,
        respond: Respond<Option<TakenUp>>,
    },
    Page {
        id: ConversationId,
        range: Range,
        respond: Respond<Page>,
    },
    View {
        id: ConversationId,
        range: Range,
        respond: Respond<Option<ConversationView>>,
    },
    Part {
        message: MessageId,
        index: u32,
        offset: u64,
        respond: Respond<Option<PartReply>>,
    },
    Search {
        search: Search,
        respond: Respond<SearchReply>,
    },
    Export {
        id: ConversationId,
        format: ExportFormat,
        from: Option<ExportPlace>,
        respond: Respond<Option<ExportReply>>,
    },
    ConversationOf {
        message: MessageId,
        respond: Respond<Option<ConversationId>>,
    },
    List {
        agent: Option<AgentName>,
        config: String,
        respond: Respond<HistoryReply>,
    },
}

/// The newest `limit` messages before `before`.
#[derive(Debug, Clone, Copy)]
struct Range {
    before: Option<MessageId>,
    limit: usize,
}

impl History {
    /// Opens the history. The worker must be run on a thread of its own.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or created, is damaged, or belongs to a newer version.
    pub(crate) fn open(place: Place) -> Result<(Self, HistoryWorker), HistoryError> {
        let store = Store::open(place)?;
        let (jobs, received) = mpsc::channel();
        let backlog = Arc::new(Backlog::default());
        let worker = HistoryWorker::new(received, store, Arc::clone(&backlog));
        Ok((Self { jobs, backlog }, worker))
    }

    /// Records what changed in a conversation, with the header it has now. Never waits.
    pub(crate) fn record(&self, header: Header, mut revisions: Vec<Revision>) {
        revisions.retain_mut(|revision| is_stored(&mut revision.change));
        self.write(Write::record(header, revisions, epoch_ms()));
    }

    /// Makes a conversation the agent's current one under this configuration. Never waits.
    pub(crate) fn make_current(&self, config: String, header: Header) {
        self.write(Write::current(config, header, epoch_ms()));
    }

    /// Keeps the agent's own id of the conversation's session. Never waits.
    pub(crate) fn set_session(&self, id: ConversationId, session: Option<String>) {
        self.write(Write::session(id, session));
    }

    /// Returns the agent's current conversation under this configuration, with its newest messages.
    pub(crate) async fn current(
        &self,
        config: String,
        agent: AgentName,
    ) -> Result<Option<TakenUp>, HistoryError> {
        self.read(|respond| Read::Current {
            config,
            agent,
            respond,
        })
        .await
    }

    /// Returns a conversation with its newest messages.
    pub(crate) async fn load(&self, id: ConversationId) -> Result<Option<TakenUp>, HistoryError> {
        self.read(|respond| Read::Load { id, respond }).await
    }

    /// Returns the newest `limit` messages before `before`, or as many as fit into a reply.
    pub(crate) async fn page(
        &self,
        id: ConversationId,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Page, HistoryError> {
        self.read(|respond| Read::Page {
            id,
            range: Range { before, limit },
            respond,
        })
        .await
    }

    /// Returns what a client is shown of a conversation that it can only read.
    pub(crate) async fn view(
        &self,
        id: ConversationId,
        before: Option<MessageId>,
        limit: usize,
    ) -> Result<Option<ConversationView>, HistoryError> {
        self.read(|respond| Read::View {
            id,
            range: Range { before, limit },
            respond,
        })
        .await
    }

    /// Returns a window of a part's JSON, with the whole of every field that the message shows cut.
    pub(crate) async fn part(
        &self,
        message: MessageId,
        index: u32,
        offset: u64,
    ) -> Result<Option<PartReply>, HistoryError> {
        self.read(|respond| Read::Part {
            message,
            index,
            offset,
            respond,
        })
        .await
    }

    /// Returns the conversation of a message; none when there is no such message.
    pub(crate) async fn conversation_of(
        &self,
        message: MessageId,
    ) -> Result<Option<ConversationId>, HistoryError> {
        self.read(|respond| Read::ConversationOf { message, respond })
            .await
    }

    /// Returns all conversations, or one agent's; `current` says which are the current ones of this configuration.
    pub(crate) async fn list(
        &self,
        agent: Option<AgentName>,
        config: String,
    ) -> Result<HistoryReply, HistoryError> {
        self.read(|respond| Read::List {
            agent,
            config,
            respond,
        })
        .await
    }

    /// Returns when everything recorded before is on the disk.
    ///
    /// # Errors
    ///
    /// When it cannot be written now; it is kept and tried again.
    pub(crate) async fn flush(&self) -> Result<(), HistoryError> {
        let (respond, answer) = oneshot::channel();
        self.ask(Job::Flush(respond), answer).await
    }

    /// Returns how many bytes wait to be written.
    pub(crate) fn pending_bytes(&self) -> usize {
        self.backlog.bytes.load(Ordering::Acquire)
    }

    /// Says whether so much waits that no more should be taken from agents.
    pub(crate) fn is_congested(&self) -> bool {
        self.pending_bytes() > CONGESTED_BYTES
    }

    /// Returns when the history is not congested (any longer).
    pub(crate) async fn relieved(&self) {
        loop {
            let mut relief = std::pin::pin!(self.backlog.relief.notified());
            relief.as_mut().enable();
            if !self.is_congested() {
                return;
            }
            relief.await;
        }
    }

    /// Returns why what waits cannot be written, while that holds.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.backlog.trouble().clone()
    }

    fn write(&self, write: Write) {
        let bytes = write.bytes;
        self.backlog.bytes.fetch_add(bytes, Ordering::AcqRel);
        if self.jobs.send(Job::Write(write)).is_err() {
            self.backlog.release(bytes);
            tracing::error!("a change of a conversation is lost: the history has ended");
        }
    }

    async fn read<Answer>(&self, read: impl FnOnce(Respond<Answer>) -> Read) -> Result<Answer, HistoryError> {
        let (respond, answer) = oneshot::channel();
        self.ask(Job::Read(read(respond)), answer).await
    }

    async fn ask<Answer>(
        &self,
        job: Job,
        answer: oneshot::Receiver<Result<Answer, HistoryError>>,
    ) -> Result<Answer, HistoryError> {
        self.jobs.send(job).map_err(|_| HistoryError::Ended)?;
        answer.await.unwrap_or(Err(HistoryError::Ended))
    }
}

/// Says whether there is a row for the change, and takes out of it what has none: the header carries the rest.
fn is_stored(change: &mut Change) -> bool {
    match change {
        Change::Header(message) => {
            // Its parts came before, each as a change of its own.
            message.parts = Vec::new();
            true
        }
        Change::Added(_)
        | Change::Appended { .. }
        | Change::Part { .. }
        | Change::Whole { .. }
        | Change::Asked(_)
        | Change::Resolved { .. } => true,
        Change::Elicited(_)
        | Change::ElicitationResolved { .. }
        | Change::Turn { .. }
        | Change::Usage(_)
        | Change::Commands(_)
        | Change::Session { .. } => false,
    }
}

impl Backlog {
    fn release(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::AcqRel);
        self.relief.notify_waiters();
    }

    /// Nothing is written any more, so nobody should wait for it.
    fn end(&self) {
        self.bytes.store(0, Ordering::Release);
        self.relief.notify_waiters();
    }

    fn trouble(&self) -> MutexGuard<'_, Option<String>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
