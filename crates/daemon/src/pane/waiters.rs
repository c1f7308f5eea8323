//! Who waits on a pane: for a line, tested when it leaves the writing position and while it is in view, or for the end.

use pupitre_protocol::limits::{REPORTED_LINE_BYTES, WAIT_LINES};
use pupitre_terminal::{Mark, Screen, SearchPattern, harmless};
use tokio::sync::mpsc;

use super::Pane;

/// The most lines that one wait reports of a pane.
const REPORTED_LINES: usize = 20;

/// What a wait is told.
#[derive(Debug, Clone)]
pub(crate) enum Hit {
    /// These lines match.
    Lines(Vec<String>),
    /// The program has ended; all of its output was tested.
    Ended,
    /// The pane is being closed.
    Closed,
}

/// From when on lines count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    /// Also those that are there already, as far as they are among the last ones.
    Beginning,
    Now,
    /// What was written after this generation.
    Generation(u64),
}

/// The waits on one pane.
#[derive(Default)]
pub(super) struct Waiters {
    count: u64,
    all: Vec<Waiting>,
}

struct Waiting {
    number: u64,
    /// None once it has matched, or where only the end is waited for.
    pattern: Option<SearchPattern>,
    /// Only what was written after this generation counts.
    after: Option<u64>,
    hits: mpsc::UnboundedSender<Hit>,
}

/// A wait, as long as this lives.
pub(crate) struct Waiter {
    pane: Pane,
    number: u64,
}

impl Waiter {
    pub(super) fn new(pane: Pane, number: u64) -> Self {
        Self { pane, number }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.pane.end_wait(self.number);
    }
}

impl Waiters {
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Says whether lines have to be tested.
    pub(super) fn want_lines(&self) -> bool {
        self.all.iter().any(|waiting| waiting.pattern.is_some())
    }

    /// Begins a wait; what is there already counts, unless it is older than `after`.
    pub(super) fn begin(
        &mut self,
        screen: &Screen,
        (pattern, since): (Option<SearchPattern>, Since),
        hits: mpsc::UnboundedSender<Hit>,
    ) -> u64 {
        self.count += 1;
        let after = match since {
            Since::Beginning => None,
            Since::Now => Some(screen.generation()),
            Since::Generation(generation) => Some(generation),
        };
        let mut waiting = Waiting {
            number: self.count,
            pattern,
            after,
            hits,
        };
        if let Some(pattern) = &waiting.pattern {
            let there = match waiting.after {
                Some(generation) => {
                    let mark = Mark {
                        generation,
                        line: None,
                    };
                    screen.read_after(mark).text
                }
                None => screen
                    .read(WAIT_LINES, 0)
                    .map_or_else(|_| String::new(), |window| window.text),
            };
            let prompt = screen
                .line_up_to_cursor()
                .filter(|line| waiting.counts(line.generation));
            let prompt = prompt.iter().map(|line| line.text.as_str());
            let mut lines = matching(there.lines(), pattern);
            if lines.is_empty() {
                lines = matching(prompt, pattern);
            }
            if !lines.is_empty() {
                waiting.hit(lines);
            }
        }
        self.all.push(waiting);
        self.count
    }

    pub(super) fn remove(&mut self, number: u64) {
        self.all.retain(|waiting| waiting.number != number);
    }

    /// Tests a line that scrolled off.
    pub(super) fn test_scrolled(&mut self, text: &str, generation: u64) {
        for waiting in &mut self.all {
            waiting.test([(text, generation)].into_iter());
        }
    }

    /// Tests what is in view: the line of the cursor also with the blanks before it.
    pub(super) fn test_view(&mut self, screen: &Screen) {
        let (visible, prompt) = (screen.visible_lines(), screen.line_up_to_cursor());
        for waiting in &mut self.all {
            for lines in [visible.as_slice(), prompt.as_slice()] {
                waiting.test(lines.iter().map(|line| (line.text.as_str(), line.generation)));
            }
        }
    }

    /// Tells all of them the same.
    pub(super) fn tell(&self, hit: &Hit) {
        for waiting in &self.all {
            // Whoever no longer waits needs no word.
            waiting.hits.send(hit.clone()).ok();
        }
    }
}

impl Waiting {
    fn counts(&self, generation: u64) -> bool {
        self.after.is_none_or(|after| generation > after)
    }

    fn test<'a>(&mut self, lines: impl Iterator<Item = (&'a str, u64)>) {
        let Some(pattern) = &self.pattern else { return };
        let lines = lines
            .filter(|(_, generation)| self.counts(*generation))
            .map(|(text, _)| text);
        let lines = matching(lines, pattern);
        if !lines.is_empty() {
            self.hit(lines);
        }
    }

    fn hit(&mut self, lines: Vec<String>) {
        self.pattern = None;
        // Whoever no longer waits needs no word.
        self.hits.send(Hit::Lines(lines)).ok();
    }
}

/// Returns the lines that match, as they may be shown.
pub(crate) fn matching<'a>(lines: impl Iterator<Item = &'a str>, pattern: &SearchPattern) -> Vec<String> {
    lines
        .filter(|line| pattern.matches(line))
        .take(REPORTED_LINES)
        .map(reported)
        .collect()
}

/// Returns a line as a wait or a search reports it.
pub(crate) fn reported(line: &str) -> String {
    let end = line.floor_char_boundary(REPORTED_LINE_BYTES);
    harmless(&line[..end]).into_owned()
}
