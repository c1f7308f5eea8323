//! One connection: reads requests, answers them as they finish, and may become a stream of events.

use std::sync::Arc;

use pupitre_protocol::envelope::{IncomingRequest, OutgoingError, OutgoingResult, VERSION};
use pupitre_protocol::event::{EventKind, SubscribeParams};
use pupitre_protocol::limits::{REPLY_BYTES, REQUEST_BYTES, REQUESTS_IN_FLIGHT};
use pupitre_protocol::{ErrorKind, Method, RpcError, method};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::request_lines::{RequestLine, RequestLines};
use super::router::{Call, read_params};
use super::{CountedConnection, Router, stream};
use crate::hub::Subscription;

/// Serves one connection until it is closed by either side.
pub(super) async fn serve(
    call: Call,
    router: Arc<Router>,
    counted: CountedConnection,
    read: impl AsyncRead + Unpin + Send,
    write: impl AsyncWrite + Unpin + Send + 'static,
) {
    let daemon = Arc::clone(&call.daemon);
    let (replies, replies_in) = mpsc::channel(1);
    let writer = daemon.tasks.spawn(write_replies(replies_in, write));
    let mut lines = RequestLines::new(read);
    let mut requests = Requests {
        call,
        router,
        in_flight: in_flight(),
        replies,
    };
    let subscription = requests.read_all(&mut lines).await;
    // The answers to what was asked before come first; the writer ends when the last of them is written.
    drop(requests);
    let write = match writer.await {
        Ok(Ok(write)) => write,
        Ok(Err(error)) => return tracing::debug!(%error, "a client went away"),
        Err(error) => return tracing::error!(%error, "the writer of a connection failed"),
    };
    if let Some(subscription) = subscription {
        drop(counted);
        stream::run(&daemon, subscription, &mut lines, write).await;
    }
}

/// Answers one connection that cannot be served, and closes it.
pub(super) async fn refuse(mut write: impl AsyncWrite + Unpin, error: &RpcError) {
    let line = error_line(None, error);
    if let Err(error) = write.write_all(line.as_bytes()).await {
        tracing::debug!(%error, "a client that was refused had gone already");
    }
}

fn in_flight() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(REQUESTS_IN_FLIGHT))
}

struct Requests {
    call: Call,
    router: Arc<Router>,
    in_flight: Arc<Semaphore>,
    replies: mpsc::Sender<String>,
}

impl Requests {
    /// Reads requests until the connection or the daemon ends, or until one of them subscribes.
    async fn read_all(&mut self, lines: &mut RequestLines<impl AsyncRead + Unpin>) -> Option<Subscription> {
        let closing = self.call.daemon.tasks.closing.clone();
        loop {
            let line = tokio::select! {
                () = closing.cancelled() => return None,
                () = self.replies.closed() => return None,
                line = lines.next() => line,
            };
            match line {
                Ok(RequestLine::Line(line)) => {
                    if let Some(subscription) = self.take(&line).await {
                        return Some(subscription);
                    }
                }
                Ok(RequestLine::TooLong) => {
                    let message = format!("the request is over {} MiB", REQUEST_BYTES >> 20);
                    self.fail(None, &RpcError::new(ErrorKind::TooLarge, message))
                        .await;
                }
                Ok(RequestLine::End) => return None,
                Err(error) => {
                    tracing::debug!(%error, "a client's connection broke");
                    return None;
                }
            }
        }
    }

    async fn take(&mut self, line: &[u8]) -> Option<Subscription> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        let request: IncomingRequest<'_> = match read_request(line) {
            Ok(request) => request,
            Err(error) => {
                self.fail(None, &error).await;
                return None;
            }
        };
        if request.method == method::events::Subscribe::NAME {
            return self.subscribe(request).await;
        }
        let permit = Arc::clone(&self.in_flight)
            .acquire_owned()
            .await
            .expect("the semaphore is never closed");
        let work = self
            .router
            .call(self.call.clone(), &request.method, request.params);
        let id = request.id.map(ToOwned::to_owned);
        let replies = self.replies.clone();
        self.call.daemon.tasks.spawn(async move {
            let outcome = work.await;
            answer(id, outcome, &replies, permit).await;
        });
        None
    }

    async fn subscribe(&mut self, request: IncomingRequest<'_>) -> Option<Subscription> {
        let params = match read_params::<method::events::Subscribe>(request.params) {
            Ok(params) => params,
            Err(error) => return self.not_subscribed(request.id, &error).await,
        };
        let params = match self.admitted(params) {
            Ok(params) => params,
            Err(error) => return self.not_subscribed(request.id, &error).await,
        };
        match self.call.daemon.hub.subscribe(params).await {
            Ok(subscription) => Some(subscription),
            Err(error) => self.not_subscribed(request.id, &error).await,
        }
    }

    /// Says why there is no subscription, unless a notification asked for it, which is answered by nothing.
    async fn not_subscribed(&mut self, id: Option<&RawValue>, error: &RpcError) -> Option<Subscription> {
        if id.is_some() {
            self.fail(id, error).await;
        }
        None
    }

    /// Returns a subscription without the events that this caller may not see; asking for one by name is an error.
    fn admitted(&self, mut params: SubscribeParams) -> Result<SubscribeParams, RpcError> {
        let check = |kind: EventKind| self.call.check(kind.as_str(), kind.access());
        match &params.types {
            Some(types) => types.iter().copied().try_for_each(check)?,
            None if self.call.asker.is_free(self.call.daemon.free_access()) => {}
            None => {
                let all = EventKind::ALL.iter().copied();
                params.types = Some(all.filter(|kind| check(*kind).is_ok()).collect());
            }
        }
        Ok(params)
    }

    async fn fail(&mut self, id: Option<&RawValue>, error: &RpcError) {
        // The writer that no longer takes lines has told why; reading ends at the next look.
        drop(self.replies.send(error_line(id, error)).await);
    }
}

fn read_request(line: &[u8]) -> Result<IncomingRequest<'_>, RpcError> {
    let text = std::str::from_utf8(line)
        .map_err(|_| RpcError::new(ErrorKind::ParseError, "the request is no UTF-8"))?;
    match text.trim_start().as_bytes().first() {
        Some(b'[') => {
            return Err(RpcError::new(
                ErrorKind::InvalidRequest,
                "batches are not taken: one request a line",
            ));
        }
        Some(b'{') => {}
        Some(_) | None => {
            let kind = match serde_json::from_str::<serde::de::IgnoredAny>(text) {
                Ok(_) => ErrorKind::InvalidRequest,
                Err(_) => ErrorKind::ParseError,
            };
            return Err(RpcError::new(kind, "the request is no JSON object"));
        }
    }
    serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => RpcError::new(
            ErrorKind::InvalidRequest,
            format!("the request is no JSON-RPC request: {error}"),
        ),
        serde_json::error::Category::Io
        | serde_json::error::Category::Syntax
        | serde_json::error::Category::Eof => {
            RpcError::new(ErrorKind::ParseError, format!("the request is no JSON: {error}"))
        }
    })
}

async fn answer(
    id: Option<Box<RawValue>>,
    outcome: Result<Box<RawValue>, RpcError>,
    replies: &mpsc::Sender<String>,
    permit: OwnedSemaphorePermit,
) {
    if let Some(id) = id {
        // A client that went away needs no answer. One that does not read is not worked for: the permit is held until the
        // writer has taken the line.
        drop(replies.send(reply_line(&id, outcome)).await);
    }
    drop(permit);
}

fn reply_line(id: &RawValue, outcome: Result<Box<RawValue>, RpcError>) -> String {
    match outcome {
        Ok(result) if result.get().len() <= REPLY_BYTES => {
            let reply = OutgoingResult {
                jsonrpc: VERSION,
                id,
                result: &result,
            };
            let mut line = serde_json::to_string(&reply).expect("a reply is JSON already");
            line.push('\n');
            line
        }
        Ok(_) => {
            let message = format!("the reply would be over {} MiB: ask for less", REPLY_BYTES >> 20);
            error_line(Some(id), &RpcError::new(ErrorKind::TooLarge, message))
        }
        Err(error) => error_line(Some(id), &error),
    }
}

fn error_line(id: Option<&RawValue>, error: &RpcError) -> String {
    let reply = OutgoingError {
        jsonrpc: VERSION,
        id,
        error,
    };
    let mut line = serde_json::to_string(&reply).expect("an error is text and numbers");
    line.push('\n');
    line
}

async fn write_replies<Write: AsyncWrite + Unpin>(
    mut replies: mpsc::Receiver<String>,
    mut write: Write,
) -> std::io::Result<Write> {
    while let Some(line) = replies.recv().await {
        write.write_all(line.as_bytes()).await?;
    }
    write.flush().await?;
    Ok(write)
}
