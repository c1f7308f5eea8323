//! One connection that is the view of a pane: frames of a kind, a length and bytes.

use std::io::{self, BufReader, Read as _};

use pupitre_protocol::surface::ViewerFrame;

use crate::transport::Stream;

/// The longest frame that is read, in bytes. A snapshot is the longest that there is.
const LONGEST_FRAME_BYTES: usize = 64 << 20;

/// What comes of a pane.
#[derive(Debug)]
pub struct View {
    stream: BufReader<Stream>,
}

/// Says why a view failed.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    #[error("the daemon sent what is no frame of a view")]
    BadFrame,
    #[error("cannot read from the daemon: {0}")]
    Read(#[from] io::Error),
}

impl View {
    pub(crate) fn new(stream: BufReader<Stream>) -> Self {
        Self { stream }
    }

    /// Waits for the next frame; `None` when the daemon has closed the connection. A kind that is not known here is skipped.
    ///
    /// # Errors
    ///
    /// When the connection breaks, or what comes is no frame.
    pub fn next_frame(&mut self) -> Result<Option<(ViewerFrame, Vec<u8>)>, ViewError> {
        loop {
            let mut head = [0; 5];
            match self.stream.read_exact(&mut head) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                Err(error) => return Err(error.into()),
            }
            let [kind, length @ ..] = head;
            let length = u32::from_le_bytes(length) as usize;
            if length > LONGEST_FRAME_BYTES {
                return Err(ViewError::BadFrame);
            }
            let mut bytes = vec![0; length];
            self.stream.read_exact(&mut bytes)?;
            if let Some(kind) = ViewerFrame::from_byte(kind) {
                return Ok(Some((kind, bytes)));
            }
        }
    }
}
