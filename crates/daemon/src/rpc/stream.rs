//! A connection that has become a stream of event frames, one a line.

use std::time::Duration;

use pupitre_protocol::limits::HEARTBEAT_MS;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::Daemon;
use super::request_lines::RequestLines;
use crate::hub::Subscription;

/// Frames are gathered up to so many bytes before they are written.
const WRITE_BYTES: usize = 64 << 10;

/// Writes frames until the client, the hub or the daemon ends.
pub(super) async fn run(
    daemon: &Daemon,
    subscription: Subscription,
    lines: &mut RequestLines<impl AsyncRead + Unpin>,
    write: impl AsyncWrite + Unpin,
) {
    tokio::select! {
        () = daemon.tasks.closing.cancelled() => {}
        () = lines.closed() => {}
        outcome = write_frames(&subscription, write) => if let Err(error) = outcome {
            tracing::debug!(%error, "a subscriber went away");
        },
    }
}

async fn write_frames(
    subscription: &Subscription,
    mut write: impl AsyncWrite + Unpin,
) -> std::io::Result<()> {
    let mut buffer = String::new();
    loop {
        let entry = match tokio::time::timeout(Duration::from_millis(HEARTBEAT_MS), subscription.next()).await
        {
            Ok(Some(entry)) => entry,
            Ok(None) => return Ok(()),
            Err(_) => subscription.heartbeat(),
        };
        subscription.push_line(&mut buffer, entry);
        while buffer.len() < WRITE_BYTES
            && let Some(entry) = subscription.try_next()
        {
            subscription.push_line(&mut buffer, entry);
        }
        write.write_all(buffer.as_bytes()).await?;
        buffer.clear();
        buffer.shrink_to(WRITE_BYTES);
    }
}
