//! A connection that has become the view of a pane: frames of a kind, a length and bytes.

use pupitre_protocol::surface::{PaneSize, ViewerFrame};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};

use super::Daemon;
use super::request_lines::RequestLines;
use crate::pane::{Viewer, ViewerNews};

/// Writes frames until the client, the pane or the daemon ends.
pub(super) async fn run(
    daemon: &Daemon,
    viewer: Viewer,
    lines: &mut RequestLines<impl AsyncRead + Unpin>,
    write: impl AsyncWrite + Unpin,
) {
    tokio::select! {
        () = daemon.tasks.closing.cancelled() => {}
        () = lines.closed() => {}
        outcome = write_frames(viewer, write) => if let Err(error) = outcome {
            tracing::debug!(%error, "a viewer went away");
        },
    }
}

async fn write_frames(mut viewer: Viewer, mut write: impl AsyncWrite + Unpin) -> std::io::Result<()> {
    loop {
        let news = viewer.next().await;
        let is_last = matches!(news, ViewerNews::Closed);
        for (kind, bytes) in frame(news) {
            let length = u32::try_from(bytes.len()).expect("a frame is far below 4 GiB");
            let mut head = [kind as u8, 0, 0, 0, 0];
            head[1..].copy_from_slice(&length.to_le_bytes());
            write.write_all(&head).await?;
            write.write_all(&bytes).await?;
        }
        write.flush().await?;
        if is_last {
            return Ok(());
        }
    }
}

/// Returns the frames that tell a viewer something.
pub(crate) fn frame(news: ViewerNews) -> Vec<(ViewerFrame, Vec<u8>)> {
    match news {
        ViewerNews::Snapshot { size, bytes } => {
            let PaneSize { columns, rows } = size;
            let size = [columns.to_le_bytes(), rows.to_le_bytes()].concat();
            vec![(ViewerFrame::Size, size), (ViewerFrame::Snapshot, bytes)]
        }
        ViewerNews::Output(bytes) => vec![(ViewerFrame::Output, bytes.to_vec())],
        ViewerNews::Ended(status) => {
            let status = serde_json::to_vec(&status).expect("a number and a text are JSON");
            vec![(ViewerFrame::Ended, status)]
        }
        ViewerNews::Closed => vec![(ViewerFrame::Closed, Vec::new())],
    }
}
