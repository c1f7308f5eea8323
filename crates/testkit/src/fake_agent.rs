//! The agent's side of ACP for tests, synchronous over stdin and stdout: `replay` plays a recording of a real
//! agent, `script` plays one odd case. Whatever the client does that was not expected ends the fake with code 70
//! and a line in the report.

mod client_line;
mod dialogue;
mod expectation;
mod members;
pub mod replay;
pub mod report;
pub mod script;

/// Exit code of a fake whose client did something else than was expected.
pub const DIVERGED: i32 = 70;

/// Name of the environment variable that holds the path of the report.
pub const REPORT_VARIABLE: &str = "PUPITRE_FAKE_REPORT";
