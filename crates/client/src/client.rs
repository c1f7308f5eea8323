//! One connection for calls: a request out, its reply in, one after the other.

use std::io::{self, BufReader, Write as _};
use std::path::Path;

use pupitre_protocol::envelope::{IncomingReply, OutgoingRequest, VERSION};
use pupitre_protocol::event::SubscribeParams;
use pupitre_protocol::limits::REQUEST_BYTES;
use pupitre_protocol::method::{events, surface};
use pupitre_protocol::surface::{SurfaceParams, SurfaceSnapshotReply};
use pupitre_protocol::{Method, RpcError};

use crate::line::{ReadLineError, read_line};
use crate::subscription::{StreamError, Subscription};
use crate::transport::{ConnectError, Stream, connect};
use crate::view::View;

/// How much is read from the socket at once, in bytes.
const READ_BYTES: usize = 64 << 10;

/// A connection to the daemon.
#[derive(Debug)]
pub struct Client {
    stream: BufReader<Stream>,
    calls: u64,
}

/// Says why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The daemon answered with an error.
    #[error(transparent)]
    Rpc(Box<RpcError>),
    /// Found before anything was sent.
    #[error("the request has {bytes} bytes, and the limit is {REQUEST_BYTES}")]
    TooLarge { bytes: usize },
    #[error("the daemon went away before it answered {method}")]
    Disconnected { method: &'static str },
    #[error("the daemon's answer to {method} cannot be read: {detail}")]
    BadReply { method: &'static str, detail: String },
    #[error(transparent)]
    Read(#[from] ReadLineError),
    #[error("cannot write to the daemon: {0}")]
    Write(#[source] io::Error),
}

impl Client {
    /// Connects to the daemon at this socket.
    pub fn connect(socket: &Path) -> Result<Self, ConnectError> {
        Ok(Self {
            stream: BufReader::with_capacity(READ_BYTES, connect(socket)?),
            calls: 0,
        })
    }

    /// Calls a method and waits for its answer.
    pub fn call<M: Method>(&mut self, params: &M::Params) -> Result<M::Reply, CallError> {
        self.calls += 1;
        let id = self.calls;
        self.send::<M>(id, params)?;
        let line = read_line(&mut self.stream)?.ok_or(CallError::Disconnected { method: M::NAME })?;
        read_reply::<M>(&line, id)
    }

    /// Turns the connection into a stream of events. When it returns, the daemon has registered the subscription:
    /// whatever happens from here on comes through it, or is said to be `dropped`.
    pub fn subscribe(mut self, params: &SubscribeParams) -> Result<Subscription, StreamError> {
        self.calls += 1;
        let id = self.calls;
        self.send::<events::Subscribe>(id, params)?;
        let first = read_line(&mut self.stream).map_err(StreamError::Read)?;
        let first = first.ok_or(CallError::Disconnected {
            method: events::Subscribe::NAME,
        })?;
        Subscription::begin(self.stream, first, id)
    }

    /// Turns the connection into the view of a pane.
    pub fn view(mut self, params: &SurfaceParams) -> Result<(SurfaceSnapshotReply, View), CallError> {
        let reply = self.call::<surface::Snapshot>(params)?;
        Ok((reply, View::new(self.stream)))
    }

    /// Waits until the daemon closes the connection.
    pub fn wait_until_closed(mut self) -> Result<(), CallError> {
        while read_line(&mut self.stream)?.is_some() {}
        Ok(())
    }

    fn send<M: Method>(&mut self, id: u64, params: &M::Params) -> Result<(), CallError> {
        let request = OutgoingRequest {
            jsonrpc: VERSION,
            id,
            method: M::NAME,
            params,
        };
        let mut line = serde_json::to_vec(&request).expect("parameters have string keys and finite numbers");
        if line.len() > REQUEST_BYTES {
            return Err(CallError::TooLarge { bytes: line.len() });
        }
        line.push(b'\n');
        match self.stream.get_mut().write_all(&line) {
            Ok(()) => Ok(()),
            // A daemon that refuses the connection says why and closes it; that line can still be read.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset
                ) =>
            {
                Ok(())
            }
            Err(error) => Err(CallError::Write(error)),
        }
    }
}

/// Reads the reply to the call with this id.
pub(crate) fn read_reply<M: Method>(line: &str, id: u64) -> Result<M::Reply, CallError> {
    let bad = |detail: String| CallError::BadReply {
        method: M::NAME,
        detail,
    };
    let reply: IncomingReply<'_> = serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
    if let Some(error) = reply.error {
        // Without an id it is about the connection itself: refused, or a line that could not be read.
        return match reply.id {
            Some(other) if other != id => Err(bad(format!("it is for call {other}, and call {id} was made"))),
            Some(_) | None => Err(CallError::Rpc(Box::new(error))),
        };
    }
    if reply.id != Some(id) {
        return Err(bad(format!("it is not for call {id}")));
    }
    let result = reply
        .result
        .ok_or_else(|| bad("it has neither result nor error".to_owned()))?;
    serde_json::from_str(result.get()).map_err(|error| bad(error.to_string()))
}
