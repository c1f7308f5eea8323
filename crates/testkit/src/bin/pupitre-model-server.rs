//! `pupitre-model-server`: prints its port on stdout, serves scripted answers on 127.0.0.1, ends when stdin is closed.

use std::io::{Read, Write};

use pupitre_testkit::model_server::ModelServer;

fn main() -> std::io::Result<()> {
    let server = ModelServer::start()?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{}", server.port())?;
    stdout.flush()?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
