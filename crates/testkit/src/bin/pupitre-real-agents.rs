//! `pupitre-real-agents install NAME…` installs agents of others and prints a line of JSON for each;
//! `pupitre-real-agents env NAME SERVER_URL HOME` prints how to start one, having written the files it wants.
//! Exit code 1 when an agent cannot be had, 64 for a wrong command line.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use pupitre_testkit::real_agents::{AgentPackage, Launch, RealAgent, cache_folder, install};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["install", names @ ..] if !names.is_empty() => {
            let mut code = ExitCode::SUCCESS;
            for name in names {
                let answer = match AgentPackage::named(name) {
                    Some(package) => install(package, &cache_folder()).map_err(|problem| problem.to_string()),
                    None => Err(format!("no agent is called {name}")),
                };
                match answer {
                    Ok(folder) => print(&json!({"name": name, "folder": folder})),
                    Err(reason) => {
                        code = ExitCode::FAILURE;
                        print(&json!({"name": name, "unavailable": reason}));
                    }
                }
            }
            code
        }
        ["env", name, server_url, home] => {
            let Some(agent) = RealAgent::named(name) else {
                return usage(&format!("no agent is called {name}"));
            };
            let launch = Launch::new(agent, &cache_folder(), server_url, Path::new(home));
            let prepared = launch.map_err(|problem| problem.to_string()).and_then(|launch| {
                launch.prepare().map_err(|problem| problem.to_string())?;
                Ok(json!({
                    "command": launch.command,
                    "args": launch.args,
                    "env": launch.env.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
                    "files": launch.files.iter().map(|file| &file.path).collect::<Vec<_>>(),
                }))
            });
            match prepared {
                Ok(answer) => {
                    print(&answer);
                    ExitCode::SUCCESS
                }
                Err(reason) => {
                    print(&json!({"name": name, "unavailable": reason}));
                    ExitCode::FAILURE
                }
            }
        }
        _ => {
            let names: Vec<_> = RealAgent::ALL.iter().map(|agent| agent.name()).collect();
            usage(&format!(
                "usage: pupitre-real-agents install NAME… | env NAME SERVER_URL HOME\nnames: {}",
                names.join(", ")
            ))
        }
    }
}

fn print(answer: &Value) {
    // A reader that has gone needs no answer.
    let _ = writeln!(std::io::stdout(), "{answer}");
}

fn usage(problem: &str) -> ExitCode {
    let _ = writeln!(std::io::stderr(), "{problem}");
    ExitCode::from(64)
}
