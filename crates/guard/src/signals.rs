//! The signals of the guard itself, turned into something to poll. SIGCHLD and SIGTERM wake it; SIGHUP and
//! SIGINT, which reach it when a terminal closes or a person presses ^C, do nothing: the daemon decides.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

/// Installed handlers and the pipe they write to.
///
/// Handlers and not `SIG_IGN`, also for what is ignored: a handler is forgotten at `exec`, an ignored signal would
/// stay ignored in the agent.
#[derive(Debug)]
pub(crate) struct Signals {
    woken: UnixStream,
    terminated: Arc<AtomicBool>,
}

impl Signals {
    /// Installs the handlers. Fails when the process is out of descriptors.
    pub(crate) fn install() -> io::Result<Self> {
        let (woken, waker) = UnixStream::pair()?;
        woken.set_nonblocking(true)?;
        let terminated = Arc::new(AtomicBool::new(false));
        // The flag first: handlers of one signal run in the order of their registration.
        signal_hook::flag::register(SIGTERM, Arc::clone(&terminated))?;
        signal_hook::low_level::pipe::register(SIGTERM, waker.try_clone()?)?;
        signal_hook::low_level::pipe::register(SIGCHLD, waker)?;
        for ignored in [SIGHUP, SIGINT] {
            signal_hook::flag::register(ignored, Arc::new(AtomicBool::new(false)))?;
        }
        unblock_all()?;
        Ok(Self { woken, terminated })
    }

    /// Returns what to poll.
    pub(crate) fn pollable(&self) -> BorrowedFd<'_> {
        self.woken.as_fd()
    }

    /// Takes what woke the guard; returns whether a SIGTERM to the guard itself was among it.
    pub(crate) fn drain(&mut self) -> io::Result<Woken> {
        let mut bytes = [0_u8; 64];
        loop {
            match self.woken.read(&mut bytes) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(if self.terminated.swap(false, Ordering::SeqCst) {
            Woken::Terminated
        } else {
            Woken::ByChildren
        })
    }
}

/// Why the guard woke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Woken {
    /// At most children have ended.
    ByChildren,
    /// Somebody sent SIGTERM to the guard.
    Terminated,
}

/// Undoes a mask inherited from whoever started the daemon: with SIGCHLD blocked the guard would see no end.
#[expect(
    unsafe_code,
    reason = "no safe wrapper of the signal mask among our dependencies"
)]
fn unblock_all() -> io::Result<()> {
    let mut none = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: sigemptyset writes the set it is given, which has room for one, and so initializes it before
    // pthread_sigmask reads it; a null pointer for the old mask is allowed.
    let error = unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut())
    };
    if error == 0 {
        Ok(())
    } else {
        Err(io::Error::from_raw_os_error(error))
    }
}
