//! Agents of others, in versions that were tried, against a model server of the tests: a permitted and a refused tool, a
//! cancel in mid-stream, a kill in mid-turn, each followed by a turn that works. They run with `PUPITRE_REAL_AGENTS=1` for
//! the small ones, `=all`, or names divided by commas; without it, or when an agent cannot be had, a test says so.

mod panes;

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use pupitre_protocol::MessageId;
use pupitre_protocol::agent::AgentState;
use pupitre_protocol::conversation::{
    AnswerPermissionParams, CancelParams, NewParams, Role, StopReason, SystemCode,
};
use pupitre_protocol::event::Event;
use pupitre_protocol::method::chat;
use pupitre_testkit::model_server::ModelServer;
use pupitre_testkit::real_agents::{Launch, RealAgent, cache_folder, obtain};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Desk, EndedTurn, Follower, TestAgent, agent_name, utf8};

/// Some of them take more than ten seconds to start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A desk with one real agent, and what it talks to.
struct Stage {
    desk: Desk,
    name: &'static str,
    server: ModelServer,
}

/// Returns the agent on a desk, or nothing when it is not asked for or cannot be had, which is said.
fn stage(agent: RealAgent) -> Option<Stage> {
    if let Err(reason) = obtain(agent) {
        eprintln!("SKIPPED {reason}");
        return None;
    }
    let server = ModelServer::start().unwrap();
    let mut desk = Desk::without_daemon(&[]);
    let launch = Launch::new(agent, &cache_folder(), &server.url(), &desk.path("home")).unwrap();
    // It is the daemon that starts the agent; here only its settings are written.
    launch.prepare().unwrap();
    let args: Vec<&str> = launch.args.iter().map(String::as_str).collect();
    let mut entry = TestAgent::new(agent.name(), utf8(&launch.command), &args).cwd(utf8(&desk.path("work")));
    for (name, value) in &launch.env {
        entry = entry.env(name, value);
    }
    desk.write_config(&[entry]);
    desk.start_daemon();
    Some(Stage {
        desk,
        name: agent.name(),
        server,
    })
}

/// A conversation with the agent.
struct Scene<'stage> {
    stage: &'stage Stage,
    follower: Follower<'stage>,
}

impl Stage {
    /// Begins a new conversation.
    fn scene(&self) -> Scene<'_> {
        self.desk.call::<chat::New>(NewParams {
            agent: agent_name(self.name),
            cwd: None,
        });
        Scene {
            stage: self,
            follower: Follower::new(&self.desk, self.name).with_patience(PATIENCE),
        }
    }
}

impl Scene<'_> {
    fn send(&self, text: &str) -> MessageId {
        self.stage.desk.send(self.stage.name, text).message_id
    }

    /// Plays a turn in which each permission request is answered with the first option of this kind.
    #[track_caller]
    fn turn(&mut self, text: &str, kind: &str) -> (EndedTurn, usize) {
        let turn = self.send(text);
        let mut asked = 0;
        loop {
            let frame = self.follower.next(&format!("the turn {text:?} goes on"));
            if let Event::PermissionRequested(permission) = &frame.event {
                asked += 1;
                let option = permission.options.iter().find(|option| option.kind == kind);
                let option = option.unwrap_or_else(|| panic!("an option of kind {kind}: {permission:#?}"));
                self.stage
                    .desk
                    .call::<chat::AnswerPermission>(AnswerPermissionParams {
                        id: permission.id,
                        option_id: Some(option.option_id.clone()),
                    });
            }
            if let Some(ended) = EndedTurn::of(&frame, turn) {
                println!(
                    "{}: {text:?}: {asked} permission requests, {:?} {:?}, said {:?}",
                    self.stage.name,
                    ended.stop_reason,
                    ended.error,
                    self.follower.text(turn)
                );
                return (ended, asked);
            }
        }
    }

    /// Plays a turn that must end well and say this.
    #[track_caller]
    fn works(&mut self, text: &str, says: &str) {
        let (ended, _) = self.turn(text, "allow_once");
        assert_eq!(
            ended.stop_reason,
            Some(StopReason::EndTurn),
            "{}",
            self.requests()
        );
        let said = self.follower.text(ended.turn);
        assert!(said.contains(says), "{says:?} in {said:?}; {}", self.requests());
        let view = self.follower.expect_same();
        assert!(!view.busy && view.permissions.is_empty());
    }

    /// Begins a turn and reads on until the agent has said something.
    #[track_caller]
    fn begin(&mut self, text: &str) -> MessageId {
        let turn = self.send(text);
        while self.follower.text(turn).is_empty() {
            self.follower
                .next(&format!("the turn {text:?} begins to say something"));
        }
        turn
    }

    #[track_caller]
    fn cancel(&mut self, turn: MessageId) {
        let reply = self.stage.desk.call::<chat::Cancel>(CancelParams {
            agent: agent_name(self.stage.name),
            message_id: None,
        });
        assert!(reply.cancelled);
        let ended = self.follower.wait_for_end_of_turn(turn);
        println!(
            "{}: cancelled: {:?} {:?}",
            self.stage.name, ended.stop_reason, ended.error
        );
        assert_eq!(
            ended.stop_reason,
            Some(StopReason::Cancelled),
            "{}",
            self.requests()
        );
    }

    /// Kills the agent's own process; what it started the guard ends.
    fn kill(&self) {
        let pid = self
            .stage
            .desk
            .agent(self.stage.name)
            .pid
            .expect("the agent runs");
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
        kill_process(pid.expect("the system's own number"), Signal::KILL).expect("the agent runs");
    }

    #[track_caller]
    fn expect_killed(&mut self, turn: MessageId) {
        let ended = self.follower.wait_for_end_of_turn(turn);
        println!(
            "{}: killed: {:?} {:?}",
            self.stage.name, ended.stop_reason, ended.error
        );
        let error = ended.error.unwrap_or_default();
        assert!(error.contains("killed by signal 9 (SIGKILL)"), "{error}");
        let agent = self.stage.desk.agent(self.stage.name);
        assert_eq!(agent.state, AgentState::Error, "{agent:#?}");
    }

    fn requests(&self) -> String {
        format!("the model server saw {:#?}", self.stage.server.requests())
    }
}

/// An agent with a model. `after_reject` is how its turn ends when a tool was refused.
fn check_model_agent(agent: RealAgent, after_reject: StopReason) {
    let Some(stage) = stage(agent) else { return };
    let work = stage.desk.path("work");
    let mut scene = stage.scene();
    let (ended, asked) = scene.turn(
        "{{think Let me see}}{{say Making it.}}{{shell touch made.txt}}{{next}}{{say All made.}}",
        "allow_once",
    );
    assert_eq!(
        (asked, ended.stop_reason),
        (1, Some(StopReason::EndTurn)),
        "{}",
        scene.requests()
    );
    assert!(
        scene.follower.text(ended.turn).contains("All made."),
        "{}",
        scene.requests()
    );
    assert!(work.join("made.txt").exists(), "the tool has run");
    scene.works("{{say That was it.}}", "That was it.");

    let mut scene = stage.scene();
    let (ended, asked) = scene.turn(
        "{{say Trying.}}{{shell touch refused.txt}}{{next}}{{say As you like.}}",
        "reject_once",
    );
    assert_eq!(
        (asked, ended.stop_reason),
        (1, Some(after_reject)),
        "{}",
        scene.requests()
    );
    assert!(!work.join("refused.txt").exists(), "the tool has not run");
    scene.works("{{say Never mind.}}", "Never mind.");

    let mut scene = stage.scene();
    let turn = scene.begin("{{drip drop}}");
    scene.cancel(turn);
    scene.works("{{say Still here.}}", "Still here.");

    let turn = scene.begin("{{drip drop}}");
    scene.kill();
    scene.expect_killed(turn);
    scene.works("{{say Back again.}}", "Back again.");
    told_if_forgotten(&stage);
    check_stop_in_mid_tool(&stage);
}

#[expect(
    clippy::disallowed_methods,
    reason = "the library makes named pipes on Linux only"
)]
fn mkfifo(path: &std::path::Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo is part of every system").success());
}

/// Stops the agent while a tool of its sleeps: nothing of either may live on.
fn check_stop_in_mid_tool(stage: &Stage) {
    // No other test has a process with this number.
    let seconds = format!("{}", 600_000 + std::process::id() % 100_000);
    let asleep = stage.desk.path("work/asleep");
    mkfifo(&asleep);
    let scene = stage.scene();
    let mut follower = scene.follower;
    let text = format!("{{{{say Sleeping.}}}}{{{{shell echo > asleep; sleep {seconds}}}}}");
    let turn = stage.desk.send(stage.name, &text).message_id;
    loop {
        let frame = follower.next("the tool runs");
        match &frame.event {
            Event::PermissionRequested(permission) => {
                let option = permission
                    .options
                    .iter()
                    .find(|option| option.kind == "allow_once");
                let option_id = option.map(|option| option.option_id.clone());
                assert!(option_id.is_some(), "{permission:#?}");
                let id = permission.id;
                stage
                    .desk
                    .call::<chat::AnswerPermission>(AnswerPermissionParams { id, option_id });
            }
            Event::PermissionResolved(_) => break,
            _ => {}
        }
        assert!(EndedTurn::of(&frame, turn).is_none(), "the turn has ended");
    }
    let (told, hears) = mpsc::channel();
    // It ends when the tool has written, or with the test.
    thread::spawn(move || told.send(std::fs::read(asleep)));
    let said = hears.recv_timeout(PATIENCE).expect("the tool runs");
    said.expect("the test's own file");
    let begun = Instant::now();
    stage.desk.stop_agent(stage.name);
    println!(
        "{}: stopped in mid-tool after {:.2?}",
        stage.name,
        begun.elapsed()
    );
    let left = stage.desk.commands_with(&seconds);
    assert!(left.is_empty(), "the tool lives on: {left:#?}");
    let left = stage.desk.processes();
    assert_eq!(left.len(), 1, "only the daemon is left: {left:#?}");
}

/// Either the session could be taken up again, or it is said that the agent forgot.
fn told_if_forgotten(stage: &Stage) {
    let view = stage.desk.conversation(stage.name);
    let codes: Vec<SystemCode> = view.messages.iter().filter_map(|message| message.code).collect();
    println!("{}: after the kill: {codes:?}", stage.name);
    let resumes = stage
        .desk
        .agent(stage.name)
        .capabilities
        .is_some_and(|capabilities| capabilities.load_session || capabilities.resume_session);
    assert!(
        codes == [SystemCode::AgentRestarted] || (resumes && codes.is_empty()),
        "{codes:?}"
    );
    let last = view.messages.last().expect("there are messages");
    assert_eq!(last.role, Role::Agent);
}

#[test]
fn codex_over_the_rust_adapter() {
    check_model_agent(RealAgent::Codex, StopReason::Cancelled);
}

#[test]
fn claude() {
    check_model_agent(RealAgent::Claude, StopReason::EndTurn);
}

#[test]
fn gemini() {
    check_model_agent(RealAgent::Gemini, StopReason::EndTurn);
}

#[test]
fn opencode() {
    check_model_agent(RealAgent::OpenCode, StopReason::EndTurn);
}

#[test]
fn qwen() {
    check_model_agent(RealAgent::Qwen, StopReason::EndTurn);
}

/// It has no model and one play: some text, a tool, a permission request, more text.
#[test]
fn the_typescript_example() {
    let Some(stage) = stage(RealAgent::TypeScriptExample) else {
        return;
    };
    let mut scene = stage.scene();
    for kind in ["allow_once", "reject_once"] {
        let (ended, asked) = scene.turn("Hello.", kind);
        assert_eq!((asked, ended.stop_reason), (1, Some(StopReason::EndTurn)));
    }
    let turn = scene.begin("Hello.");
    scene.cancel(turn);
    scene.works("Hello.", "");
    let turn = scene.begin("Hello.");
    scene.kill();
    scene.expect_killed(turn);
    scene.works("Hello.", "");
    told_if_forgotten(&stage);
}

/// It says what it hears, at once: there is nothing to cancel, and it is killed between turns.
#[test]
fn the_python_echo() {
    let Some(stage) = stage(RealAgent::PythonEcho) else {
        return;
    };
    let mut scene = stage.scene();
    scene.works("Hello, echo.", "Hello, echo.");
    scene.kill();
    loop {
        let frame = scene.follower.next("the agent's end is told");
        if let Event::AgentState(changed) = &frame.event
            && changed.state == AgentState::Error
        {
            let error = changed.error.as_deref().unwrap_or_default();
            assert!(error.contains("killed by signal 9 (SIGKILL)"), "{error}");
            break;
        }
    }
    scene.works("Hello again.", "Hello again.");
    told_if_forgotten(&stage);
}
