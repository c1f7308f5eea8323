//! Throws damaged configuration files at the reader: `cargo run --release -p pupitre-model --example
//! fuzz_configuration -- --seeds 100000`, and `--from N` to begin at another seed.
//!
//! Nothing may panic, every place lies in the text, and a file is valid exactly when it has no problem. Prints each seed
//! that breaks one of these, and exits 1 if there is one.

#![expect(clippy::print_stdout, reason = "an example tells what it finds")]

use std::panic::catch_unwind;

use pupitre_model::config::{FILE_BYTES, Facts, PRESETS, Reading, first_file};

/// Pieces of files, which are put together and then damaged.
const PIECES: &[&str] = &[
    "theme = \"dark\"\n",
    "port = 80\n",
    "[limits]\nmaxRunningAgents = 2\nstopIdleAgentsAfter = \"90s\"\n",
    "[[agents]]\nname = \"a\"\npreset = \"demo\"\n",
    "[[agents]]\nname = \"b\"\ncommand = \"x\"\nargs = [\"1\", '2']\nenv = { K = \"$V\", L = \"v\" }\n",
    "[agents.env]\nK = \"v\"\n",
    "[[channels]]\nname = \"c\"\nagents = [\"a\", \"b\"]\n",
    "[[mcp_servers]]\nname = \"m\"\ncommand = \"x\"\nagents = [\"a\"]\n",
    "x.y.\"z w\".'é' = [[[{a = 1}]], 2020-01-01T00:00:00Z, 0x10, 1e3, nan]\n",
    "'''\n",
    "\"\"\"\n",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ".",
    "\\u0000",
    "\u{feff}",
    "\r\n",
    "# é\n",
];

/// A small generator of numbers, so that a seed always makes the same file.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).expect("it is below a usize")
    }
}

fn file_of(seed: u64) -> Vec<u8> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut bytes = Vec::new();
    if dice.below(4) == 0 {
        bytes.extend(first_file(PRESETS).into_bytes());
    }
    for _ in 0..dice.below(12) {
        bytes.extend(PIECES[dice.below(PIECES.len())].bytes());
    }
    for _ in 0..dice.below(8) {
        if bytes.is_empty() {
            break;
        }
        let at = dice.below(bytes.len());
        match dice.below(5) {
            0 => bytes[at] = u8::try_from(dice.below(256)).expect("a byte"),
            1 => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            3 => {
                let piece = PIECES[dice.below(PIECES.len())].bytes();
                bytes.splice(at..at, piece);
            }
            _ => {
                // Deep nesting, of which a parser may run out of stack.
                let depth = dice.below(20_000);
                let one = *b"[{(".get(dice.below(3)).expect("one of three");
                bytes.splice(at..at, std::iter::repeat_n(one, depth));
            }
        }
    }
    bytes.truncate(FILE_BYTES + 1);
    bytes
}

fn run_seed(seed: u64) -> Result<(), String> {
    let bytes = file_of(seed);
    let lines = String::from_utf8_lossy(&bytes).matches('\n').count() + 1;
    let reading = Reading::of_bytes(&bytes, "/bin/pupitre");
    let facts = Facts {
        absent: reading.questions(),
        ..Facts::default()
    };
    let verdict = reading.verdict(&facts);
    let problems = verdict.problems.iter().filter(|problem| !problem.warning).count();
    if verdict.config.is_some() != (problems == 0) {
        return Err(format!(
            "seed {seed}: {problems} problems, and a configuration or none"
        ));
    }
    match verdict
        .problems
        .iter()
        .find(|problem| problem.line as usize > lines || problem.line == 0 || problem.column == 0)
    {
        Some(problem) => Err(format!("seed {seed}: {problem:?} lies outside of {lines} lines")),
        None => Ok(()),
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut from, mut count) = (0, 10_000);
    while let Some(argument) = arguments.next() {
        match (
            argument.as_str(),
            arguments.next().and_then(|value| value.parse().ok()),
        ) {
            ("--from", Some(value)) => from = value,
            ("--seeds", Some(value)) => count = value,
            _ => {
                println!("usage: fuzz_configuration [--from N] [--seeds N]");
                std::process::exit(2);
            }
        }
    }
    let mut broken = 0;
    for seed in from..from + count {
        let result = catch_unwind(|| run_seed(seed));
        if let Err(failure) = result.unwrap_or_else(|_| Err(format!("seed {seed}: panicked"))) {
            broken += 1;
            println!("{failure}");
        }
    }
    println!("{count} seeds from {from}: {broken} broken");
    std::process::exit(i32::from(broken > 0));
}
