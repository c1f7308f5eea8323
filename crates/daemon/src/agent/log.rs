//! An agent's log: the last lines of its stderr and stray ones of its stdout, kept across its restarts.
//!
//! A flood never slows anybody: lines that come too fast to be sent are counted, and the kept ones stay right.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use pupitre_protocol::agent::LogLine;
use pupitre_protocol::event::AgentLogged;
use pupitre_protocol::limits::{LOG_LINE_BYTES, LOG_LINES};
use pupitre_protocol::{AgentName, Event};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep, sleep_until};

use super::acp::{OpenEnd, Redactor};
use crate::clock::{epoch_ms, steady_ms};
use crate::hub::UnitEvent;

/// In each window of this many milliseconds …
const WINDOW_MS: u64 = 50;
/// … so many lines are sent as events.
const LINES_A_WINDOW: u32 = 100;
/// The next window has begun after this.
const NEXT_WINDOW: Duration = Duration::from_millis(WINDOW_MS);
/// How often the last line of all is tried to be sent, when nobody takes it.
const LAST_TRIES: usize = 20;
/// Stands at the end of a line that was cut.
const CUT_MARK: &str = " … (cut)";

/// The log of one agent; cloning shares it.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    agent: AgentName,
    kept: Arc<Mutex<Kept>>,
    events: mpsc::Sender<UnitEvent>,
    /// Lines have been missed: if no other comes, the last one is still to be sent.
    missing: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<LogLine>,
    /// How many lines there have been.
    count: u64,
    window: u64,
    sent_in_window: u32,
    /// How many lines were not sent, and nobody was told so yet. The newest of them is the newest line that is kept.
    missed: u64,
    /// How the last line of each source ended: a secret may go on in the next one.
    open_stderr: OpenEnd,
    open_stdout: OpenEnd,
}

impl Log {
    pub(crate) fn new(agent: AgentName, events: mpsc::Sender<UnitEvent>) -> Self {
        Self {
            agent,
            kept: Arc::default(),
            events,
            missing: Arc::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().expect("nothing panics while it holds the log")
    }

    /// Returns the lines that are kept, oldest first.
    pub(crate) fn lines(&self) -> Vec<LogLine> {
        self.lock().lines.iter().cloned().collect()
    }

    /// Returns the last lines that the agent wrote to stderr since `since` (epoch milliseconds), at most `most`.
    pub(crate) fn last_stderr(&self, since: u64, most: usize) -> Vec<String> {
        let kept = self.lock();
        let of_this_run = kept.lines.iter().filter(|line| !line.stray && line.ts >= since);
        let mut last: Vec<String> = of_this_run
            .rev()
            .take(most)
            .map(|line| line.line.clone())
            .collect();
        last.reverse();
        last
    }

    /// Adds a line of stderr.
    pub(crate) fn add(&self, line: &str, redactor: &Redactor) {
        self.push(line, redactor, Source::Stderr);
    }

    /// Adds a line of stdout that is no protocol message.
    pub(crate) fn add_stray(&self, line: &str, redactor: &Redactor) {
        self.push(line, redactor, Source::Stdout);
    }

    fn push(&self, line: &str, redactor: &Redactor, source: Source) {
        let stray = source == Source::Stdout;
        let mut kept = self.lock();
        let open = match source {
            Source::Stderr => &mut kept.open_stderr,
            Source::Stdout => &mut kept.open_stdout,
        };
        let mut text = redactor.redact_piece(line, LOG_LINE_BYTES, open).into_owned();
        if line.len() > LOG_LINE_BYTES {
            text.push_str(CUT_MARK);
        }
        kept.count += 1;
        let number = kept.count;
        kept.lines.push_back(LogLine {
            number,
            ts: epoch_ms(),
            line: text,
            stray,
        });
        if kept.lines.len() > LOG_LINES {
            kept.lines.pop_front();
        }
        kept.missed += 1;
        self.send_newest(&mut kept);
        if kept.missed > 0 {
            self.missing.notify_one();
        }
    }

    /// Sends the newest line, if there is room for it, and says how many before it were missed.
    fn send_newest(&self, kept: &mut Kept) {
        let window = steady_ms() / WINDOW_MS;
        if kept.window != window {
            (kept.window, kept.sent_in_window) = (window, 0);
        }
        let Some(newest) = kept.lines.back().filter(|_| kept.missed > 0) else {
            return;
        };
        let event = AgentLogged {
            agent: self.agent.clone(),
            number: newest.number,
            line: newest.line.clone(),
            stray: newest.stray,
            missed: kept.missed - 1,
        };
        let event = UnitEvent::Publish(Event::AgentLog(event));
        if kept.sent_in_window < LINES_A_WINDOW && self.events.try_send(event).is_ok() {
            kept.sent_in_window += 1;
            kept.missed = 0;
        }
    }

    /// Sends the newest line, when it was missed. Says whether it is still to be sent.
    fn catch_up(&self) -> bool {
        let mut kept = self.lock();
        self.send_newest(&mut kept);
        kept.missed > 0
    }

    /// Reads stderr to its end, and sends the last line of a burst when nothing comes after it. Carriage returns end lines
    /// too, so that progress bars are lines.
    pub(crate) async fn follow(self, mut stderr: impl AsyncRead + Unpin, redactor: Redactor) {
        let mut buffer = vec![0; 16 << 10];
        let mut line = Vec::new();
        let mut catch_up_at: Option<Instant> = None;
        loop {
            let due = catch_up_at.unwrap_or_else(Instant::now);
            let read = tokio::select! {
                read = stderr.read(&mut buffer) => read,
                () = self.missing.notified(), if catch_up_at.is_none() => {
                    catch_up_at = Some(Instant::now() + NEXT_WINDOW);
                    continue;
                }
                () = sleep_until(due), if catch_up_at.is_some() => {
                    catch_up_at = self.catch_up().then(|| Instant::now() + NEXT_WINDOW);
                    continue;
                }
            };
            let count = match read {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) => {
                    tracing::warn!(agent = %self.agent, %error, "stderr cannot be read any more");
                    break;
                }
            };
            for byte in &buffer[..count] {
                if matches!(byte, b'\n' | b'\r') {
                    self.end_line(&mut line, &redactor);
                } else if line.len() <= LOG_LINE_BYTES + redactor.longest_bytes() {
                    // What is over the limit shows that the line was cut, and whether the cut goes through a secret.
                    line.push(*byte);
                }
            }
        }
        self.end_line(&mut line, &redactor);
        for _ in 0..LAST_TRIES {
            if !self.catch_up() {
                break;
            }
            sleep(NEXT_WINDOW).await;
        }
    }

    fn end_line(&self, line: &mut Vec<u8>, redactor: &Redactor) {
        if !line.is_empty() {
            self.add(&String::from_utf8_lossy(line), redactor);
            line.clear();
        }
    }
}

/// Where a line came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Stderr,
    Stdout,
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn log_of(stderr: &[u8], room: usize) -> (Log, mpsc::Receiver<UnitEvent>) {
        let (events, events_in) = mpsc::channel(room);
        let log = Log::new("demo".parse().expect("a name"), events);
        log.clone().follow(stderr, Redactor::new(["s3cret"])).await;
        (log, events_in)
    }

    fn texts(log: &Log) -> Vec<String> {
        log.lines().into_iter().map(|line| line.line).collect()
    }

    #[tokio::test]
    async fn lines_end_at_line_feeds_and_carriage_returns_and_the_end() {
        let (log, _events) = log_of(b"one\r\n10%\r20%\rtwo s3cret\n\xff!\nlast", 100).await;
        assert_eq!(texts(&log), ["one", "10%", "20%", "two ***", "\u{fffd}!", "last"]);
    }

    #[tokio::test]
    async fn a_long_line_is_cut_and_marked() {
        let exact = [vec![b'x'; LOG_LINE_BYTES], b"\n".to_vec()].concat();
        let (log, _events) = log_of(&exact, 100).await;
        assert_eq!(texts(&log), ["x".repeat(LOG_LINE_BYTES)]);
        let (log, _events) = log_of(&vec![b'x'; LOG_LINE_BYTES + 5], 100).await;
        assert_eq!(texts(&log), [format!("{}{CUT_MARK}", "x".repeat(LOG_LINE_BYTES))]);
    }

    #[tokio::test]
    async fn neither_a_cut_nor_a_line_break_shows_a_part_of_a_secret() {
        let begin = "x".repeat(LOG_LINE_BYTES - 4);
        let (log, _events) = log_of(format!("{begin}s3cret\n").as_bytes(), 100).await;
        assert_eq!(texts(&log), [format!("{begin}***{CUT_MARK}")]);
        let (log, _events) = log_of(b"it is s3cr\net, said he\ns3c\r\nret", 100).await;
        assert_eq!(texts(&log), ["it is ***", "***, said he", "s3c", "***"]);
    }

    #[tokio::test]
    async fn the_last_line_of_a_burst_is_sent_although_nothing_follows() {
        use tokio::io::AsyncWriteExt as _;

        let (events, mut events_in) = mpsc::channel(1_000);
        let log = Log::new("demo".parse().expect("a name"), events);
        let (mut program, stderr) = tokio::io::duplex(1 << 20);
        let burst: String = (1..=1_000).map(|n| format!("line {n}\n")).collect();
        program.write_all(burst.as_bytes()).await.expect("there is room");
        let told = async {
            let mut told = 0;
            while told < 1_000 {
                let UnitEvent::Publish(Event::AgentLog(logged)) = events_in.recv().await.expect("more comes")
                else {
                    panic!("a line of the log")
                };
                told += 1 + logged.missed;
                assert_eq!(logged.number, told);
                assert_eq!(logged.line, format!("line {told}"));
            }
            // Only now does its stderr end.
            drop(program);
        };
        tokio::join!(log.follow(stderr, Redactor::default()), told);
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_counted_and_the_last_lines_stay_right() {
        let flood: String = (0..1_000).map(|n| format!("line {n}\n")).collect();
        let (log, mut events) = log_of(flood.as_bytes(), 3).await;
        assert_eq!(texts(&log).len(), LOG_LINES);
        assert_eq!(texts(&log)[LOG_LINES - 1], "line 999");
        for _ in 0..3 {
            events.try_recv().expect("as many as there was room for");
        }
        log.add("after", &Redactor::default());
        // The window may be full; the next one is told how many went missing.
        let kept = log.lock();
        let told = match events.try_recv() {
            Ok(UnitEvent::Publish(Event::AgentLog(logged))) => logged.missed,
            Ok(other) => panic!("{other:?}"),
            Err(_) => kept.missed - 1,
        };
        assert_eq!(told, 997);
    }
}
