//! A desk of its own for each test: private folders, a daemon of the real program in the foreground, and all that a
//! test wants of it. Nothing waits for a time: a wait has a name and a deadline, and says at its end what it saw.

mod agents;
mod command;
mod daemon;
mod events;
mod follower;
mod leftovers;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use pupitre_client::{CallError, Client};
use pupitre_protocol::agent::{AgentParams, AgentView};
use pupitre_protocol::conversation::{
    ConversationParams, ConversationView, Message, Part, Role, SendParams, SendReply,
};
use pupitre_protocol::event::SubscribeParams;
use pupitre_protocol::method::{agent, chat};
use pupitre_protocol::system::Empty;
use pupitre_protocol::{AgentName, ErrorKind, MessageId, Method};

pub(crate) use agents::{Report, TestAgent, fake_replay, fake_script, shell_agent, utf8};
pub(crate) use command::{Output, Running};
pub(crate) use daemon::Daemon;
pub(crate) use events::{EndedTurn, Events};
pub(crate) use follower::Follower;

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_pupitre");

/// In the environment of every process of one test; its value is the test's own.
const TAG_VARIABLE: &str = "PUPITRE_TEST_TAG";

static DESKS: AtomicU32 = AtomicU32::new(0);

/// Private folders, and the daemon in them.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
    tag: String,
    variables: Vec<(String, OsString)>,
    daemon: Option<Daemon>,
}

impl Desk {
    /// Returns folders with a configuration of these agents, and the demo agent first. No daemon runs.
    pub(crate) fn without_daemon(agents: &[TestAgent]) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("desk")
            .tempdir()
            .expect("a folder for the test");
        let tag = format!("{}-{}", std::process::id(), DESKS.fetch_add(1, Ordering::SeqCst));
        let desk = Self {
            folder,
            tag,
            variables: Vec::new(),
            daemon: None,
        };
        for name in ["home", "config/pupitre", "state", "run", "tmp", "work"] {
            std::fs::create_dir_all(desk.path(name)).expect("a folder below the test's own");
        }
        std::fs::set_permissions(
            desk.path("run"),
            std::os::unix::fs::PermissionsExt::from_mode(0o700),
        )
        .expect("the test's own folder");
        desk.write_config(agents);
        desk
    }

    /// Returns a desk whose daemon has the demo agent and is ready.
    pub(crate) fn start() -> Self {
        Self::with_agents(&[])
    }

    /// Returns a desk whose daemon has these settings, the demo agent and these, and is ready.
    pub(crate) fn with_settings(settings: &str, agents: &[TestAgent]) -> Self {
        let mut desk = Self::without_daemon(&[]);
        desk.write_settings(settings, agents);
        desk.start_daemon();
        desk
    }

    /// Returns a desk whose daemon has the demo agent and these, and is ready.
    pub(crate) fn with_agents(agents: &[TestAgent]) -> Self {
        let mut desk = Self::without_daemon(agents);
        desk.start_daemon();
        desk
    }

    /// Adds a variable to the environment of what is started from here on.
    pub(crate) fn set_variable(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.into()));
    }

    /// Does the same with a value that is no text.
    pub(crate) fn set_variable_bytes(&mut self, name: &str, value: &[u8]) {
        let value = std::os::unix::ffi::OsStringExt::from_vec(value.to_owned());
        self.variables.push((name.to_owned(), value));
    }

    /// Writes the configuration: the demo agent, and these.
    pub(crate) fn write_config(&self, agents: &[TestAgent]) {
        self.write_settings(agents::SETTINGS, agents);
    }

    /// Writes the configuration: these settings, the demo agent, and these agents.
    pub(crate) fn write_settings(&self, settings: &str, agents: &[TestAgent]) {
        std::fs::write(self.config(), agents::config_text(settings, agents)).expect("the test's own file");
    }

    /// Starts `pupitre serve` and waits until it is ready.
    pub(crate) fn start_daemon(&mut self) {
        self.start_daemon_with(&[]);
    }

    /// Starts `pupitre serve` with these arguments, and waits until it is ready.
    pub(crate) fn start_daemon_with(&mut self, arguments: &[&str]) {
        assert!(self.daemon.is_none(), "the daemon of this desk runs already");
        self.daemon = Some(Daemon::start(self, arguments));
    }

    /// Returns the daemon that [`Desk::start_daemon`] started.
    pub(crate) fn daemon(&self) -> &Daemon {
        self.daemon.as_ref().expect("the daemon was started")
    }

    /// Ends the daemon with SIGKILL and waits until it is gone; its guards are left to themselves.
    pub(crate) fn kill_daemon(&mut self) {
        self.daemon.take().expect("the daemon was started").kill();
    }

    /// Stops the daemon with `pupitre stop`, and checks that it ended well.
    pub(crate) fn stop_daemon(&mut self) {
        self.run(&["stop"]).expect_code(0);
        self.expect_daemon_end();
    }

    /// Waits for the end of a daemon that was asked to stop, and checks that it ended well.
    pub(crate) fn expect_daemon_end(&mut self) {
        self.daemon.take().expect("the daemon was started").expect_end();
    }

    /// Returns a path below the test's own folder: `home`, `work`, `config`, `state`, `run` and `tmp` are there.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.path("config/pupitre/pupitre.toml")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.path("run/pupitre/pupitre.sock")
    }

    /// The whole environment of every process of the test.
    fn environment(&self) -> Vec<(String, OsString)> {
        let path = |name: &str| self.path(name).display().to_string();
        let own = [
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("LANG", "C.UTF-8".to_owned()),
            ("HOME", path("home")),
            ("TMPDIR", path("tmp")),
            ("XDG_CONFIG_HOME", path("config")),
            ("XDG_STATE_HOME", path("state")),
            ("XDG_RUNTIME_DIR", path("run")),
            ("XDG_DATA_HOME", path("home/data")),
            ("XDG_CACHE_HOME", path("home/cache")),
            ("PUPITRE_DEMO_PACE_MS", "0".to_owned()),
            (TAG_VARIABLE, self.tag.clone()),
        ];
        let own = own
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.into()));
        own.chain(self.variables.iter().cloned()).collect()
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.spawn(arguments).finish()
    }

    /// Runs the program to its end with this on its stdin.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Output {
        Running::start(self, arguments, Some(input)).finish()
    }

    /// Starts the program.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Running {
        Running::start(self, arguments, None)
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect(&self.socket()).unwrap_or_else(|error| panic!("{error}\n{}", self.story()))
    }

    /// Calls a method on a connection of its own; a failure is the test's.
    pub(crate) fn call<M: Method>(&self, params: M::Params) -> M::Reply {
        self.try_call::<M>(params)
            .unwrap_or_else(|error| panic!("{}: {error}\n{}", M::NAME, self.story()))
    }

    /// Calls a method on a connection of its own.
    pub(crate) fn try_call<M: Method>(&self, params: M::Params) -> Result<M::Reply, CallError> {
        let mut client = self.client();
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            // The test has given up when nobody listens.
            sender.send(client.call::<M>(&params)).ok();
        });
        receiver
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|_| panic!("no answer to {} within {PATIENCE:?}\n{}", M::NAME, self.story()))
    }

    /// Calls a method that has to fail, and returns why it did.
    pub(crate) fn call_refused<M: Method>(&self, params: M::Params) -> (ErrorKind, String) {
        match self.try_call::<M>(params) {
            Err(CallError::Rpc(error)) => {
                let kind = error
                    .kind()
                    .unwrap_or_else(|| panic!("an error without a kind: {error}"));
                (kind, error.message)
            }
            Err(error) => panic!("{}: {error}\n{}", M::NAME, self.story()),
            Ok(_) => panic!("{} was not refused\n{}", M::NAME, self.story()),
        }
    }

    /// Opens a stream of all events.
    pub(crate) fn events(&self) -> Events {
        self.events_with(&SubscribeParams::default())
    }

    /// Opens a stream of events.
    pub(crate) fn events_with(&self, params: &SubscribeParams) -> Events {
        Events::open(self, params)
    }

    /// Returns an agent as `agent.list` shows it.
    pub(crate) fn agent(&self, name: &str) -> AgentView {
        let agents = self.call::<agent::List>(Empty {}).agents;
        agents
            .into_iter()
            .find(|agent| agent.name.as_str() == name)
            .unwrap_or_else(|| panic!("there is an agent {name}"))
    }

    pub(crate) fn stop_agent(&self, name: &str) -> AgentView {
        self.call::<agent::Stop>(AgentParams {
            agent: agent_name(name),
        })
    }

    /// Returns the current conversation of an agent, its newest messages.
    pub(crate) fn conversation(&self, agent: &str) -> ConversationView {
        self.call::<chat::Conversation>(ConversationParams {
            agent: agent_name(agent),
            conversation: None,
            before: None,
            limit: None,
        })
    }

    pub(crate) fn send(&self, agent: &str, text: &str) -> SendReply {
        self.call::<chat::Send>(SendParams {
            agent: agent_name(agent),
            text: text.to_owned(),
            attachments: Vec::new(),
            uploads: Vec::new(),
        })
    }

    /// Returns every message of the current conversation of an agent, read back page by page.
    pub(crate) fn all_messages(&self, agent: &str) -> Vec<Message> {
        let mut messages = self.conversation(agent).messages;
        while let Some(oldest) = messages.first().map(|message| message.id) {
            let mut older = self
                .call::<chat::Conversation>(ConversationParams {
                    agent: agent_name(agent),
                    conversation: None,
                    before: Some(oldest),
                    limit: None,
                })
                .messages;
            if older.is_empty() {
                break;
            }
            older.append(&mut messages);
            messages = older;
        }
        messages
    }

    /// Returns the whole text of the log file.
    pub(crate) fn log(&self) -> String {
        let folder = self.path("state/pupitre");
        let mut text = String::new();
        for file in files_below(&folder) {
            if file.extension().is_some_and(|found| found == "log")
                || file.display().to_string().contains("log")
            {
                text += &String::from_utf8_lossy(&std::fs::read(&file).unwrap_or_default());
            }
        }
        text
    }

    /// Returns what the daemon has said, for the message of a failed test.
    pub(crate) fn story(&self) -> String {
        match &self.daemon {
            Some(daemon) => daemon.story().to_string(),
            None => format!("--- the daemon's log\n{}", last_lines(&self.log(), 60)),
        }
    }

    /// Waits until no process of this test is alive.
    pub(crate) fn expect_nothing_left(&self) {
        leftovers::expect_none(&self.tag);
    }

    /// Waits until no process has this in its command line.
    pub(crate) fn wait_for_no_command_with(&self, text: &str) {
        leftovers::wait_for_no_command_with(text);
    }

    /// Returns the commands of the processes that have this in their command line, whatever their environment.
    pub(crate) fn commands_with(&self, text: &str) -> Vec<String> {
        leftovers::commands_with(text)
            .into_iter()
            .map(|(_, line)| line)
            .collect()
    }

    /// Returns how many processes of this test are alive.
    pub(crate) fn processes(&self) -> Vec<String> {
        leftovers::alive(&self.tag)
            .into_iter()
            .map(|(_, name)| name)
            .collect()
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // The first failure is the one to read; this only cleans up.
            if let Some(daemon) = self.daemon.take() {
                daemon.terminate();
            }
            leftovers::kill(&self.tag);
            return;
        }
        if let Some(daemon) = self.daemon.take() {
            daemon.terminate().expect_end();
        }
        self.expect_nothing_left();
    }
}

pub(crate) fn agent_name(name: &str) -> AgentName {
    name.parse().expect("the test's agents have good names")
}

/// Returns all text of the agent's messages of one turn.
pub(crate) fn text_of_turn(view: &ConversationView, turn: MessageId) -> String {
    let messages = view.messages.iter();
    messages
        .filter(|message| message.role == Role::Agent && message.turn == Some(turn))
        .map(text_of)
        .collect()
}

/// Returns the text parts of a message.
pub(crate) fn text_of(message: &Message) -> String {
    let parts = message.parts.iter();
    parts
        .filter_map(|part| match part {
            Part::Text { text } => Some(text.as_str()),
            Part::Thought { .. }
            | Part::Tool { .. }
            | Part::Plan { .. }
            | Part::Image { .. }
            | Part::Resource { .. } => None,
        })
        .collect()
}

/// Returns all files below a folder.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}

fn last_lines(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}
