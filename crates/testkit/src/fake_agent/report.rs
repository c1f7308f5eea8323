//! How a fake agent tells its test what it saw: `OK` or `DIVERGENCE: …`, one line each, appended to the file named
//! by `PUPITRE_FAKE_REPORT`.

use std::io::Write;

use super::{DIVERGED, REPORT_VARIABLE};

/// What the client did that was not expected.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Divergence(pub String);

/// Writes down that everything went as expected.
pub fn accept() {
    append("OK");
}

/// Writes the divergence to stderr and to the report, and ends the process.
pub fn reject(divergence: &Divergence) -> ! {
    let line = format!("DIVERGENCE: {}", divergence.0.replace('\n', "\\n"));
    // Nobody may be listening any more; the report is what counts.
    let _ = writeln!(std::io::stderr(), "{line}");
    append(&line);
    std::process::exit(DIVERGED);
}

fn append(line: &str) {
    let Some(path) = std::env::var_os(REPORT_VARIABLE) else {
        return;
    };
    let file = std::fs::File::options().append(true).create(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    if let Err(error) = written {
        let _ = writeln!(
            std::io::stderr(),
            "cannot write the report {}: {error}",
            path.display()
        );
        std::process::exit(DIVERGED);
    }
}
