//! The socket without a client in between: lines as they are, each held against the limits.

use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use pupitre_protocol::conversation::{ConversationParams, ConversationView, Message, Part, PartParams};
use pupitre_protocol::envelope::{IncomingReply, OutgoingRequest, VERSION};
use pupitre_protocol::event::SubscribeParams;
use pupitre_protocol::limits::{FRAME_BYTES, REPLY_BYTES};
use pupitre_protocol::method::{chat, events};
use pupitre_protocol::{Event, Frame, MessageId, Method};
use serde_json::Value;

use crate::support::{Desk, PATIENCE, agent_name};

/// A connection whose lines are seen as they are.
pub(super) struct Wire(BufReader<UnixStream>);

impl Wire {
    pub(super) fn open(desk: &Desk) -> Self {
        let stream = UnixStream::connect(desk.socket()).expect("the daemon listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket has one");
        Self(BufReader::new(stream))
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).expect("the daemon reads");
    }

    pub(super) fn write_line(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    /// Returns the next line; `None` when the daemon has closed the connection.
    pub(super) fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.strip_suffix('\n').expect("a whole line").to_owned()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => None,
            Err(error) => panic!("no line within {PATIENCE:?}: {error}"),
        }
    }

    /// Returns the next line as JSON.
    pub(super) fn reply(&mut self) -> Value {
        let line = self.line().expect("the connection is open");
        serde_json::from_str(&line).expect("a line of JSON")
    }

    fn ask<M: Method>(&mut self, params: &M::Params) {
        let request = OutgoingRequest {
            jsonrpc: VERSION,
            id: 1,
            method: M::NAME,
            params,
        };
        self.write_line(&serde_json::to_string(&request).expect("parameters are JSON"));
    }

    /// Calls a method; the line of its reply keeps to the limit.
    #[track_caller]
    pub(super) fn call<M: Method>(&mut self, params: &M::Params) -> M::Reply {
        self.ask::<M>(params);
        let line = self.line().expect("the connection is open");
        assert!(
            line.len() <= REPLY_BYTES,
            "{} answers {} bytes",
            M::NAME,
            line.len()
        );
        let reply: IncomingReply<'_> = serde_json::from_str(&line).expect("a reply");
        assert!(reply.error.is_none(), "{}: {:?}", M::NAME, reply.error);
        serde_json::from_str(reply.result.expect("a result").get()).expect("a reply of this method")
    }

    /// Returns the newest messages before this one.
    pub(super) fn conversation(
        &mut self,
        agent: &str,
        before: Option<MessageId>,
        limit: u32,
    ) -> ConversationView {
        self.call::<chat::Conversation>(&ConversationParams {
            agent: agent_name(agent),
            conversation: None,
            before,
            limit: Some(limit),
        })
    }

    /// Returns all messages of the agent's conversation, read from the newest backwards.
    pub(super) fn messages(&mut self, agent: &str) -> Vec<Message> {
        let mut pages = Vec::new();
        let mut before = None;
        loop {
            let page = self.conversation(agent, before, 1_000).messages;
            let Some(oldest) = page.first() else { break };
            before = Some(oldest.id);
            pages.push(page);
        }
        pages.into_iter().rev().flatten().collect()
    }

    /// Returns the whole of a part.
    pub(super) fn part(&mut self, message_id: MessageId, index: u32) -> Part {
        let mut json = String::new();
        let mut next = Some(0);
        while let Some(offset) = next {
            let window = self.call::<chat::Part>(&PartParams {
                message_id,
                index,
                offset,
            });
            json += &window.json;
            next = window.next;
        }
        serde_json::from_str(&json).expect("the windows together are a part")
    }
}

/// A stream of events whose lines all keep to the limit. Read on a thread of its own, so that the test never slows it.
pub(super) struct Frames(Receiver<String>);

impl Frames {
    pub(super) fn open(desk: &Desk, params: &SubscribeParams) -> Self {
        let mut wire = subscribed(desk, params);
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            // It ends with the daemon, or when the test has seen enough.
            while let Some(line) = wire.line() {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self(receiver)
    }

    /// Returns the next frame but for heartbeats.
    #[track_caller]
    pub(super) fn next(&mut self) -> Frame {
        let deadline = Instant::now() + 2 * PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.0.recv_timeout(left).expect("a frame comes in time");
            let frame = checked_frame(&line);
            if !matches!(frame.event, Event::Heartbeat(_)) {
                return frame;
            }
        }
    }
}

/// Returns a connection that has become a stream, of which nothing was read yet.
pub(super) fn subscribed(desk: &Desk, params: &SubscribeParams) -> Wire {
    let mut wire = Wire::open(desk);
    wire.ask::<events::Subscribe>(params);
    wire
}

/// Returns the frame of a line that keeps to the limit.
#[track_caller]
pub(super) fn checked_frame(line: &str) -> Frame {
    assert!(line.len() <= FRAME_BYTES, "a frame of {} bytes", line.len());
    Frame::from_line(line).expect("a frame")
}
