//! The daemon's end of a guard's control socket: requests out, reports in, one JSON object a line; a terminal's
//! descriptor rides on the line that says so.

use std::collections::VecDeque;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use std::time::Duration;

use pupitre_guard::wire::{GuardReport, GuardRequest};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::{AsyncWrite, AsyncWriteExt, Interest};
use tokio::net::UnixStream;
use tokio::net::unix::OwnedReadHalf;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::GuardNews;

/// How long a guard may take to end its tree once it was asked: its ladder takes 8 s.
const STOP_WITHIN: Duration = Duration::from_secs(12);

/// How the link to a guard ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinkEnd {
    /// The guard closed its end.
    Closed,
    /// It was asked to end its tree and does not: it hangs, or was stopped.
    Overdue,
}

/// Carries messages both ways until the guard closes its end, or does not what it was asked.
pub(super) async fn run(
    control: UnixStream,
    mut requests: mpsc::UnboundedReceiver<GuardRequest>,
    news: &mpsc::UnboundedSender<GuardNews>,
) -> LinkEnd {
    let (read, mut write) = control.into_split();
    let mut lines = Lines::new(read);
    let mut asking = true;
    let mut overdue_at = None;
    loop {
        tokio::select! {
            line = lines.next() => match line {
                Ok(Some(line)) => match serde_json::from_str::<GuardReport>(&line) {
                    Ok(GuardReport::Terminal) => match lines.descriptors.pop_front() {
                        Some(terminal) => drop(news.send(GuardNews::Terminal(terminal))),
                        // The process has as many descriptors open as it may: the system drops what it cannot give.
                        None => tracing::error!("a guard's terminal did not arrive: too many files are open"),
                    },
                    Ok(report) => drop(news.send(GuardNews::Report(report))),
                    Err(error) => tracing::warn!(%error, line, "a guard said something that was not understood"),
                },
                Ok(None) => return LinkEnd::Closed,
                Err(error) => {
                    tracing::warn!(%error, "a guard cannot be heard any more");
                    return LinkEnd::Closed;
                }
            },
            request = requests.recv(), if asking => match request {
                Some(request) => {
                    if matches!(request, GuardRequest::Stop) {
                        overdue_at.get_or_insert_with(|| Instant::now() + STOP_WITHIN);
                    }
                    asking = ask(&mut write, &request).await;
                }
                // Whoever could ask is gone without having ended it, by a failure of ours: nothing of it may go on.
                None => {
                    asking = false;
                    overdue_at.get_or_insert_with(|| Instant::now() + STOP_WITHIN);
                    ask(&mut write, &GuardRequest::Stop).await;
                }
            },
            () = until(overdue_at) => return LinkEnd::Overdue,
        }
    }
}

/// What a guard says, line by line, with the descriptors that came along.
struct Lines {
    socket: OwnedReadHalf,
    buffer: Vec<u8>,
    descriptors: VecDeque<OwnedFd>,
}

impl Lines {
    fn new(socket: OwnedReadHalf) -> Self {
        Self {
            socket,
            buffer: Vec::new(),
            descriptors: VecDeque::new(),
        }
    }

    /// Waits for the next line; `None` when the guard has closed its end. Nothing is lost when the future is dropped.
    async fn next(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(end) = self.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.buffer.drain(..=end).collect();
                return String::from_utf8(line)
                    .map(Some)
                    .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error));
            }
            self.socket.readable().await?;
            let socket = self.socket.as_ref();
            let (buffer, descriptors) = (&mut self.buffer, &mut self.descriptors);
            match socket.try_io(Interest::READABLE, || receive(socket, buffer, descriptors)) {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Receives what is there, with the descriptors that came along.
fn receive(
    socket: &UnixStream,
    buffer: &mut Vec<u8>,
    descriptors: &mut VecDeque<OwnedFd>,
) -> io::Result<usize> {
    let mut chunk = [0; 4096];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    #[cfg(target_os = "linux")]
    let flags = RecvFlags::CMSG_CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = RecvFlags::empty();
    let received = recvmsg(
        socket,
        &mut [io::IoSliceMut::new(&mut chunk)],
        &mut ancillary,
        flags,
    )?;
    buffer.extend_from_slice(&chunk[..received.bytes]);
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            for descriptor in rights {
                #[cfg(not(target_os = "linux"))]
                rustix::io::fcntl_setfd(&descriptor, rustix::io::FdFlags::CLOEXEC)?;
                descriptors.push_back(descriptor);
            }
        }
    }
    Ok(received.bytes)
}

async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Sends a request; says whether the guard can still be asked.
async fn ask(write: &mut (impl AsyncWrite + Unpin), request: &GuardRequest) -> bool {
    let mut line = serde_json::to_vec(request).expect("a request is text and lists of it");
    line.push(b'\n');
    match write.write_all(&line).await {
        Ok(()) => true,
        Err(error) => {
            // A guard ends by itself when nothing is left to guard.
            tracing::debug!(%error, "a guard cannot be asked any more");
            false
        }
    }
}
