//! An output that tests can read.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::{Device, Output, Paint, Sink};

/// What was written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no writer panicked").clone()).expect("UTF-8")
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .expect("no writer panicked")
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns an output without colour on such a device, and what it writes to stdout and stderr.
pub(crate) fn output_on(device: Device) -> (Output, Captured, Captured) {
    let (out, err) = (Captured::default(), Captured::default());
    let sink = |captured: &Captured| Sink {
        writer: Box::new(captured.clone()),
        device,
        paint: Paint::Plain,
    };
    (
        Output {
            out: sink(&out),
            err: sink(&err),
        },
        out,
        err,
    )
}
