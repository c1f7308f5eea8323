//! Agents of others against the model server, driven by the bare client. Runs with `PUPITRE_REAL_AGENTS=1` for the
//! small ones, `=all`, or names divided by commas; without it each test says that it was skipped.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::Duration;

use pupitre_testkit::model_server::ModelServer;
use pupitre_testkit::plain_client::{PlainClient, PlainClientError, TurnPlan, TurnReport};
use pupitre_testkit::real_agents::{Launch, RealAgent, cache_folder, obtain};
use pupitre_testkit::transcript::{CancelPoint, PermissionAnswer, TurnOutcome};

/// Some agents take more than ten seconds to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

struct Running {
    client: PlainClient,
    server: ModelServer,
    folder: tempfile::TempDir,
}

/// Returns the agent with a session, or nothing when it is not asked for or cannot be had; that is said on stderr.
fn start(agent: RealAgent) -> Option<Running> {
    if let Err(reason) = obtain(agent) {
        eprintln!("SKIPPED {reason}");
        return None;
    }
    let server = ModelServer::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(&work).unwrap();
    std::fs::write(work.join("README.md"), "# Plot\n").unwrap();
    let launch = Launch::new(agent, &cache_folder(), &server.url(), &home).unwrap();
    let mut command = launch.prepare().unwrap();
    command.current_dir(&work).process_group(0);
    let mut client = PlainClient::start(command, PATIENCE).unwrap();
    client.initialize().unwrap();
    client.new_session(&work).unwrap();
    Some(Running {
        client,
        server,
        folder,
    })
}

impl Running {
    fn work(&self) -> std::path::PathBuf {
        self.folder.path().join("work")
    }

    fn new_session(&mut self) {
        let work = self.work();
        self.client.new_session(&work).unwrap();
    }

    fn turn(&mut self, prompt: &str, plan: &TurnPlan) -> TurnReport {
        let report = self.client.turn(prompt, plan);
        report.unwrap_or_else(|error| panic!("{error}; the server saw {:#?}", self.server.requests()))
    }

    /// Kills the agent's group and waits for it; nothing of the agent is left.
    fn kill(self) {
        self.client.kill_group();
        self.client.wait().unwrap();
    }
}

fn choosing(kind: &str) -> TurnPlan {
    let answer = PermissionAnswer::Selected {
        option_id: String::new(),
        kind: kind.to_owned(),
    };
    TurnPlan {
        permissions: [answer].into(),
        ..TurnPlan::default()
    }
}

fn stopped(reason: &str) -> TurnOutcome {
    TurnOutcome::Stopped {
        reason: reason.to_owned(),
    }
}

/// An agent with a model: permission allowed and rejected, a cancel in mid-stream, a crash in mid-turn.
fn check_model_agent(agent: RealAgent, after_reject: &str) {
    let Some(mut running) = start(agent) else { return };
    let report = running.turn(
        "{{think Let me see}}{{say Making it.}}{{shell touch made.txt}}{{next}}{{say All made.}}",
        &choosing("allow_once"),
    );
    eprintln!("{} allowed: {report:?}", agent.name());
    assert_eq!(report.permissions.len(), 1, "one permission request");
    assert_eq!(report.outcome, stopped("end_turn"));
    assert!(report.text.contains("All made."), "{}", report.text);
    assert!(running.work().join("made.txt").exists(), "the tool has run");

    running.new_session();
    let report = running.turn(
        "{{say Trying.}}{{shell touch refused.txt}}{{next}}{{say As you like.}}",
        &choosing("reject_once"),
    );
    eprintln!("{} rejected: {report:?}", agent.name());
    assert_eq!(report.permissions.len(), 1, "one permission request");
    assert_eq!(report.outcome, stopped(after_reject));
    assert!(
        !running.work().join("refused.txt").exists(),
        "the tool has not run"
    );

    running.new_session();
    let cancel = CancelPoint {
        after_updates: 4,
        after_permissions: 0,
    };
    let report = running.turn(
        "{{drip drop}}",
        &TurnPlan {
            cancel: Some(cancel),
            ..TurnPlan::default()
        },
    );
    eprintln!("{} cancelled: {report:?}", agent.name());
    assert_eq!(report.outcome, stopped("cancelled"));
    let report = running.turn("{{say Still here.}}", &TurnPlan::default());
    assert_eq!(report.outcome, stopped("end_turn"));
    assert!(report.text.contains("Still here."), "{}", report.text);

    let open = CancelPoint {
        after_updates: 4,
        after_permissions: 0,
    };
    running.turn(
        "{{drip drop}}",
        &TurnPlan {
            leave_open_after: Some(open),
            ..TurnPlan::default()
        },
    );
    running.client.kill_group();
    loop {
        match running.client.next("the end of a killed agent") {
            Ok(_) => {}
            Err(PlainClientError::Closed(_)) => break,
            Err(error) => panic!("{error}"),
        }
    }
    running.kill();
}

#[test]
fn codex_over_the_rust_adapter() {
    check_model_agent(RealAgent::Codex, "cancelled");
}

#[test]
fn claude() {
    check_model_agent(RealAgent::Claude, "end_turn");
}

#[test]
fn gemini() {
    check_model_agent(RealAgent::Gemini, "end_turn");
}

#[test]
fn opencode() {
    check_model_agent(RealAgent::OpenCode, "end_turn");
}

#[test]
fn qwen() {
    check_model_agent(RealAgent::Qwen, "end_turn");
}

#[test]
fn the_typescript_example() {
    let Some(mut running) = start(RealAgent::TypeScriptExample) else {
        return;
    };
    let report = running.turn("Hello.", &choosing("allow_once"));
    eprintln!("tsdk: {report:?}");
    assert_eq!(report.permissions.len(), 1);
    assert_eq!(report.outcome, stopped("end_turn"));
    running.kill();
}

#[test]
fn the_python_echo() {
    let Some(mut running) = start(RealAgent::PythonEcho) else {
        return;
    };
    let report = running.turn("Hello, echo.", &TurnPlan::default());
    assert_eq!(
        (report.text.as_str(), report.outcome),
        ("Hello, echo.", stopped("end_turn"))
    );
    running.kill();
}

#[test]
fn what_is_not_installed_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let problem = Launch::new(
        RealAgent::Codex,
        folder.path(),
        "http://127.0.0.1:9",
        Path::new("/"),
    )
    .unwrap_err();
    assert!(
        problem.to_string().contains("codexz: not installed in"),
        "{problem}"
    );
}
