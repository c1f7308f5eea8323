//! `attach`: a pane in this terminal, as if its program ran here, until the detach key.
//!
//! The bytes of the pane go to the terminal as they come, and what is typed goes back the same way; the pane takes this
//! terminal's size. What the terminal answers to questions of the program is kept back by the daemon, which has answered
//! them itself.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use pupitre_client::{CallError, Client};
use pupitre_protocol::ErrorKind;
use pupitre_protocol::method::surface;
use pupitre_protocol::surface::{
    ExitStatus, PaneSize, SurfaceInputParams, SurfaceParams, SurfaceResizeParams, ViewerFrame,
};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTTOU, SIGWINCH};
use signal_hook::iterator::Signals;

use crate::desk::Desk;
use crate::failure::Failure;
use crate::output::Output;

/// Puts a terminal back into the state that a shell expects: attributes, cursor, primary screen, no mouse, no pastes
/// in brackets, plain keys, all rows scrolling.
const RESET: &[u8] = b"\x1b[?1049l\x1b[<99u\x1b[>4;0m\x1b[?1l\x1b>\x1b[?9l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1005l\x1b[?1006l\x1b[?1015l\x1b[?2004l\x1b[?2026l\x1b[?7h\x1b[4l\x1b[r\x1b(B\x0f\x1b[0m\x1b[?25h\x1b[0 q\x1b[999;1H\r\n";
/// Empties the terminal before the pane is drawn.
const CLEAR: &[u8] = b"\x1b[?1049l\x1b[r\x1b[0m\x1b[H\x1b[2J";

/// How long what was typed before the detach key may take to go out.
const LAST_KEYS: Duration = Duration::from_millis(300);

#[derive(Debug, Args)]
pub(crate) struct AttachArguments {
    /// An id, a name or its beginning, cmdline:TEXT or cwd:FOLDER
    #[arg(value_name = "TARGET")]
    target: String,
    /// The key that leaves: ctrl- and a letter or one of @ \ ] ^ _
    #[arg(long, value_name = "KEY", default_value = "ctrl-\\", value_parser = detach_key)]
    detach_key: DetachKey,
}

/// The key that leaves the pane alone again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DetachKey {
    /// What it is without Ctrl: a lower-case letter, or one of `@ \ ] ^ _`.
    character: u8,
}

impl DetachKey {
    /// Returns where in what was typed the key stands, however the terminal encodes it: as a control character, or with
    /// the keyboard modes that a program may have asked for.
    fn place(self, typed: &[u8]) -> Option<usize> {
        let control = self.character.to_ascii_uppercase() & 0x1f;
        let encodings = [
            vec![control],
            format!("\x1b[{};5u", self.character).into_bytes(),
            format!("\x1b[27;5;{}~", self.character).into_bytes(),
        ];
        let place = |encoding: &Vec<u8>| {
            typed
                .windows(encoding.len())
                .position(|window| window == encoding)
        };
        encodings.iter().filter_map(place).min()
    }
}

fn detach_key(text: &str) -> Result<DetachKey, String> {
    let character = text
        .strip_prefix("ctrl-")
        .map(str::as_bytes)
        .and_then(|rest| match rest {
            [character] => Some(character.to_ascii_lowercase()),
            _ => None,
        })
        .filter(|character| character.is_ascii_lowercase() || b"@\\]^_".contains(character));
    match character {
        // Return, line feed and tab are keys of their own; Escape begins those of many others.
        Some(b'm' | b'j' | b'i') | None => Err(format!(
            "\"{text}\" cannot be the detach key: give ctrl- and a letter but i, j and m, or one of @ \\ ] ^ _"
        )),
        Some(character) => Ok(DetachKey { character }),
    }
}

/// The terminal in raw mode, put back when this ends.
struct Raw {
    before: Termios,
}

impl Raw {
    fn begin() -> io::Result<Self> {
        let before = tcgetattr(rustix::stdio::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self { before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let mut stdout = io::stdout();
        // Whoever is in the background by now is refused, and not held for ever: a signal that is handled does not stop.
        signal_hook::flag::register(SIGTTOU, Arc::default()).ok();
        // The terminal may be gone, which is why we leave.
        stdout.write_all(RESET).and_then(|()| stdout.flush()).ok();
        tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &self.before).ok();
    }
}

/// Why the pane is left.
enum Left {
    Detached,
    Ended(ExitStatus),
    Closed,
    DaemonGone,
    /// By this signal.
    Told(i32),
}

pub(crate) fn run(desk: &Desk, output: &mut Output, arguments: AttachArguments) -> Result<(), Failure> {
    let AttachArguments { target, detach_key } = arguments;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Failure::Input(
            "attach needs a terminal on stdin and stdout; `pupitre read` gives the text".to_owned(),
        ));
    }
    let mut keys = desk.find()?;
    let (reply, view) = desk.connect_again()?.view(&SurfaceParams { surface: target })?;
    let id = reply.surface_id.to_string();
    if std::env::var("PUPITRE_SURFACE_ID").is_ok_and(|own| own == id) {
        return Err(Failure::Input(format!(
            "this is pane {id} itself: shown in itself it would only draw its own drawing"
        )));
    }
    resize(&mut keys, &id)?;
    let mut resizes = Signals::new([SIGWINCH]).map_err(Failure::Signals)?;
    let resize_handle = resizes.handle();
    let left = {
        let raw = Raw::begin()?;
        // Only now is there something to put back. Before, in the background, the system holds this program until it is in the
        // foreground, and a signal must end it there.
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            resize_handle.add_signal(signal).map_err(Failure::Signals)?;
        }
        let is_left = Arc::new(AtomicBool::new(false));
        let mut sizes = desk.connect_again()?;
        let of_sizes = id.clone();
        let (ends, left) = mpsc::channel();
        let from_signals = ends.clone();
        let resizer = thread::spawn(move || {
            for signal in resizes.forever() {
                if signal == SIGWINCH {
                    // A pane that is gone is seen by whoever reads its frames.
                    resize(&mut sizes, &of_sizes).ok();
                } else {
                    // Whoever has left already waits for nothing.
                    from_signals.send(Ok(Left::Told(signal))).ok();
                }
            }
        });
        let from_pane = ends.clone();
        let is_left_by_pane = Arc::clone(&is_left);
        thread::spawn(move || {
            let left = show(view, &is_left_by_pane);
            // Whoever has left already waits for nothing.
            from_pane.send(left).ok();
        });
        let (typed, to_send) = mpsc::channel();
        let from_sender = ends.clone();
        thread::spawn(move || {
            let left = send_all(&mut keys, &id, &to_send);
            from_sender.send(left).ok();
        });
        thread::spawn(move || {
            let left = read_keys(&typed, detach_key);
            // What was typed before has a moment to go out, but a program that reads nothing keeps nobody here.
            drop(typed);
            thread::park_timeout(LAST_KEYS);
            ends.send(left).ok();
        });
        let left = left.recv().unwrap_or(Ok(Left::DaemonGone));
        is_left.store(true, Ordering::SeqCst);
        resize_handle.close();
        // It ends with its handle; a panic of it would have been told already.
        resizer.join().ok();
        drop(raw);
        left?
    };
    match left {
        Left::Detached => output.progress(&format!(
            "detached; the program goes on: `pupitre attach {}` comes back",
            reply.surface_id
        ))?,
        Left::Ended(status) => {
            output.progress(&format!(
                "the program has ended: {}",
                crate::output::exit_words(&status)
            ))?;
        }
        Left::Closed => output.progress("the pane was closed")?,
        Left::DaemonGone => return Err(Failure::DaemonGone),
        // The terminal is as it was: now the signal does what it does to every program.
        Left::Told(signal) => signal_hook::low_level::emulate_default_handler(signal)?,
    }
    Ok(())
}

fn resize(client: &mut Client, id: &str) -> Result<(), Failure> {
    if let Some(size) = terminal_size()? {
        client.call::<surface::Resize>(&SurfaceResizeParams {
            surface: id.to_owned(),
            size,
        })?;
    }
    Ok(())
}

/// Returns the size of this terminal; none when it does not know its own, which it says with 0.
fn terminal_size() -> io::Result<Option<PaneSize>> {
    let size = tcgetwinsize(rustix::stdio::stdout())?;
    Ok((size.ws_col > 0 && size.ws_row > 0).then_some(PaneSize {
        columns: size.ws_col,
        rows: size.ws_row,
    }))
}

/// Writes what comes of the pane, until it is left.
fn show(mut view: pupitre_client::View, is_left: &AtomicBool) -> Result<Left, Failure> {
    loop {
        let frame = view
            .next_frame()
            .map_err(|error| Failure::Input(format!("the view of the pane broke: {error}")))?;
        let Some((kind, bytes)) = frame else {
            return Ok(Left::DaemonGone);
        };
        // Whoever leaves puts the terminal back, and nothing may be drawn after that.
        let mut stdout = io::stdout().lock();
        if is_left.load(Ordering::SeqCst) {
            return Ok(Left::Detached);
        }
        match kind {
            ViewerFrame::Output => stdout.write_all(&bytes)?,
            ViewerFrame::Snapshot => {
                stdout.write_all(CLEAR)?;
                stdout.write_all(&bytes)?;
            }
            // The snapshot that follows is drawn for it.
            ViewerFrame::Size => {}
            ViewerFrame::Ended => {
                let status = serde_json::from_slice(&bytes).map_err(|error| {
                    Failure::Input(format!("the end of the program cannot be read: {error}"))
                })?;
                return Ok(Left::Ended(status));
            }
            ViewerFrame::Closed => return Ok(Left::Closed),
        }
        stdout.flush()?;
    }
}

/// Sends keys; waits as long as the program does not read what it was given before.
fn send(client: &mut Client, id: &str, bytes: &[u8]) -> Result<(), Failure> {
    let params = SurfaceInputParams {
        surface: id.to_owned(),
        data: STANDARD.encode(bytes),
        // The pane has the size of the terminal that is typed in.
        size: terminal_size()?,
    };
    loop {
        match client.call::<surface::Input>(&params) {
            Ok(_) => return Ok(()),
            Err(CallError::Rpc(error)) if error.kind() == Some(ErrorKind::QueueFull) => {
                thread::park_timeout(Duration::from_millis(100));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Sends what was typed, in its order, until no more comes.
fn send_all(client: &mut Client, id: &str, typed: &mpsc::Receiver<Vec<u8>>) -> Result<Left, Failure> {
    for bytes in typed {
        send(client, id, &bytes)?;
    }
    Ok(Left::Detached)
}

/// Reads what is typed, until the detach key. It never waits for the pane, so that one can always leave.
fn read_keys(typed_out: &mpsc::Sender<Vec<u8>>, detach_key: DetachKey) -> Result<Left, Failure> {
    let mut stdin = io::stdin().lock();
    let mut buffer = [0; 8 << 10];
    loop {
        let count = match stdin.read(&mut buffer) {
            Ok(0) => return Ok(Left::Detached),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        let typed = &buffer[..count];
        let detach = detach_key.place(typed);
        let bytes = &typed[..detach.unwrap_or(count)];
        // Where nobody sends any more, that has been told.
        if !bytes.is_empty() && typed_out.send(bytes.to_vec()).is_err() {
            return Ok(Left::Detached);
        }
        if detach.is_some() {
            return Ok(Left::Detached);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_detach_key_is_found_however_the_terminal_encodes_it() {
        let key = detach_key("ctrl-\\").expect("it is one");
        assert_eq!(key.place(b"ab\x1ccd"), Some(2));
        assert_eq!(key.place(b"a\x1b[92;5u"), Some(1));
        assert_eq!(key.place(b"\x1b[27;5;92~"), Some(0));
        assert_eq!(key.place(b"plain \\ text\x1b[92;2u"), None);
        assert_eq!(detach_key("ctrl-B").map(|key| key.place(b"\x02")), Ok(Some(0)));
        for no_key in [
            "", "x", "ctrl-", "ctrl-xy", "ctrl-m", "ctrl-i", "ctrl-[", "alt-x", "ctrl-é",
        ] {
            assert!(detach_key(no_key).is_err(), "{no_key}");
        }
    }
}
