//! The agents of a test's configuration: fakes that play a file, shell scripts, anything with a command.

use std::path::{Path, PathBuf};

use pupitre_testkit::fixtures::Program;

use super::Desk;

/// One agent of the configuration.
#[derive(Debug, Clone)]
pub(crate) struct TestAgent {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) env: Vec<(String, String)>,
    /// More lines of its entry.
    pub(crate) lines: Vec<String>,
}

/// How a fake agent plays its file.
#[derive(Debug, Clone, Copy)]
enum Fake {
    Replay,
    Script,
}

/// Where a fake agent says how its run ended.
#[derive(Debug, Clone)]
pub(crate) struct Report(PathBuf);

impl TestAgent {
    pub(crate) fn new(name: &str, command: &str, args: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            command: command.to_owned(),
            args: args.iter().map(|&argument| argument.to_owned()).collect(),
            cwd: None,
            env: Vec::new(),
            lines: Vec::new(),
        }
    }

    pub(crate) fn cwd(mut self, folder: &str) -> Self {
        self.cwd = Some(folder.to_owned());
        self
    }

    /// Adds a line to its entry in the configuration.
    pub(crate) fn line(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// Returns an agent that replays a recording, and where it reports.
pub(crate) fn fake_replay(desk: &Desk, name: &str, file: &Path) -> (TestAgent, Report) {
    fake(desk, name, Fake::Replay, file)
}

/// Returns an agent that plays a script, and where it reports.
pub(crate) fn fake_script(desk: &Desk, name: &str, file: &Path) -> (TestAgent, Report) {
    fake(desk, name, Fake::Script, file)
}

fn fake(desk: &Desk, name: &str, fake: Fake, file: &Path) -> (TestAgent, Report) {
    let report = desk.path(&format!("{name}.report"));
    let word = match fake {
        Fake::Replay => "replay",
        Fake::Script => "script",
    };
    let program = Program::FakeAgent.path();
    // The recordings were made with a client that offers nothing.
    let agent = TestAgent::new(name, utf8(&program), &[word, utf8(file)])
        .env("PUPITRE_FAKE_REPORT", utf8(&report))
        .line("client = []");
    (agent, Report(report))
}

/// Returns an agent that is a shell script.
pub(crate) fn shell_agent(name: &str, script: &str) -> TestAgent {
    TestAgent::new(name, "/bin/sh", &["-c", script])
}

impl Report {
    /// Returns the lines that the runs of the fake have written.
    pub(crate) fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Checks that the fake ran this often and met nothing that it did not expect.
    #[track_caller]
    pub(crate) fn expect_ok(&self, runs: usize, desk: &Desk) {
        let lines = self.lines();
        assert!(
            lines.len() == runs && lines.iter().all(|line| line == "OK"),
            "{runs} good runs were expected, the fake reported {lines:#?}\n{}",
            desk.story()
        );
    }
}

/// What a test's configuration says when it does not matter: as many agents as may be, so that none makes room.
pub(super) const SETTINGS: &str = "[limits]\nmaxRunningAgents = 64\n";

/// Returns the text of a configuration with these settings, the demo agent and these agents.
pub(super) fn config_text(settings: &str, agents: &[TestAgent]) -> String {
    let mut text = format!("{settings}\n[[agents]]\nname = \"demo\"\ntitle = \"Demo\"\npreset = \"demo\"\n");
    for agent in agents {
        let args: Vec<String> = agent.args.iter().map(|argument| quoted(argument)).collect();
        text += &format!(
            "\n[[agents]]\nname = {}\ncommand = {}\nargs = [{}]\n",
            quoted(&agent.name),
            quoted(&agent.command),
            args.join(", ")
        );
        if let Some(cwd) = &agent.cwd {
            text += &format!("cwd = {}\n", quoted(cwd));
        }
        for line in &agent.lines {
            text += &format!("{line}\n");
        }
        let env: Vec<String> = agent
            .env
            .iter()
            .map(|(name, value)| format!("{} = {}", quoted(name), quoted(value)))
            .collect();
        text += &format!("env = {{ {} }}\n", env.join(", "));
    }
    text
}

/// A string of JSON is also one of TOML.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string is JSON")
}

pub(crate) fn utf8(path: &Path) -> &str {
    path.to_str().expect("the paths of tests are UTF-8")
}
