//! A WebSocket of the page: the requests and replies of the socket, one a message, and events as notifications.
//!
//! One task reads and one writes, so that a page which is slow to take events can still ask. Either side's end, the end of
//! the session, or silence ends both.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Error;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use pupitre_protocol::event::Subscribed;
use pupitre_protocol::limits::{HEARTBEAT_MS, REQUEST_BYTES, WEB_SOCKET_PING_MS, WEB_SOCKET_SILENCE_MS};
use pupitre_protocol::system::Empty;
use pupitre_protocol::{ErrorKind, RpcError};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::hub::{Entry, Subscription};
use crate::pane::{Viewer, ViewerNews};
use crate::rpc::{Call, CountedConnection, Requests, Router, Taken, frame};

/// How long the last word may take.
const LAST_WORD: Duration = Duration::from_secs(1);
const SILENCE: Duration = Duration::from_millis(WEB_SOCKET_SILENCE_MS);
const HEARTBEAT: Duration = Duration::from_millis(HEARTBEAT_MS);

/// How many frames are written before the page is sure to have them.
const FRAMES_AT_ONCE: usize = 64;

/// What the writer is told, in one order.
enum Outgoing {
    Reply(String),
    /// Frames come from here on.
    Stream(Subscription),
    /// No more frames come.
    EndOfStream,
    /// Everything to draw a pane comes from here on, as binary messages.
    View(Viewer),
}

impl From<String> for Outgoing {
    fn from(text: String) -> Self {
        Self::Reply(text)
    }
}

/// Why a WebSocket ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The page went away, or takes nothing any more.
    Gone,
    /// The daemon ends.
    Closing,
    LoggedOut,
    /// It sent what cannot be taken.
    Unreadable,
    Silent,
}

impl End {
    /// Returns what the page is told.
    fn last_word(self) -> Option<CloseFrame> {
        let (code, reason) = match self {
            Self::Gone => return None,
            Self::Closing => (close_code::AWAY, "the daemon ends"),
            Self::LoggedOut => (close_code::POLICY, "logged out"),
            Self::Unreadable => (close_code::POLICY, "the message is too large, or no text"),
            Self::Silent => (close_code::AWAY, "nothing was heard"),
        };
        Some(CloseFrame {
            code,
            reason: reason.into(),
        })
    }
}

/// Serves one WebSocket until it ends.
pub(super) async fn serve(
    call: Call,
    router: Arc<Router>,
    session_ended: CancellationToken,
    _counted: CountedConnection,
    socket: WebSocket,
) {
    let tasks = call.daemon.tasks.clone();
    let (sink, stream) = socket.split();
    let (outgoing, outgoing_in) = mpsc::channel(1);
    let stop = CancellationToken::new();
    let writer = tasks.spawn(write(sink, outgoing_in, stop.clone()));
    let mut requests = Requests::new(call, router, outgoing);
    let end = tokio::select! {
        () = tasks.closing.cancelled() => End::Closing,
        () = session_ended.cancelled() => End::LoggedOut,
        () = requests.nobody_reads() => End::Gone,
        end = read(&mut requests, stream) => end,
    };
    if end != End::Closing {
        stop.cancel();
    }
    // What was asked before the daemon ends is answered: that it ends, for one. The writer ends with the last of it.
    drop(requests);
    let Ok(mut sink) = writer.await else {
        return tracing::error!("the writer of a WebSocket failed");
    };
    let last_word = Message::Close(end.last_word());
    if !matches!(timeout(LAST_WORD, sink.send(last_word)).await, Ok(Ok(()))) {
        tracing::debug!(?end, "a page had gone already");
    }
}

/// Reads requests until there are no more.
async fn read(requests: &mut Requests<Outgoing>, mut stream: SplitStream<WebSocket>) -> End {
    loop {
        // A page that is there answers each ping.
        let Ok(message) = timeout(SILENCE, stream.next()).await else {
            return End::Silent;
        };
        match message {
            Some(Ok(Message::Text(text))) if text.len() > REQUEST_BYTES => requests.refuse_too_large().await,
            Some(Ok(Message::Text(text))) => take(requests, text.as_bytes()).await,
            Some(Ok(Message::Binary(_))) => {
                let error = RpcError::new(ErrorKind::InvalidRequest, "a request is text");
                requests.fail(None, &error).await;
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Close(_))) | None => return End::Gone,
            Some(Err(error)) => {
                tracing::debug!(%error, "a page cannot be understood");
                return End::Unreadable;
            }
        }
    }
}

async fn take(requests: &mut Requests<Outgoing>, text: &[u8]) {
    match requests.take(text).await {
        Taken::Request => {}
        Taken::Subscribe { id, subscription } => {
            let cursor = subscription.begins_at().clone();
            requests.reply(id.as_deref(), &Subscribed { cursor }).await;
            requests.say(Outgoing::Stream(subscription)).await;
        }
        Taken::View { id, reply, viewer } => {
            requests.reply(id.as_deref(), &reply).await;
            requests.say(Outgoing::View(viewer)).await;
        }
        Taken::Unsubscribe { id } => {
            requests.say(Outgoing::EndOfStream).await;
            requests.reply(id.as_deref(), &Empty {}).await;
        }
    }
}

/// Writes replies and frames until nobody has anything to say any more, or until told to stop.
async fn write(
    sink: SplitSink<WebSocket, Message>,
    mut outgoing: mpsc::Receiver<Outgoing>,
    stop: CancellationToken,
) -> SplitSink<WebSocket, Message> {
    let mut writer = Writer {
        sink,
        subscription: None,
        viewer: None,
        heartbeat_at: Instant::now(),
    };
    let outcome = tokio::select! {
        () = stop.cancelled() => Ok(()),
        outcome = writer.run(&mut outgoing) => outcome,
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a page went away");
    }
    writer.sink
}

struct Writer {
    sink: SplitSink<WebSocket, Message>,
    subscription: Option<Subscription>,
    viewer: Option<Viewer>,
    /// When the page hears that the stream lives, unless something happens before.
    heartbeat_at: Instant,
}

/// Why nothing can be written any more.
#[derive(Debug, thiserror::Error)]
enum WriteError {
    #[error(transparent)]
    Broken(#[from] Error),
    #[error("it took nothing for {} s", SILENCE.as_secs())]
    Stuck,
}

impl Writer {
    async fn run(&mut self, outgoing: &mut mpsc::Receiver<Outgoing>) -> Result<(), WriteError> {
        let mut ping = interval(Duration::from_millis(WEB_SOCKET_PING_MS));
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            // Replies come first: whoever asks waits for them.
            tokio::select! {
                biased;
                said = outgoing.recv() => match said {
                    Some(Outgoing::Reply(text)) => self.send(Message::Text(text.into())).await?,
                    Some(Outgoing::Stream(subscription)) => {
                        self.subscription = Some(subscription);
                        self.heartbeat_at = Instant::now() + HEARTBEAT;
                    }
                    Some(Outgoing::EndOfStream) => self.subscription = None,
                    Some(Outgoing::View(viewer)) => self.viewer = Some(viewer),
                    None => return Ok(()),
                },
                _ = ping.tick() => self.send(Message::Ping(Vec::new().into())).await?,
                entry = next_entry(self.subscription.as_ref(), self.heartbeat_at) => match entry {
                    Some(entry) => self.send_frames(entry).await?,
                    // The hub is gone only when the daemon ends.
                    None => self.subscription = None,
                },
                news = next_news(self.viewer.as_mut()) => self.send_news(news).await?,
            }
        }
    }

    async fn send_frames(&mut self, first: Entry) -> Result<(), WriteError> {
        let Some(subscription) = &self.subscription else {
            return Ok(());
        };
        let mut entry = Some(first);
        for _ in 0..FRAMES_AT_ONCE {
            let Some(next) = entry else { break };
            let frame = notification(subscription, next);
            in_time(self.sink.feed(frame)).await?;
            entry = subscription.try_next();
        }
        if let Some(last) = entry {
            let frame = notification(subscription, last);
            in_time(self.sink.feed(frame)).await?;
        }
        self.heartbeat_at = Instant::now() + HEARTBEAT;
        in_time(self.sink.flush()).await
    }

    async fn send_news(&mut self, news: ViewerNews) -> Result<(), WriteError> {
        if matches!(news, ViewerNews::Closed) {
            self.viewer = None;
        }
        for (kind, bytes) in frame(news) {
            let mut message = Vec::with_capacity(bytes.len() + 1);
            message.push(kind as u8);
            message.extend(bytes);
            in_time(self.sink.feed(Message::Binary(message.into()))).await?;
        }
        in_time(self.sink.flush()).await
    }

    async fn send(&mut self, message: Message) -> Result<(), WriteError> {
        in_time(self.sink.send(message)).await
    }
}

/// Returns the next entry of a stream, or its heartbeat when it is time; waits for ever where there is no stream.
async fn next_entry(subscription: Option<&Subscription>, heartbeat_at: Instant) -> Option<Entry> {
    let Some(subscription) = subscription else {
        return std::future::pending().await;
    };
    tokio::select! {
        biased;
        entry = subscription.next() => entry,
        () = sleep_until(heartbeat_at) => Some(subscription.heartbeat()),
    }
}

/// Returns what comes next of a pane; waits for ever where none is looked at.
async fn next_news(viewer: Option<&mut Viewer>) -> ViewerNews {
    match viewer {
        Some(viewer) => viewer.next().await,
        None => std::future::pending().await,
    }
}

fn notification(subscription: &Subscription, entry: Entry) -> Message {
    let mut text = r#"{"jsonrpc":"2.0","method":"event","params":"#.to_owned();
    subscription.push_line(&mut text, entry);
    // The line's end.
    text.pop();
    text.push('}');
    Message::Text(text.into())
}

async fn in_time(writing: impl Future<Output = Result<(), Error>>) -> Result<(), WriteError> {
    match timeout(SILENCE, pin!(writing)).await {
        Ok(outcome) => outcome.map_err(WriteError::from),
        Err(_) => Err(WriteError::Stuck),
    }
}
