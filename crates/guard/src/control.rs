//! The guard's end of its socket to the daemon: lines in, lines out, and never a wait. A daemon that does not
//! read costs details, not the ladder; a daemon that is gone is an event like any other.

use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use crate::wire::{GuardReport, GuardRequest};

/// The descriptor on which the daemon hands over the socket.
const CONTROL_DESCRIPTOR: i32 = 3;
/// The longest line taken. An environment is bounded by the kernel at some megabytes.
const LONGEST_LINE_BYTES: usize = 16 << 20;
/// From here on what is only detail is dropped. What the daemon acts on is always kept; that is a few lines.
const FULL_BYTES: usize = 16 << 10;

/// What came in.
#[derive(Debug)]
pub(crate) enum Received {
    /// A line that was understood.
    Request(GuardRequest),
    /// A line that was not, and why.
    Malformed(String),
    /// Nothing comes any more: the daemon closed its end or died.
    Closed,
}

/// The socket with what is half read and not yet written.
#[derive(Debug)]
pub(crate) struct Control {
    /// Absent once the other end is closed.
    socket: Option<UnixStream>,
    incoming: Vec<u8>,
    outgoing: Vec<u8>,
}

impl Control {
    /// Takes the socket that the daemon put at descriptor 3. Fails when nobody did, as when a person runs the verb.
    pub(crate) fn inherited() -> io::Result<Self> {
        let socket = UnixStream::from(descriptor(CONTROL_DESCRIPTOR)?);
        // Close-on-exec keeps it from the agent: an agent that held it could speak for the daemon, and would keep
        // the daemon from seeing that the guard has ended.
        rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
        socket.local_addr()?;
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket: Some(socket),
            incoming: Vec::new(),
            outgoing: Vec::new(),
        })
    }

    /// Returns what to poll, as long as there is another end.
    pub(crate) fn pollable(&self) -> Option<BorrowedFd<'_>> {
        self.socket.as_ref().map(AsFd::as_fd)
    }

    /// Returns whether lines wait for the daemon to read.
    pub(crate) fn has_unsent(&self) -> bool {
        self.socket.is_some() && !self.outgoing.is_empty()
    }

    /// Reads what is there. [`Received::Closed`] comes last, and once.
    pub(crate) fn receive(&mut self) -> Vec<Received> {
        let mut received = Vec::new();
        let mut chunk = [0_u8; 4096];
        while let Some(socket) = self.socket.as_mut() {
            match socket.read(&mut chunk) {
                Ok(0) => self.close(&mut received),
                Ok(length) => {
                    self.incoming.extend_from_slice(&chunk[..length]);
                    self.take_lines(&mut received);
                    if self.incoming.len() > LONGEST_LINE_BYTES {
                        received.push(Received::Malformed(format!(
                            "a line of more than {LONGEST_LINE_BYTES} bytes"
                        )));
                        self.close(&mut received);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A reset connection is a daemon that died with our reports unread.
                Err(_) => self.close(&mut received),
            }
        }
        received
    }

    /// Queues a report and writes what can be written. Reports to a daemon that is gone have no reader and end here.
    pub(crate) fn report(&mut self, report: &GuardReport) {
        let detail = match report {
            GuardReport::Reaped { .. } | GuardReport::Signalled { .. } | GuardReport::Warning { .. } => true,
            GuardReport::Terminal
            | GuardReport::Started { .. }
            | GuardReport::SpawnFailed { .. }
            | GuardReport::Exited { .. }
            | GuardReport::Gone => false,
        };
        if self.socket.is_none() || (detail && self.outgoing.len() > FULL_BYTES) {
            return;
        }
        serde_json::to_writer(&mut self.outgoing, report)
            .expect("a report has no map and a Vec takes all bytes");
        self.outgoing.push(b'\n');
        self.send();
    }

    /// Sends a report together with a descriptor. It has to be the first report of all: nothing waits before it.
    ///
    /// Fails when the daemon is gone.
    pub(crate) fn hand_over(&mut self, report: &GuardReport, descriptor: BorrowedFd<'_>) -> io::Result<()> {
        let socket = self.socket.as_ref().ok_or(io::ErrorKind::NotConnected)?;
        let mut line = serde_json::to_vec(report)?;
        line.push(b'\n');
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let descriptors = [descriptor];
        // There is room for one, and one it is.
        ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        let sent = sendmsg(
            socket,
            &[io::IoSlice::new(&line)],
            &mut ancillary,
            SendFlags::empty(),
        )?;
        self.outgoing.extend_from_slice(&line[sent..]);
        Ok(())
    }

    /// Writes what the daemon takes now.
    pub(crate) fn send(&mut self) {
        while let Some(socket) = self.socket.as_mut()
            && !self.outgoing.is_empty()
        {
            match socket.write(&self.outgoing) {
                Ok(length) => {
                    self.outgoing.drain(..length);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Whoever cannot be written to is found closed by the next read, where it becomes an event.
                Err(_) => self.outgoing.clear(),
            }
        }
        if self.outgoing.is_empty() {
            self.outgoing.shrink_to(4096);
        }
    }

    /// Ends the conversation. A request that crossed the last report is read and left, because closing a socket with
    /// something unread in it makes the daemon's next read fail instead of ending.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let Some(socket) = &self.socket else { return Ok(()) };
        match socket.shutdown(Shutdown::Both) {
            Ok(()) => {}
            // The daemon has gone first.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => {}
            Err(error) => return Err(error),
        }
        self.receive();
        Ok(())
    }

    fn take_lines(&mut self, received: &mut Vec<Received>) {
        while let Some(end) = self.incoming.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.incoming.drain(..=end).collect();
            received.push(match serde_json::from_slice(&line) {
                Ok(request) => Received::Request(request),
                Err(error) => Received::Malformed(error.to_string()),
            });
        }
        if self.incoming.is_empty() {
            self.incoming.shrink_to(4096);
        }
    }

    fn close(&mut self, received: &mut Vec<Received>) {
        self.socket = None;
        self.outgoing = Vec::new();
        received.push(Received::Closed);
    }
}

#[expect(
    unsafe_code,
    reason = "a descriptor that was inherited by number has no safe constructor"
)]
fn descriptor(number: i32) -> io::Result<OwnedFd> {
    // SAFETY: F_GETFD reads one flag of the number it is given and touches no memory.
    if unsafe { libc::fcntl(number, libc::F_GETFD) } == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is open, as was just seen, and nothing else in this process owns it: this runs once, at the start
    // of the guard, and the number is reserved for it by the daemon.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
