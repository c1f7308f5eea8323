//! `pupitre demo-agent`: a scripted ACP agent inside the binary, for newcomers and for tests.
//! This file runs it: lines in from stdin, lines out to stdout, a clock, an exit code.
//! What the agent says and when is decided in `agent` and `script`, which know neither streams nor clock.
//! It touches no file, runs no command and opens no connection.

mod agent;
mod picture;
mod prose;
mod script;
mod session;
mod tool;
mod wire;
mod word;

#[cfg(test)]
mod tests;

use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use agent::{Agent, Effect};

/// The environment variable with the pause between two streamed chunks, in milliseconds; `0` makes the
/// agent instant. (`slow` keeps its own pace.)
pub(crate) const PACE_VARIABLE: &str = "PUPITRE_DEMO_PACE_MS";

const DEFAULT_PACE_MS: u64 = 15;
const MAX_PACE_MS: u64 = 10_000;

/// The exit code of the word `crash`.
const CRASH_EXIT_CODE: u8 = 3;

/// How long the agent may still be writing after stdin ended, when nobody reads its stdout.
const LAST_WRITE_LIMIT: Duration = Duration::from_secs(1);

/// Lines that may wait between the reader and the agent.
const WAITING_LINES: usize = 256;

/// Serves one client on stdin and stdout until stdin ends.
pub(crate) fn run() -> ExitCode {
    let mut log = io::stderr();
    let served = greet_a_person(&mut log)
        .and_then(|()| pace_from_environment(&mut log))
        .and_then(|pace| {
            let agent = Agent::new(pace, fresh_origin());
            let mut output = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
            serve(
                agent,
                BufReader::new(io::stdin()),
                &mut output,
                &mut log,
                exit_soon,
            )
        });
    match served {
        Ok(Served::InputEnded) => ExitCode::SUCCESS,
        Ok(Served::Crashed) => ExitCode::from(CRASH_EXIT_CODE),
        // stdout or stderr is gone: nobody is left to read an explanation.
        Err(_) => ExitCode::FAILURE,
    }
}

/// How serving ended, when neither output stream failed.
#[derive(Debug, PartialEq, Eq)]
enum Served {
    InputEnded,
    Crashed,
}

enum ReaderEvent {
    Line(Vec<u8>),
    Ended,
}

/// Feeds `input` to the agent and writes what it answers, until the input ends or the agent crashes.
///
/// `after_end` runs on the reader's thread once the end of the input was announced.
fn serve(
    mut agent: Agent,
    input: impl BufRead + Send + 'static,
    output: &mut impl Write,
    log: &mut impl Write,
    after_end: fn(),
) -> io::Result<Served> {
    let (events_in, events) = mpsc::sync_channel(WAITING_LINES);
    thread::spawn(move || {
        read_lines(input, &events_in);
        after_end();
    });
    loop {
        let effects = match next_event(&events, agent.next_due()) {
            Some(ReaderEvent::Line(line)) => agent.receive(&line, Instant::now()),
            Some(ReaderEvent::Ended) => return Ok(Served::InputEnded),
            None => Vec::new(),
        };
        let effects = effects.into_iter().chain(agent.advance(Instant::now()));
        for effect in effects {
            match effect {
                Effect::Send(line) => {
                    output.write_all(line.as_bytes())?;
                    output.write_all(b"\n")?;
                }
                Effect::Log(line) => writeln!(log, "{line}")?,
                Effect::Crash => {
                    output.flush()?;
                    return Ok(Served::Crashed);
                }
            }
        }
        output.flush()?;
    }
}

/// Waits for a line or for `due`, whichever comes first; `None` means that `due` has come.
fn next_event(events: &Receiver<ReaderEvent>, due: Option<Instant>) -> Option<ReaderEvent> {
    let Some(due) = due else {
        // A reader that is gone without a word has ended as well.
        return Some(events.recv().unwrap_or(ReaderEvent::Ended));
    };
    match events.recv_timeout(due.saturating_duration_since(Instant::now())) {
        Ok(event) => Some(event),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(ReaderEvent::Ended),
    }
}

/// Sends each line, then the end. A stream that cannot be read any more has ended.
fn read_lines(mut input: impl BufRead, events: &SyncSender<ReaderEvent>) {
    loop {
        let mut line = Vec::new();
        let event = match input.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => ReaderEvent::Ended,
            Ok(_) => ReaderEvent::Line(line),
        };
        let ended = matches!(event, ReaderEvent::Ended);
        if events.send(event).is_err() || ended {
            return;
        }
    }
}

/// Ends the process although the main thread may hang in a write that nobody reads.
fn exit_soon() {
    let (_sender, never) = mpsc::channel::<()>();
    if never.recv_timeout(LAST_WRITE_LIMIT) == Err(RecvTimeoutError::Timeout) {
        std::process::exit(0);
    }
}

/// Says on stderr what this is when a person started it by hand in a terminal.
fn greet_a_person(log: &mut impl Write) -> io::Result<()> {
    if io::stdin().is_terminal() {
        writeln!(log, "{}", prose::TERMINAL_NOTE)?;
    }
    Ok(())
}

/// Returns the pause between two chunks; a value that is no number is reported and not used.
fn pace_from_environment(log: &mut impl Write) -> io::Result<Duration> {
    let pace_ms = match std::env::var(PACE_VARIABLE) {
        Err(_) => DEFAULT_PACE_MS,
        Ok(value) => match value.trim().parse::<u64>() {
            Ok(pace_ms) => pace_ms.min(MAX_PACE_MS),
            Err(_) => {
                writeln!(
                    log,
                    "{PACE_VARIABLE} is {value:?}, not a number: using {DEFAULT_PACE_MS}"
                )?;
                DEFAULT_PACE_MS
            }
        },
    };
    Ok(Duration::from_millis(pace_ms))
}

/// Returns a number that differs from run to run, so that session ids of two runs are never the same.
fn fresh_origin() -> u32 {
    use std::hash::{BuildHasher, RandomState};
    let bytes = RandomState::new().hash_one(std::process::id()).to_le_bytes();
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}
