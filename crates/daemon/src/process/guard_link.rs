//! The daemon's end of a guard's control socket: requests out, reports in, one JSON object a line.

use pupitre_guard::wire::{GuardReport, GuardRequest};
use tokio::io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::mpsc;

use super::GuardNews;

/// Carries messages both ways until the guard closes its end.
pub(super) async fn run(
    control: UnixStream,
    mut requests: mpsc::UnboundedReceiver<GuardRequest>,
    news: &mpsc::UnboundedSender<GuardNews>,
) {
    let (read, mut write) = control.into_split();
    let mut lines = BufReader::new(read).lines();
    let mut asking = true;
    loop {
        tokio::select! {
            line = lines.next_line() => match line {
                Ok(Some(line)) => match serde_json::from_str::<GuardReport>(&line) {
                    Ok(report) => drop(news.send(GuardNews::Report(report))),
                    Err(error) => tracing::warn!(%error, line, "a guard said something that was not understood"),
                },
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "a guard cannot be heard any more");
                    return;
                }
            },
            request = requests.recv(), if asking => match request {
                Some(request) => asking = ask(&mut write, &request).await,
                // Whoever could ask is gone without having ended it, by a failure of ours: nothing of it may go on.
                None => {
                    asking = false;
                    ask(&mut write, &GuardRequest::Stop).await;
                }
            },
        }
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
