//! `pupitre-fake-agent replay FILE` plays the agent's side of a recording, `pupitre-fake-agent script FILE` a
//! scripted oddity. Exit code 64 for a wrong command line or file, 70 when the client did not do what was expected.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use pupitre_testkit::fake_agent::{replay, script};
use pupitre_testkit::transcript::Transcript;

const USAGE: u8 = 64;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let problem = match arguments.as_slice() {
        ["replay", file] => match Transcript::load(Path::new(file)) {
            Ok(transcript) => replay::run(&transcript),
            Err(error) => error.to_string(),
        },
        ["script", file] => match script::load(Path::new(file)) {
            Ok(commands) => script::run(&commands),
            Err(error) => error.to_string(),
        },
        _ => "usage: pupitre-fake-agent replay|script FILE".to_owned(),
    };
    let _ = writeln!(std::io::stderr(), "{problem}");
    ExitCode::from(USAGE)
}
