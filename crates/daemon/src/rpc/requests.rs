//! The requests of one client, whatever carries them: read, admitted, called, and answered as they finish.

use std::sync::Arc;

use pupitre_protocol::envelope::{IncomingRequest, OutgoingError, OutgoingResult, VERSION};
use pupitre_protocol::event::{EventKind, SubscribeParams};
use pupitre_protocol::limits::{REPLY_BYTES, REQUEST_BYTES, REQUESTS_IN_FLIGHT};
use pupitre_protocol::surface::SurfaceSnapshotReply;
use pupitre_protocol::{ErrorKind, Method, RpcError, method};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::Router;
use super::router::{Call, read_params};
use crate::hub::Subscription;
use crate::pane::Viewer;

/// Answers the requests of one client. What it has to say goes, as one JSON text each, to where `replies` leads.
pub(crate) struct Requests<Reply> {
    call: Call,
    router: Arc<Router>,
    in_flight: Arc<Semaphore>,
    replies: mpsc::Sender<Reply>,
    /// Cancelled when the caller is gone, and not only done with asking.
    gone: CancellationToken,
}

/// What a request was, as far as it changes the connection itself.
pub(crate) enum Taken {
    /// It is answered, or will be.
    Request,
    /// Nothing was answered yet.
    Subscribe {
        id: Option<Box<RawValue>>,
        subscription: Subscription,
    },
    /// Nothing was answered yet.
    View {
        id: Option<Box<RawValue>>,
        reply: SurfaceSnapshotReply,
        viewer: Viewer,
    },
    /// Nothing was answered yet.
    Unsubscribe { id: Option<Box<RawValue>> },
}

impl<Reply: From<String> + Send + 'static> Requests<Reply> {
    pub(crate) fn new(call: Call, router: Arc<Router>, replies: mpsc::Sender<Reply>) -> Self {
        Self {
            call,
            router,
            in_flight: Arc::new(Semaphore::new(REQUESTS_IN_FLIGHT)),
            replies,
            gone: CancellationToken::new(),
        }
    }

    /// Returns what is to be cancelled when the caller is gone, and not only done with asking.
    pub(crate) fn gone(&self) -> CancellationToken {
        self.gone.clone()
    }

    /// Returns the word that the daemon ends.
    pub(crate) fn closing(&self) -> CancellationToken {
        self.call.daemon.tasks.closing.clone()
    }

    /// Waits until replies are no longer taken.
    pub(crate) fn nobody_reads(&self) -> impl Future<Output = ()> + use<Reply> {
        let replies = self.replies.clone();
        async move { replies.closed().await }
    }

    /// Begins what a request asks. Waits when too many of this client are worked on.
    pub(crate) async fn take(&mut self, text: &[u8]) -> Taken {
        if text.is_empty() {
            return Taken::Request;
        }
        let request = match read_request(text) {
            Ok(request) => request,
            Err(error) => {
                self.fail(None, &error).await;
                return Taken::Request;
            }
        };
        match request.method.as_str() {
            method::events::Subscribe::NAME => self.subscribe(request).await,
            method::events::Unsubscribe::NAME => Taken::Unsubscribe {
                id: request.id.map(ToOwned::to_owned),
            },
            method::surface::Snapshot::NAME => self.view(request).await,
            _ => {
                self.begin(request).await;
                Taken::Request
            }
        }
    }

    /// Answers a request that is over the limit and was not read.
    pub(crate) async fn refuse_too_large(&mut self) {
        let message = format!("the request is over {} MiB", REQUEST_BYTES >> 20);
        self.fail(None, &RpcError::new(ErrorKind::TooLarge, message))
            .await;
    }

    /// Answers a request that was taken; one without an id gets no answer.
    pub(crate) async fn reply(&mut self, id: Option<&RawValue>, reply: &impl Serialize) {
        if let Some(id) = id {
            let result = to_raw_value(reply).expect("a reply has string keys and finite numbers");
            self.say(reply_text(id, Ok(result))).await;
        }
    }

    pub(crate) async fn fail(&mut self, id: Option<&RawValue>, error: &RpcError) {
        self.say(error_text(id, error)).await;
    }

    /// Says something that stands in one order with the replies.
    pub(crate) async fn say(&mut self, reply: impl Into<Reply>) {
        // The writer that no longer takes any has told why; reading ends at the next look.
        drop(self.replies.send(reply.into()).await);
    }

    async fn begin(&mut self, request: IncomingRequest<'_>) {
        let permit = Arc::clone(&self.in_flight)
            .acquire_owned()
            .await
            .expect("the semaphore is never closed");
        let work = self
            .router
            .call(self.call.clone(), &request.method, request.params);
        let id = request.id.map(ToOwned::to_owned);
        let replies = self.replies.clone();
        // Nobody waits for the end of a wait once its caller is gone; what changes something goes on to its end.
        let gone = self.gone.clone();
        let ends_with_caller = request.method == method::surface::Wait::NAME;
        self.call.daemon.tasks.spawn(async move {
            let outcome = tokio::select! {
                outcome = work => outcome,
                () = replies.closed(), if ends_with_caller => return,
                () = gone.cancelled(), if ends_with_caller => return,
            };
            answer(id, outcome, &replies, permit).await;
        });
    }

    async fn view(&mut self, request: IncomingRequest<'_>) -> Taken {
        match self.begin_view(request.params).await {
            Ok((reply, viewer)) => Taken::View {
                id: request.id.map(ToOwned::to_owned),
                reply,
                viewer,
            },
            Err(error) => {
                // A notification is answered by nothing.
                if request.id.is_some() {
                    self.fail(request.id, &error).await;
                }
                Taken::Request
            }
        }
    }

    async fn begin_view(
        &self,
        params: Option<&RawValue>,
    ) -> Result<(SurfaceSnapshotReply, Viewer), RpcError> {
        type Snapshot = method::surface::Snapshot;
        self.call.check(Snapshot::NAME, Snapshot::ACCESS)?;
        let params = read_params::<Snapshot>(params)?;
        let surfaces = &self.call.daemon.surfaces;
        let pane = surfaces
            .resolve(&params.surface)
            .await?
            .pane("look at as a terminal")?;
        let (size, viewer) = pane.watch()?;
        let reply = SurfaceSnapshotReply {
            surface_id: pane.id(),
            size,
        };
        Ok((reply, viewer))
    }

    async fn subscribe(&mut self, request: IncomingRequest<'_>) -> Taken {
        let params =
            read_params::<method::events::Subscribe>(request.params).and_then(|params| self.admitted(params));
        let outcome = match params {
            Ok(params) => self.call.daemon.hub.subscribe(params).await,
            Err(error) => Err(error),
        };
        match outcome {
            Ok(subscription) => Taken::Subscribe {
                id: request.id.map(ToOwned::to_owned),
                subscription,
            },
            Err(error) => {
                // A notification is answered by nothing.
                if request.id.is_some() {
                    self.fail(request.id, &error).await;
                }
                Taken::Request
            }
        }
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

async fn answer<Reply: From<String>>(
    id: Option<Box<RawValue>>,
    outcome: Result<Box<RawValue>, RpcError>,
    replies: &mpsc::Sender<Reply>,
    permit: OwnedSemaphorePermit,
) {
    if let Some(id) = id {
        // A client that went away needs no answer. One that does not read is not worked for: the permit is held until the
        // writer has taken the line.
        drop(replies.send(reply_text(&id, outcome).into()).await);
    }
    drop(permit);
}

fn reply_text(id: &RawValue, outcome: Result<Box<RawValue>, RpcError>) -> String {
    match outcome {
        Ok(result) if result.get().len() <= REPLY_BYTES => {
            let reply = OutgoingResult {
                jsonrpc: VERSION,
                id,
                result: &result,
            };
            serde_json::to_string(&reply).expect("a reply is JSON already")
        }
        Ok(_) => {
            let message = format!("the reply would be over {} MiB: ask for less", REPLY_BYTES >> 20);
            error_text(Some(id), &RpcError::new(ErrorKind::TooLarge, message))
        }
        Err(error) => error_text(Some(id), &error),
    }
}

pub(super) fn error_text(id: Option<&RawValue>, error: &RpcError) -> String {
    let reply = OutgoingError {
        jsonrpc: VERSION,
        id,
        error,
    };
    serde_json::to_string(&reply).expect("an error is text and numbers")
}
