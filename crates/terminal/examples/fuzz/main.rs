//! The differential fuzzer in large: `cargo run --release -p pupitre-terminal --example fuzz -- --seeds 100000`.
//!
//! `--from N` begins at another seed. Prints every seed that differs, and exits 1 if there is one. `--shrink N` looks
//! for the shortest part of a seed's stream that still differs.

#![expect(clippy::print_stdout, reason = "an example tells what it finds")]

#[path = "../../tests/terminal/differential.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod differential;
mod shrink;
#[path = "../../tests/terminal/stream.rs"]
mod stream;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut from, mut count) = (0, 1000);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().and_then(|value| value.parse().ok());
        match (argument.as_str(), value) {
            ("--from", Some(value)) => from = value,
            ("--seeds", Some(value)) => count = value,
            ("--shrink", Some(value)) => {
                println!("{}", shrink::shrink_seed(value));
                return;
            }
            _ => {
                println!("usage: fuzz [--from N] [--seeds N] [--shrink N]");
                std::process::exit(2);
            }
        }
    }
    let mut differ = 0;
    for seed in from..from + count {
        let result = std::panic::catch_unwind(|| differential::run_seed(seed));
        match result.unwrap_or_else(|_| Err(format!("seed {seed}: panicked"))) {
            Ok(()) => {}
            Err(difference) => {
                differ += 1;
                println!("{difference}");
            }
        }
    }
    println!("{count} seeds from {from}: {differ} differ");
    std::process::exit(i32::from(differ > 0));
}
