//! One connection of the socket: a request a line, and a stream once one of them subscribes.

use std::sync::Arc;
use std::time::Duration;

use pupitre_protocol::RpcError;
use pupitre_protocol::system::Empty;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use super::request_lines::{RequestLine, RequestLines};
use super::requests::{Requests, Taken, error_text};
use super::router::Call;
use super::{CountedConnection, Router, stream, view};
use crate::hub::Subscription;
use crate::pane::Viewer;

/// Serves one connection until it is closed by either side.
pub(super) async fn serve(
    call: Call,
    router: Arc<Router>,
    counted: CountedConnection,
    is_gone: impl Fn() -> bool + Send,
    read: impl AsyncRead + Unpin + Send,
    write: impl AsyncWrite + Unpin + Send + 'static,
) {
    let daemon = Arc::clone(&call.daemon);
    let (replies, replies_in) = mpsc::channel(1);
    let writer = daemon.tasks.spawn(write_replies(replies_in, write));
    let mut lines = RequestLines::new(read);
    let mut requests = Requests::new(call, router, replies);
    let becomes = read_all(&mut requests, &mut lines).await;
    // The answers to what was asked before come first; the writer ends when the last of them is written.
    let gone = requests.gone();
    drop(requests);
    let mut writer = writer;
    let written = tokio::select! {
        written = &mut writer => written,
        () = until(is_gone) => {
            gone.cancel();
            writer.await
        }
    };
    let write = match written {
        Ok(Ok(write)) => write,
        Ok(Err(error)) => return tracing::debug!(%error, "a client went away"),
        Err(error) => return tracing::error!(%error, "the writer of a connection failed"),
    };
    match becomes {
        Some(Becomes::Stream(subscription)) => {
            drop(counted);
            stream::run(&daemon, subscription, &mut lines, write).await;
        }
        Some(Becomes::View(viewer)) => {
            drop(counted);
            view::run(&daemon, viewer, &mut lines, write).await;
        }
        None => {}
    }
}

/// How often it is looked whether a caller that asks no more is still there for its answers.
const LOOK: Duration = Duration::from_millis(250);

/// Waits until the caller is gone: one that closed only its own side still reads.
async fn until(is_gone: impl Fn() -> bool) {
    while !is_gone() {
        tokio::time::sleep(LOOK).await;
    }
}

/// Answers one connection that cannot be served, and closes it.
pub(super) async fn refuse(mut write: impl AsyncWrite + Unpin, error: &RpcError) {
    let line = error_text(None, error) + "\n";
    if let Err(error) = write.write_all(line.as_bytes()).await {
        tracing::debug!(%error, "a client that was refused had gone already");
    }
}

/// What a connection turns into.
enum Becomes {
    Stream(Subscription),
    View(Viewer),
}

/// Reads requests until the connection or the daemon ends, or until one of them subscribes.
async fn read_all(
    requests: &mut Requests<String>,
    lines: &mut RequestLines<impl AsyncRead + Unpin>,
) -> Option<Becomes> {
    let closing = requests.closing();
    loop {
        let line = tokio::select! {
            () = closing.cancelled() => return None,
            () = requests.nobody_reads() => return None,
            line = lines.next() => line,
        };
        match line {
            Ok(RequestLine::Line(line)) => {
                match requests.take(line.strip_suffix(b"\r").unwrap_or(&line)).await {
                    Taken::Request => {}
                    Taken::Subscribe { subscription, .. } => return Some(Becomes::Stream(subscription)),
                    Taken::View { id, reply, viewer } => {
                        requests.reply(id.as_deref(), &reply).await;
                        return Some(Becomes::View(viewer));
                    }
                    // A connection that still asks is no stream.
                    Taken::Unsubscribe { id } => requests.reply(id.as_deref(), &Empty {}).await,
                }
            }
            Ok(RequestLine::TooLong) => requests.refuse_too_large().await,
            Ok(RequestLine::End) => return None,
            Err(error) => {
                tracing::debug!(%error, "a client's connection broke");
                return None;
            }
        }
    }
}

async fn write_replies<Write: AsyncWrite + Unpin>(
    mut replies: mpsc::Receiver<String>,
    mut write: Write,
) -> std::io::Result<Write> {
    while let Some(mut line) = replies.recv().await {
        line.push('\n');
        write.write_all(line.as_bytes()).await?;
    }
    write.flush().await?;
    Ok(write)
}
