//! The memory that panes hold, counted at the allocator.
//!
//! The memory of the process would tell less: what a folded screen gives back stays with the allocator, which hands it
//! to the next pane, and pages that were never written are not there yet.

use pupitre_terminal::Screen;

use super::allocations::held_bytes;
use super::corpora::{cjk, colour, line80};
use super::figure::{self, AtMost, Measured};
use super::stream::Random;
use super::{FULL_LINES, feed, screen};

const KIB: isize = 1 << 10;

/// A kind of pane: its lines, and what it may hold in view and folded.
struct Kind {
    what: &'static str,
    line: Option<fn(&mut Random, usize) -> String>,
    most: isize,
    most_folded: Option<isize>,
}

const KINDS: [Kind; 5] = [
    Kind {
        what: "an empty pane",
        line: None,
        most: 250 * KIB,
        most_folded: Some(20 * KIB),
    },
    Kind {
        what: "a pane with 10,000 lines of one sentence",
        line: Some(line80),
        most: 600_000,
        most_folded: None,
    },
    Kind {
        what: "a pane with 10,000 lines of random ASCII",
        line: Some(random80),
        most: 1_300_000,
        most_folded: None,
    },
    Kind {
        what: "a pane with 10,000 lines in colour",
        line: Some(colour),
        most: 600_000,
        most_folded: None,
    },
    Kind {
        what: "a pane with 10,000 lines of CJK",
        line: Some(cjk),
        most: 1_300_000,
        most_folded: None,
    },
];

pub(crate) fn of_panes() {
    // First, while nothing that was freed can be used again.
    resident();
    // What a thread keeps for all of its panes comes with the first one.
    feed(&mut screen(), b"\x1b[?25h");
    for Kind {
        what,
        line,
        most,
        most_folded,
    } in KINDS
    {
        let mut random = Random::new(7);
        let text: String = line.map_or_else(String::new, |line| {
            (0..FULL_LINES).map(|index| line(&mut random, index)).collect()
        });
        let before = held_bytes();
        let mut pane = Box::new(screen());
        feed(&mut pane, text.as_bytes());
        let live = held_bytes() - before;
        pane.freeze();
        let folded = held_bytes() - before;
        drop(pane);
        figure::print(
            &format!("{what}, 200 × 50, counted"),
            &Measured::Bytes(live),
            None,
            Some(AtMost::Bytes(most)),
        );
        figure::print(
            &format!("{what}, folded"),
            &Measured::Bytes(folded),
            None,
            most_folded.map(AtMost::Bytes),
        );
    }
}

fn random80(random: &mut Random, _: usize) -> String {
    let line: String = (0..80)
        .map(|_| char::from(b'!' + random.below(90) as u8))
        .collect();
    line + "\r\n"
}

/// Panes of this many are made for what the process holds.
const PANES: isize = 50;

/// What the process itself holds for empty panes, and after they were folded and the allocator was asked to give back
/// what is free.
fn resident() {
    let before = private_bytes();
    let mut panes: Vec<Screen> = (0..PANES)
        .map(|_| {
            let mut pane = screen();
            feed(&mut pane, b"$ ");
            pane
        })
        .collect();
    let live = (private_bytes() - before) / PANES;
    panes.iter_mut().for_each(Screen::freeze);
    give_back();
    let folded = (private_bytes() - before) / PANES;
    let print = |what: &str, bytes| figure::print(what, &Measured::Bytes(bytes), None, None);
    print("an idle pane, private memory of the process, mean of 50", live);
    print(
        "an idle pane, folded, private memory of the process, mean of 50",
        folded,
    );
}

/// Asks the allocator to give free pages back to the system.
#[expect(unsafe_code, reason = "only the C library knows its free pages")]
fn give_back() {
    // SAFETY: the call has no conditions.
    unsafe { libc::malloc_trim(0) };
}

fn private_bytes() -> isize {
    let text =
        std::fs::read_to_string("/proc/self/smaps_rollup").expect("Linux tells the memory of a process");
    let line = text.lines().find_map(|line| line.strip_prefix("Private_Dirty:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<isize>().ok());
    kib.expect("the line is there") * KIB
}
