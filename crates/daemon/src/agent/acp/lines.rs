//! Reads an agent's stdout line by line, inside a limit, out of a buffer of its own.
//!
//! Responsible for where a line begins and ends; what it says is read elsewhere.

use std::io;

use pupitre_protocol::limits;
use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is asked of the pipe at once, in bytes: as much as a pipe of Linux holds.
const READ_BYTES: usize = 64 << 10;

/// A buffer that one huge line has grown beyond this, in bytes, is given back once the line has been handed out.
const KEPT_BYTES: usize = 1 << 20;

/// Reads lines that end with a line feed, or with the end of the stream.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    source: R,
    /// The longest line, in bytes without its line feed.
    limit_bytes: usize,
    buffer: Vec<u8>,
    /// Where in `buffer` the next line begins.
    start: usize,
    /// Up to where `buffer` is known to hold no line feed after `start`.
    searched: usize,
    ended: bool,
}

/// Why no more lines can be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    #[error("it wrote a line of more than {} MiB", limit_bytes >> 20)]
    TooLong { limit_bytes: usize },
    #[error("its output cannot be read: {0}")]
    Read(#[from] io::Error),
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Returns a reader of lines of at most `limits::AGENT_LINE_BYTES`.
    pub(crate) fn new(source: R) -> Self {
        Self::with_limit(source, limits::AGENT_LINE_BYTES)
    }

    fn with_limit(source: R, limit_bytes: usize) -> Self {
        Self {
            source,
            limit_bytes,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            ended: false,
        }
    }

    /// Returns the next line without its end (`\n` or `\r\n`), or `None` when the stream has ended.
    ///
    /// A last line without an end counts. Nothing is lost when the future is dropped. After an error there are no
    /// more lines.
    pub(crate) async fn next_line(&mut self) -> Result<Option<&[u8]>, LineError> {
        let line = loop {
            if let Some(line) = self.find_line()? {
                break line;
            }
            if self.ended {
                return Ok(None);
            }
            self.make_room();
            let count = match self.source.read_buf(&mut self.buffer).await {
                Ok(count) => count,
                Err(error) => {
                    self.end();
                    return Err(error.into());
                }
            };
            if count == 0 {
                self.ended = true;
                if self.start < self.buffer.len() {
                    let rest = self.start..self.buffer.len();
                    self.start = rest.end;
                    break rest;
                }
            }
        };
        let bytes = &self.buffer[line];
        Ok(Some(bytes.strip_suffix(b"\r").unwrap_or(bytes)))
    }

    /// Returns where the next whole line of the buffer stands, and steps over it.
    fn find_line(&mut self) -> Result<Option<std::ops::Range<usize>>, LineError> {
        let found = memchr::memchr(b'\n', &self.buffer[self.searched..]).map(|at| self.searched + at);
        let end = found.unwrap_or(self.buffer.len());
        if end - self.start > self.limit_bytes {
            self.end();
            return Err(LineError::TooLong {
                limit_bytes: self.limit_bytes,
            });
        }
        let Some(end) = found else {
            self.searched = self.buffer.len();
            return Ok(None);
        };
        let line = self.start..end;
        self.start = end + 1;
        self.searched = self.start;
        Ok(Some(line))
    }

    /// Moves the unfinished line to the front, gives back what a huge line took, and makes room for a read.
    fn make_room(&mut self) {
        let rest = self.start..self.buffer.len();
        let rest_bytes = rest.len();
        if self.buffer.capacity() > KEPT_BYTES && rest_bytes < READ_BYTES {
            let mut small = Vec::with_capacity(2 * READ_BYTES);
            small.extend_from_slice(&self.buffer[rest]);
            self.buffer = small;
        } else if self.start > 0 {
            self.buffer.copy_within(rest, 0);
            self.buffer.truncate(rest_bytes);
        }
        self.searched -= self.start;
        self.start = 0;
        self.buffer.reserve(READ_BYTES);
    }

    fn end(&mut self) {
        self.ended = true;
        self.buffer = Vec::new();
        self.start = 0;
        self.searched = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use proptest::prelude::*;
    use tokio::io::{AsyncWriteExt, ReadBuf};

    use super::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(work)
    }

    /// Gives its bytes in pieces of `step` bytes.
    struct Dripping<'a> {
        bytes: &'a [u8],
        step: usize,
    }

    impl AsyncRead for Dripping<'_> {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            let count = self.step.min(self.bytes.len()).min(buffer.remaining());
            buffer.put_slice(&self.bytes[..count]);
            self.bytes = &self.bytes[count..];
            Poll::Ready(Ok(()))
        }
    }

    fn lines_of(bytes: &[u8], step: usize, limit_bytes: usize) -> (Vec<Vec<u8>>, Option<LineError>) {
        run(async {
            let mut reader = LineReader::with_limit(Dripping { bytes, step }, limit_bytes);
            let mut lines = Vec::new();
            loop {
                match reader.next_line().await {
                    Ok(Some(line)) => lines.push(line.to_vec()),
                    Ok(None) => return (lines, None),
                    Err(error) => {
                        assert!(
                            matches!(reader.next_line().await, Ok(None)),
                            "an error is the end"
                        );
                        return (lines, Some(error));
                    }
                }
            }
        })
    }

    #[test]
    fn lines_end_with_a_line_feed_or_both_or_the_end() {
        let (lines, error) = lines_of(b"one\r\ntwo\n\nfour\rstill four\nlast", 3, 100);
        assert_eq!(lines, [&b"one"[..], b"two", b"", b"four\rstill four", b"last"]);
        assert!(error.is_none());
    }

    #[test]
    fn a_line_of_the_limit_passes_and_a_longer_one_is_an_error() {
        let (lines, error) = lines_of(b"12345\n123456\n7\n", 64, 5);
        assert_eq!(lines, [b"12345"]);
        assert!(matches!(error, Some(LineError::TooLong { limit_bytes: 5 })));
        let (lines, error) = lines_of(b"123456", 1, 5);
        assert!(lines.is_empty());
        assert!(
            matches!(error, Some(LineError::TooLong { .. })),
            "without waiting for its end"
        );
    }

    #[test]
    fn a_line_without_end_is_refused_at_64_mib() {
        run(async {
            let mut reader = LineReader::new(tokio::io::repeat(b'x'));
            let error = reader.next_line().await.unwrap_err();
            assert_eq!(error.to_string(), "it wrote a line of more than 64 MiB");
        });
    }

    #[test]
    fn the_room_of_a_huge_line_is_given_back() {
        let mut text = vec![b'x'; 8 << 20];
        text.extend_from_slice(b"\nsmall\nsmaller\n");
        run(async {
            let mut reader = LineReader::new(text.as_slice());
            assert_eq!(reader.next_line().await.unwrap().unwrap().len(), 8 << 20);
            assert_eq!(reader.next_line().await.unwrap().unwrap(), b"small");
            assert_eq!(reader.next_line().await.unwrap().unwrap(), b"smaller");
            assert!(reader.next_line().await.unwrap().is_none());
            assert!(reader.buffer.capacity() <= KEPT_BYTES);
        });
    }

    #[test]
    fn a_dropped_wait_loses_nothing() {
        run(async {
            let (mut agent, ours) = tokio::io::duplex(64);
            let mut reader = LineReader::new(ours);
            agent.write_all(b"half a ").await.unwrap();
            tokio::select! {
                biased;
                line = reader.next_line() => panic!("no line has come, and yet {line:?}"),
                () = std::future::ready(()) => {}
            }
            agent.write_all(b"line\n").await.unwrap();
            assert_eq!(reader.next_line().await.unwrap().unwrap(), b"half a line");
        });
    }

    proptest! {
        #[test]
        fn lines_are_those_of_the_text_however_it_comes(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..300),
            step in 1usize..80,
        ) {
            let (lines, error) = lines_of(&bytes, step, 1 << 20);
            prop_assert!(error.is_none());
            let mut expected: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
            if expected.last().is_some_and(|last| last.is_empty()) {
                expected.pop();
            }
            let expected: Vec<&[u8]> =
                expected.into_iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
            prop_assert_eq!(lines, expected);
        }
    }
}
