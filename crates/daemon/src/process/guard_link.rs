//! The daemon's end of a guard's control socket: requests out, reports in, one JSON object a line.

use std::time::Duration;

use pupitre_guard::wire::{GuardReport, GuardRequest};
use tokio::io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
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
    let mut lines = BufReader::new(read).lines();
    let mut asking = true;
    let mut overdue_at = None;
    loop {
        tokio::select! {
            line = lines.next_line() => match line {
                Ok(Some(line)) => match serde_json::from_str::<GuardReport>(&line) {
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
