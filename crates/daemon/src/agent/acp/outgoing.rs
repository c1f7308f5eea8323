//! Writes lines to an agent's stdin, without ever making the sender wait.
//!
//! Responsible for the queue and its limit: an agent that does not read must not grow the daemon.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::{Notify, mpsc};

/// What may wait for an agent that does not read its stdin, in bytes. One line more always passes, so that a prompt
/// with large pictures is never refused to an agent that reads. From half of it on nothing more is read of the agent, so
/// that what it asks and does not take in is never more than that.
pub(crate) const WAITING_BYTES: usize = 64 << 20;

/// Takes lines for the agent; never waits.
#[derive(Debug)]
pub(crate) struct OutgoingLines {
    lines: mpsc::UnboundedSender<Vec<u8>>,
    waiting: Arc<Waiting>,
}

/// Writes what `OutgoingLines` took; its owner runs it.
#[derive(Debug)]
pub(crate) struct LineWriter<W> {
    lines: mpsc::UnboundedReceiver<Vec<u8>>,
    waiting: Arc<Waiting>,
    sink: W,
}

#[derive(Debug)]
struct Waiting {
    bytes: AtomicUsize,
    limit_bytes: usize,
    overflow: Notify,
    relief: Notify,
}

/// Whether so much waits for the agent that nothing more is to be done for it until it has read.
#[derive(Debug, Clone)]
pub(crate) struct Congestion(Arc<Waiting>);

impl Congestion {
    pub(crate) fn is_congested(&self) -> bool {
        self.0.bytes.load(Ordering::Relaxed) > self.0.limit_bytes / 2
    }

    /// Waits until the agent has read enough.
    pub(crate) async fn relieved(&self) {
        loop {
            let relief = self.0.relief.notified();
            if !self.is_congested() {
                return;
            }
            relief.await;
        }
    }
}

/// Why nothing more can be written to the agent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    #[error("it does not read its input: more than {} MiB wait for it", limit_bytes >> 20)]
    Overflow { limit_bytes: usize },
    #[error("its input cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Returns the two ends of the queue in front of `sink`.
pub(crate) fn outgoing_lines<W: AsyncWrite + Unpin>(sink: W) -> (OutgoingLines, LineWriter<W>) {
    with_limit(sink, WAITING_BYTES)
}

fn with_limit<W>(sink: W, limit_bytes: usize) -> (OutgoingLines, LineWriter<W>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let waiting = Arc::new(Waiting {
        bytes: AtomicUsize::new(0),
        limit_bytes,
        overflow: Notify::new(),
        relief: Notify::new(),
    });
    (
        OutgoingLines {
            lines: sender,
            waiting: Arc::clone(&waiting),
        },
        LineWriter {
            lines: receiver,
            waiting,
            sink,
        },
    )
}

impl OutgoingLines {
    pub(crate) fn congestion(&self) -> Congestion {
        Congestion(Arc::clone(&self.waiting))
    }

    /// Queues a line, which brings its own line feed.
    ///
    /// When too much waits already, or the writer has ended, the line goes nowhere: the writer's result says why.
    pub(crate) fn push(&self, line: Vec<u8>) {
        let before = self.waiting.bytes.fetch_add(line.len(), Ordering::Relaxed);
        if before > self.waiting.limit_bytes {
            self.waiting.overflow.notify_one();
            return;
        }
        if self.lines.send(line).is_err() {
            tracing::trace!("a line for an agent whose input is closed was dropped");
        }
    }
}

impl<W: AsyncWrite + Unpin> LineWriter<W> {
    /// Writes until `OutgoingLines` is gone and all is written, then closes the agent's stdin by dropping it.
    pub(crate) async fn run(mut self) -> Result<(), WriteError> {
        let waiting = Arc::clone(&self.waiting);
        let result = tokio::select! {
            biased;
            () = waiting.overflow.notified() => Err(WriteError::Overflow { limit_bytes: waiting.limit_bytes }),
            result = self.write_all() => result.map_err(WriteError::from),
        };
        // Nobody reads what still waits: what the agent said last is to be heard all the same.
        waiting.bytes.store(0, Ordering::Relaxed);
        waiting.relief.notify_waiters();
        result
    }

    async fn write_all(&mut self) -> io::Result<()> {
        while let Some(line) = self.lines.recv().await {
            self.sink.write_all(&line).await?;
            self.sink.flush().await?;
            self.waiting.bytes.fetch_sub(line.len(), Ordering::Relaxed);
            self.waiting.relief.notify_waiters();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(work)
    }

    #[test]
    fn lines_arrive_in_order_and_the_input_closes_behind_them() {
        run(async {
            let (ours, mut agent) = tokio::io::duplex(8);
            let (lines, writer) = outgoing_lines(ours);
            lines.push(b"one, longer than the pipe\n".to_vec());
            lines.push(b"two\n".to_vec());
            drop(lines);
            let mut read = String::new();
            let (written, count) = tokio::join!(writer.run(), agent.read_to_string(&mut read));
            written.unwrap();
            count.unwrap();
            assert_eq!(read, "one, longer than the pipe\ntwo\n");
        });
    }

    #[test]
    fn an_agent_that_does_not_read_ends_the_writer_with_a_reason() {
        run(async {
            let (ours, agent) = tokio::io::duplex(8);
            let (lines, writer) = with_limit(ours, 2 << 20);
            let mut running = std::pin::pin!(writer.run());
            for _ in 0..3 {
                lines.push(vec![b'x'; 1 << 20]);
                tokio::select! {
                    biased;
                    end = &mut running => panic!("nothing is wrong yet, but the writer ended with {end:?}"),
                    () = std::future::ready(()) => {}
                }
            }
            lines.push(b"one too many\n".to_vec());
            let error = running.await.unwrap_err();
            assert_eq!(
                error.to_string(),
                "it does not read its input: more than 2 MiB wait for it"
            );
            drop(agent);
        });
    }

    #[test]
    fn one_line_over_the_limit_passes_when_the_agent_reads() {
        run(async {
            let (ours, mut agent) = tokio::io::duplex(64);
            let (lines, writer) = with_limit(ours, 10);
            lines.push(vec![b'x'; 1000]);
            drop(lines);
            let mut read = Vec::new();
            let (written, count) = tokio::join!(writer.run(), agent.read_to_end(&mut read));
            written.unwrap();
            assert_eq!(count.unwrap(), 1000);
        });
    }

    #[test]
    fn what_was_read_no_longer_counts() {
        run(async {
            let (ours, mut agent) = tokio::io::duplex(64);
            let (lines, writer) = with_limit(ours, 10);
            let mut running = std::pin::pin!(writer.run());
            let mut read = [0; 8];
            for _ in 0..10 {
                lines.push(b"8 bytes\n".to_vec());
                tokio::select! {
                    biased;
                    end = &mut running => panic!("the agent reads, and yet the writer ended with {end:?}"),
                    count = agent.read_exact(&mut read) => assert_eq!(count.unwrap(), 8),
                }
            }
        });
    }

    #[test]
    fn who_waits_for_relief_goes_on_when_the_agent_reads() {
        run(async {
            let (ours, mut agent) = tokio::io::duplex(8);
            let (lines, writer) = with_limit(ours, 100);
            let congestion = lines.congestion();
            lines.push(vec![b'x'; 90]);
            assert!(congestion.is_congested());
            let mut read = vec![0; 90];
            drop(lines);
            let (written, count, ()) =
                tokio::join!(writer.run(), agent.read_exact(&mut read), congestion.relieved());
            written.unwrap();
            assert_eq!(count.unwrap(), 90);
            assert!(!congestion.is_congested());
        });
    }

    #[test]
    fn a_closed_input_is_an_error() {
        run(async {
            let (ours, agent) = tokio::io::duplex(8);
            drop(agent);
            let (lines, writer) = outgoing_lines(ours);
            lines.push(b"too late\n".to_vec());
            assert!(matches!(writer.run().await, Err(WriteError::Write(_))));
            lines.push(b"and this one goes nowhere\n".to_vec());
        });
    }
}
