//! The terminal engine: random streams beside the emulator alone, snapshots at any byte, streams that mean harm.

use super::{Adversary, Extent};

const BUILD: &[&str] = &["--package", "pupitre-terminal", "--example", "adversary"];
const PROGRAM: &str = "examples/adversary";

pub(super) const FUZZ: Adversary = Adversary {
    name: "terminal-fuzz",
    what: "5,000 random streams, with --long 100,000, through the engine and the emulator alone",
    build: BUILD,
    program: PROGRAM,
    arguments: |extent| {
        part(
            "fuzz",
            extent,
            Share {
                short: 5000,
                long: 100_000,
            },
        )
    },
};

pub(super) const SNAPSHOTS: Adversary = Adversary {
    name: "terminal-snapshots",
    what: "every recording and corpus taken over from a snapshot at 100 places, with --long at 1,000; some by xterm.js",
    build: BUILD,
    program: PROGRAM,
    arguments: |extent| {
        part(
            "snapshots",
            extent,
            Share {
                short: 100,
                long: 1000,
            },
        )
    },
};

pub(super) const FLOODS: Adversary = Adversary {
    name: "terminal-floods",
    what: "an eighth of every stream that means harm, with --long all of it, and the memory each takes",
    build: BUILD,
    program: PROGRAM,
    arguments: |extent| part("floods", extent, Share { short: 8, long: 1 }),
};

struct Share {
    short: u32,
    long: u32,
}

fn part(name: &str, extent: Extent, share: Share) -> Vec<String> {
    let number = match extent {
        Extent::Short => share.short,
        Extent::Long => share.long,
    };
    vec![name.to_owned(), number.to_string()]
}
