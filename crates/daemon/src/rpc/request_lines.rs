//! Reads request lines, bounded: a line over the limit is skipped and told, and the next one is read as ever.

use std::io;

use pupitre_protocol::limits::REQUEST_BYTES;
use tokio::io::{AsyncRead, AsyncReadExt};

/// Reads the lines of one connection.
#[derive(Debug)]
pub(super) struct RequestLines<R> {
    source: R,
    buffer: Vec<u8>,
    /// Where in `buffer` the next line begins.
    start: usize,
    /// Up to where a line feed was looked for.
    searched: usize,
    skipping: bool,
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RequestLine {
    Line(Vec<u8>),
    /// A line over the limit went by.
    TooLong,
    End,
}

const READ_BYTES: usize = 16 << 10;

impl<R: AsyncRead + Unpin> RequestLines<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            skipping: false,
        }
    }

    /// Returns the next line, without its end. Nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> io::Result<RequestLine> {
        loop {
            if let Some(end) =
                memchr::memchr(b'\n', &self.buffer[self.searched..]).map(|at| self.searched + at)
            {
                let line = self.buffer[self.start..end].to_vec();
                self.start = end + 1;
                self.searched = self.start;
                if std::mem::take(&mut self.skipping) || line.len() > REQUEST_BYTES {
                    return Ok(RequestLine::TooLong);
                }
                return Ok(RequestLine::Line(line));
            }
            self.buffer.drain(..self.start);
            self.start = 0;
            if self.buffer.len() > REQUEST_BYTES {
                self.skipping = true;
                self.buffer.clear();
            }
            self.searched = self.buffer.len();
            self.buffer.reserve(READ_BYTES);
            if self.source.read_buf(&mut self.buffer).await? == 0 {
                return Ok(RequestLine::End);
            }
        }
    }

    /// Waits until the peer has closed the connection; what it still sends is not read as requests.
    pub(super) async fn closed(&mut self) {
        loop {
            self.buffer.clear();
            (self.start, self.searched) = (0, 0);
            self.buffer.reserve(READ_BYTES);
            if matches!(self.source.read_buf(&mut self.buffer).await, Ok(0) | Err(_)) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines_of(input: &[u8]) -> Vec<RequestLine> {
        let mut lines = RequestLines::new(input);
        let mut read = Vec::new();
        loop {
            match lines.next().await.expect("a slice can be read") {
                RequestLine::End => return read,
                line => read.push(line),
            }
        }
    }

    #[tokio::test]
    async fn lines_come_one_by_one_and_what_has_no_end_is_no_request() {
        let expected = [RequestLine::Line(b"{}".to_vec()), RequestLine::Line(Vec::new())];
        assert_eq!(lines_of(b"{}\n\nrest").await, expected);
    }

    #[tokio::test]
    async fn a_line_over_the_limit_is_skipped_and_told_once() {
        let exact = vec![b'x'; REQUEST_BYTES];
        let input = [
            &exact[..],
            b"\n",
            &exact,
            b"y\n",
            &exact,
            &exact,
            &exact,
            b"\n",
            b"{}\n",
        ]
        .concat();
        let expected = [
            RequestLine::Line(exact.clone()),
            RequestLine::TooLong,
            RequestLine::TooLong,
            RequestLine::Line(b"{}".to_vec()),
        ];
        assert_eq!(lines_of(&input).await, expected);
    }
}
