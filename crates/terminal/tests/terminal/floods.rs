//! Streams that mean harm, each with what it may cost: a test pours a part of each, `cargo xtask adversary` all of it.

use std::time::Instant;

use pupitre_terminal::{HistoryLimits, Screen, ScreenOptions, Size};

use crate::allocations::{growth_during, held_bytes};
use crate::stream::Random;

/// Memory of a screen of 200 × 50 with nothing in its history, whatever stands in its cells.
const SCREEN_BYTES: usize = 1 << 20;
/// Marks on every cell of such a screen, as many as a cell keeps.
const MARKED_SCREEN_BYTES: usize = 5 << 20;
/// What waits to be taken by whoever feeds a screen: answers and signals.
const WAITING_BYTES: usize = 3 << 20;
/// Beside what the history may hold: two blocks that are not compressed yet, and room to grow into.
const OPEN_BLOCK_BYTES: usize = 3 << 20;

/// A stream that means harm.
pub(crate) struct Flood {
    pub(crate) name: &'static str,
    /// The bytes that come before.
    begin: &'static [u8],
    /// The bytes of piece number so and so.
    piece: fn(usize) -> Vec<u8>,
    pieces: usize,
    /// The memory it may take at most, in bytes.
    pub(crate) most_bytes: usize,
}

/// What a flood did.
pub(crate) struct Poured {
    pub(crate) screen: Screen,
    pub(crate) fed_bytes: usize,
    /// The memory of the screen at its most, in bytes.
    pub(crate) held_bytes: usize,
}

impl Flood {
    /// Pours one of `share` parts of the flood into a new screen.
    pub(crate) fn pour(&self, share: usize) -> Poured {
        let new_screen = || {
            Screen::new(ScreenOptions {
                size: Size::new(200, 50),
                ..ScreenOptions::default()
            })
        };
        // What a thread keeps for all of its screens comes with the first one.
        new_screen().feed(b"\x1b[?25h", Instant::now());
        let begun = held_bytes();
        let (mut screen, most) = growth_during(new_screen);
        let (mut most_held, mut fed_bytes) = (most, self.begin.len());
        screen.feed(self.begin, Instant::now());
        for index in 0..self.pieces.div_ceil(share) {
            let held = held_bytes() - begun;
            let piece = (self.piece)(index);
            let ((), most) = growth_during(|| screen.feed(&piece, Instant::now()));
            most_held = most_held.max(held + most);
            fed_bytes += piece.len();
        }
        Poured {
            screen,
            fed_bytes,
            held_bytes: usize::try_from(most_held).unwrap_or_default(),
        }
    }
}

/// Returns every flood, at full size.
pub(crate) fn floods() -> Vec<Flood> {
    let history = HistoryLimits::default().bytes + OPEN_BLOCK_BYTES;
    let flood = |name, begin, piece, pieces, most_bytes| Flood {
        name,
        begin,
        piece,
        pieces,
        most_bytes,
    };
    let mut floods = vec![
        flood(
            "500,000 keyboard modes",
            b"",
            |_| b"\x1b[>1u".repeat(5000),
            100,
            SCREEN_BYTES,
        ),
        flood(
            "five million marks on one cell",
            b"x",
            |_| "\u{301}".repeat(50_000).into_bytes(),
            100,
            SCREEN_BYTES,
        ),
        flood(
            "marks on every cell",
            b"",
            |_| format!("{}x", "\u{301}".repeat(40)).repeat(10_000).into_bytes(),
            10,
            MARKED_SCREEN_BYTES + history,
        ),
        flood(
            "a line of 64 MiB",
            b"",
            |_| vec![b'x'; 1 << 20],
            64,
            history + SCREEN_BYTES,
        ),
        flood(
            "a line of 64 MiB of random ideographs",
            b"",
            |piece| {
                let mut random = Random::new(piece as u64);
                let ideograph =
                    |_| char::from_u32(0x4e00 + random.below(0x51a5) as u32).expect("there are ideographs");
                (0..(1 << 20) / 3).map(ideograph).collect::<String>().into_bytes()
            },
            64,
            history + SCREEN_BYTES,
        ),
        flood(
            "64 MiB of random bytes",
            b"",
            |piece| {
                let mut random = Random::new(piece as u64);
                (0..1 << 20).map(|_| random.next() as u8).collect()
            },
            64,
            history + WAITING_BYTES + MARKED_SCREEN_BYTES,
        ),
        flood(
            "huge parameters",
            b"text",
            huge_parameters,
            1000,
            history + SCREEN_BYTES,
        ),
        flood(
            "ten thousand parameters",
            b"",
            |_| [b"\x1b[".to_vec(), b"1;".repeat(10_000), b"m".to_vec()].concat(),
            100,
            SCREEN_BYTES,
        ),
        flood(
            "a hundred million repeated characters",
            b"x",
            |_| b"\x1b[65535b\n".repeat(100),
            16,
            history + SCREEN_BYTES,
        ),
        flood(
            "links on every character",
            b"",
            |line| {
                let link =
                    |column: usize| format!("\x1b]8;;http://{line}/{column}/{}\x1b\\x", "u".repeat(1900));
                (0..200).map(link).collect::<String>().into_bytes()
            },
            500,
            history + (30 << 20),
        ),
        flood(
            "switching screens",
            b"",
            |_| b"\x1b[?1049h\x1b[2Jx\x1b[?1049l\x1b[?3h\x1b[?3l".repeat(1000),
            20,
            history + SCREEN_BYTES,
        ),
        flood(
            "clearing a full screen",
            b"",
            |_| {
                [b"x\r\n".repeat(50), b"\x1b[2J\x1b[H".to_vec()]
                    .concat()
                    .repeat(100)
            },
            20,
            history + SCREEN_BYTES,
        ),
        flood(
            "titles put aside",
            b"",
            |_| format!("\x1b]2;{}\x07\x1b[22t", "t".repeat(15_000)).into_bytes(),
            10_000,
            SCREEN_BYTES,
        ),
        flood(
            "questions",
            b"",
            |_| b"\x1b[c\x1b]11;?\x07\x1b]7501;?\x07".repeat(1000),
            1000,
            WAITING_BYTES + SCREEN_BYTES,
        ),
        flood("bells", b"", |_| vec![7; 1 << 20], 16, SCREEN_BYTES),
        flood(
            "notifications",
            b"",
            |piece| format!("\x1b]9;{piece} {}\x07", "n".repeat(15_000)).into_bytes(),
            10_000,
            WAITING_BYTES + SCREEN_BYTES,
        ),
        flood(
            "states of its parts",
            b"",
            |piece| {
                format!(
                    "\x1b]7501;state=working:id={piece}:msg={}\x07",
                    "QUFB".repeat(600)
                )
                .into_bytes()
            },
            10_000,
            WAITING_BYTES + SCREEN_BYTES,
        ),
    ];
    for (name, begin) in [
        ("a title without end", b"\x1b]0;".as_slice()),
        ("a state without end", b"\x1b]7501;"),
        ("a link without end", b"\x1b]8;;"),
        ("a clipboard without end", b"\x1b]52;c;"),
        ("an OSC behind a NUL without end", b"\x1b\0]0;"),
        ("a DCS without end", b"\x1bP+q"),
        ("an APC without end", b"\x1b_G"),
        ("a PM without end", b"\x1b^"),
    ] {
        floods.push(flood(name, begin, |_| vec![b'a'; 1 << 20], 64, SCREEN_BYTES));
    }
    floods
}

fn huge_parameters(piece: usize) -> Vec<u8> {
    let letters = b"ABCDEFGHIJKLMPSTXZ@`abdefghlmnqrstu";
    let letter = letters[piece % letters.len()];
    [
        b"text\x1b[99999999999999999999;99999999999999999999".as_slice(),
        &[letter],
        b"\x1b[65535;65535",
        &[letter],
    ]
    .concat()
}
