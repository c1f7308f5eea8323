//! One connection for events: bare frames, one a line.

use std::io::BufReader;
use std::net::Shutdown;
use std::str::FromStr as _;

use pupitre_protocol::event::{EventKind, Frame};
use pupitre_protocol::method::events;
use serde::Deserialize;

use crate::client::{CallError, read_reply};
use crate::line::{ReadLineError, read_line};
use crate::transport::Stream;

/// The daemon's events, from the frame `subscribed` on. As an iterator it gives what comes until the daemon goes away
/// or a [`Closer`] ends it.
#[derive(Debug)]
pub struct Subscription {
    stream: BufReader<Stream>,
    first: Option<String>,
}

/// One frame as it came, and read.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// The line, without its line break.
    pub line: String,
    /// The frame; `None` when a newer daemon sent a type of event that is not known here.
    pub frame: Option<Frame>,
}

/// Ends a subscription from another thread.
#[derive(Debug)]
pub struct Closer {
    stream: Stream,
}

/// Says why a stream of events failed.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The subscription was not made.
    #[error(transparent)]
    Call(#[from] CallError),
    #[error("the daemon sent an event that cannot be read: {detail}")]
    BadFrame { detail: String },
    #[error(transparent)]
    Read(#[from] ReadLineError),
}

impl Subscription {
    pub(crate) fn begin(stream: BufReader<Stream>, first: String, id: u64) -> Result<Self, StreamError> {
        match read_frame(first.clone()) {
            Ok(_) => Ok(Self {
                stream,
                first: Some(first),
            }),
            // No frame, so it can only be the refusal.
            Err(bad_frame) => match read_reply::<events::Subscribe>(&first, id) {
                Err(CallError::Rpc(refusal)) => Err(CallError::Rpc(refusal).into()),
                Ok(_) | Err(_) => Err(bad_frame),
            },
        }
    }

    /// Waits for the next line and returns it as it came, unread; `None` at the end of the stream.
    pub fn next_line(&mut self) -> Option<Result<String, ReadLineError>> {
        match self.first.take() {
            Some(first) => Some(Ok(first)),
            None => read_line(&mut self.stream).transpose(),
        }
    }

    /// Returns whether the next line has arrived already.
    pub fn has_line(&self) -> bool {
        self.first.is_some() || self.stream.buffer().contains(&b'\n')
    }

    /// Returns the handle that ends the subscription from another thread.
    pub fn closer(&self) -> std::io::Result<Closer> {
        Ok(Closer {
            stream: self.stream.get_ref().try_clone()?,
        })
    }
}

impl Iterator for Subscription {
    type Item = Result<Received, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.next_line()?;
        Some(line.map_err(StreamError::Read).and_then(read_frame))
    }
}

impl Closer {
    /// Ends the subscription: its iterator gives what has arrived and then nothing more. A stream that has ended
    /// already is left as it is.
    pub fn close(&self) -> std::io::Result<()> {
        match self.stream.shutdown(Shutdown::Both) {
            Err(error) if error.kind() == std::io::ErrorKind::NotConnected => Ok(()),
            outcome => outcome,
        }
    }
}

fn read_frame(line: String) -> Result<Received, StreamError> {
    #[derive(Deserialize)]
    struct Head {
        r#type: String,
    }
    match Frame::from_line(&line) {
        Ok(frame) => Ok(Received {
            line,
            frame: Some(frame),
        }),
        Err(error) => match serde_json::from_str::<Head>(&line) {
            Ok(head) if EventKind::from_str(&head.r#type).is_err() => Ok(Received { line, frame: None }),
            Ok(_) | Err(_) => Err(StreamError::BadFrame {
                detail: error.to_string(),
            }),
        },
    }
}
