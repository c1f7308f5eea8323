//! One line out of a stream, never longer than the protocol allows.

use std::io::{self, BufRead, Read as _};

use pupitre_protocol::limits::{FRAME_BYTES, REPLY_BYTES};

/// What a reply or a frame may have, and room for the envelope around it, in bytes.
const LONGEST_LINE_BYTES: usize = if REPLY_BYTES > FRAME_BYTES {
    REPLY_BYTES
} else {
    FRAME_BYTES
} + (64 << 10);

/// Says why there is no next line.
#[derive(Debug, thiserror::Error)]
pub enum ReadLineError {
    #[error("the daemon sent a line longer than {LONGEST_LINE_BYTES} bytes")]
    TooLong,
    #[error("the daemon sent a line that is no UTF-8")]
    NotUtf8,
    #[error("cannot read from the daemon: {0}")]
    Read(#[source] io::Error),
}

/// Reads one line, without its line break; `None` at the end of the stream. A last line that was cut off by the end
/// is no line.
pub(crate) fn read_line(input: &mut impl BufRead) -> Result<Option<String>, ReadLineError> {
    let mut line = Vec::new();
    let most = u64::try_from(LONGEST_LINE_BYTES).expect("the limit is far below 2^64") + 1;
    match input.take(most).read_until(b'\n', &mut line) {
        Ok(_) => {}
        // The daemon closed its side while it had something of ours unread: the end, too.
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return Ok(None),
        Err(error) => return Err(ReadLineError::Read(error)),
    }
    if line.last() != Some(&b'\n') {
        return if line.len() > LONGEST_LINE_BYTES {
            Err(ReadLineError::TooLong)
        } else {
            Ok(None)
        };
    }
    line.pop();
    String::from_utf8(line)
        .map(Some)
        .map_err(|_| ReadLineError::NotUtf8)
}
