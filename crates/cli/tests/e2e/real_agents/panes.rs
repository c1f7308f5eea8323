//! Terminal agents of others in panes, in versions that were tried, against a model server of the tests: each is
//! recognised with its process, from its start over a question to the end of its turn, and what it tells its terminal
//! is in `explain`.

use std::time::{Duration, Instant};

use pupitre_protocol::SurfaceId;
use pupitre_protocol::event::{Event, EventKind, SubscribeParams};
use pupitre_protocol::method::{fleet, surface};
use pupitre_protocol::surface::{StatusRecordView, SurfaceExplainReply, SurfaceParams};
use pupitre_protocol::system::Empty;
use pupitre_testkit::model_server::ModelServer;
use pupitre_testkit::real_agents::{Surroundings, TerminalAgent, cache_folder, obtain};

use crate::http::type_as_person;
use crate::pane::status;
use crate::support::{Desk, Events, utf8};

/// OpenCode takes half a minute to draw its first line, on a machine that does nothing else.
const PATIENCE: Duration = Duration::from_secs(240);

/// The name of the pane.
const PANE: &str = "it";

/// What stands on the screen when the turn is over, and nowhere in the prompt.
const LAST_WORDS: &str = r"All made\.\s*$";

/// A pane with an agent in it.
struct Scene {
    desk: Desk,
    agent: TerminalAgent,
    id: SurfaceId,
    changes: Events,
    server: ModelServer,
}

impl Scene {
    /// Starts the agent with a prompt on which it runs a tool, or says why it is not there.
    fn begin(agent: TerminalAgent) -> Option<Self> {
        if let Err(reason) = obtain(agent) {
            eprintln!("SKIPPED {reason}");
            return None;
        }
        let server = ModelServer::start().unwrap();
        let desk = Desk::start();
        let work = desk.path("work");
        let surroundings = Surroundings {
            cache: &cache_folder(),
            server_url: &server.url(),
            home: &desk.path("home"),
            work: &work,
        };
        let prompt = format!(
            "Please {{{{say Making it.}}}}{}{{{{next}}}}{{{{say All made.}}}}",
            agent.shell("echo made > made.txt")
        );
        let launch = agent.launch(&surroundings, &prompt).unwrap();
        // It is the daemon that starts the agent; here only its settings are written.
        launch.prepare().unwrap();
        let changes = desk
            .events_with(&SubscribeParams {
                types: Some(vec![EventKind::SurfaceChanged, EventKind::StateChanged]),
                ..SubscribeParams::default()
            })
            .with_patience(PATIENCE);
        let mut arguments = vec!["new".to_owned(), "--name".to_owned(), PANE.to_owned()];
        arguments.extend(["--cwd".to_owned(), utf8(&work).to_owned()]);
        for (name, value) in &launch.env {
            arguments.extend(["--env".to_owned(), format!("{name}={value}")]);
        }
        arguments.extend(["--".to_owned(), utf8(&launch.command).to_owned()]);
        arguments.extend(launch.args);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        desk.run(&arguments).expect_code(0);
        let id = status(&desk, PANE).surface_id;
        Some(Self {
            desk,
            agent,
            id,
            changes,
            server,
        })
    }

    /// Waits until something holds that is looked at whenever the pane changes.
    #[track_caller]
    fn wait_for<Seen>(&mut self, name: &str, look: impl Fn(&Desk) -> Option<Seen>) -> Seen {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(seen) = look(&self.desk) {
                return seen;
            }
            // A screen that goes on changing would keep it waiting for ever.
            assert!(
                Instant::now() < deadline,
                "{name}: not in {PATIENCE:?}; {:#?}\n{}",
                explain(&self.desk),
                self.requests()
            );
            let id = self.id;
            self.changes.wait_until(name, |frame| match &frame.event {
                Event::SurfaceChanged(view) => view.surface_id == id,
                Event::StateChanged(changed) => changed.surface_id == id,
                _ => false,
            });
        }
    }

    /// Checks that `ps`, `status` and `explain` show the agent, and that its process is of this pane.
    #[track_caller]
    fn expect_recognised(&mut self, when: &str) -> u32 {
        let pid = self.wait_for("the agent is recognised", |desk| status(desk, PANE).standing.pid);
        let standing = status(&self.desk, PANE).standing;
        assert_eq!(standing.tool.as_deref(), Some(self.agent.tool()), "{when}");
        assert_eq!(standing.pid, Some(pid), "{when}");
        let listed = self.desk.run(&["ps", "--json"]).expect_code(0).json();
        let agents = listed["agents"].as_array().expect("a list");
        assert_eq!(agents.len(), 1, "{when}: {listed}");
        assert_eq!(agents[0]["tool"], self.agent.tool(), "{when}: {listed}");
        assert_eq!(agents[0]["pid"], pid, "{when}: {listed}");
        assert_eq!(agents[0]["surface_name"], PANE, "{when}: {listed}");
        let explained = explain(&self.desk);
        assert!(explained.recognised_by.is_some(), "{when}: {explained:#?}");
        assert!(
            explained.foreground.iter().any(|process| process.pid == pid),
            "{when}: {explained:#?}"
        );
        self.expect_of_pane(pid);
        println!("{} {when}: {pid}", self.agent.tool());
        pid
    }

    /// Checks that a process was started in this pane: it is below the daemon, and knows the pane.
    #[track_caller]
    fn expect_of_pane(&self, pid: u32) {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).expect("it runs");
        let wanted = format!("PUPITRE_SURFACE_ID={}", self.id);
        assert!(
            environment
                .split(|byte| *byte == 0)
                .any(|variable| variable == wanted.as_bytes()),
            "{pid}"
        );
        let mut above = pid;
        while above != self.desk.daemon().pid() {
            let told = std::fs::read_to_string(format!("/proc/{above}/status")).expect("it runs");
            let parent = told.lines().find_map(|line| line.strip_prefix("PPid:"));
            above = parent
                .and_then(|parent| parent.trim().parse().ok())
                .expect("it has one");
            assert!(above > 1, "{pid} is not below the daemon");
        }
    }

    /// Waits until a line on the screen matches, whatever the machine is busy with.
    #[track_caller]
    fn expect_line(&self, pattern: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.has_line_within(pattern, "20") {
            assert!(
                Instant::now() < deadline,
                "{pattern} not in {PATIENCE:?}; there is:\n{}\n{}",
                self.desk.run(&["read", PANE, "--raw"]).stdout,
                self.requests()
            );
        }
    }

    fn has_line_within(&self, pattern: &str, seconds: &str) -> bool {
        let waited = self.desk.run(&[
            "wait",
            "--match",
            PANE,
            "--pattern",
            pattern,
            "--timeout",
            seconds,
        ]);
        assert!(matches!(waited.code, Some(0 | 4)), "{waited:#?}");
        waited.code == Some(0)
    }

    /// Says yes to the question, again where it was asked too lately: agents leave out keys that may have been meant for
    /// what was there before.
    #[track_caller]
    fn answer(&self) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            type_as_person(&self.desk, PANE, "\r");
            if self.has_line_within(LAST_WORDS, "5") {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "no answer is taken; there is:\n{}\n{}",
                self.desk.run(&["read", PANE, "--raw"]).stdout,
                self.requests()
            );
        }
    }

    fn requests(&self) -> String {
        format!("the model server saw {:#?}", self.server.requests())
    }
}

fn explain(desk: &Desk) -> SurfaceExplainReply {
    desk.call::<surface::Explain>(SurfaceParams {
        surface: PANE.to_owned(),
    })
}

/// Says whether records tell of these states, in this order.
fn tell(records: &[StatusRecordView], states: &[&str]) -> bool {
    let mut told = records.iter();
    states
        .iter()
        .all(|state| told.any(|record| record.id.is_empty() && record.state == *state))
}

/// Plays a turn with a question. An agent with an `app` tells its terminal what it does (OSC 7501), under that name.
fn check(agent: TerminalAgent, app: Option<&str>) {
    let Some(mut scene) = Scene::begin(agent) else {
        return;
    };
    let pid = scene.expect_recognised("at its start");
    scene.expect_line(agent.question());
    assert_eq!(scene.expect_recognised("while it asks"), pid);
    if app.is_some() {
        scene.wait_for("it is told that it asks", |desk| {
            let records = explain(desk).status_records;
            tell(&records, &["working", "blocked"]).then_some(())
        });
        let records = explain(&scene.desk).status_records;
        let asks = records.last().expect("there are records");
        assert_eq!(asks.state, "blocked", "{records:#?}");
        assert_eq!(asks.kind.as_deref(), Some("permission"), "{records:#?}");
        assert_eq!(asks.app.as_deref(), app, "{records:#?}");
        scene
            .desk
            .run(&["explain", PANE])
            .expect_code(0)
            .expect_stdout("blocked");
    }
    scene.answer();
    assert!(scene.desk.path("work/made.txt").exists(), "the tool has run");
    assert_eq!(scene.expect_recognised("after its turn"), pid);
    match app {
        Some(_) => scene.wait_for("it is told that it is done", |desk| {
            let records = explain(desk).status_records;
            tell(&records, &["working", "blocked", "working", "done"]).then_some(())
        }),
        None => assert_eq!(explain(&scene.desk).status_records, []),
    }
    let records = explain(&scene.desk).status_records;
    let told: Vec<&str> = records.iter().map(|record| record.state.as_str()).collect();
    println!("{} told {told:?}", agent.tool());
    scene.desk.run(&["close", PANE]).expect_code(0);
    assert!(scene.desk.call::<fleet::List>(Empty {}).agents.is_empty());
}

#[test]
fn claude() {
    check(TerminalAgent::Claude, Some("claude-code"));
}

#[test]
fn codex() {
    check(TerminalAgent::Codex, Some("codex"));
}

#[test]
fn gemini() {
    check(TerminalAgent::Gemini, None);
}

#[test]
fn opencode() {
    check(TerminalAgent::OpenCode, None);
}

#[test]
fn qwen() {
    check(TerminalAgent::Qwen, None);
}
