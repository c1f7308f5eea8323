//! The differential fuzzer in small; `cargo xtask adversary terminal-fuzz` is the large one.

use crate::differential::run_seed;

/// Seeds of each of four tests, so that they run side by side.
const SEEDS: u64 = 40;

fn check(part: u64) {
    let differences: Vec<_> = (part * SEEDS..(part + 1) * SEEDS)
        .filter_map(|seed| run_seed(seed).err())
        .collect();
    assert!(
        differences.is_empty(),
        "{} of {SEEDS} seeds differ:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

#[test]
fn random_streams_are_what_the_emulator_alone_makes_of_them_1() {
    check(0);
}

#[test]
fn random_streams_are_what_the_emulator_alone_makes_of_them_2() {
    check(1);
}

#[test]
fn random_streams_are_what_the_emulator_alone_makes_of_them_3() {
    check(2);
}

#[test]
fn random_streams_are_what_the_emulator_alone_makes_of_them_4() {
    check(3);
}
