//! Ctrl-C: leaves with 130, at once, or at the second time when a command wants to end its work first.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use pupitre_protocol::ExitCode;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use signal_hook::iterator::Signals;

/// What the next Ctrl-C does.
#[derive(Debug)]
pub(crate) struct Interrupts {
    leave: Arc<AtomicBool>,
}

impl Interrupts {
    /// From here on Ctrl-C leaves the program with 130.
    pub(crate) fn leave_at_once() -> io::Result<Self> {
        let leave = Arc::new(AtomicBool::new(true));
        flag::register_conditional_shutdown(
            SIGINT,
            i32::from(ExitCode::Interrupted as u8),
            Arc::clone(&leave),
        )?;
        // In this order: the first Ctrl-C that was caught makes the second one leave, whatever hangs meanwhile.
        flag::register(SIGINT, Arc::clone(&leave))?;
        Ok(Self { leave })
    }

    /// The next Ctrl-C calls `then`, on a thread of its own; the one after it leaves.
    pub(crate) fn catch_next(&self, then: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut signals = Signals::new([SIGINT])?;
        thread::spawn(move || {
            if signals.forever().next().is_some() {
                then();
            }
        });
        self.leave.store(false, Ordering::SeqCst);
        Ok(())
    }
}
