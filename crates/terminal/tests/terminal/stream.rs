//! Random streams for a terminal: what real programs send, and what none should.

use pupitre_terminal::Size;

/// A small generator of random numbers (splitmix64): the same seed always gives the same stream.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    pub(crate) fn size(&mut self) -> Size {
        Size::new(
            self.pick(&[80, 20, 7, 200, 2, 40, 81]),
            self.pick(&[24, 5, 1, 50, 3, 2]),
        )
    }
}

/// What happens to a screen.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Bytes(Vec<u8>),
    Freeze,
    Resize(Size),
}

/// Returns the steps of a seed. Seeds differ in kind: plain, with resets, with freezing, with resizes, with all.
pub(crate) fn steps(random: &mut Random, seed: u64) -> Vec<Step> {
    let (resets, freezes, resizes) = match seed % 6 {
        0 | 1 => (false, false, false),
        2 => (true, false, false),
        3 => (false, true, false),
        4 => (false, false, true),
        _ => (true, true, true),
    };
    let mut bytes = Vec::new();
    for _ in 0..60 + random.below(200) {
        piece(random, &mut bytes, resets);
    }
    let mut steps = Vec::new();
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        let (chunk, behind) = rest.split_at(random.pick(&[1, 2, 3, 17, 200, 5000, 60000]).min(rest.len()));
        steps.push(Step::Bytes(chunk.to_vec()));
        rest = behind;
        if freezes && random.below(12) == 0 {
            steps.push(Step::Freeze);
        }
        if resizes && random.below(10) == 0 {
            steps.push(Step::Resize(random.size()));
        }
    }
    steps
}

const WIDE_AND_MARKED: [&str; 14] = [
    "漢", "字", "é", "a", "😀", "e\u{301}", "─", "\u{200d}", "\u{fe0f}", "한", "ﬁ", "\u{ad}", "\u{0e33}",
    "🇫🇷",
];
const CONTROLS: [&str; 15] = [
    "\x1bD", "\x1bM", "\x1bE", "\x0b", "\x0c", "\t", "\x08", "\x1b7", "\x1b8", "\x1b[s", "\x1b[u", "\r",
    "\x7f", "\0", "\x1bH",
];
const ERASES: [&str; 12] = [
    "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[1J", "\x1b[2J", "\x1b[3@", "\x1b[4P", "\x1b[5X",
    "\x1b[P", "\x1b[@", "\x1b[99X",
];
const MODES: [&str; 30] = [
    "\x1b[?7l",
    "\x1b[?7h",
    "\x1b[?7h",
    "\x1b[4h",
    "\x1b[4l",
    "\x1b[4l",
    "\x1b(0",
    "\x1b(B",
    "\x1b)0",
    "\x0e",
    "\x0f",
    "\x0f",
    "\x1b[?6h",
    "\x1b[?6l",
    "\x1b[?25l",
    "\x1b[?25h",
    "\x1b[?2004h",
    "\x1b[?2004l",
    "\x1b[?1h",
    "\x1b=",
    "\x1b>",
    "\x1b[?1002h",
    "\x1b[?1003;1006h",
    "\x1b[?1000l",
    "\x1b[>1u",
    "\x1b[>7u",
    "\x1b[<u",
    "\x1b[=3;2u",
    "\x1b[?1004h",
    "\x1b[20h",
];
const STRINGS: [&str; 22] = [
    "\x1b]8;;http://x/y\x1b\\",
    "\x1b]8;id=7;http://x/z\x07",
    "\x1b]8;;\x1b\\",
    "\x1b]8;;\x1b\\",
    "\x1b]0;title\x07",
    "\x1bPq#0\x1b\\",
    "\x1b_x\x1b\\",
    "\x1b^pm\x18",
    "\x1b[58;5;3m",
    "\x1b[59m",
    "\x1b]133;A\x07",
    "\x1b]7501;state=idle\x1b\\",
    "\x1b]52;c;aGk=\x07",
    "\x1b]11;?\x07",
    "\x1b]9;hi\x1a",
    "\x1b]2;u",
    "\x1b]",
    "\x1b[>0q",
    "\x1b[c",
    "\x1b[6n",
    "\x1bP1q\u{9c}abc",
    "\x1b]4;1;rgb:1/2/3\x1b[1m",
];
const SGR_NUMBERS: [&str; 16] = [
    "", "0", "1", "2", "3", "4", "5", "7", "38", "48", "58", "21", "95", "104", "256", "70000",
];
const SGR: [&str; 20] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "7",
    "8",
    "9",
    "31",
    "44",
    "39",
    "49",
    "92",
    "103",
    "38;5;200",
    "48;5;17",
    "38;2;1;2;3",
    "48;2;200;100;0",
    "4:3",
    "22;24;27",
];

fn piece(random: &mut Random, out: &mut Vec<u8>, resets: bool) {
    let number = |random: &mut Random, limit: usize| random.below(limit).to_string();
    match random.below(42) {
        0..=8 => (0..random.below(90)).for_each(|_| out.push(b' ' + random.below(95) as u8)),
        9..=12 => out.extend_from_slice(b"\r\n"),
        13 => (0..random.below(40)).for_each(|_| {
            out.extend_from_slice(random.pick(&["", "", "", "\x1b[?25h", "\x1b[K"]).as_bytes());
            out.extend_from_slice(&number(random, 1000).as_bytes()[..random.pick(&[0, 1, 1])]);
            out.extend_from_slice(random.pick(&["\r\n", "\r\r\n", "\n", "\n\r", "\r"]).as_bytes());
        }),
        14 => out.resize(out.len() + random.below(80), b'\n'),
        15 | 16 => (0..random.below(60))
            .for_each(|_| out.extend_from_slice(random.pick(&WIDE_AND_MARKED).as_bytes())),
        17 | 18 => out.extend_from_slice(format!("\x1b[{}m", random.pick(&SGR)).as_bytes()),
        19 => {
            out.extend_from_slice(b"\x1b[");
            for _ in 0..random.pick(&[1, 2, 3, 5, 8, 34]) {
                out.extend_from_slice(random.pick(&SGR_NUMBERS).as_bytes());
                out.push(random.pick(b";;;;;;;;;:"));
            }
            out.extend_from_slice(number(random, 110).as_bytes());
            out.extend_from_slice(random.pick(&["m", "m", "m", "m", "H", "G", "K", "C"]).as_bytes());
        }
        20 => {
            let (top, bottom) = (1 + random.below(3) * random.below(6), number(random, 30));
            out.extend_from_slice(format!("\x1b[{top};{bottom}r").as_bytes());
        }
        21 => out.extend_from_slice(b"\x1b[r"),
        22 => {
            let (row, column) = (random.below(26), random.below(90));
            out.extend_from_slice(format!("\x1b[{row};{column}H").as_bytes());
        }
        23 | 24 => {
            let letter = random.pick(&["S", "T", "M", "L"]);
            out.extend_from_slice(format!("\x1b[{}{letter}", random.below(40)).as_bytes());
        }
        25 => out.extend_from_slice(format!("\x1b[{}b", random.below(300)).as_bytes()),
        26 => out.extend_from_slice(
            random
                .pick(&["\x1b[?1049h", "\x1b[?1049l", "\x1b[?1049l"])
                .as_bytes(),
        ),
        27 | 28 => out.extend_from_slice(random.pick(&ERASES).as_bytes()),
        29 | 30 => out.extend_from_slice(random.pick(&CONTROLS).as_bytes()),
        31 | 32 => out.extend_from_slice(random.pick(&MODES).as_bytes()),
        33 => out.extend_from_slice(random.pick(&STRINGS).as_bytes()),
        34 => out.push(0x80 + random.below(0x80) as u8),
        35 => {
            let part = 1 + random.below(2);
            out.extend_from_slice(&"漢".as_bytes()[..part]);
        }
        36 => {
            for line in 0..random.below(60) {
                out.extend_from_slice(format!("line {line} of plain text\r\n").as_bytes());
            }
        }
        37 if resets && random.below(6) == 0 => {
            out.extend_from_slice(
                random
                    .pick(&["\x1bc", "\x1b[3J", "\x1b[?3h", "\x1b[?3l", "\x1b#8"])
                    .as_bytes(),
            );
        }
        38 => out.extend_from_slice(
            random
                .pick(&["\x1b[?2026h", "\x1b[?2026l", "\x1b[?2026l"])
                .as_bytes(),
        ),
        39 => {
            let letter = random.pick(&["g", "I", "Z"]);
            out.extend_from_slice(format!("\x1b[{}{letter}", random.below(4)).as_bytes());
        }
        40 => (0..random.below(60)).for_each(|_| out.push(random.below(256) as u8)),
        _ => {
            let letter = random.pick(&["A", "B", "C", "D", "E", "F", "G", "d", "e", "`", "X", "P", "@"]);
            out.extend_from_slice(format!("\x1b[{}{letter}", random.below(9)).as_bytes());
        }
    }
}
